package dev.headgate.engine.meter;

import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;

/**
 * The socket a server is spoken to over, above TLS where there is TLS, whose bytes pass a meter. The streams of
 * {@link #socket()} block, the methods here never do; one thread at a time uses either.
 */
public interface TappedSocket {

    Socket socket();

    /** The channel at the bottom, which never blocks. */
    SocketChannel channel();

    /** Reads what is there: 0 for nothing, -1 where the server has ended the connection. */
    int read(byte[] bytes, int offset, int count) throws IOException;

    /** Whether a read may bring more though the channel does not become ready. */
    boolean mayHoldMore();

    /** Takes bytes to be sent; fewer where there is no room now, 0 while something is unsent. */
    int write(byte[] bytes, int offset, int count) throws IOException;

    /** Sends what was taken but not sent; tells whether nothing is left. */
    boolean flush() throws IOException;

    /**
     * Whether the server has ended the connection, as far as the socket knows now. What the server said before that, or
     * says while the connection is idle, is kept for the next read.
     */
    boolean hasEnded();
}
