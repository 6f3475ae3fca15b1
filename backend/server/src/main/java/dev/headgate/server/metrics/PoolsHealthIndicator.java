package dev.headgate.server.metrics;

import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.Engine;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Shows which databases can be reached. Always up: a database that is down is no reason to restart Headgate or to remove it
 * from a load balancer, where nobody could read its report.
 */
@Component
class PoolsHealthIndicator implements HealthIndicator {

    private final Engine engine;

    PoolsHealthIndicator(Engine engine) {
        this.engine = engine;
    }

    @Override
    public Health health() {
        Map<String, String> databases = new TreeMap<>();
        engine.databases().forEach(database -> databases.put(database.name(), describe(database.status())));
        return Health.up().withDetail("databases", databases).build();
    }

    private static String describe(DatabaseStatus status) {
        return status.unreachable()
                .map(why -> "unreachable since " + why.since() + ": " + why.reason())
                .orElseGet(() -> "reachable, " + status.open() + " of " + status.budget() + " connections open");
    }
}
