package dev.headgate.server.metrics;

import javax.sql.DataSource;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Whether the control store answers. */
@Component
class StoreHealthIndicator extends AbstractHealthIndicator {

    private static final int TIMEOUT_SECONDS = 2;

    private final JdbcTemplate store;

    StoreHealthIndicator(DataSource store) {
        super("the control store does not answer");
        this.store = new JdbcTemplate(store);
        this.store.setQueryTimeout(TIMEOUT_SECONDS);
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        store.execute("select 1");
        builder.up();
    }
}
