package dev.headgate.engine;

import dev.headgate.engine.meter.ConnectionMeter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Connection;

/** A lease of a {@link ManagedPool}: ended by whoever first moves {@code ended}. */
final class PooledLease implements Lease {

    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(PooledLease.class, "ended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ManagedPool pool;
    private final Connection connection;
    private final ConnectionMeter meter;
    private final long waitedNanos;

    @SuppressWarnings("UnusedVariable") // through ENDED
    private boolean ended;

    PooledLease(ManagedPool pool, Connection connection, ConnectionMeter meter, long waitedNanos) {
        this.pool = pool;
        this.connection = connection;
        this.meter = meter;
        this.waitedNanos = waitedNanos;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public String connectionId() {
        return meter.id();
    }

    @Override
    public long waitedNanos() {
        return waitedNanos;
    }

    @Override
    public void close() {
        end(true);
    }

    @Override
    public void discard() {
        end(false);
    }

    private void end(boolean fit) {
        if (ENDED.compareAndSet(this, false, true)) {
            pool.giveBack(connection, meter, waitedNanos, fit);
        }
    }
}
