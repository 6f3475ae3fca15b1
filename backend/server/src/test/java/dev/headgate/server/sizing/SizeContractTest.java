package dev.headgate.server.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.server.Service;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** On a real pool under a real load. Which size is found depends on the machine; that one is, and that all is as before, does not. */
class SizeContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    private static String policies(int min, int max) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": %d, \"max\": %d}}]".formatted(min, max);
    }

    /** Callers of a domain who come again at once. */
    private static final class Callers implements AutoCloseable {
        private final AtomicBoolean ended = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Callers(Pool pool, int number) {
            for (int i = 0; i < number; i++) {
                threads.add(Thread.ofVirtual().start(() -> {
                    while (!ended.get()) {
                        try (Lease lease = pool.acquire(LeaseRequest.by("caller"));
                                Statement statement = lease.connection().createStatement()) {
                            statement.execute("select pg_sleep(0.004)");
                        } catch (LeaseException e) {
                            return; // its domain is deleted
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }));
            }
        }

        @Override
        public void close() throws InterruptedException {
            ended.set(true);
            for (Thread thread : threads) {
                thread.join(Duration.ofSeconds(20));
            }
        }
    }

    private static JsonNode ended(String location) {
        return await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> service.get(location).expect(200).json(),
                        run -> !run.get("state").asString().equals("running"));
    }

    @Test
    void aSizeIsFoundOnLiveLoadAndThePoliciesDecideAgain() throws Exception {
        service.domain("sized", policies(1, 3));
        Pool pool = service.bean(Engine.class).pool("sized").orElseThrow();
        try (Callers _ = new Callers(pool, 4)) {
            Service.Answer begun = service.post("/domains/sized/size-searches", "{\"mostSeconds\": 60, \"most\": 6}")
                    .expect(202);
            String location = begun.header("Location").replace("/api/v1", "");
            assertThat(begun.json().get("before").asInt()).isBetween(1, 3);
            assertThat(begun.json().get("mostSeconds").asInt()).isEqualTo(60);
            assertThat(service.post("/domains/sized/size-searches", "{}").status())
                    .isEqualTo(409);

            JsonNode run = ended(location);

            assertThat(run.get("problem").isNull()).as(run.toString()).isTrue();
            assertThat(run.get("state").asString()).isEqualTo("done");
            assertThat(run.get("trials").size()).isGreaterThan(2);
            assertThat(run.get("trials"))
                    .allSatisfy(trial -> assertThat(trial.get("size").asInt()).isBetween(1, 6));
            JsonNode answer = run.get("answer");
            int size = answer.get("size").asInt();
            assertThat(answer.get("sentence").asString())
                    .startsWith(size == 1 ? "1 connection gives " : size + " connections give ");
            assertThat(answer.get("revision").asInt()).isEqualTo(1);
            assertThat(answer.get("policySet").get("policies")).hasSize(1);
            assertThat(answer.get("policySet")
                            .get("policies")
                            .get(0)
                            .get("parameters")
                            .get("max")
                            .asInt())
                    .isEqualTo(size);
            assertThat(pool.status().ceiling()).isEqualTo(3);
            assertThat(service.get("/domains/sized/policies").header("ETag")).isEqualTo("\"1\"");
            assertThat(service.get("/domains/sized/size-searches")
                            .expect(200)
                            .json()
                            .get("items"))
                    .hasSize(1);
            service.delete(location).expect(204);
            service.get(location).expect(404);
        }
        service.delete("/domains/sized").expect(204);
    }

    @Test
    void aSearchThatIsCancelledOrOvertakenEndsAndSaysSo() throws Exception {
        service.domain("unsized", policies(1, 3));
        Pool pool = service.bean(Engine.class).pool("unsized").orElseThrow();
        try (Callers _ = new Callers(pool, 4)) {
            String cancelled = service.post("/domains/unsized/size-searches", "{\"mostSeconds\": 900}")
                    .expect(202)
                    .header("Location")
                    .replace("/api/v1", "");
            service.delete(cancelled).expect(204);
            assertThat(ended(cancelled).get("state").asString()).isEqualTo("cancelled");
            assertThat(pool.status().ceiling()).isEqualTo(3);

            String overtaken = service.post("/domains/unsized/size-searches", "{\"mostSeconds\": 900}")
                    .expect(202)
                    .header("Location")
                    .replace("/api/v1", "");
            service.put("/domains/unsized/policies", "{\"policies\": " + policies(1, 2) + "}", "If-Match", "\"1\"")
                    .expect(200);
            JsonNode run = ended(overtaken);
            assertThat(run.get("state").asString()).isEqualTo("failed");
            assertThat(run.get("problem").asString()).isEqualTo("The policy set was changed meanwhile, to revision 2.");
            assertThat(run.get("answer").isNull()).isTrue();
        }
        service.delete("/domains/unsized").expect(204);
    }

    @Test
    void aBoundThatTheSizeInForceExceedsIsRefusedInWords() throws Exception {
        service.domain("bounded", policies(1, 3));
        Pool pool = service.bean(Engine.class).pool("bounded").orElseThrow();
        try (Callers _ = new Callers(pool, 4)) {
            String location = service.post("/domains/bounded/size-searches", "{\"mostSeconds\": 60, \"mostP99Ms\": 1}")
                    .expect(202)
                    .header("Location")
                    .replace("/api/v1", "");
            JsonNode run = ended(location);
            assertThat(run.get("state").asString()).isEqualTo("failed");
            assertThat(run.get("problem").asString())
                    .startsWith("With the size in force a bound of the search is exceeded already: the p99 was ");
            assertThat(run.get("trials")).isEmpty();
        }
        service.delete("/domains/bounded").expect(204);
    }

    @Test
    void whoAsksNothingGetsNoAnswer() {
        service.domain("quiet", policies(1, 3));
        String location = service.post("/domains/quiet/size-searches", "{\"mostSeconds\": 60}")
                .expect(202)
                .header("Location")
                .replace("/api/v1", "");
        JsonNode run = ended(location);
        assertThat(run.get("problem").asString())
                .startsWith("quiet gave 0 leases in ")
                .endsWith(" s: too few to tell how a size does.");

        assertThat(service.post("/domains/quiet/size-searches", "{\"most\": 5000}")
                        .fault("/most"))
                .startsWith("must be 1 to ");
        assertThat(service.post("/domains/quiet/size-searches", "{\"mostSeconds\": 59}")
                        .status())
                .isEqualTo(422);
        service.post("/domains/nobody/size-searches", "{}").expect(404);
        service.get("/domains/nobody/size-searches").expect(404);
        service.delete("/domains/quiet").expect(204);
    }
}
