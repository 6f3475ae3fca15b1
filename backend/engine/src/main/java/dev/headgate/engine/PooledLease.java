package dev.headgate.engine;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.MeteredConnection;
import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.engine.jdbc.LeasedConnection;
import java.net.Socket;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** A lease of a {@link ManagedPool}. It lasts as long as it is the holder that the connection's meter knows. */
final class PooledLease implements RelayLease {

    private final ManagedPool pool;
    private final Connection connection;
    private final MeteredConnection physical;
    private final long waitedNanos;
    private final boolean relayed;
    private final LeaseRequest request;

    /** Created on first use. Only the holder's thread uses it. */
    private @Nullable LeasedConnection leased;

    /** @param relayed whether the holder speaks the server's protocol and uses JDBC only for reading the connection's state */
    PooledLease(
            ManagedPool pool,
            Connection connection,
            MeteredConnection physical,
            LeaseRequest request,
            long waitedNanos,
            boolean relayed) {
        this.pool = pool;
        this.connection = connection;
        this.physical = physical;
        this.waitedNanos = waitedNanos;
        this.relayed = relayed;
        this.request = request;
    }

    @Override
    public Connection connection() {
        if (relayed) {
            return connection;
        }
        LeasedConnection made = leased;
        if (made == null) {
            made = LeasedConnection.of(this, connection);
            leased = made;
        }
        return made;
    }

    @Override
    public String holder() {
        return request.holder();
    }

    @Override
    public boolean hasEnded() {
        return physical.meter().holder() != this;
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
        pool.giveBack(
                this, connection, physical.meter(), request.reset() == SessionReset.WHEN_DIRTY ? leased : null, fit);
    }
}
