package dev.headgate.server.live;

import io.github.bucket4j.BlockingBucket;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.springframework.web.socket.CloseStatus;

/**
 * A line whose parts wait until there is room for them in what all such lines together may send.
 *
 * @param pace a token for each character
 */
record PacedLine(Line line, BlockingBucket pace) implements Line {

    /** Blocks until the part is due and the socket has taken it. */
    @Override
    public void send(String part, boolean last) throws IOException {
        try {
            pace.consume(Math.max(1, part.length()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the thread is to end");
        }
        line.send(part, last);
    }

    @Override
    public void close(CloseStatus reason) {
        line.close(reason);
    }

    @Override
    public boolean isAllowed() {
        return line.isAllowed();
    }
}
