package dev.headgate.engine.meter;

import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;

/**
 * The metered socket to a server, above TLS if there is TLS. The streams of {@link #socket()} block, the methods here never
 * do. One thread at a time uses either.
 */
public interface TappedSocket {

    Socket socket();

    /** The underlying channel, which never blocks. */
    SocketChannel channel();

    /** Reads the available bytes: 0 if there are none, -1 if the server has ended the connection. */
    int read(byte[] bytes, int offset, int count) throws IOException;

    /** Whether a read may return bytes although the channel is not ready. */
    boolean mayHoldMore();

    /** Accepts bytes to send: fewer if there is no room now, 0 while bytes are unsent. */
    int write(byte[] bytes, int offset, int count) throws IOException;

    /** Sends bytes that were accepted but not sent. Returns whether all are sent. */
    boolean flush() throws IOException;

    /** The server owes nothing: a lease of the connection begins. */
    void settled();

    /**
     * Whether the server has ended the connection, as far as the socket knows now. Bytes that the server sent before that,
     * or sends while the connection is idle, are kept for the next read.
     */
    boolean hasEnded();
}
