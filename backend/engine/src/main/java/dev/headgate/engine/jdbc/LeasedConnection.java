package dev.headgate.engine.jdbc;

import dev.headgate.engine.Lease;
import dev.headgate.engine.connect.Traces;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A leased connection as JDBC callers see it: one of ours before HikariCP's, whose {@code close} ends the lease. The same
 * stands before whatever leads back to the connection (statements, metadata, result sets, arrays, large objects). So every
 * way back ends at the caller's connection, and never at one whose close would keep the permit.
 *
 * <p>Once the lease has ended, whoever ended it, everything fails with SQLSTATE 08003 but {@code close}, {@code isClosed},
 * {@code isValid}, {@code abort} and {@code getConnection}. So nobody reaches a connection that somebody else has leased
 * since.
 *
 * <p>It also notes whether the caller may have left something in the session, for {@link #restore}.
 */
public abstract class LeasedConnection extends Leased<Connection> implements Connection {

    private static final String DOES_NOT_EXIST = "08003";

    private static final MethodHandle NEW =
            Forwarding.constructor(MethodHandles.lookup(), LeasedConnection.class, Connection.class);

    private final Lease lease;

    /** The caller may have left something in the session. */
    private volatile boolean touched;

    /** The text that was noted last; null for none. Without a first value, because a volatile write would cost 5 ns of each lease. */
    private volatile @Nullable String seen;

    /** The driver's holdability before the caller set one; 0, which is none, if it set none. */
    private volatile int formerHoldability;

    LeasedConnection(Lease lease, Connection target) {
        super(target);
        this.lease = lease;
    }

    /** @param target what the lease has borrowed */
    public static LeasedConnection of(Lease lease, Connection target) {
        try {
            return (LeasedConnection) NEW.invokeExact(lease, target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    /**
     * Rolls back what is open, and puts the session back to what it was when it was opened, as far as the caller has changed
     * it. Sends nothing where nothing was set and no transaction is open.
     *
     * @param withinTransaction as the server has said last
     */
    public void restore(boolean withinTransaction) throws SQLException {
        if (formerHoldability != 0) {
            target.setHoldability(formerHoldability);
        }
        if (!withinTransaction && !touched) {
            return;
        }
        if (!target.getAutoCommit()) {
            target.rollback();
            target.setAutoCommit(true);
        } else if (withinTransaction) {
            execute("ROLLBACK");
        }
        if (touched) {
            execute("DISCARD ALL"); // from which the driver learns that its prepared statements are gone, too
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = target.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Notes a text that is about to be executed, and whether it may leave something that the next one to lease the connection would find. */
    void sees(String sql) {
        executes(sql);
        if (!touched && Traces.mayBeLeftBy(sql)) {
            touched = true;
        }
    }

    /** Notes the text of what is about to be executed. */
    @SuppressWarnings("ReferenceEquality") // another instance is noted again, which does no harm
    void executes(String sql) {
        if (sql != seen) {
            seen = sql;
            lease.executes(sql);
        }
    }

    void touch() {
        touched = true;
    }

    boolean isOver() throws SQLException {
        return lease.hasEnded() || target.isClosed();
    }

    void check() throws SQLException {
        if (isOver()) {
            throw new SQLNonTransientConnectionException("the connection is closed", DOES_NOT_EXIST);
        }
    }

    /** {@link #check} for the streams of a large object, which may throw nothing else. */
    void checkForStream() throws IOException {
        try {
            check();
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    @Override
    LeasedConnection owner() {
        return this;
    }

    Statement given(Statement statement) {
        return LeasedStatement.of(this, statement);
    }

    private String seen() {
        String last = seen;
        return last == null ? "" : last;
    }

    /** Prepared from the text that was seen last. */
    PreparedStatement given(PreparedStatement statement) {
        return LeasedStatement.of(this, statement, seen());
    }

    CallableStatement given(CallableStatement statement) {
        return LeasedStatement.of(this, statement, seen());
    }

    // ---- Connection

    @Override
    public void close() {
        lease.close();
    }

    @Override
    public boolean isClosed() throws SQLException {
        return isOver();
    }

    @Override
    public boolean isValid(int seconds) throws SQLException {
        return !isOver() && target.isValid(seconds);
    }

    @Override
    public void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort needs an executor", "22023");
        }
        if (!lease.hasEnded()) {
            try {
                target.abort(executor);
            } finally {
                lease.discard();
            }
        }
    }

    // HikariCP puts back none of these

    @Override
    public void setHoldability(int holdability) throws SQLException {
        int former = target().getHoldability();
        target().setHoldability(holdability);
        if (formerHoldability == 0) {
            formerHoldability = former;
        }
    }

    @Override
    public void setSchema(@Nullable String schema) throws SQLException {
        target().setSchema(schema);
        touch();
    }

    @Override
    public void setClientInfo(@Nullable String name, @Nullable String value) throws SQLClientInfoException {
        toSetClientInfo().setClientInfo(name, value);
    }

    @Override
    public void setClientInfo(@Nullable Properties properties) throws SQLClientInfoException {
        toSetClientInfo().setClientInfo(properties);
    }

    private Connection toSetClientInfo() throws SQLClientInfoException {
        try {
            check();
        } catch (SQLException e) {
            throw new SQLClientInfoException(e.getMessage(), e.getSQLState(), Map.of(), e);
        }
        touch();
        return target;
    }
}
