package dev.headgate.server.live;

import static dev.headgate.server.live.TestSocket.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.server.Service;
import dev.headgate.server.feed.Samples;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The whole way: a real engine on a real PostgreSQL under load, and what is seen of it. */
@Timeout(60)
class LiveContractTest {

    private static final String DOMAIN = "watched";

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> tellers = new ArrayList<>();
    private Service service;

    @BeforeEach
    void aDomainUnderLoad() throws Exception {
        service = Service.shared();
        service.domain(DOMAIN, fixed(1, 2));
        Pool pool = service.bean(Engine.class).pool(DOMAIN).orElseThrow();
        for (int n = 0; n < 4; n++) {
            tellers.add(Thread.startVirtualThread(() -> query(pool)));
        }
    }

    @AfterEach
    void quiet() throws InterruptedException {
        stop.set(true);
        for (Thread teller : tellers) {
            teller.join();
        }
        service.delete("/domains/" + DOMAIN).expect(204);
        assertThat(failure.get()).as("no request failed").isNull();
    }

    @Test
    void anAnnotationAndAnAlarmAreToldToOpenPages() throws Exception {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["watched"],"rateHz":5}""");
            socket.readUntil(type("snapshot"));

            service.post("/annotations", "{\"kind\": \"deploy\", \"text\": \"1.2\", \"domain\": \"watched\"}")
                    .expect(201);
            JsonNode mark = socket.readUntil(
                    frame -> frame.path("event").stringValue("").equals("annotation"));
            assertThat(mark.at("/annotation/text").stringValue()).isEqualTo("1.2");
            assertThat(mark.get("deleted").booleanValue()).isFalse();

            service.bean(Engine.class)
                    .pool(DOMAIN)
                    .orElseThrow()
                    .raise("told", Severity.CRITICAL, Samples.words("told"));
            socket.readUntil(frame -> frame.path("event").stringValue("").equals("alarms"));
            assertThat(service.get("/alarms?state=open&code=told")
                            .expect(200)
                            .json()
                            .get("items"))
                    .hasSize(1);
            service.bean(Engine.class).pool(DOMAIN).orElseThrow().clear("told");
        }
    }

    @Test
    void changedLabelsAreToldToOpenPages() throws Exception {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":[],"rateHz":5,"summary":"health"}""");
            JsonNode snapshot = socket.readUntil(type("snapshot"));
            assertThat(snapshot.at("/summary/states/labels").size())
                    .isEqualTo(snapshot.at("/summary/states/domain").size());
            assertThat(snapshot.at("/summary/states/managedBy").size())
                    .isEqualTo(snapshot.at("/summary/states/domain").size());

            service.patch("/domains/watched", "{\"labels\": {\"team\": \"tellers\"}}")
                    .expect(200);
            JsonNode told = socket.readUntil(
                    frame -> frame.at("/summary/states/labels").toString().contains("{\"team\":\"tellers\"}"));
            assertThat(told.at("/summary/states/domain").toString()).contains("\"watched\"");
        }
    }

    @Test
    void whoManagesADomainsSetIsToldToOpenPages() throws Exception {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":[],"rateHz":5,"summary":"health"}""");
            socket.readUntil(type("snapshot"));
            service.send("POST", "/api/v1/files/apply?source=live.yaml", """
                            apiVersion: headgate/v1
                            domains:
                              - name: managed
                                database: main
                                policySet:
                                  policies:
                                    - plugin: fixed
                                      parameters: {min: 0, max: 1, guaranteed: 0}
                            """, "Content-Type", "application/yaml")
                    .expect(200);
            socket.readUntil(
                    frame -> frame.at("/summary/states/managedBy").toString().contains("\"files: live.yaml\""));

            service.post("/files/release?name=managed", null).expect(200);
            JsonNode released = socket.readUntil(frame -> says(frame, "managed")
                    && !frame.at("/summary/states/managedBy").toString().contains("live.yaml"));
            assertThat(released.at("/summary/states/managedBy").size())
                    .isEqualTo(released.at("/summary/states/domain").size());
        }
        service.delete("/domains/managed").expect(204);
    }

    @Test
    void whatADatabasesPoliciesAnswerIsToldToThePagesOfItsDomainsAndNotToSummaries() throws Exception {
        limitMain(fixed(0, 30));
        int budget = service.get("/databases/main").json().get("budget").intValue();
        try (TestSocket page = open();
                TestSocket overview = open()) {
            page.send("""
                    {"type":"subscribe","domains":["watched"],"rateHz":5,"summary":"figures"}""");
            JsonNode told = page.readUntil(frame -> type("delta").test(frame)
                    && frame.at("/databases/0/answers").size() == 1);
            assertThat(told.at("/databases/0/answers/0/policy").stringValue()).isEqualTo("database/fixed");
            assertThat(told.at("/databases/0/answers/0/ceiling").intValue()).isEqualTo(30);

            overview.send("""
                    {"type":"subscribe","domains":[],"rateHz":5,"summary":"figures"}""");
            overview.readUntil(type("snapshot"));
            service.patch("/databases/main", "{\"budget\": " + (budget - 1) + "}")
                    .expect(200);
            JsonNode changed = overview.readUntil(frame ->
                    type("delta").test(frame) && frame.at("/databases/0/budget").intValue(0) == budget - 1);
            assertThat(changed.at("/databases/0").has("answers")).isFalse();
        }
        service.patch("/databases/main", "{\"budget\": " + budget + "}").expect(200);
        limitMain("[]");
    }

    private void limitMain(String policies) {
        String tag = service.get("/databases/main/policies").expect(200).header("ETag");
        service.put("/databases/main/policies", "{\"policies\": " + policies + "}", "If-Match", tag)
                .expect(200);
    }

    private static boolean says(JsonNode frame, String domain) {
        return frame.at("/summary/states/domain").toString().contains("\"" + domain + "\"");
    }

    @Test
    void whatThePoolDoesIsStreamedAndKept() throws Exception {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["watched"],"rateHz":5,"connections":["watched"]}""");
            JsonNode snapshot = socket.readUntil(type("snapshot"));
            assertThat(snapshot.at("/databases/0/name").stringValue()).isEqualTo("main");

            JsonNode busy = socket.readUntil(frame -> type("delta").test(frame)
                    && frame.at("/domains/0/sample/count").longValue(0)
                            > 10 // not the first statements of the driver alone
                    && frame.at("/connections/watched/id").size() == 2);
            assertThat(busy.at("/domains/0/size").intValue()).isEqualTo(2);
            assertThat(busy.at("/domains/0/sample/p99Ms").doubleValue()).isBetween(2.0, 2_000.0);
            assertThat(busy.at("/connections/watched/holder").toString()).contains("a teller");
            JsonNode over = socket.readUntil(
                    frame -> frame.at("/seconds/watched/0/perSecond").doubleValue(0) > 0);
            assertThat(over.at("/seconds/watched/0/size").doubleValue()).isBetween(1.0, 2.0);

            service.put("/domains/watched/policies", "{\"policies\": " + fixed(1, 4) + "}", "If-Match", "\"1\"")
                    .expect(200);
            JsonNode changed = socket.readUntil(
                    frame -> frame.path("event").stringValue("").equals("policy"));
            assertThat(changed.get("revision").longValue()).isEqualTo(2);
            assertThat(changed.get("actor").stringValue()).isEqualTo("admin");
            JsonNode grown =
                    socket.readUntil(frame -> frame.at("/domains/0/ceiling").intValue(0) == 4);
            assertThat(grown.at("/domains/0/revision").longValue()).isEqualTo(2);
        }

        JsonNode decisions = service.get("/domains/watched/decisions?kind=policy")
                .expect(200)
                .json();
        assertThat(decisions.at("/items/0/revision").longValue()).isEqualTo(2);
        assertThat(decisions.at("/items/0/domain").stringValue()).isEqualTo(DOMAIN);

        JsonNode history = await().atMost(Service.PATIENCE)
                .until(
                        () -> service.get("/domains/watched/history?minutes=5")
                                .expect(200)
                                .json(),
                        LiveContractTest::hasSettled);
        int last = history.get("time").size() - 1;
        assertThat(history.at("/columns/size/" + last).doubleValue()).isBetween(2.0, 4.0);
        assertThat(history.at("/markers/0/revision").longValue()).isEqualTo(2);

        String metrics = await().atMost(Service.PATIENCE)
                .until(
                        () -> service.send("GET", "/actuator/prometheus", null)
                                .expect(200)
                                .text(),
                        text -> text.contains("headgate_pool_size{database=\"main\",domain=\"watched\"}"));
        assertThat(metrics)
                .contains("headgate_pool_latency_seconds{database=\"main\",domain=\"watched\",quantile=\"0.99\"}")
                .contains("headgate_stream_frames_total")
                .doesNotContain("watched-1");
    }

    @Test
    void whatCannotBeAskedIsSaid() {
        assertThat(service.get("/domains/nowhere/history").problem()).isEqualTo("not-found");
        assertThat(service.get("/domains/nowhere/decisions").problem()).isEqualTo("not-found");
        assertThat(service.get("/domains/watched/history?minutes=61").status()).isEqualTo(400);
        assertThat(service.get("/decisions?limit=501").status()).isEqualTo(400);
        assertThat(service.get("/decisions?from=yesterday").status()).isEqualTo(400);
        assertThat(service.get("/decisions?cursor=made-up").text()).contains("cursor");
        assertThat(service.get("/decisions?kind=gruw").text()).contains("kind").contains("grew");
        assertThat(service.get("/decisions?kind=gruw").status()).isEqualTo(400);
    }

    @Test
    void healthTellsOfTheStoreAndIsOpen() {
        assertThat(service.sendAnonymous("GET", "/actuator/health/liveness", null)
                        .expect(200)
                        .text())
                .contains("UP");
        assertThat(service.sendAnonymous("GET", "/actuator/health", null)
                        .expect(200)
                        .text())
                .contains("UP");
    }

    @Test
    void theStreamEndsWithTheSession() throws Exception {
        Service.Answer opened = service.post("/session", "");
        String cookie = opened.expect(204).header("Set-Cookie").split(";")[0];
        try (TestSocket socket = new TestSocket(service.root().getPort(), "Cookie", cookie)) {
            socket.send("""
                    {"type":"subscribe","domains":["watched"],"rateHz":10}""");
            socket.readUntil(type("delta"));
            service.sendAnonymous(
                            "DELETE",
                            "/api/v1/session",
                            null,
                            "Cookie",
                            cookie,
                            "Origin",
                            "http://127.0.0.1:" + service.root().getPort())
                    .expect(204);
            assertThat(socket.readClose().code).isEqualTo(4401);
        }
    }

    private TestSocket open() throws Exception {
        return new TestSocket(service.root().getPort(), "Authorization", "Bearer " + service.token());
    }

    private void query(Pool pool) {
        while (!stop.get()) {
            try (Lease lease = pool.acquire(LeaseRequest.by("a teller"));
                    Statement statement = lease.connection().createStatement()) {
                statement.execute("select pg_sleep(0.005)");
            } catch (SQLException e) {
                failure.set(e);
                return;
            }
        }
    }

    private static String fixed(int min, int max) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": %d, \"max\": %d}}]".formatted(min, max);
    }

    /** A first second that ended while the pool was still being opened says little. */
    private static boolean hasSettled(JsonNode history) {
        int rows = history.get("time").size();
        return rows > 0
                && history.at("/columns/size/" + (rows - 1)).doubleValue(0) >= 2
                && history.get("markers").size() > 0;
    }
}
