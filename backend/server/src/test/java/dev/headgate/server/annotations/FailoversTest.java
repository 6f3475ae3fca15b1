package dev.headgate.server.annotations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.server.Service;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class FailoversTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.1:5432 | 0 | false | ''",
                "10.0.0.1:5432 | 9 | false | restarted",
                "10.0.0.2:5432 | 9 | false | moved from the server 10.0.0.1:5432 to 10.0.0.2:5432",
                "10.0.0.2:5432 | 9 | true  | moved from the server 10.0.0.1:5432 to 10.0.0.2:5432, a standby",
                "10.0.0.1:5432 | 0 | true  | made a standby",
            })
    void whatBecameOfTheServerIsSaid(String address, int later, boolean standby, String change) {
        ServerFacts.Server before = new ServerFacts.Server("10.0.0.1:5432", NOON, false);
        ServerFacts.Server now = new ServerFacts.Server(address, NOON.plusSeconds(later), standby);

        assertThat(Failovers.change(before, now)).isEqualTo(change);
        assertThat(Failovers.change(null, now)).isEmpty();
    }

    @Test
    void aStandbyThatIsPromotedIsSaid() {
        assertThat(Failovers.change(
                        new ServerFacts.Server("10.0.0.1:5432", NOON, true),
                        new ServerFacts.Server("10.0.0.1:5432", NOON, false)))
                .isEqualTo("promoted to primary");
    }

    /** A server that goes away and comes back is one mark on the charts of its database's domains, made by the service. */
    @Test
    void aServerThatWasAwayIsMarked(@TempDir Path folder) throws Exception {
        Service service = Service.shared();
        int port = freePort();
        EmbeddedPostgres server = start(folder, port);
        service.post("/databases", """
                        {"name": "restarted", "host": "127.0.0.1", "port": %d, "database": "postgres", "user": "postgres",
                         "password": "postgres", "sslMode": "disable", "budget": 3}""".formatted(port)).expect(201);
        try {
            await().atMost(Service.PATIENCE)
                    .until(() -> !service.get("/databases/restarted")
                            .expect(200)
                            .json()
                            .get("serverVersion")
                            .isNull());
            Instant before = Instant.now();
            server.close();
            await().atMost(Service.PATIENCE)
                    .until(() -> service.get("/databases/restarted")
                            .expect(200)
                            .text()
                            .contains("\"reachable\":false"));
            server = start(folder, port);
            JsonNode mark = await().atMost(Service.PATIENCE)
                    .until(() -> failoverOf(service, "restarted"), Optional::isPresent)
                    .orElseThrow();
            assertThat(mark.get("text").asString()).matches("restarted was away for \\d+ s, and was restarted\\.");
            assertThat(mark.get("database").asString()).isEqualTo("restarted");
            assertThat(mark.get("author").asString()).isEqualTo("headgate");
            assertThat(Instant.parse(mark.get("time").asString())).isBetween(before, Instant.now());
            service.delete("/annotations/" + mark.get("id").asString()).expect(204);
            service.assertExactLedgers();
        } finally {
            service.delete("/databases/restarted").expect(204);
            server.close();
        }
    }

    /** The newest one. Another test's database of the shared service may have been away, too. */
    private static Optional<JsonNode> failoverOf(Service service, String database) {
        JsonNode items =
                service.get("/annotations?kind=failover").expect(200).json().get("items");
        return items.valueStream()
                .filter(mark -> mark.path("database").asString("").equals(database))
                .findFirst();
    }

    private static EmbeddedPostgres start(Path folder, int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
