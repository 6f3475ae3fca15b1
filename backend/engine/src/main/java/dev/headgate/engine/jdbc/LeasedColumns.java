package dev.headgate.engine.jdbc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.ResultSetMetaData;

/** What a leased connection's rows are made of. Of some of it the driver asks the server. */
abstract class LeasedColumns extends LeasedPart<ResultSetMetaData> implements ResultSetMetaData {

    private static final MethodHandle NEW =
            Forwarding.constructor(MethodHandles.lookup(), LeasedColumns.class, ResultSetMetaData.class);

    LeasedColumns(LeasedConnection owner, ResultSetMetaData target) {
        super(owner, target);
    }

    static ResultSetMetaData of(LeasedConnection owner, ResultSetMetaData target) {
        try {
            return (LeasedColumns) NEW.invokeExact(owner, target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }
}
