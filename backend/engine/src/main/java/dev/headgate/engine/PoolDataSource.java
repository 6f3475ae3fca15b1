package dev.headgate.engine;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool as a JDBC data source: a connection is a lease, and closing it ends the lease. */
final class PoolDataSource implements DataSource {

    private final Pool pool;
    private volatile LeaseRequest request;

    PoolDataSource(Pool pool, String holder, SessionReset reset) {
        this.pool = pool;
        this.request = new LeaseRequest(holder, Long.MAX_VALUE, reset);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return pool.acquire(request).connection();
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
     * Bounds the wait of later requests for a connection. 0 leaves the bound to the policies.
     *
     * @throws SQLException if negative
     */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("a login timeout of " + seconds + " s", "22023");
        }
        long nanos = seconds == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
        request = new LeaseRequest(request.holder(), nanos, request.reset());
    }

    @Override
    public int getLoginTimeout() {
        long nanos = request.timeoutNanos();
        return nanos == Long.MAX_VALUE ? 0 : (int) TimeUnit.NANOSECONDS.toSeconds(nanos);
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
