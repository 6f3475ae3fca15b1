package dev.headgate.engine.connect;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * HikariCP's pool of one domain, made when it is first needed: a domain that nobody uses has none, and none of its housekeeping.
 * Only this class knows whether it is there. A pool that is not made yet counts nothing, and there is nothing to do for it.
 *
 * <p>The pool is made, sized and ended under this object's monitor. So threads that need it at once get the same one, it has the
 * newest sizes from its first moment on, and none is made after the end: nobody would shut it down. Making it takes some 0.1 ms
 * and waits for no server. Whoever needs a pool that is there reads one volatile field.
 */
final class HikariOnDemand {

    private static final Duration LONGEST_LIFE = Duration.ofMinutes(30);

    /** HikariCP ends a connection up to a quarter earlier, so that not all end together. */
    static final long SHORTEST_LIFE_NANOS = LONGEST_LIFE.toNanos() * 3 / 4;

    private static final String TRUSTED = "com.zaxxer.hikari.aliveBypassWindowMs";
    private static final String TRUSTED_MILLIS = "0";

    /** HikariCP reads both sizes from it whenever it needs them. */
    private final HikariConfig config = new HikariConfig();

    private final int capacity;
    private volatile @Nullable HikariPool made;
    private boolean isEnded;

    /**
     * @param source opens connections for HikariCP; called on its adder thread
     * @param capacity the largest expected size of the pool; HikariCP sizes its queues by it
     * @param housekeeping runs HikariCP's maintenance of idle and old connections, which may block for seconds
     */
    HikariOnDemand(String name, DataSource source, int capacity, ScheduledExecutorService housekeeping) {
        this.capacity = Math.max(1, capacity);
        config.setPoolName(name);
        config.setDataSource(source);
        config.setMaximumPoolSize(1);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        config.setIdleTimeout(0);
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(30));
        config.setValidationTimeout(
                TimeUnit.SECONDS.toMillis(1)); // a caller may have to wait for it beyond its deadline
        config.setMaxLifetime(LONGEST_LIFE.toMillis());
        config.setKeepaliveTime(TimeUnit.MINUTES.toMillis(2));
        config.setScheduledExecutor(housekeeping);
        config.validate();
    }

    /**
     * The pool, which is made if it is not there yet. Does not wait for a server.
     *
     * @throws SQLTransientConnectionException if none was made before the end
     */
    HikariPool get() throws SQLTransientConnectionException {
        HikariPool pool = made;
        return pool != null ? pool : make();
    }

    private synchronized HikariPool make() throws SQLTransientConnectionException {
        HikariPool pool = made;
        if (pool == null) {
            if (isEnded) {
                throw new SQLTransientConnectionException(config.getPoolName() + " is closed");
            }
            int maximum = config.getMaximumPoolSize();
            config.setMaximumPoolSize(capacity);
            pool = openPool(config);
            config.setMaximumPoolSize(maximum);
            made = pool;
        }
        return pool;
    }

    /**
     * Makes HikariCP ask {@link MeteredConnection#isValid} of every connection that was idle for a millisecond, before it lends it: it counts
     * whole milliseconds, and is told to trust for none. It reads the clock for that anyway, so nobody else need read it at every lease.
     * HikariCP has only a setting of the whole process for that, and reads it when a pool is made.
     */
    private static HikariPool openPool(HikariConfig config) {
        synchronized (HikariOnDemand.class) {
            String others = System.getProperty(TRUSTED);
            System.setProperty(TRUSTED, TRUSTED_MILLIS);
            try {
                return new HikariPool(config);
            } finally {
                if (others == null) {
                    System.clearProperty(TRUSTED);
                } else {
                    System.setProperty(TRUSTED, others);
                }
            }
        }
    }

    /** One of the pool's counts; 0 if it is not made yet. */
    int count(ToIntFunction<HikariPool> what) {
        HikariPool pool = made;
        return pool == null ? 0 : what.applyAsInt(pool);
    }

    /** Does what only a pool that is there needs. */
    void ifMade(Consumer<HikariPool> what) {
        HikariPool pool = made;
        if (pool != null) {
            what.accept(pool);
        }
    }

    /** The number of connections that HikariCP keeps open. Opens and closes nothing now. */
    synchronized void keep(int connections) {
        config.setMinimumIdle(connections);
    }

    /** The number of connections that HikariCP may have, at least 1. Closes nothing. */
    synchronized void allow(int connections) {
        config.setMaximumPoolSize(connections);
    }

    /**
     * No pool is made any more. Does nothing the second time.
     *
     * @param shutDown called with the pool if there is one; must not block
     */
    synchronized void end(Consumer<HikariPool> shutDown) {
        if (!isEnded) {
            isEnded = true;
            ifMade(shutDown);
        }
    }
}
