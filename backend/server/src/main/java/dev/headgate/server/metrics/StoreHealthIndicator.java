package dev.headgate.server.metrics;

import dev.headgate.engine.connect.ConnectFault;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Whether the control store answers. Anyone may ask, without a token and as often as they like: so there is one query at a time, and
 * its outcome counts for a second.
 */
@Component
class StoreHealthIndicator extends AbstractHealthIndicator {

    private static final int TIMEOUT_SECONDS = 2;
    private static final Duration COUNTS = Duration.ofSeconds(1);

    private final JdbcTemplate store;
    private final Clock clock;
    private @Nullable Instant asked;
    private @Nullable DataAccessException fault;

    StoreHealthIndicator(DataSource store, Clock clock) {
        this.store = new JdbcTemplate(store);
        this.store.setQueryTimeout(TIMEOUT_SECONDS);
        this.clock = clock;
    }

    @Override
    protected synchronized void doHealthCheck(Health.Builder builder) {
        Instant last = asked;
        if (last == null || Duration.between(last, clock.instant()).abs().compareTo(COUNTS) >= 0) {
            fault = ask();
            asked = clock.instant();
        }
        DataAccessException why = fault;
        if (why == null) {
            builder.up();
        } else {
            builder.down().withDetail("error", ConnectFault.inBrief(why)); // the store itself has logged it, once
        }
    }

    private @Nullable DataAccessException ask() {
        try {
            store.execute("select 1");
            return null;
        } catch (DataAccessException e) {
            return e;
        }
    }
}
