package dev.headgate.engine.jdbc;

import java.sql.Wrapper;

/** Something that a leased connection has given. */
abstract class LeasedPart<T extends Wrapper> extends Leased<T> {

    private final LeasedConnection owner;

    LeasedPart(LeasedConnection owner, T target) {
        super(target);
        this.owner = owner;
    }

    @Override
    final LeasedConnection owner() {
        return owner;
    }
}
