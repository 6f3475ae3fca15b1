package dev.headgate.engine.jdbc;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Bytes for a large object, which are written over the leased connection. */
final class LeasedOutput extends FilterOutputStream {

    private final LeasedConnection owner;

    LeasedOutput(LeasedConnection owner, OutputStream target) {
        super(target);
        this.owner = owner;
    }

    @Override
    public void write(int single) throws IOException {
        owner.checkForStream();
        out.write(single);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        owner.checkForStream();
        out.write(bytes, offset, count);
    }

    @Override
    public void flush() throws IOException {
        owner.checkForStream();
        out.flush();
    }

    /** What is not written yet would be written now. After the lease it is lost, which the caller must hear. */
    @Override
    public void close() throws IOException {
        owner.checkForStream();
        out.close();
    }
}
