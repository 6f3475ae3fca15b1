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

    /** What it was prepared from; empty for a statement that is given its text when it is executed. */
    private final String text;

    LeasedStatement(LeasedConnection owner, Statement target, String text) {
        super(owner, target);
        this.text = text;
    }

    private static MethodHandle constructor(Class<? extends Statement> type) {
        return Forwarding.constructor(MethodHandles.lookup(), LeasedStatement.class, type);
    }

    static Statement of(LeasedConnection owner, Statement target) {
        try {
            return (LeasedStatement) NEW.invokeExact(owner, target, "");
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    /** @param text what it was prepared from */
    static PreparedStatement of(LeasedConnection owner, PreparedStatement target, String text) {
        try {
            return (PreparedStatement) (LeasedStatement) NEW_PREPARED.invokeExact(owner, (Statement) target, text);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    /** @param text what it was prepared from */
    static CallableStatement of(LeasedConnection owner, CallableStatement target, String text) {
        try {
            return (CallableStatement) (LeasedStatement) NEW_CALLABLE.invokeExact(owner, (Statement) target, text);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    /** It is executed without a text. */
    void executes() {
        if (!text.isEmpty()) {
            owner().executes(text);
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
