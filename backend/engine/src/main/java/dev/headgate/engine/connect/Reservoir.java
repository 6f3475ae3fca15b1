package dev.headgate.engine.connect;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The physical connections of one pool, kept by HikariCP. Whoever borrows holds a permit of the gate, so HikariCP's own
 * queue is empty except while a connection is being opened, and its maximum follows the permits and debts.
 *
 * <p>HikariCP is used through {@link HikariPool}, the class under its DataSource, for three things the DataSource does not
 * offer: a borrow with its own timeout, {@code addBagItem} (open up to the minimum now, not at the next housekeeping in
 * 30 s) and evicting a borrowed connection. Its minimum and maximum are kept equal, so that it always keeps open what the
 * governor allows; when to keep less is the governor's business. Lowering the maximum of HikariCP closes nothing by
 * itself: free connections are borrowed and evicted here, leased ones when their debt is paid.
 */
public final class Reservoir {

    private static final long TRIM_PATIENCE_MILLIS = 250;

    /** A constant, since a division by one costs a multiplication; TimeUnit divides by a field, at ten times that. */
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final HikariConfig config;
    final HikariPool hikari;
    private final AtomicBoolean trimming = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile int target;
    private volatile int most;

    /**
     * @param connections where HikariCP opens connections; called on its adder thread
     * @param capacity the largest size the pool is ever expected to have; HikariCP sizes its queues by it
     * @param housekeeping where HikariCP looks after idle and old connections; may block for seconds there
     */
    public Reservoir(String name, DataSource connections, int capacity, ScheduledExecutorService housekeeping) {
        config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(connections);
        config.setMaximumPoolSize(Math.max(1, capacity));
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        config.setIdleTimeout(0);
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(30));
        config.setValidationTimeout(TimeUnit.SECONDS.toMillis(5));
        config.setMaxLifetime(TimeUnit.MINUTES.toMillis(30));
        config.setKeepaliveTime(TimeUnit.MINUTES.toMillis(2));
        config.setScheduledExecutor(housekeeping);
        config.validate();
        hikari = new HikariPool(config);
        config.setMaximumPoolSize(1);
    }

    /**
     * Borrows a connection, opening one where none is free. The caller holds a permit.
     *
     * @param timeoutNanos how long to wait for it
     * @throws SQLTransientConnectionException if none came in time
     */
    public Connection borrow(long timeoutNanos) throws SQLException {
        return hikari.getConnection(Math.max(1, timeoutNanos / NANOS_PER_MILLI));
    }

    /**
     * Borrows a connection that is free now. Does not block on a {@link dev.headgate.engine.NonBlockingThread}; on another
     * thread one that was idle for a while is asked a query first. The caller holds a permit.
     *
     * @return null where none is free; one is being opened then, if the pool may have more
     */
    public @Nullable Connection borrowNow() {
        for (int left = hikari.getTotalConnections(); ; left--) {
            try {
                return hikari.getConnection(0);
            } catch (SQLException noneIsFreeOrItWasDead) {
                if (left <= 0 || hikari.getIdleConnections() == 0) {
                    return null;
                }
            }
        }
    }

    /** Closes a borrowed connection for good instead of giving it back. */
    public void evict(Connection borrowed) {
        hikari.evictConnection(borrowed);
    }

    /**
     * Keeps so many connections open from now on. Does not block: opening and closing happen on other threads.
     *
     * @param admitted for how many borrowers there must be room; more than are kept while leased ones are given up
     */
    public synchronized void resize(int connections, int admitted) {
        int before = target;
        target = connections;
        if (connections < before) {
            config.setMinimumIdle(connections);
            bound(admitted);
        } else {
            bound(admitted);
            config.setMinimumIdle(connections);
        }
        tidy();
    }

    /**
     * Has room for so many borrowers from now on, and in any case for what is kept open. Whoever was admitted must find a
     * connection or room for one: else it would wait for somebody else to come back. Closes nothing by itself.
     */
    public synchronized void bound(int admitted) {
        most = Math.max(target, admitted);
        config.setMaximumPoolSize(Math.max(1, most));
    }

    /** Opens what is missing and closes what is free and too much. Does not block. */
    public void tidy() {
        fill();
        trim();
    }

    private void fill() {
        int missing = target - hikari.getTotalConnections();
        for (int i = 0; i < missing; i++) {
            hikari.addBagItem(Integer.MAX_VALUE);
        }
    }

    /** Closes free connections for which there is no borrower any more, on a virtual thread. */
    private void trim() {
        if (hikari.getTotalConnections() > most && !closed.get() && trimming.compareAndSet(false, true)) {
            Thread.ofVirtual().name(config.getPoolName() + "-trim").start(() -> {
                try {
                    while (hikari.getTotalConnections() > most && hikari.getIdleConnections() > 0 && !closed.get()) {
                        evict(hikari.getConnection(TRIM_PATIENCE_MILLIS));
                    }
                } catch (SQLException e) {
                    // none came free: the leased ones are closed as their debts are paid
                } finally {
                    trimming.set(false);
                }
            });
        }
    }

    /** Replaces every connection: free ones now, borrowed ones when they come back. */
    public void flush() {
        hikari.softEvictConnections();
    }

    /** Connections HikariCP holds. */
    public int held() {
        return hikari.getTotalConnections();
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Begins to close everything: free connections with a word to the server, borrowed ones without. Does not block, since
     * HikariCP's shutdown may: it holds the pool's monitor while it waits for its closing thread, up to 10 s, and a thread
     * that has just closed an evicted connection may wait for that monitor. {@link Opener#close} tells when the
     * connections have ended.
     */
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Thread.ofPlatform()
                    .daemon()
                    .name(config.getPoolName() + "-shutdown")
                    .start(() -> {
                        try {
                            hikari.shutdown();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
        }
    }
}
