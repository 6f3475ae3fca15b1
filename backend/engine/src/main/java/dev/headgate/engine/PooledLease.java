package dev.headgate.engine;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.MeteredConnection;
import dev.headgate.engine.connect.ServerChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Socket;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** A lease of a {@link ManagedPool}: ended by whoever first moves {@code ended}. */
final class PooledLease implements RelayLease {

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
    private final MeteredConnection physical;
    private final long waitedNanos;
    private final boolean relayed;
    private final SessionReset reset;

    /** Made when it is first asked for; the holder's own. */
    private @Nullable LeasedConnection leased;

    @SuppressWarnings("UnusedVariable") // through ENDED
    private boolean ended;

    /** @param relayed whether the holder speaks the server's protocol, and JDBC only to look */
    PooledLease(
            ManagedPool pool,
            Connection connection,
            MeteredConnection physical,
            long waitedNanos,
            boolean relayed,
            SessionReset reset) {
        this.pool = pool;
        this.connection = connection;
        this.physical = physical;
        this.waitedNanos = waitedNanos;
        this.relayed = relayed;
        this.reset = reset;
    }

    @Override
    public Connection connection() {
        if (relayed) {
            return connection;
        }
        LeasedConnection made = leased;
        if (made == null) {
            made = new LeasedConnection(this, connection);
            leased = made;
        }
        return made.connection();
    }

    /** Whether it has ended, whoever ended it. From any thread. */
    boolean hasEnded() {
        return (boolean) ENDED.getAcquire(this);
    }

    @Override
    public String connectionId() {
        return physical.meter().id();
    }

    @Override
    public long waitedNanos() {
        return waitedNanos;
    }

    @Override
    public ServerChannel channel() {
        return physical.channel();
    }

    @Override
    public Socket socket() {
        return physical.socket();
    }

    @Override
    public @Nullable Leftovers left() {
        return physical.leftovers();
    }

    @Override
    public void leave(@Nullable Leftovers leftovers) {
        physical.leave(leftovers);
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
            pool.giveBack(
                    connection, reset == SessionReset.WHEN_DIRTY ? leased : null, physical.meter(), waitedNanos, fit);
        }
    }
}
