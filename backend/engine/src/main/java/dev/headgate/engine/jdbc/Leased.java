package dev.headgate.engine.jdbc;

import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/**
 * An object of JDBC that belongs to a leased connection, before the object of HikariCP's that does its work. A class here
 * writes only those methods of its interface that differ; {@link Forwarding} adds the others. Each of them
 *
 * <ul>
 *   <li>calls the object from {@link #target()}, which fails once the lease has ended;
 *   <li>shows the SQL that it was given to {@link #sql}, or says that it executes what it was made of;
 *   <li>passes each argument through {@code taken}, and its answer through {@code given}, where there is one for its type.
 * </ul>
 *
 * @param <T> the interface of JDBC
 */
abstract class Leased<T extends Wrapper> {

    /** For what must be possible after the lease, too. */
    final T target;

    Leased(T target) {
        this.target = target;
    }

    abstract LeasedConnection owner();

    /** @throws SQLException with SQLSTATE 08003 if the lease has ended */
    T target() throws SQLException {
        owner().check();
        return target;
    }

    String sql(String text) {
        owner().sees(text);
        return text;
    }

    /** The driver knows its arrays only without what stands before them. */
    @Nullable
    Array taken(@Nullable Array array) {
        return array instanceof LeasedArray leased ? leased.target : array;
    }

    @Nullable
    Object taken(@Nullable Object value) {
        return value instanceof LeasedArray leased ? leased.target : value;
    }

    @Nullable
    ResultSet given(@Nullable ResultSet rows) {
        return rows == null ? null : LeasedResultSet.of(owner(), rows, null);
    }

    @Nullable
    DatabaseMetaData given(@Nullable DatabaseMetaData metaData) {
        return metaData == null ? null : LeasedMetaData.of(owner(), metaData);
    }

    @Nullable
    ResultSetMetaData given(@Nullable ResultSetMetaData metaData) {
        return metaData == null ? null : LeasedColumns.of(owner(), metaData);
    }

    @Nullable
    ParameterMetaData given(@Nullable ParameterMetaData metaData) {
        return metaData == null ? null : LeasedParameters.of(owner(), metaData);
    }

    @Nullable
    Blob given(@Nullable Blob object) {
        return object == null ? null : new LeasedBlob(owner(), object);
    }

    @Nullable
    Clob given(@Nullable Clob object) {
        return object == null ? null : new LeasedClob(owner(), object);
    }

    @Nullable
    Array given(@Nullable Array array) {
        return array == null ? null : new LeasedArray(owner(), array);
    }

    /** A value of a row or of a parameter. Few lead back to the connection. */
    @Nullable
    Object given(@Nullable Object value) {
        return switch (value) {
            case Array array -> given(array);
            case Blob object -> given(object);
            case Clob object -> given(object);
            case ResultSet rows -> given(rows);
            case null, default -> value;
        };
    }

    public <S> S unwrap(Class<S> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        T found = target();
        owner().touch(); // nobody sees what is done past us
        return found.unwrap(type);
    }

    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || target().isWrapperFor(type);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
