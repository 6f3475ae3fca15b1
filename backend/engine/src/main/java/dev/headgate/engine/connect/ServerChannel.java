package dev.headgate.engine.connect;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/**
 * A non-blocking channel to a server, above TLS if there is TLS. Its bytes are measured. Used by one thread at a time, and
 * not while JDBC uses the connection. No method blocks.
 *
 * <pre>
 *   key = channel.channel().register(selector, OP_READ);
 *   // on OP_READ: read until 0, because bytes that TLS has already decrypted do not make the channel ready
 *   while ((n = channel.read(bytes, 0, bytes.length)) &gt; 0) { ... }
 *   // before reading ends and after each write: bytes that flush() leaves unsent wait for OP_WRITE
 *   key.interestOps(channel.flush() ? OP_READ : OP_READ | OP_WRITE);
 * </pre>
 *
 * <p>If a connection is closed while it is registered with a selector, the server learns of it at once, but the operating
 * system's handle is released only when that selector selects the next time.
 */
public interface ServerChannel {

    /** For registering with a selector. Must not be read, written, configured or closed. Never blocks. */
    SocketChannel channel();

    /**
     * Reads the bytes that are available.
     *
     * @param count at least 1
     * @return how many bytes; 0 if there are none now, -1 if the server has ended the connection
     */
    int read(byte[] bytes, int offset, int count) throws IOException;

    /** Whether a read may return bytes although the channel is not ready. Under TLS this is so until a read returns none. */
    boolean mayHoldMore();

    /**
     * Accepts bytes to send. TLS may keep some until {@link #flush}.
     *
     * @return how many were accepted: fewer than {@code count} if the socket or a TLS record is full, 0 while bytes are unsent
     */
    int write(byte[] bytes, int offset, int count) throws IOException;

    /**
     * Sends bytes that were accepted but not sent.
     *
     * @return whether all bytes are sent
     */
    boolean flush() throws IOException;
}
