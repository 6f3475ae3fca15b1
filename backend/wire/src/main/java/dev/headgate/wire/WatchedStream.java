package dev.headgate.wire;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A client's stream that knows since when a write has been under way. Written by one thread at a time, asked by any. */
final class WatchedStream extends FilterOutputStream {

    private volatile boolean writing;
    private volatile long since;

    WatchedStream(OutputStream out) {
        super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        since = System.nanoTime();
        writing = true;
        try {
            out.write(bytes, offset, count);
        } finally {
            writing = false;
        }
    }

    /** For how long the present write has lasted; 0 where there is none. */
    long writingNanos(long nowNanos) {
        return writing ? Math.max(0, nowNanos - since) : 0;
    }
}
