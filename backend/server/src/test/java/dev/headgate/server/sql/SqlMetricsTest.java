package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.feed.Samples;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SqlMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Set<String> domains = new HashSet<>(List.of("bank", "gallery"));
    private final SqlMetrics metrics = new SqlMetrics(registry, domains::contains);

    @Test
    void theTimersOfADomainGoWithIt() {
        metrics.record("bank", new SqlTimes());
        metrics.record("gallery", new SqlTimes());
        metrics.turn(20, Samples.NOON);
        assertThat(registry.getMeters()).hasSize(6);

        domains.remove("bank");
        metrics.turn(21, Samples.NOON);
        assertThat(registry.getMeters()).as("once a second").hasSize(6);
        metrics.turn(40, Samples.NOON);
        assertThat(registry.getMeters())
                .hasSize(3)
                .allMatch(meter -> "gallery".equals(meter.getId().getTag("domain")));

        metrics.record("bank", new SqlTimes());
        assertThat(registry.get("headgate.sql.requests")
                        .tag("domain", "bank")
                        .timer()
                        .count())
                .as("of a new one of this name")
                .isEqualTo(1);
    }
}
