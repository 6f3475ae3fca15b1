package dev.headgate.engine;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.MeteredConnection;
import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.engine.jdbc.LeasedConnection;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.Ending;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A lease of a {@link ManagedPool}. It lasts as long as it is the holder that the connection's meter knows. */
final class PooledLease implements RelayLease {

    private final Lending lending;
    private final Connection connection;
    private final MeteredConnection physical;
    private final long waitedNanos;
    private final boolean relayed;

    /** An operator has asked for a cancel that may arrive late: the connection must not serve anybody else. */
    private volatile boolean cancelled;

    private final LeaseRequest request;

    /** The thread that took it; null for a relay's. */
    private final @Nullable Thread thread;

    /** Created on first use. Only the holder's thread uses it. */
    private @Nullable LeasedConnection leased;

    /** @param relayed whether the holder speaks the server's protocol and uses JDBC only for reading the connection's state */
    PooledLease(
            Lending lending,
            Connection connection,
            MeteredConnection physical,
            LeaseRequest request,
            long waitedNanos,
            boolean relayed) {
        this.lending = lending;
        this.connection = connection;
        this.physical = physical;
        this.waitedNanos = waitedNanos;
        this.relayed = relayed;
        this.request = request;
        this.thread = relayed ? null : Thread.currentThread();
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

    /** Of this lease alone. Computed when somebody looks: a lease carries no number. */
    String id() {
        return connectionId() + '.' + Integer.toHexString(System.identityHashCode(this));
    }

    LeaseRequest request() {
        return request;
    }

    ConnectionMeter meter() {
        return physical.meter();
    }

    String threadName() {
        return thread == null ? "" : thread.getName();
    }

    @Override
    public void executes(String sql) {
        meter().statement().note(this, sql);
    }

    @Override
    public void executes(byte[] text, int from, int to) {
        meter().statement().note(this, text, from, to);
    }

    /**
     * Asks PostgreSQL to cancel what runs, for an operator. A requester asks by itself. Otherwise this blocks, and the
     * connection is closed at the end of the lease, because a cancel that arrives late must not hit the next one's statement. The
     * order matters: this sets the mark and then looks whether the lease lasts; {@link Lending#giveBack} ends the lease and then looks
     * at the mark.
     *
     * @return false if the lease has ended
     */
    boolean cancel() throws SQLException {
        Requester by = request.by();
        if (by != null) {
            by.cancel(this);
            return !hasEnded();
        }
        cancelled = true;
        if (hasEnded()) {
            return false;
        }
        physical.cancelQuery();
        return true;
    }

    /** Why a connection is closed that its holder says is broken. By whoever has ended the lease. */
    Ending ending() {
        return physical.hasEnded() ? Ending.DATABASE : Ending.DISCARDED;
    }

    boolean isRelayed() {
        return relayed;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Ends it for an operator. @return false if it has ended */
    boolean end(String why) {
        if (hasEnded()) {
            return false;
        }
        meter().endsBy(Ending.OPERATOR);
        Requester by = request.by();
        if (by != null) {
            by.end(this, why);
            return true;
        }
        try {
            cancel();
        } catch (SQLException e) {
            // the database cannot be told; its end of the connection notices
        }
        boolean lasted = !hasEnded();
        if (lasted) {
            physical.cut();
            discard();
        }
        return lasted;
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
        lending.giveBack(this, connection, physical, request.reset() == SessionReset.WHEN_DIRTY ? leased : null, fit);
    }
}
