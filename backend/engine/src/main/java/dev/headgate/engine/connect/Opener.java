package dev.headgate.engine.connect;

import dev.headgate.engine.Lease;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.meter.TapSocketFactory;
import dev.headgate.engine.meter.TapSslFactory;
import dev.headgate.engine.time.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.util.HostSpec;

/**
 * Opens the physical connections of one pool, each with a meter at its socket and a place in the database's ledger. This is
 * HikariCP's {@link DataSource}. HikariCP calls it on its adder thread; it blocks.
 *
 * <p>With pgjdbc's defaults a hung server or a half-open network can block for ever. So connecting and every read have a
 * timeout here, and keep-alive is on. The driver's own login timeout stays off, because with it the driver connects on
 * another thread. The read timeout also bounds the login.
 */
public final class Opener implements DataSource {

    /** The timeout of each read during login. */
    private static final int LOGIN_TIMEOUT_SECONDS = 10;

    private final String domain;
    private final Time time;
    private final SocketLedger ledger;
    private final PoolMeter meters;
    private final Runnable changed;
    private final AtomicInteger sequence = new AtomicInteger();
    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    private final AtomicInteger opening = new AtomicInteger();
    private final Set<ConnectionSockets> connecting = ConcurrentHashMap.newKeySet();
    private final Set<ConnectionSockets> established = ConcurrentHashMap.newKeySet();
    private final Object oneEnded = new Object();
    private volatile @Nullable IOException overBudget;
    private volatile boolean closed;

    /** When every connection was to be replaced; null for never. */
    private volatile @Nullable Long flushedNanos;

    private volatile Target target;

    /** Why connecting fails, since when, and how many times in a row. */
    public record Failure(SQLException cause, Instant since, int times) {

        /** Adds a failure to the previous ones, if there were any. */
        public static Failure after(@Nullable Failure before, SQLException cause, Instant now) {
            return before == null ? new Failure(cause, now, 1) : new Failure(cause, before.since, before.times + 1);
        }
    }

    /** @param changed called when a connection was opened, was closed, or could not be opened; must not block */
    public Opener(String domain, Target target, Time time, SocketLedger ledger, PoolMeter meters, Runnable changed) {
        this.domain = domain;
        this.target = target;
        this.time = time;
        this.ledger = ledger;
        this.meters = meters;
        this.changed = changed;
    }

    /** The target of the next connection. */
    public void retarget(Target next) {
        target = next;
    }

    /** Present if the last attempt to connect failed: the database could not be reached, or it refused. */
    public Optional<Failure> failure() {
        return Optional.ofNullable(failure.get());
    }

    /** Present while the database's budget has no room for a requested connection. Its message is a sentence. */
    public Optional<IOException> overBudget() {
        IOException waiting = ledger.usedUp();
        return Optional.ofNullable(waiting != null && opening.get() > 0 ? waiting : overBudget);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Target to = target;
        ConnectionMeter meter = new ConnectionMeter(domain + "-" + sequence.incrementAndGet(), time);
        ConnectionSockets sockets = new ConnectionSockets(meter, ledger);
        meters.add(meter);
        opening.incrementAndGet();
        connecting.add(sockets);
        boolean isOpen = false;
        try {
            refuseIfClosed();
            MeteredConnection connection =
                    ScopedValue.where(TapSocketFactory.TAPPING, sockets).call(() -> connect(to, sockets));
            connection.setNetworkTimeout(Runnable::run, (int) to.socketTimeout().toMillis());
            meter.opened(connection.getBackendPID());
            established.add(sockets);
            refuseIfClosed();
            failure.set(null);
            overBudget = null;
            isOpen = true;
            return connection;
        } catch (SQLException e) {
            note(e);
            throw e;
        } catch (RuntimeException | Error fault) {
            // for instance of the driver, after unexpected bytes: HikariCP tries again, and the pool shows the reason
            SQLException e = new SQLException(domain + " cannot connect: " + fault, fault);
            note(e);
            throw e;
        } finally {
            opening.decrementAndGet();
            connecting.remove(sockets);
            if (!isOpen) {
                ended(sockets);
            }
            changed.run();
        }
    }

    private void refuseIfClosed() throws SQLException {
        if (closed) {
            throw new SQLException(domain + " is closed");
        }
    }

    private void note(SQLException e) {
        SocketLedger.BudgetUsedUpException usedUp = SocketLedger.BudgetUsedUpException.in(e);
        overBudget = usedUp;
        if (usedUp != null) {
            failure.set(null); // the server was not contacted
            return;
        }
        failure.updateAndGet(before -> Failure.after(before, e, time.now()));
    }

    /** Every connection that is open now will be replaced. */
    public void flushed() {
        flushedNanos = time.nanoTime();
    }

    private void ended(ConnectionSockets sockets) {
        boolean lost = established.contains(sockets) && sockets.isLost();
        sockets.end();
        meters.retire(sockets.meter());
        synchronized (oneEnded) {
            if (established.remove(sockets)) {
                meters.closed(sockets.meter(), time.now(), why(sockets.meter(), lost));
            }
            oneEnded.notifyAll();
        }
    }

    /** Why a connection has ended: what was said of it, or else what HikariCP must have seen. */
    private Ending why(ConnectionMeter meter, boolean lost) {
        Ending said = meter.ending();
        if (said != null) {
            return said;
        }
        if (closed) {
            return Ending.POOL_CLOSED;
        }
        long age = meter.ageNanos();
        Long flushed = flushedNanos;
        if (flushed != null && age > time.nanoTime() - flushed) {
            return Ending.FLUSHED;
        }
        if (lost) {
            return Ending.DATABASE;
        }
        return age >= Reservoir.SHORTEST_LIFE_NANOS ? Ending.LIFETIME : Ending.UNTESTED;
    }

    /** The connections that were opened and have not ended. */
    Set<ConnectionSockets> established() {
        return Set.copyOf(established);
    }

    /** Ends every lease and cuts its connection. Does not block. From any thread. */
    public void cut() {
        for (ConnectionSockets each : established()) {
            Lease lease = each.lease();
            if (lease != null) {
                each.meter().endsBy(Ending.POOL_CLOSED);
                each.end();
                lease.discard();
            }
        }
    }

    /**
     * Ends the connections of a pool that is being closed: abandons those that are being opened, waits until the open ones
     * are closed, then cuts the rest. No connection is opened after that.
     *
     * @param patienceNanos the longest wait; an interrupt ends it
     */
    public void close(long patienceNanos) {
        closed = true;
        connecting.forEach(ConnectionSockets::end);
        try {
            awaitEnd(time.nanoTime() + patienceNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        established().forEach(this::ended);
    }

    private void awaitEnd(long deadline) throws InterruptedException {
        synchronized (oneEnded) {
            for (long left = deadline - time.nanoTime();
                    left > 0 && !established.isEmpty();
                    left = deadline - time.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(oneEnded, left);
            }
        }
    }

    private MeteredConnection connect(Target to, ConnectionSockets sockets) throws SQLException {
        Properties properties = properties(to, "headgate " + domain);
        // a server that accepts and then sends nothing must not hold HikariCP's only adder thread as long as a slow
        // query may
        PGProperty.SOCKET_TIMEOUT.set(properties, (int)
                Math.max(1, Math.min(LOGIN_TIMEOUT_SECONDS, to.socketTimeout().toSeconds())));
        return new MeteredConnection(
                new HostSpec(to.host(), to.port()), properties, "jdbc:postgresql:" + to.name(), sockets, () -> {
                    ended(sockets);
                    changed.run();
                });
    }

    /** The driver's properties for a target: separate parts and an allow-list, never a URL. */
    static Properties properties(Target to, String applicationName) {
        Properties properties = new Properties();
        PGProperty.USER.set(properties, to.user());
        PGProperty.PASSWORD.set(properties, to.password());
        PGProperty.PG_DBNAME.set(properties, to.database());
        PGProperty.SSL_MODE.set(properties, to.sslMode().label());
        PGProperty.GSS_ENC_MODE.set(properties, "disable");
        PGProperty.CONNECT_TIMEOUT.set(
                properties, (int) Math.max(1, to.connectTimeout().toSeconds()));
        PGProperty.SOCKET_TIMEOUT.set(
                properties, (int) Math.max(1, to.socketTimeout().toSeconds()));
        // for connecting and for waiting until the server has accepted it; a cancel needs nothing else
        PGProperty.CANCEL_SIGNAL_TIMEOUT.set(properties, (int) Math.max(
                1, Math.min(to.connectTimeout().toSeconds(), to.socketTimeout().toSeconds())));
        PGProperty.TCP_KEEP_ALIVE.set(properties, true);
        PGProperty.APPLICATION_NAME.set(properties, applicationName);
        // the driver then sends its settings in the startup message, so a reset of the session keeps them
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "9.0");
        PGProperty.SOCKET_FACTORY.set(properties, TapSocketFactory.class.getName());
        if (to.sslMode() != Target.SslMode.DISABLE) {
            PGProperty.SSL_FACTORY.set(properties, TapSslFactory.class.getName());
        }
        return properties;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the target's own user is used");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {
        // HikariCP sets it; the target's own timeouts apply
    }

    /** How long HikariCP's shutdown waits for a connect that is in progress. */
    @Override
    public int getLoginTimeout() {
        return (int) Math.max(1, target.connectTimeout().toSeconds());
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("no logger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
