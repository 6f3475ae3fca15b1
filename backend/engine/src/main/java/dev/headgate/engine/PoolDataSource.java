package dev.headgate.engine;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool seen through JDBC: a connection is a lease, and closing it ends the lease. */
final class PoolDataSource implements DataSource {

    private final Pool pool;
    private final String holder;
    private final SessionReset reset;
    private volatile int loginTimeoutSeconds;

    PoolDataSource(Pool pool, String holder, SessionReset reset) {
        this.pool = pool;
        this.holder = holder;
        this.reset = reset;
    }

    @Override
    public Connection getConnection() throws SQLException {
        int seconds = loginTimeoutSeconds;
        long timeout = seconds == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
        return pool.acquire(new LeaseRequest(holder, timeout, reset)).connection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the domain's own user is used");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    /**
     * Bounds the wait of whoever asks for a connection from now on; 0 leaves it to the policies.
     *
     * @throws SQLException if negative
     */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("a login timeout of " + seconds + " s", "22023");
        }
        loginTimeoutSeconds = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeoutSeconds;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("no logger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        if (type.isInstance(pool)) {
            return type.cast(pool);
        }
        throw new SQLException("not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this) || type.isInstance(pool);
    }
}
