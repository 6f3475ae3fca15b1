package dev.headgate.wire.session;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands of Headgate's own on a connection between a client's requests: settings put in place, a session reset. One
 * simple query; nobody is told what it answers but {@code done}. Notifications that come meanwhile are the client's.
 */
final class Errand {

    /** A longer answer than any of these commands has. */
    private static final int MOST_PEEKED = 8 * 1024;

    private final Link link;
    private final Consumer<Fields.@Nullable Failure> done;
    private final Supplier<FrameWriter> client;
    private final long deadlineNanos;
    private Fields.@Nullable Failure failure;

    /**
     * Writes the query.
     *
     * @param client what goes to the client at present
     * @param done told once ReadyForQuery has come, with the error if there was one
     */
    Errand(
            Link link,
            String commands,
            long deadlineNanos,
            Supplier<FrameWriter> client,
            Consumer<Fields.@Nullable Failure> done) {
        this.link = link;
        this.client = client;
        this.done = done;
        this.deadlineNanos = deadlineNanos;
        link.unnamed = null; // a simple query drops it
        link.out.message('Q', commands);
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /**
     * Takes the open message.
     *
     * @return whether that was the last one
     */
    Progress take(FrameReader in) throws ProtocolException {
        switch (in.type()) {
            case 'A' -> {
                in.pass(client.get());
                return Progress.TAKEN;
            }
            case 'S' -> {
                if (!in.has(MOST_PEEKED)) {
                    return Progress.NEEDS_BYTES;
                }
                byte[] body = in.peek(MOST_PEEKED);
                int value = FrameReader.after(body, 0, body.length);
                link.reports(FrameReader.cString(body, 0), FrameReader.cString(body, value));
            }
            case 'E' -> {
                if (!in.has(MOST_PEEKED)) {
                    return Progress.NEEDS_BYTES;
                }
                failure = Fields.failure(in.array(), in.position(), in.position() + in.here());
            }
            case 'Z' -> {
                if (!in.has(1)) {
                    return Progress.NEEDS_BYTES;
                }
                in.close();
                return Progress.DONE;
            }
            default -> {
                // rows and completions of our own commands
            }
        }
        in.close();
        return Progress.TAKEN;
    }

    /** Tells that it has ended. */
    void end() {
        done.accept(failure);
    }

    enum Progress {
        /** The message is not here whole. */
        NEEDS_BYTES,
        TAKEN,
        DONE
    }
}
