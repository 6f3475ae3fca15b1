package dev.headgate.server.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.connect.ConnectFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of the control store. Knows from those that are asked for whether the store is away, and logs when that begins and
 * ends. The history asks every second.
 *
 * <p>While it is away one caller at a time waits for it, as long as the connection timeout says; the others are told at once. When Headgate
 * ends then, nobody waits any more: each of those that write what is left would wait for 5 s.
 */
public final class ControlStore extends HikariDataSource {

    private static final Logger log = LoggerFactory.getLogger(ControlStore.class);

    private final Clock clock;
    private final AtomicReference<@Nullable Away> away = new AtomicReference<>();

    /** Whether somebody waits whether the store is back. */
    private final AtomicBoolean waiting = new AtomicBoolean();

    private volatile boolean ending;

    /**
     * The store cannot be reached.
     *
     * @param reason without a full stop
     * @param refuses whether no connection can be opened; else those that are open are all in use for too long
     */
    public record Away(String reason, Instant since, boolean refuses) {}

    ControlStore(HikariConfig config, Clock clock) {
        super(config);
        this.clock = clock;
    }

    /** Present while the store cannot be reached. */
    public Optional<Away> away() {
        return Optional.ofNullable(away.get());
    }

    /** Headgate ends. */
    void ending() {
        ending = true;
        if (away.get() != null) {
            try {
                setLoginTimeout(1); // as long as the pool's end waits for its attempts to connect
            } catch (SQLException e) {
                log.debug("The control store's pool takes longer to end", e);
            }
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Away known = away.get();
        if (known == null || !known.refuses) {
            return connect();
        }
        if (ending || !waiting.compareAndSet(false, true)) {
            throw new SQLTransientConnectionException(known.reason);
        }
        try {
            return connect();
        } finally {
            waiting.set(false);
        }
    }

    private Connection connect() throws SQLException {
        Connection connection;
        try {
            connection = super.getConnection();
        } catch (SQLTransientConnectionException e) { // others: it was interrupted, or is closed
            isAway(reason(e), e.getCause() != null);
            throw e;
        }
        isBack();
        return connection;
    }

    /** What kept the last connection from being opened. If nothing did, all of them wait for the store. */
    private String reason(SQLTransientConnectionException timedOut) {
        return timedOut.getCause() == null
                ? "none of its connections (%d) was free for %s s"
                        .formatted(getMaximumPoolSize(), getConnectionTimeout() / 1_000.0)
                : ConnectFault.inBrief(timedOut);
    }

    private void isAway(String reason, boolean refuses) {
        Instant now = clock.instant();
        Away before = away.getAndUpdate(known -> new Away(reason, known == null ? now : known.since, refuses));
        if (before == null) {
            log.warn(
                    "The control store is not available: {}. Pools and clients go on; changes and what is read from the store are"
                            + " refused until it is back",
                    reason);
        }
    }

    private void isBack() {
        Away before = away.get() == null ? null : away.getAndSet(null);
        if (before != null) {
            log.info(
                    "The control store is available again, after {} s",
                    Duration.between(before.since, clock.instant()).toSeconds());
        }
    }
}
