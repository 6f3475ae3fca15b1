package dev.headgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.Samples;
import dev.headgate.wire.ClientStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireMetricsTest {

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final List<ClientStatus> connected = new ArrayList<>();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WireMetrics metrics = new WireMetrics(() -> List.of(database), () -> connected);

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

        connected.clear();
        aSecond();
        assertThat(clients("bank", "idle")).isZero();
    }

    @Test
    void whatIsShownOfADomainGoesWithIt() {
        metrics.bindTo(registry);
        database.add("bank");
        aSecond();
        assertThat(registry.getMeters()).hasSize(3);
        database.remove("bank");
        aSecond();
        assertThat(registry.getMeters()).isEmpty();
    }

    private void aSecond() {
        for (int turn = 1; turn <= 20; turn++) {
            metrics.turn(turn, Samples.NOON);
        }
    }

    private double clients(String domain, String state) {
        return registry.get("headgate.wire.clients")
                .tag("domain", domain)
                .tag("state", state)
                .gauge()
                .value();
    }

    private static ClientStatus client(int id, String domain, String state) {
        return new ClientStatus(id, domain, "app", "127.0.0.1:50432", "psql", state, "", Samples.NOON, 0);
    }
}
