package dev.headgate.engine.connect;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/**
 * The way to a server without waiting, above TLS where there is TLS; the bytes are measured. Used by one thread at a time, and
 * not while JDBC uses the connection. No method blocks.
 *
 * <pre>
 *   key = channel.channel().register(selector, OP_READ);
 *   // on OP_READ: read until 0, because what TLS has decrypted already makes no channel ready
 *   while ((n = channel.read(bytes, 0, bytes.length)) &gt; 0) { ... }
 *   // before reading ends and after each write: whatever flush() leaves unsent waits for OP_WRITE
 *   key.interestOps(channel.flush() ? OP_READ : OP_READ | OP_WRITE);
 * </pre>
 *
 * <p>The operating system's handle of a connection that is closed while it is registered with a selector is released when
 * that selector selects the next time; the server learns of the end at once.
 */
public interface ServerChannel {

    /** To be registered with a selector; not to be read, written, configured or closed. Never blocks. */
    SocketChannel channel();

    /**
     * Reads what is there.
     *
     * @param count at least 1
     * @return how many bytes; 0 where there is nothing now, -1 where the server has ended the connection
     */
    int read(byte[] bytes, int offset, int count) throws IOException;

    /** Whether a read may bring more though the channel does not become ready: under TLS, until one has brought nothing. */
    boolean mayHoldMore();

    /**
     * Takes bytes to be sent, of which TLS may keep some until {@link #flush}.
     *
     * @return how many were taken: fewer than {@code count} where the socket is full or a TLS record is, 0 while something
     *     is unsent
     */
    int write(byte[] bytes, int offset, int count) throws IOException;

    /**
     * Sends what was taken but not sent.
     *
     * @return whether nothing is left unsent
     */
    boolean flush() throws IOException;
}
