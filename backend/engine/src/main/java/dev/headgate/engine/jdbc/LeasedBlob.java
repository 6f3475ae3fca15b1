package dev.headgate.engine.jdbc;

import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Blob;
import java.sql.SQLException;

/** A large object of a leased connection, over which it is read and written. */
final class LeasedBlob extends LeasedValue<Blob> implements Blob {

    LeasedBlob(LeasedConnection owner, Blob target) {
        super(owner, target);
    }

    @Override
    public long length() throws SQLException {
        return target().length();
    }

    @Override
    public byte[] getBytes(long position, int length) throws SQLException {
        return target().getBytes(position, length);
    }

    @Override
    public InputStream getBinaryStream() throws SQLException {
        return new LeasedStream(owner, target().getBinaryStream());
    }

    @Override
    public InputStream getBinaryStream(long position, long length) throws SQLException {
        return new LeasedStream(owner, target().getBinaryStream(position, length));
    }

    @Override
    public long position(byte[] pattern, long start) throws SQLException {
        return target().position(pattern, start);
    }

    @Override
    public long position(Blob pattern, long start) throws SQLException {
        return target().position(pattern, start);
    }

    @Override
    public int setBytes(long position, byte[] bytes) throws SQLException {
        return target().setBytes(position, bytes);
    }

    @Override
    public int setBytes(long position, byte[] bytes, int offset, int length) throws SQLException {
        return target().setBytes(position, bytes, offset, length);
    }

    @Override
    public OutputStream setBinaryStream(long position) throws SQLException {
        return new LeasedOutput(owner, target().setBinaryStream(position));
    }

    @Override
    public void truncate(long length) throws SQLException {
        target().truncate(length);
    }

    @Override
    public void free() throws SQLException {
        if (!owner.isOver()) { // else it has gone with its transaction
            target.free();
        }
    }
}
