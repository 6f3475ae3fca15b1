package dev.headgate.engine.connect;

import com.zaxxer.hikari.pool.HikariPool;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.supervision.Supervisor;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The physical connections of one pool, kept by HikariCP. Every borrower holds a permit of the gate, so HikariCP's own queue
 * is empty except while a connection is being opened. HikariCP's maximum follows the permits and debts.
 *
 * <p>HikariCP is used through {@link HikariPool}, the class under its DataSource. It offers three things that the DataSource
 * lacks: a borrow with its own timeout, {@code addBagItem} (opens connections up to the minimum now, not at the next
 * housekeeping in 30 s), and eviction of a borrowed connection. HikariCP's minimum and maximum are kept equal, so that it
 * always keeps open what the governor allows; the governor alone decides to keep fewer. A lower maximum closes nothing in
 * HikariCP: free connections are borrowed and evicted here, leased ones when their debt is paid.
 *
 * <p>HikariCP's pool is made for the first who borrows or has connections opened ({@link HikariOnDemand}).
 */
public final class Reservoir {

    private static final long TRIM_PATIENCE_MILLIS = 250;

    /** A constant, because dividing by a constant costs a multiplication. TimeUnit divides by a field: ten times the cost. */
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Supervisor supervisor;
    private final String name;
    private final ParallelOpener openings;
    final HikariOnDemand hikari;
    private final AtomicBoolean trimming = new AtomicBoolean();
    private volatile boolean closed;
    private volatile int target;
    private volatile int most;
    private volatile Ending shrinking = Ending.SHRUNK;

    /**
     * @param opener opens connections for HikariCP; called on its adder thread and on virtual threads
     * @param capacity the largest expected size of the pool; HikariCP sizes its queues by it
     * @param housekeeping runs HikariCP's maintenance of idle and old connections, which may block for seconds
     */
    public Reservoir(
            String name, Opener opener, int capacity, Supervisor supervisor, ScheduledExecutorService housekeeping) {
        this.supervisor = supervisor;
        this.name = name;
        openings = new ParallelOpener(name, opener, this::missing, this::openAnother, supervisor);
        hikari = new HikariOnDemand(name, new HikariSource(openings, opener), capacity, housekeeping);
    }

    /**
     * Borrows a connection. If none is free, HikariCP opens one. The caller holds a permit.
     *
     * @param timeoutNanos how long to wait for it
     * @throws SQLTransientConnectionException if none was available in time
     */
    public Connection borrow(long timeoutNanos) throws SQLException {
        return hikari.get().getConnection(Math.max(1, timeoutNanos / NANOS_PER_MILLI));
    }

    /**
     * Borrows a connection that is free now. Does not block. The caller holds a permit.
     *
     * @return null if none is free; then one is being opened, if the pool may have more
     */
    public @Nullable Connection borrowNow() {
        for (int left = Integer.MAX_VALUE; ; left--) {
            try {
                return hikari.get().getConnection(0);
            } catch (SQLException noneIsFreeOrItWasDead) {
                left = Math.min(left, total() + 1); // no more than there were, of which one was dead
                if (left <= 0 || idle() == 0) {
                    return null;
                }
            }
        }
    }

    /**
     * Closes free connections that the server has ended, up to the first one that it has not. Looks at their sockets only, so it
     * does not block. It borrows without a permit, but gives back at once.
     */
    public void closeLost() {
        if (idle() == 0) {
            return;
        }
        try (Connection _ = borrowNow()) {
            // an open one, or none
        } catch (SQLException e) {
            // HikariCP closes a connection that cannot be given back
        }
    }

    /** Closes a borrowed connection instead of returning it. */
    public void evict(Connection borrowed) {
        hikari.ifMade(pool -> pool.evictConnection(borrowed));
    }

    /**
     * Sets the number of connections to keep open. Does not block: opening and closing happen on other threads.
     *
     * @param admitted the number of borrowers that need room; larger than the number to keep while leased ones are being shed
     */
    public synchronized void resize(int connections, int admitted) {
        int before = target;
        target = connections;
        if (connections < before) {
            hikari.keep(connections);
            bound(admitted);
        } else {
            bound(admitted);
            hikari.keep(connections);
        }
        tidy();
    }

    /**
     * Sets the number of borrowers that need room, at least the number to keep open. An admitted request must find a
     * connection or room for one; else it would wait for another holder to release. Closes nothing.
     */
    public synchronized void bound(int admitted) {
        most = Math.max(target, admitted);
        hikari.allow(room());
    }

    /** Why connections beyond the number to keep are closed from now on. */
    public void shrinksBecause(Ending why) {
        shrinking = why;
    }

    /** Why a connection is closed that is too many. */
    public Ending shrinking() {
        return shrinking;
    }

    /** Opens missing connections and closes free ones beyond the limit. Does not block. */
    public void tidy() {
        fill();
        trim();
    }

    private void fill() {
        int missing = target - total();
        for (int i = 0; i < missing; i++) {
            openAnother();
        }
        openings.tidy();
    }

    private void openAnother() {
        try {
            hikari.get().addBagItem(Integer.MAX_VALUE);
        } catch (SQLTransientConnectionException ended) {
            // it needs none any more
        }
    }

    /** How many connections HikariCP has room for and lacks: for its minimum, or for those who wait. */
    private int missing() {
        int wanted = Math.max(target, hikari.count(HikariPool::getThreadsAwaitingConnection));
        return closed ? 0 : Math.max(0, Math.min(room() - total(), wanted - idle()));
    }

    /** HikariCP's maximum, which cannot be 0. */
    private int room() {
        return Math.max(1, most);
    }

    private int total() {
        return hikari.count(HikariPool::getTotalConnections);
    }

    /** Connections that are free. */
    int idle() {
        return hikari.count(HikariPool::getIdleConnections);
    }

    /** Closes free connections that no borrower needs any more, on a virtual thread. */
    private void trim() {
        if (total() > most && !closed && trimming.compareAndSet(false, true)) {
            Thread _ = supervisor.start("headgate-trim", Thread.ofVirtual().name(name + "-trim"), () -> {
                try {
                    while (total() > most && idle() > 0 && !closed) {
                        Connection free = hikari.get().getConnection(TRIM_PATIENCE_MILLIS);
                        free.unwrap(MeteredConnection.class).meter().endsBy(shrinking);
                        evict(free);
                    }
                } catch (SQLException e) {
                    // none came free: the leased ones are closed as their debts are paid
                } finally {
                    trimming.set(false);
                }
            });
        }
    }

    /** Replaces every connection: free ones now, borrowed ones when they are returned. */
    public void flush() {
        openings.flush();
        hikari.ifMade(HikariPool::softEvictConnections);
    }

    /** Connections HikariCP holds, or will take next. */
    public int held() {
        return total() + openings.ready();
    }

    /** Whether it lends no more: {@link #stopLending} or {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    /** Lends and opens no more connections. Leaves the borrowed ones to their borrowers. Does not block. */
    public void stopLending() {
        closed = true;
        openings.close();
    }

    /**
     * Begins to close all connections: free ones with a Terminate message, borrowed ones without. Does not block, because
     * HikariCP's shutdown runs on another thread. The shutdown holds the pool's monitor while it waits for its closing thread,
     * up to 10 s, and a thread that has just closed an evicted connection may wait for that monitor. {@link Opener#close}
     * waits for the end of the connections.
     */
    public void close() {
        stopLending();
        hikari.end(pool -> {
            Thread _ = supervisor.start(
                    "headgate-shutdown", Thread.ofPlatform().daemon().name(name + "-shutdown"), pool::shutdown);
        });
    }
}
