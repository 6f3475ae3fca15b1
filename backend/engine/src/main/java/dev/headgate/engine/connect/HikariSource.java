package dev.headgate.engine.connect;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * What HikariCP asks for connections. Failed attempts are repeated here, at the pace of the {@link Outage}, because HikariCP
 * would double its pause with every failure, up to 5 s, and go on waiting when the database is back. If the pool lacks several
 * connections, they are opened at the same time ({@link ParallelOpener}).
 *
 * <p>HikariCP calls {@link #getConnection} on its one adder thread. It blocks until there is a connection or the pool needs none.
 */
final class HikariSource implements DataSource {

    private final ParallelOpener connections;
    private final Opener opener;

    HikariSource(ParallelOpener connections, Opener opener) {
        this.connections = connections;
        this.opener = opener;
    }

    /** @throws SQLException if an attempt failed and the pool does not need the connection any more */
    @Override
    public Connection getConnection() throws SQLException {
        Connection opened = connections.open();
        // HikariCP's adder sleeps 30 ms after each connection. The flag ends that sleep, and the executor of the adder
        // clears it before the next task, which opens the next connection.
        Thread.currentThread().interrupt();
        return opened;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the target's own user is used");
    }

    /** How long HikariCP's shutdown waits for a connect that is in progress, in seconds. */
    @Override
    public int getLoginTimeout() {
        return opener.connectTimeoutSeconds();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // HikariCP sets it; the target's own timeouts apply
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException("no log writer");
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("no logger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
