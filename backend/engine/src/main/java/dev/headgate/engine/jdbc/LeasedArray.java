package dev.headgate.engine.jdbc;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * An array of a leased connection. It is not readable after the lease: of a type that the driver does not know yet, it asks the server,
 * on a connection that somebody else may have by then.
 */
final class LeasedArray extends LeasedValue<Array> implements Array {

    LeasedArray(LeasedConnection owner, Array target) {
        super(owner, target);
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        return LeasedResultSet.of(owner, target().getResultSet(), null);
    }

    @Override
    public ResultSet getResultSet(Map<String, Class<?>> types) throws SQLException {
        return LeasedResultSet.of(owner, target().getResultSet(types), null);
    }

    @Override
    public ResultSet getResultSet(long index, int count) throws SQLException {
        return LeasedResultSet.of(owner, target().getResultSet(index, count), null);
    }

    @Override
    public ResultSet getResultSet(long index, int count, Map<String, Class<?>> types) throws SQLException {
        return LeasedResultSet.of(owner, target().getResultSet(index, count, types), null);
    }

    @Override
    public Object getArray() throws SQLException {
        return target().getArray();
    }

    @Override
    public Object getArray(Map<String, Class<?>> types) throws SQLException {
        return target().getArray(types);
    }

    @Override
    public Object getArray(long index, int count) throws SQLException {
        return target().getArray(index, count);
    }

    @Override
    public Object getArray(long index, int count, Map<String, Class<?>> types) throws SQLException {
        return target().getArray(index, count, types);
    }

    @Override
    public int getBaseType() throws SQLException {
        return target().getBaseType();
    }

    @Override
    public String getBaseTypeName() throws SQLException {
        return target().getBaseTypeName();
    }

    @Override
    public void free() throws SQLException {
        target.free();
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
