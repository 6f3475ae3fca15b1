package dev.headgate.engine.jdbc;

import java.sql.SQLException;

/**
 * A value that was read over a leased connection, and whose methods may use it again. Unlike what {@link Leased} stands before, it has
 * no {@code unwrap}.
 *
 * @param <T> the interface of JDBC
 */
abstract class LeasedValue<T> {

    final LeasedConnection owner;

    /** For what must be possible after the lease, too. */
    final T target;

    LeasedValue(LeasedConnection owner, T target) {
        this.owner = owner;
        this.target = target;
    }

    /** @throws SQLException with SQLSTATE 08003 if the lease has ended */
    final T target() throws SQLException {
        owner.check();
        return target;
    }
}
