package dev.headgate.engine.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Bytes of a large object, which are read over the leased connection. */
final class LeasedStream extends FilterInputStream {

    private final LeasedConnection owner;

    LeasedStream(LeasedConnection owner, InputStream target) {
        super(target);
        this.owner = owner;
    }

    @Override
    public int read() throws IOException {
        owner.checkForStream();
        return super.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        owner.checkForStream();
        return super.read(bytes, offset, count);
    }

    @Override
    public long skip(long count) throws IOException {
        owner.checkForStream();
        return super.skip(count);
    }

    @Override
    public int available() throws IOException {
        owner.checkForStream();
        return super.available();
    }

    /** The object closes with its transaction. After the lease it is not ours to close. */
    @Override
    public void close() throws IOException {
        owner.checkForStream();
        super.close();
    }
}
