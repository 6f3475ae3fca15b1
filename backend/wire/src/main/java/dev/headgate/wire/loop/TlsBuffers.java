package dev.headgate.wire.loop;

import java.nio.ByteBuffer;

/**
 * Room for the records of one loop's TLS connections, used by one at a time. All of it is direct: native engines read and
 * write it in place.
 */
final class TlsBuffers {

    private static final int SIZE = 64 * 1024;

    /** Records that came from a socket. */
    final ByteBuffer arrived = ByteBuffer.allocateDirect(SIZE);

    /** Records that go to a socket. */
    final ByteBuffer leaving = ByteBuffer.allocateDirect(SIZE);

    /** What records contain: decrypted, or to be encrypted. */
    final ByteBuffer clear = ByteBuffer.allocateDirect(SIZE);
}
