package dev.headgate.wire.loop;

import java.nio.ByteBuffer;

/**
 * Buffers for the records of one loop's TLS connections, used by one connection at a time. They are direct: native engines
 * read and write them in place.
 */
final class TlsBuffers {

    private static final int SIZE = 64 * 1024;

    /** Records received from a socket. */
    final ByteBuffer arrived = ByteBuffer.allocateDirect(SIZE);

    /** Records to send to a socket. */
    final ByteBuffer leaving = ByteBuffer.allocateDirect(SIZE);

    /** The content of records: decrypted, or to be encrypted. */
    final ByteBuffer clear = ByteBuffer.allocateDirect(SIZE);

    private final ByteBuffer zeros = ByteBuffer.allocateDirect(SIZE);

    /** Overwrites the first bytes of {@link #clear}, so that no content outlives its record. */
    void wipeClear(int bytes) {
        clear.put(0, zeros, 0, bytes);
    }
}
