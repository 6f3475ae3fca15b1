package dev.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The embedded server ends under a running service, as on a full disk. */
@Timeout(300)
class StoreLostTest {

    @TempDir
    Path data;

    @Test
    void editsSayWhyAndTheServerIsStartedAgain() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 10)).expect(201);
            int port = service.embedded().port();
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

            service.bean(ServerWatch.class).start();
            await().atMost(Service.PATIENCE)
                    .until(() -> service.post("/domains", "{\"name\": \"bank\", \"database\": \"main\"}")
                                    .status()
                            == 201);
            assertThat(service.embedded().port()).isEqualTo(port);
            service.assertExactLedgers();
        }
    }
}
