package dev.headgate.wire;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;

/**
 * The client's end of a {@link Relay}: a socket, or a program in the same process. Belongs to its loop's thread, as all calls
 * do. It tells the relay of its events by {@link Relay#received}, {@link Relay#drained} and {@link Relay#gone}.
 */
public interface ClientEnd {

    /** What the client sends. */
    FrameReader in();

    /** What is written for the client. */
    FrameWriter out();

    /** About how many bytes are held of what was written and the client has not taken. */
    default int untaken() {
        return out().kept();
    }

    /** Passes on what was written, as far as the client takes it. Called after every change. */
    void settle();

    /** Ends when the client has taken what was written, and soon in any case. */
    void close();

    /** Ends at once. */
    void closeNow();
}
