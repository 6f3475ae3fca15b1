package dev.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The embedded server ends under a running service, as on a full disk. */
@Timeout(300)
class StoreLostTest {

    @TempDir
    Path data;

    @Test
    void editsSayWhyAndTheServerIsStartedAgain() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 10)).expect(201);
            service.post("/domains", "{\"name\": \"first\", \"database\": \"main\"}")
                    .expect(201);
            int port = service.embedded().port();
            assertThat(health(service).at("/diskSpace/details/path").asString()).isEqualTo(data.toString());
            service.bean(ServerWatch.class).stop();
            ProcessHandle postmaster = PostmasterFile.in(data.resolve("postgres/cluster"))
                    .flatMap(note -> ProcessHandle.of(note.pid()))
                    .orElseThrow();
            assertThat(postmaster.destroyForcibly()).isTrue();
            await().atMost(Service.PATIENCE).until(() -> !postmaster.isAlive());

            Service.Answer refused = service.post("/domains", "{\"name\": \"bank\", \"database\": \"main\"}");
            assertThat(refused.status()).as(refused.text()).isEqualTo(503);
            assertThat(refused.problem()).isEqualTo("unavailable");
            assertThat(refused.json().get("detail").asString()).startsWith("The control store is not available: ");

            await().atMost(Service.PATIENCE).until(() -> alarms(service).contains("control store away"));
            assertThat(health(service).at("/store/details/error").asString()).contains("refused");
            service.bean(ServerWatch.class).start();
            await().atMost(Service.PATIENCE)
                    .until(() -> service.post("/domains", "{\"name\": \"bank\", \"database\": \"main\"}")
                                    .status()
                            == 201);
            assertThat(service.embedded().port()).isEqualTo(port);
            await().atMost(Service.PATIENCE).until(() -> !alarms(service).contains("control store away"));
            service.assertExactLedgers();
        }
    }

    private static JsonNode health(Service service) {
        return service.send("GET", "/actuator/health", null).json().get("components");
    }

    /** Those of a domain whose pool the API tells without the store. */
    private static String alarms(Service service) throws Exception {
        return service.get("/domains/first/pool")
                .expect(200)
                .json()
                .get("alarms")
                .toString();
    }
}
