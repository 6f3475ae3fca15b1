package dev.headgate.engine.connect;

import dev.headgate.engine.Lease;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.meter.TapSocketFactory;
import dev.headgate.engine.meter.TapSslFactory;
import dev.headgate.engine.time.Time;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.util.HostSpec;

/**
 * Opens the physical connections of one pool, each with a meter at its socket and a place in the database's ledger. HikariCP
 * asks for them through {@link HikariSource}, on its adder thread; {@link ParallelOpener} on several. Opening blocks.
 *
 * <p>With pgjdbc's defaults a hung server or a half-open network can block for ever. So connecting and every read have a
 * timeout here, and keep-alive is on. The driver's own login timeout stays off, because with it the driver connects on
 * another thread. The read timeout also bounds the login.
 */
public final class Opener {

    /** The timeout of each read during login. */
    private static final int LOGIN_TIMEOUT_SECONDS = 10;

    private final String domain;
    private final Time time;
    private final SocketLedger ledger;
    private final PoolMeter meters;
    private final Outage outage;
    private final Orphans orphans;
    private final Runnable changed;
    private final AtomicInteger sequence = new AtomicInteger();
    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    private final AtomicInteger opening = new AtomicInteger();

    /** Threads that try until they have a connection or need none any more. */
    private final AtomicInteger trying = new AtomicInteger();

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

        /** As {@link ConnectFault#why}. */
        public String why() {
            return ConnectFault.why(cause);
        }
    }

    /**
     * @param outage the database's
     * @param orphans told of connections that were closed while the server executed a statement
     * @param changed called when a connection was opened, was closed, or could not be opened; must not block
     */
    public Opener(
            String domain,
            Target target,
            Time time,
            SocketLedger ledger,
            PoolMeter meters,
            Outage outage,
            Orphans orphans,
            Runnable changed) {
        this.domain = domain;
        this.target = target;
        this.time = time;
        this.ledger = ledger;
        this.meters = meters;
        this.outage = outage;
        this.orphans = orphans;
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

    /**
     * Opens a connection. While the database cannot be reached, it tries again at the pace of the {@link Outage}. Blocks.
     *
     * @param isNeeded whether to try again; asked after a failed attempt
     * @throws SQLException of the last attempt, if the connection is not needed any more or the thread was interrupted
     */
    MeteredConnection open(BooleanSupplier isNeeded) throws SQLException {
        trying.incrementAndGet();
        try {
            while (true) {
                try {
                    return open();
                } catch (SQLException e) {
                    if (isNeedless(isNeeded) || !pausesAfter(e) || isNeedless(isNeeded)) {
                        throw e;
                    }
                }
            }
        } finally {
            trying.decrementAndGet();
            outage.leave(this);
        }
    }

    private boolean isNeedless(BooleanSupplier isNeeded) {
        return closed || !isNeeded.getAsBoolean();
    }

    /** @return whether the pause was not interrupted */
    private boolean pausesAfter(SQLException failed) {
        try {
            if (SocketLedger.BudgetUsedUpException.in(failed) == null) {
                outage.awaitNextAttempt(this, Outage.Kind.of(failed.getSQLState()), () -> closed);
            } else {
                outage.awaitShortly(() -> closed);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Tries once to open a connection. Blocks. */
    MeteredConnection open() throws SQLException {
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
            outage.end();
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

    /** The server was reached, or is another one now: a failure of before says nothing, unless it is being tried again. */
    public void reached() {
        if (trying.get() == 0 && opening.get() == 0) {
            failure.set(null);
            overBudget = null;
        }
    }

    /** Every connection that is open now will be replaced. */
    public void flushed() {
        flushedNanos = time.nanoTime();
    }

    private void ended(ConnectionSockets sockets) {
        sockets.end();
        ConnectionMeter meter = sockets.meter();
        meters.retire(meter);
        synchronized (oneEnded) {
            if (established.remove(sockets)) {
                Ending why = why(sockets);
                meters.closed(meter, time.now(), why);
                if (why != Ending.DATABASE && meter.isRequestUnderWay()) {
                    orphans.add(new Orphans.Orphan(meter.backendPid(), meter.openedNanos()));
                }
            }
            oneEnded.notifyAll();
        }
    }

    /** Why a connection has ended: what was said of it, or else what HikariCP must have seen. */
    private Ending why(ConnectionSockets sockets) {
        ConnectionMeter meter = sockets.meter();
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
        if (sockets.isLost()) {
            return Ending.DATABASE;
        }
        return age >= HikariOnDemand.SHORTEST_LIFE_NANOS ? Ending.LIFETIME : Ending.UNTESTED;
    }

    /** The connections that are being opened. */
    Set<ConnectionSockets> connecting() {
        return connecting;
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
        outage.look();
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

    /** The longest wait for the server's side of a connect. */
    int connectTimeoutSeconds() {
        return (int) Math.max(1, target.connectTimeout().toSeconds());
    }
}
