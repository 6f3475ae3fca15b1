package dev.headgate.engine.jdbc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Rows of a statement, of metadata or of an array. */
abstract class LeasedResultSet extends LeasedPart<ResultSet> implements ResultSet {

    private static final MethodHandle NEW =
            Forwarding.constructor(MethodHandles.lookup(), LeasedResultSet.class, ResultSet.class);

    /** As the caller knows it; null where the caller has not made it. */
    private final @Nullable Statement statement;

    LeasedResultSet(LeasedConnection owner, ResultSet target, @Nullable Statement statement) {
        super(owner, target);
        this.statement = statement;
    }

    /** @param statement the one that gave the rows, as the caller knows it; null where the caller has not made it */
    static ResultSet of(LeasedConnection owner, ResultSet target, @Nullable Statement statement) {
        try {
            return (LeasedResultSet) NEW.invokeExact(owner, target, statement);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    @Override
    public @Nullable Statement getStatement() throws SQLException {
        Statement made = target().getStatement();
        return statement != null || made == null ? statement : LeasedStatement.of(owner(), made);
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
