package dev.headgate.wire.loop;

import java.nio.ByteBuffer;

/** Room for the records of one loop's TLS connections, used by one at a time. */
final class TlsBuffers {

    private static final int SIZE = 64 * 1024;

    /** What came from a socket. */
    final ByteBuffer arrived = ByteBuffer.allocateDirect(SIZE);

    /** What goes to a socket. */
    final ByteBuffer leaving = ByteBuffer.allocateDirect(SIZE);
}
