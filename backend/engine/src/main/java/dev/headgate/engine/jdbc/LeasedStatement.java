package dev.headgate.engine.jdbc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A statement of a leased connection, of any of the three kinds. */
abstract class LeasedStatement extends LeasedPart<Statement> implements Statement {

    private static final MethodHandle NEW = constructor(Statement.class);
    private static final MethodHandle NEW_PREPARED = constructor(PreparedStatement.class);
    private static final MethodHandle NEW_CALLABLE = constructor(CallableStatement.class);

    LeasedStatement(LeasedConnection owner, Statement target) {
        super(owner, target);
    }

    private static MethodHandle constructor(Class<? extends Statement> type) {
        return Forwarding.constructor(MethodHandles.lookup(), LeasedStatement.class, type);
    }

    static Statement of(LeasedConnection owner, Statement target) {
        try {
            return (LeasedStatement) NEW.invokeExact(owner, target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    static PreparedStatement of(LeasedConnection owner, PreparedStatement target) {
        try {
            return (PreparedStatement) (LeasedStatement) NEW_PREPARED.invokeExact(owner, (Statement) target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    static CallableStatement of(LeasedConnection owner, CallableStatement target) {
        try {
            return (CallableStatement) (LeasedStatement) NEW_CALLABLE.invokeExact(owner, (Statement) target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    /** Its own rows, which know it by this name. */
    @Override
    @Nullable
    ResultSet given(@Nullable ResultSet rows) {
        return rows == null ? null : LeasedResultSet.of(owner(), rows, this);
    }

    @Override
    public Connection getConnection() {
        return owner();
    }

    @Override
    public void close() throws SQLException {
        target.close();
    }

    @Override
    public boolean isClosed() throws SQLException {
        return owner().isOver() || target.isClosed();
    }
}
