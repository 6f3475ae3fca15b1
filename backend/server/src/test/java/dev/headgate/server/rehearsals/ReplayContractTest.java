package dev.headgate.server.rehearsals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.server.plugins.PluginJars;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayContractTest {

    @TempDir
    Path work;

    @Test
    void aSecondReplayIsToldThatOneRuns() throws Exception {
        Service service = Service.shared();
        service.domain("replayed", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": 2}}]");
        byte[] jar = new PluginJars(work).plugin("holding", "1").answering("""
                        if (Thread.currentThread().getName().equals("replay")) {
                            System.setProperty("test.replay", "runs");
                            while (System.getProperty("test.replay.goOn") == null) {
                                Thread.onSpinWait();
                            }
                        }
                        return Limits.unbounded();
                        """).bytes();
        service.upload("/policy-plugins", jar, "application/java-archive").expect(201);
        String body = "{\"seconds\": 5, \"policySet\": {\"policies\": [{\"plugin\": \"holding\"}]}}";
        try {
            CompletableFuture<Service.Answer> first =
                    CompletableFuture.supplyAsync(() -> service.post("/domains/replayed/policies/replay", body));
            await().atMost(Service.PATIENCE).until(() -> System.getProperty("test.replay") != null);
            Service.Answer second = service.post("/domains/replayed/policies/replay", "{\"seconds\": 5}");
            System.setProperty("test.replay.goOn", "now");

            assertThat(second.status()).isEqualTo(409);
            assertThat(second.problem()).isEqualTo("conflict");
            assertThat(second.json().get("detail").asString())
                    .isEqualTo(
                            "A replay of domains/replayed is running, and only one can run at a time; try again when it has ended.");
            first.join().expect(200);
            service.post("/domains/replayed/policies/replay", "{\"seconds\": 5}")
                    .expect(200);
        } finally {
            System.clearProperty("test.replay");
            System.clearProperty("test.replay.goOn");
        }
        service.delete("/domains/replayed").expect(204);
        service.delete("/policy-plugins/holding/1").expect(204);
    }
}
