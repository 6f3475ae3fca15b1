package dev.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.PrintWriter;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Before a PostgreSQL that a test can take away. The clock is the test's. */
class ControlStoreTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ControlStore.class);
    private volatile boolean away;
    private Instant now = Instant.parse("2026-11-30T03:00:00Z");

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(lines);
    }

    @Test
    void tellsOnceThatTheStoreIsAwayAndOnceThatItIsBack() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start();
                ControlStore store = store(server.getPostgresDatabase())) {
            assertThat(store.away()).isEmpty();

            away = true;
            store.getHikariPoolMXBean().softEvictConnections();
            for (int times = 0; times < 3; times++) {
                assertThatThrownBy(store::getConnection).isInstanceOf(SQLException.class);
            }
            assertThat(store.away())
                    .contains(new ControlStore.Away(
                            "The connection attempt failed. (there is no host of the name db)", now, true));

            away = false;
            now = now.plusSeconds(70);
            await().ignoreExceptions().untilAsserted(() -> store.getConnection().close());
            assertThat(store.away()).isEmpty();
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            "The control store is not available: The connection attempt failed. (there is no host of the name db)."
                                    + " Pools and clients go on; changes and what is read from the store are refused until it is"
                                    + " back",
                            "The control store is available again, after 70 s");
        }
    }

    /** Several write what is left one after another, and the process has 8 s in all. */
    @Test
    void nobodyWaitsForAStoreThatIsAwayWhenHeadgateEnds() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start();
                ControlStore store = store(server.getPostgresDatabase())) {
            away = true;
            store.getHikariPoolMXBean().softEvictConnections();
            assertThatThrownBy(store::getConnection).isInstanceOf(SQLException.class);
            store.ending();
            long began = System.nanoTime();
            assertThatThrownBy(store::getConnection)
                    .isInstanceOf(SQLException.class)
                    .hasMessageStartingWith("The connection attempt failed.");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT);
        }
    }

    /** Each page of the dashboard and every line of a script would take 5 s otherwise, to say the same. */
    @Test
    void oneCallerWaitsForAStoreThatIsAwayAndTheOthersAreToldAtOnce() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start();
                ControlStore store = store(server.getPostgresDatabase(), TIMEOUT.multipliedBy(6))) {
            away = true;
            store.getHikariPoolMXBean().softEvictConnections();
            assertThatThrownBy(store::getConnection).isInstanceOf(SQLException.class);
            FutureTask<Connection> waits = new FutureTask<>(store::getConnection);
            Thread waiter = Thread.ofPlatform().start(waits);
            await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);

            assertThatThrownBy(store::getConnection)
                    .isInstanceOf(SQLException.class)
                    .hasMessage("The connection attempt failed. (there is no host of the name db)")
                    .hasNoCause();
            waiter.interrupt();
            waiter.join();

            away = false;
            await().ignoreExceptions().untilAsserted(() -> store.getConnection().close());
        }
    }

    @Test
    void aStoreThatIsThereIsWrittenToWhenHeadgateEnds() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start();
                ControlStore store = store(server.getPostgresDatabase())) {
            store.ending();
            try (Connection connection = store.getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
        }
    }

    @Test
    void saysWhenAllItsConnectionsWait() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start();
                ControlStore store = store(server.getPostgresDatabase());
                Connection _ = store.getConnection()) {
            assertThatThrownBy(store::getConnection).isInstanceOf(SQLException.class);
            assertThat(store.away().orElseThrow().reason()).isEqualTo("none of its connections (1) was free for 0.5 s");
        }
    }

    private ControlStore store(DataSource server) {
        return store(server, TIMEOUT);
    }

    private ControlStore store(DataSource server, Duration timeout) {
        InstantSource instants = () -> now;
        Clock clock = instants.withZone(ZoneOffset.UTC);
        HikariConfig config = new HikariConfig();
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(timeout.toMillis());
        config.setDataSource(new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                if (away) {
                    throw new SQLException("The connection attempt failed.", "08001", new UnknownHostException("db"));
                }
                return server.getConnection();
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }

            @Override
            public int getLoginTimeout() {
                return 1;
            }

            @Override
            public void setLoginTimeout(int seconds) {
                // nothing logs in here
            }

            @Override
            public PrintWriter getLogWriter() {
                return new PrintWriter(System.err);
            }
        });
        return new ControlStore(config, clock);
    }
}
