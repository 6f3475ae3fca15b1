package dev.headgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PoolMetricsTest {

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PoolMetrics metrics = new PoolMetrics(() -> List.of(database));

    @BeforeEach
    void bind() {
        metrics.bindTo(registry);
    }

    @Test
    void aPoolIsShownAsItIsOnceASecond() {
        FakePool bank = database.add("bank");
        aSecond();
        assertThat(gauge("headgate.pool.size", "bank")).isEqualTo(5);
        assertThat(gauge("headgate.pool.ceiling", "bank")).isEqualTo(7);
        assertThat(registry.get("headgate.pool.leases").functionCounter().count())
                .isEqualTo(10);
        assertThat(registry.get("headgate.database.budget").gauge().value()).isEqualTo(40);
        assertThat(registry.get("headgate.governor.step").functionTimer().count())
                .isEqualTo(1_000);
        assertThat(registry.get("headgate.governor.step").functionTimer().mean(TimeUnit.MICROSECONDS))
                .isEqualTo(500);
        assertThat(registry.get("headgate.governor.step.longest.seconds")
                        .gauge()
                        .value())
                .isEqualTo(0.004);
        assertThat(registry.get("headgate.pool.latency")
                        .tag("quantile", "0.99")
                        .gauge()
                        .value())
                .as("nothing was measured")
                .isNaN();

        bank.show(Samples.status("bank", "main", 6));
        assertThat(gauge("headgate.pool.size", "bank")).isEqualTo(5);
        aSecond();
        assertThat(gauge("headgate.pool.size", "bank")).isEqualTo(6);
    }

    @Test
    void anAlarmIsCountedWhileSomebodySuffersAndANoticeNever() {
        PoolStatus.RaisedAlarm stands = Samples.alarm("refusing");
        PoolStatus.RaisedAlarm over = alarm("at-ceiling", PoolStatus.Severity.WARNING, Optional.of(Samples.NOON));
        PoolStatus.RaisedAlarm notice = alarm("paused", PoolStatus.Severity.NOTICE, Optional.empty());
        FakePool bank = database.add("bank");

        bank.show(Samples.status("bank", "main", 5, stands, over, notice));
        aSecond();
        assertThat(gauge("headgate.pool.alarms", "bank")).isEqualTo(1);

        bank.show(Samples.status("bank", "main", 5, over, notice));
        aSecond();
        assertThat(gauge("headgate.pool.alarms", "bank")).isZero();
    }

    /** So that whoever is paged by it finds the same state on every page. */
    @Test
    void theStateIsTheOneThatEveryPageShows() {
        FakePool bank = database.add("bank");
        aSecond();
        assertThat(gauge("headgate.pool.severity", "bank")).isZero();

        bank.show(Samples.status("bank", "main", 5, alarm("paused", PoolStatus.Severity.NOTICE, Optional.empty())));
        aSecond();
        assertThat(gauge("headgate.pool.severity", "bank")).isEqualTo(1);

        bank.show(Samples.status(
                "bank",
                "main",
                5,
                Samples.alarm("at-ceiling"),
                alarm("unreachable", PoolStatus.Severity.CRITICAL, Optional.empty())));
        aSecond();
        assertThat(gauge("headgate.pool.severity", "bank")).isEqualTo(3);

        bank.show(Samples.status(
                "bank", "main", 5, alarm("unreachable", PoolStatus.Severity.CRITICAL, Optional.of(Samples.NOON))));
        aSecond();
        assertThat(gauge("headgate.pool.severity", "bank"))
                .as("what is over is a notice")
                .isEqualTo(1);
    }

    @Test
    void soIsThatOfADatabase() {
        aSecond();
        assertThat(severityOfDatabase()).isZero();

        database.show(alarm("unreachable", PoolStatus.Severity.CRITICAL, Optional.empty()));
        aSecond();
        assertThat(severityOfDatabase()).isEqualTo(3);
    }

    private double severityOfDatabase() {
        return registry.get("headgate.database.severity")
                .tag("database", "main")
                .gauge()
                .value();
    }

    private static PoolStatus.RaisedAlarm alarm(String code, PoolStatus.Severity severity, Optional<Instant> over) {
        return new PoolStatus.RaisedAlarm(
                code, Samples.words(code), Samples.NOON, severity, PoolStatus.Reach.DOMAIN, 1, over);
    }

    @Test
    void theMetersOfAPoolGoWithIt() {
        database.add("bank");
        database.add("gallery");
        aSecond();
        int two = registry.getMeters().size();
        database.remove("bank");
        aSecond();

        assertThat(registry.getMeters())
                .noneMatch(meter -> "bank".equals(meter.getId().getTag("domain")));
        assertThat(gauge("headgate.pool.size", "gallery")).isEqualTo(5);

        FakePool again = database.add("bank");
        again.show(Samples.status("bank", "main", 3));
        aSecond();
        assertThat(gauge("headgate.pool.size", "bank")).isEqualTo(3);
        assertThat(registry.getMeters()).hasSize(two);
    }

    @Test
    void noLabelGrowsWithTraffic() {
        database.add("bank").show(Samples.connections("bank", 30));
        aSecond();

        assertThat(registry.getMeters())
                .flatExtracting(meter -> meter.getId().getTags())
                .extracting(Tag::getKey)
                .containsOnly("domain", "database", "quantile");
        assertThat(registry.getMeters()).extracting(Meter::getId).hasSizeLessThan(40);
    }

    private void aSecond() {
        for (int turn = 1; turn <= 20; turn++) {
            metrics.turn(turn, Samples.NOON);
        }
    }

    private double gauge(String name, String domain) {
        return registry.get(name).tag("domain", domain).gauge().value();
    }
}
