package dev.headgate.engine.connect;

import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.meter.TapSocketFactory;
import dev.headgate.engine.meter.TapSslFactory;
import dev.headgate.engine.time.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.util.HostSpec;

/**
 * Opens the physical connections of one pool, each with a meter at its socket and a place in the database's ledger. This
 * is the {@link DataSource} that HikariCP fills itself from; it is called on HikariCP's adder thread and blocks.
 *
 * <p>pgjdbc's defaults that let a hung server or a half-open network block for ever are replaced: the connect and every
 * read have a timeout, keep-alive is on. Its own login timeout stays off, because with it the driver connects on another
 * thread; the read timeout bounds the login as well.
 */
public final class Opener implements DataSource {

    /** How long each read of the login may stand still. */
    private static final int LOGIN_TIMEOUT_SECONDS = 10;

    private final String domain;
    private final Time time;
    private final SocketLedger ledger;
    private final PoolMeter meters;
    private final Runnable changed;
    private final AtomicInteger sequence = new AtomicInteger();
    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    private volatile Target target;

    /** Why connecting fails, since when, and how often in a row. */
    public record Failure(SQLException cause, Instant since, int times) {}

    /** @param changed called when a connection was opened or closed or could not be opened; must not block */
    public Opener(String domain, Target target, Time time, SocketLedger ledger, PoolMeter meters, Runnable changed) {
        this.domain = domain;
        this.target = target;
        this.time = time;
        this.ledger = ledger;
        this.meters = meters;
        this.changed = changed;
    }

    /** Where the next connection goes. */
    public void retarget(Target next) {
        target = next;
    }

    /** Set while the last attempt to connect failed. */
    public Optional<Failure> failure() {
        return Optional.ofNullable(failure.get());
    }

    @Override
    public Connection getConnection() throws SQLException {
        Target to = target;
        ConnectionMeter meter = new ConnectionMeter(domain + "-" + sequence.incrementAndGet(), time);
        meters.add(meter);
        try {
            Place place = new Place(meter);
            MeteredConnection connection = ScopedValue.where(TapSocketFactory.TAPPING, place)
                    .call(() -> connect(to, domain, meter, place, () -> closed(meter)));
            connection.setNetworkTimeout(Runnable::run, (int) to.socketTimeout().toMillis());
            meter.opened(connection.getBackendPID());
            failure.set(null);
            changed.run();
            return connection;
        } catch (SQLException e) {
            meters.retire(meter);
            failure.updateAndGet(before -> before == null
                    ? new Failure(e, time.now(), 1)
                    : new Failure(e, before.since(), before.times() + 1));
            changed.run();
            throw e;
        }
    }

    private void closed(ConnectionMeter meter) {
        meters.retire(meter);
        changed.run();
    }

    private final class Place implements TapSocketFactory.Tapping, Supplier<@Nullable Socket> {
        private final ConnectionMeter meter;
        private volatile @Nullable Socket socket;

        Place(ConnectionMeter meter) {
            this.meter = meter;
        }

        @Override
        public ConnectionMeter meter() {
            return meter;
        }

        @Override
        public void socketOpens() throws IOException {
            ledger.open();
        }

        @Override
        public void speaksOver(Socket next) {
            socket = next;
        }

        @Override
        public @Nullable Socket get() {
            return socket;
        }

        @Override
        public void socketClosed() {
            ledger.close();
        }
    }

    private static MeteredConnection connect(
            Target to, String domain, ConnectionMeter meter, Supplier<@Nullable Socket> socket, Runnable onClose)
            throws SQLException {
        Properties properties = properties(to, "headgate " + domain);
        // a server that accepts and then says nothing must not hold HikariCP's one adder for as long as a slow query
        // may
        PGProperty.SOCKET_TIMEOUT.set(properties, (int)
                Math.max(1, Math.min(LOGIN_TIMEOUT_SECONDS, to.socketTimeout().toSeconds())));
        PGProperty.SOCKET_FACTORY.set(properties, TapSocketFactory.class.getName());
        if (to.sslMode() != Target.SslMode.DISABLE) {
            PGProperty.SSL_FACTORY.set(properties, TapSslFactory.class.getName());
        }
        return new MeteredConnection(
                new HostSpec(to.host(), to.port()), properties, "jdbc:postgresql:" + to.name(), meter, socket, onClose);
    }

    /** The driver's properties for a target: parts and an allow-list, never a URL. */
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
        PGProperty.TCP_KEEP_ALIVE.set(properties, true);
        PGProperty.APPLICATION_NAME.set(properties, applicationName);
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
        // HikariCP sets it; the target's own timeouts hold
    }

    /** HikariCP, when it shuts down, waits so long for a connect that is under way. */
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
