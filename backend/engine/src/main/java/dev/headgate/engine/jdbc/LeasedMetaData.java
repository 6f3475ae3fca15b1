package dev.headgate.engine.jdbc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.Connection;
import java.sql.DatabaseMetaData;

/** What a leased connection knows of its database. */
abstract class LeasedMetaData extends LeasedPart<DatabaseMetaData> implements DatabaseMetaData {

    private static final MethodHandle NEW =
            Forwarding.constructor(MethodHandles.lookup(), LeasedMetaData.class, DatabaseMetaData.class);

    LeasedMetaData(LeasedConnection owner, DatabaseMetaData target) {
        super(owner, target);
    }

    static DatabaseMetaData of(LeasedConnection owner, DatabaseMetaData target) {
        try {
            return (LeasedMetaData) NEW.invokeExact(owner, target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }

    @Override
    public Connection getConnection() {
        return owner();
    }
}
