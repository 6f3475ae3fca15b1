package dev.headgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.Samples;
import dev.headgate.wire.ArrivalStatus;
import dev.headgate.wire.ClientStatus;
import dev.headgate.wire.LoopStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

class WireMetricsTest {

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final List<ClientStatus> connected = new ArrayList<>();
    private final List<LoopStatus> loops = new ArrayList<>();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private ArrivalStatus arrivals = new ArrivalStatus(0, 0, 0);
    private final WireMetrics metrics =
            new WireMetrics(() -> List.of(database), () -> connected, () -> loops, () -> arrivals);

    @Test
    void clientsAreCountedPerDomainAndState() {
        metrics.bindTo(registry);
        database.add("bank");
        database.add("gallery");
        connected.add(client(1, "bank", "idle"));
        connected.add(client(2, "bank", "idle"));
        connected.add(client(3, "bank", "active"));
        aSecond();
        assertThat(clients("bank", "idle")).isEqualTo(2);
        assertThat(clients("bank", "active")).isEqualTo(1);
        assertThat(clients("bank", "waiting")).isZero();
        assertThat(clients("gallery", "idle")).isZero();
        assertThat(statements("bank")).isEqualTo(3 * 7);
        assertThat(statements("gallery")).isZero();

        connected.clear();
        aSecond();
        assertThat(clients("bank", "idle")).isZero();
        assertThat(statements("bank")).isZero();
    }

    @Test
    void whatIsShownOfADomainGoesWithIt() {
        metrics.bindTo(registry);
        database.add("bank");
        aSecond();
        assertThat(registry.find("headgate.wire.clients").meters()).hasSize(3);
        database.remove("bank");
        aSecond();
        assertThat(registry.find("headgate.wire.clients").meters()).isEmpty();
        assertThat(registry.find("headgate.wire.statements").meters()).isEmpty();
    }

    @Test
    void everyLoopShowsItsTurnsAndForHowLongItStandsStill() {
        metrics.bindTo(registry);
        loops.add(new LoopStatus("wire-loop-0", 40, Duration.ZERO));
        aSecond();
        assertThat(registry.get("headgate.wire.loop.turns").functionCounter().count())
                .isEqualTo(40);
        assertThat(registry.get("headgate.wire.loop.stalled").gauge().value()).isZero();
        loops.set(0, new LoopStatus("wire-loop-0", 41, Duration.ofMillis(2_500)));
        aSecond();
        assertThat(registry.get("headgate.wire.loop.turns")
                        .tag("loop", "wire-loop-0")
                        .functionCounter()
                        .count())
                .isEqualTo(41);
        assertThat(registry.get("headgate.wire.loop.stalled").gauge().value()).isEqualTo(2.5);
        assertThat(new WireHealthIndicator(() -> loops).health().getStatus()).isEqualTo(Status.DOWN);
        loops.set(0, new LoopStatus("wire-loop-0", 42, Duration.ZERO));
        assertThat(new WireHealthIndicator(() -> loops).health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void whoHasNotLoggedInIsCounted() {
        metrics.bindTo(registry);
        arrivals = new ArrivalStatus(7, 3, 2);
        assertThat(registry.get("headgate.wire.arriving").gauge().value()).isEqualTo(7);
        assertThat(registry.get("headgate.wire.gave.way").functionCounter().count())
                .isEqualTo(3);
    }

    private void aSecond() {
        for (int turn = 1; turn <= 20; turn++) {
            metrics.turn(turn, Samples.NOON);
        }
    }

    private double statements(String domain) {
        return registry.get("headgate.wire.statements")
                .tag("domain", domain)
                .gauge()
                .value();
    }

    private double clients(String domain, String state) {
        return registry.get("headgate.wire.clients")
                .tag("domain", domain)
                .tag("state", state)
                .gauge()
                .value();
    }

    private static ClientStatus client(int id, String domain, String state) {
        return new ClientStatus(
                id,
                domain,
                "app",
                "127.0.0.1:50432",
                "psql",
                state,
                "",
                Samples.NOON,
                0,
                "",
                0,
                0,
                0,
                0,
                7,
                0,
                0,
                false);
    }
}
