package dev.headgate.engine.jdbc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.sql.ParameterMetaData;

/** What a leased connection's prepared statement takes. */
abstract class LeasedParameters extends LeasedPart<ParameterMetaData> implements ParameterMetaData {

    private static final MethodHandle NEW =
            Forwarding.constructor(MethodHandles.lookup(), LeasedParameters.class, ParameterMetaData.class);

    LeasedParameters(LeasedConnection owner, ParameterMetaData target) {
        super(owner, target);
    }

    static ParameterMetaData of(LeasedConnection owner, ParameterMetaData target) {
        try {
            return (LeasedParameters) NEW.invokeExact(owner, target);
        } catch (Throwable e) {
            throw Forwarding.unexpected(e);
        }
    }
}
