package dev.headgate.engine.jdbc;

import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.sql.Clob;
import java.sql.SQLException;

/** A large object of a leased connection as text. */
final class LeasedClob extends LeasedValue<Clob> implements Clob {

    LeasedClob(LeasedConnection owner, Clob target) {
        super(owner, target);
    }

    /** Letters that are read over the leased connection. */
    private static final class Letters extends FilterReader {

        private final LeasedConnection owner;

        Letters(LeasedConnection owner, Reader target) {
            super(target);
            this.owner = owner;
        }

        @Override
        public int read() throws IOException {
            owner.checkForStream();
            return super.read();
        }

        @Override
        public int read(char[] letters, int offset, int count) throws IOException {
            owner.checkForStream();
            return super.read(letters, offset, count);
        }

        @Override
        public void close() throws IOException {
            owner.checkForStream();
            super.close();
        }
    }

    @Override
    public long length() throws SQLException {
        return target().length();
    }

    @Override
    public String getSubString(long position, int length) throws SQLException {
        return target().getSubString(position, length);
    }

    @Override
    public Reader getCharacterStream() throws SQLException {
        return new Letters(owner, target().getCharacterStream());
    }

    @Override
    public Reader getCharacterStream(long position, long length) throws SQLException {
        return new Letters(owner, target().getCharacterStream(position, length));
    }

    @Override
    public InputStream getAsciiStream() throws SQLException {
        return new LeasedStream(owner, target().getAsciiStream());
    }

    @Override
    public long position(String pattern, long start) throws SQLException {
        return target().position(pattern, start);
    }

    @Override
    public long position(Clob pattern, long start) throws SQLException {
        return target().position(pattern, start);
    }

    @Override
    public int setString(long position, String text) throws SQLException {
        return target().setString(position, text);
    }

    @Override
    public int setString(long position, String text, int offset, int length) throws SQLException {
        return target().setString(position, text, offset, length);
    }

    @Override
    public OutputStream setAsciiStream(long position) throws SQLException {
        return new LeasedOutput(owner, target().setAsciiStream(position));
    }

    /** The driver has none: it throws. */
    @Override
    public Writer setCharacterStream(long position) throws SQLException {
        return target().setCharacterStream(position);
    }

    @Override
    public void truncate(long length) throws SQLException {
        target().truncate(length);
    }

    @Override
    public void free() throws SQLException {
        if (!owner.isOver()) {
            target.free();
        }
    }
}
