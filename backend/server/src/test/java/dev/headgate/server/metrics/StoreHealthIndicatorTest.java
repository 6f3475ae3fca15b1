package dev.headgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.datasource.AbstractDataSource;

class StoreHealthIndicatorTest {

    private Instant now = Instant.parse("2026-11-29T00:00:00Z");
    private final AtomicInteger asked = new AtomicInteger();

    /** A store that is away, and counts who asks for it. */
    private final AbstractDataSource away = new AbstractDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
            asked.incrementAndGet();
            throw new SQLException("Connection refused", "08001");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return new PrintWriter(System.err);
        }
    };

    private final StoreHealthIndicator health = new StoreHealthIndicator(away, new Clock() {
        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    });

    /** With a stack trace for each of them, a load balancer that asks filled the log. */
    @Test
    void saysWhyInOneSentence() {
        assertThat(health.health().getDetails()).containsExactly(java.util.Map.entry("error", "Connection refused"));
    }

    @Test
    void howeverManyAskTheStoreIsAskedOnceASecond() {
        for (int n = 0; n < 1_000; n++) {
            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
        }
        assertThat(asked).hasValue(1);
        now = now.plus(Duration.ofMillis(999));
        health.health();
        assertThat(asked).hasValue(1);
        now = now.plusMillis(1);
        health.health();
        assertThat(asked).hasValue(2);
        now = now.minus(Duration.ofHours(1)); // the clock was set
        health.health();
        assertThat(asked).hasValue(3);
    }
}
