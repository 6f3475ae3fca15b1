package dev.headgate.server.live;

import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Takes one frame's text and sends it in parts, so that a frame of any size takes the memory of one part. A part is sent when it is full;
 * the sender blocks until the socket has taken it. For one thread.
 */
final class PartWriter extends Writer {

    /** The most characters of a part. Most frames have fewer, and are sent as one. */
    static final int PART = 16 * 1024;

    private final Line line;
    private final StringBuilder part = new StringBuilder();
    private @Nullable IOException broken;

    PartWriter(Line line) {
        this.line = line;
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
        int from = offset;
        int end = offset + length;
        while (from < end) {
            if (part.length() == PART) {
                send(false);
            }
            int some = Math.min(end - from, PART - part.length());
            part.append(text, from, some);
            from += some;
        }
    }

    /** Sends the last part. Without it the frame is not complete. */
    void end() throws IOException {
        send(true);
    }

    private void send(boolean last) throws IOException {
        String text = part.toString();
        part.setLength(0);
        try {
            line.send(text, last);
        } catch (IOException e) {
            broken = e;
            throw e;
        }
    }

    /** @throws IOException that broke the line: whoever encodes a frame hides it in another */
    void check() throws IOException {
        if (broken != null) {
            throw broken;
        }
    }

    /** Does nothing: a part that is not full waits for more. */
    @Override
    public void flush() {}

    /** Does nothing: only {@link #end} says that the frame is complete. */
    @Override
    public void close() {}
}
