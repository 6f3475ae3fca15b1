package dev.headgate.engine;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.MeteredConnection;
import dev.headgate.engine.connect.Reservoir;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.jdbc.LeasedConnection;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.time.Time;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Turns permits of a pool's gate into leases of its connections, and takes the connections back. A permit ends in one way: with its lease, or
 * here, where there is no connection for it. Safe for any number of threads.
 */
final class Lending {

    /** The least time in which a request is served or refused, even if its own timeout is shorter: opening a connection takes time. */
    private static final long LEAST_OPENING_NANOS = 250_000_000L;

    /** How long to wait for HikariCP before checking the pool again: HikariCP does not tell waiters that it was closed. */
    private static final long LOOK_NANOS = 200_000_000L;

    private final Gate gate;
    private final Reservoir reservoir;
    private final LeaseFailures failures;
    private final LeaseRecorder leases;
    private final Time time;

    /** Serializes the updates of the number of admitted requests, so that the last update is the newest. */
    private final Object bounding = new Object();

    Lending(Gate gate, Reservoir reservoir, LeaseFailures failures, LeaseRecorder leases, Time time) {
        this.gate = gate;
        this.reservoir = reservoir;
        this.failures = failures;
        this.leases = leases;
        this.time = time;
    }

    Gate gate() {
        return gate;
    }

    /** Makes the exceptions of requests that get no lease. */
    LeaseFailures failures() {
        return failures;
    }

    /**
     * Waits at the gate, then for a connection.
     *
     * @param inside whether the request was let in at the door before
     */
    PooledLease take(LeaseRequest request, boolean relayed, boolean inside) throws LeaseException {
        long waited;
        try {
            waited = inside
                    ? gate.acquireInside(request.timeoutNanos(), request)
                    : gate.acquire(request.timeoutNanos(), request);
        } catch (Refusal refusal) {
            throw failures.refused(request, refusal);
        }
        return lease(request, waited, relayed);
    }

    /**
     * How long an admitted request waits for a connection: what is left of its timeout. A request with a shorter timeout than
     * opening a connection takes has {@value #LEAST_OPENING_NANOS} ns in all.
     */
    private static long openingNanos(long timeoutNanos, long waitedNanos) {
        return Math.max(0, Math.max(LEAST_OPENING_NANOS, timeoutNanos) - waitedNanos);
    }

    /** Turns a permit into a lease. Skips connections that are not fit, until the caller's deadline. */
    PooledLease lease(LeaseRequest request, long waitedNanos, boolean relayed) throws LeaseException {
        PooledLease lease = leaseNow(request, waitedNanos, relayed);
        return lease != null ? lease : leaseInTime(request, waitedNanos, relayed);
    }

    private PooledLease leaseInTime(LeaseRequest request, long waitedNanos, boolean relayed) throws LeaseException {
        long timeout =
                Math.min(request.timeoutNanos(), gate.rules().whenExhausted().timeoutNanos());
        long patience = openingNanos(timeout, waitedNanos);
        long began = time.nanoTime();
        try {
            for (long now = began; ; now = time.nanoTime()) {
                long left = Math.max(0, began + patience - now);
                try {
                    Connection borrowed = reservoir.borrow(Math.min(left, LOOK_NANOS));
                    PooledLease lease = makeReady(borrowed, now + left, relayed)
                            ? take(borrowed, request, waitedNanos, relayed)
                            : null;
                    if (lease != null) {
                        return lease;
                    }
                    if (time.nanoTime() - began >= patience) {
                        throw new SQLTransientConnectionException("no connection has answered in time");
                    }
                } catch (SQLTransientConnectionException noneYet) {
                    // asked again, because a test of a free connection may have taken longer
                    boolean over = began + patience - time.nanoTime() <= 0;
                    if (over || left <= LOOK_NANOS || reservoir.isClosed()) {
                        throw noneYet;
                    }
                }
            }
        } catch (SQLException e) {
            // the wait at the gate and for a connection to be opened
            throw withoutConnection(request, waitedNanos + (time.nanoTime() - began), e);
        } catch (RuntimeException | Error e) {
            gate.release(Refusal.Why.FAILED);
            throw e;
        }
    }

    /**
     * Turns a permit into a lease if a connection is free now and nothing is to be done for it. Does not block, and does not read the
     * clock: that would cost a sixth of a lease.
     *
     * @return null if none is free; the caller keeps its permit
     */
    @Nullable
    PooledLease leaseNow(LeaseRequest request, long waitedNanos, boolean relayed) throws LeaseException {
        try {
            Connection free = reservoir.borrowNow();
            if (free != null && needsTime(free.unwrap(MeteredConnection.class), relayed)) {
                free.close();
                return null;
            }
            return free == null ? null : take(free, request, waitedNanos, relayed);
        } catch (SQLException e) {
            throw withoutConnection(request, waitedNanos, e);
        } catch (RuntimeException | Error e) {
            gate.release(Refusal.Why.FAILED);
            throw e;
        }
    }

    /** Gives back a permit for which there is no connection, and then makes the exception of its request. */
    LeaseException withoutConnection(LeaseRequest request, long waitedNanos, Throwable fault) {
        LeaseException.Cause cause = failures.cause(fault);
        gate.release(LeaseFailures.why(cause));
        return failures.withoutConnection(request, waitedNanos, cause, fault);
    }

    /**
     * Makes a lease of a borrowed connection that is ready for it.
     *
     * @return null where the pool lends no more; the connection is evicted then
     */
    private @Nullable PooledLease take(Connection borrowed, LeaseRequest request, long waitedNanos, boolean relayed)
            throws SQLException {
        boolean isTaken = false;
        try {
            if (reservoir.isClosed()) {
                return null;
            }
            MeteredConnection physical = borrowed.unwrap(MeteredConnection.class);
            PooledLease lease = new PooledLease(this, borrowed, physical, request, waitedNanos, relayed);
            physical.leasedTo(lease);
            isTaken = true;
            return lease;
        } finally {
            if (!isTaken) {
                reservoir.evict(borrowed);
            }
        }
    }

    /** Whether the server must be waited for before the connection can be leased. */
    private static boolean needsTime(MeteredConnection free, boolean relayed) {
        return mustBeAsked(free) || mustBeCleaned(free, relayed);
    }

    private static boolean mustBeAsked(MeteredConnection free) {
        return free.isDoubtful() && !(Thread.currentThread() instanceof NonBlockingThread);
    }

    private static boolean mustBeCleaned(MeteredConnection free, boolean relayed) {
        return !relayed && free.leftovers() != null;
    }

    /**
     * Makes a borrowed connection ready to be leased.
     *
     * @param deadline when a relay's leftovers must be removed
     * @return false where the server does not answer, or leftovers cannot be removed; the connection is evicted then
     */
    private boolean makeReady(Connection borrowed, long deadline, boolean relayed) throws SQLException {
        boolean isReady = false;
        try {
            MeteredConnection physical = borrowed.unwrap(MeteredConnection.class);
            isReady = (!mustBeAsked(physical) || physical.answers())
                    && (!mustBeCleaned(physical, relayed) || isCleaned(physical, deadline));
            return isReady;
        } finally {
            if (!isReady) {
                reservoir.evict(borrowed);
            }
        }
    }

    private boolean isCleaned(MeteredConnection physical, long deadline) {
        Leftovers leftovers = physical.leftovers();
        Ending failed = leftovers == null ? null : remove(leftovers, physical, deadline - time.nanoTime());
        if (failed != null) {
            physical.meter().endsBy(failed);
            return false;
        }
        physical.leave(null);
        return true;
    }

    /**
     * The server may end the connection in the middle of it, or stop to answer; the caller gets another connection then, if there
     * is time.
     *
     * @param leftNanos how long to wait for the server
     * @return why they could not be removed; null if they are
     */
    private static @Nullable Ending remove(Leftovers leftovers, MeteredConnection from, long leftNanos) {
        try {
            int usual = from.getNetworkTimeout();
            int left = Math.clamp(TimeUnit.NANOSECONDS.toMillis(leftNanos), 1, usual);
            from.setNetworkTimeout(Runnable::run, left);
            leftovers.remove(from);
            from.setNetworkTimeout(Runnable::run, usual);
            return null;
        } catch (SQLException failed) {
            boolean isLate = failed.getCause() instanceof SocketTimeoutException;
            return from.hasEnded() && !isLate ? Ending.DATABASE : Ending.RESET_FAILED;
        }
    }

    /**
     * Ends a lease, unless it has ended. Pays a debt by closing the connection if there is one, else gives the connection back.
     *
     * @param dirty the connection as its JDBC holder left it, to be restored; null if there is nothing to restore
     * @param fit whether it may be given back
     */
    void giveBack(
            PooledLease lease,
            Connection connection,
            MeteredConnection physical,
            @Nullable LeasedConnection dirty,
            boolean fit) {
        ConnectionMeter meter = physical.meter();
        if (!meter.returned(lease, lease.waitedNanos(), leases)) {
            return;
        }
        if (gate.payDebt()) {
            meter.endsBy(reservoir.shrinking());
            bound(); // first, because HikariCP would else open another one in its place
            reservoir.evict(connection);
            return;
        }
        boolean isBack = false;
        try {
            if (fit && !lease.isCancelled() && !isMidRequest(lease, meter)) {
                if (physical.wasLostInSilence()) {
                    meter.endsBy(Ending.DATABASE);
                } else {
                    if (dirty != null) {
                        dirty.restore(meter.isWithinTransaction());
                    }
                    connection.close();
                    isBack = true;
                }
            }
        } catch (SQLException e) {
            // evicted below
        } finally {
            if (!isBack) {
                if (meter.ending() == null) {
                    meter.endsBy(lease.isCancelled() ? Ending.OPERATOR : fit ? Ending.RESET_FAILED : lease.ending());
                }
                reservoir.evict(connection);
            }
            gate.release();
        }
    }

    /**
     * Whether a JDBC caller left a request in the middle, such as a COPY. The driver would wait for its end for ever: with the next
     * statement, and also with a ROLLBACK. A relay knows by itself what it is owed.
     */
    private static boolean isMidRequest(PooledLease lease, ConnectionMeter meter) {
        return !lease.isRelayed() && meter.isRequestUnderWay();
    }

    // ---- how many there may be

    /** Requests that the gate may have admitted, including those whose permit was removed since. */
    private int admitted() {
        return gate.places();
    }

    /** HikariCP opens no more connections than requests may be admitted. */
    void bound() {
        synchronized (bounding) {
            reservoir.bound(admitted());
        }
    }

    /** As {@link Reservoir#resize} says. */
    void resize(int connections) {
        synchronized (bounding) {
            reservoir.resize(connections, admitted());
        }
    }
}
