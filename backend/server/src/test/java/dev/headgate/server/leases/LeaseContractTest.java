package dev.headgate.server.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An operator looks at a domain with one connection, and acts. */
class LeaseContractTest {

    private static final String DOMAIN = "operated";
    private static final String PATH = "/domains/" + DOMAIN;

    private static Service service;
    private String password;

    /** A service of its own: each start of another one in this process sets the logging up anew, which detaches its ring. */
    @BeforeAll
    static void start(@TempDir Path data) throws IOException {
        service = Service.start(data);
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @BeforeEach
    void aDomainWithOneConnection() {
        service.post("/domains", """
                {"name": "%s", "database": "main", "policySet": {
                  "policies": [{"plugin": "fixed", "parameters": {"min": 1, "max": 1}}],
                  "whenExhausted": {"mode": "queue", "timeoutMs": 20000, "depth": 3}}}""".formatted(DOMAIN)).expect(201);
        password = service.post(PATH + "/clients", "{\"name\": \"app\"}")
                .expect(201)
                .json()
                .get("password")
                .asString();
    }

    @AfterEach
    void remove() {
        service.delete(PATH).expect(204);
    }

    private Connection connect(String application) throws SQLException {
        int port = service.get(PATH + "/clients").json().at("/endpoint/port").asInt();
        Properties properties = new Properties();
        properties.put("user", "app");
        properties.put("password", password);
        properties.put("ApplicationName", application);
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/" + DOMAIN, properties);
    }

    private static CompletableFuture<String> run(Connection client, String sql) {
        return CompletableFuture.supplyAsync(() -> {
            try (Statement statement = client.createStatement()) {
                statement.execute(sql);
                return "done";
            } catch (SQLException e) {
                return e.getSQLState();
            }
        });
    }

    private static Pool pool() {
        return service.bean(Engine.class).pool(DOMAIN).orElseThrow();
    }

    private static JsonNode items(String list) {
        return service.get(PATH + list).expect(200).json().get("items");
    }

    /** The actions of the audit that hit it, newest first. */
    private static List<String> audited(String target) {
        List<String> actions = new ArrayList<>();
        for (JsonNode entry :
                service.get("/audit?target=" + target).expect(200).json().get("items")) {
            actions.add(
                    entry.get("actor").asString() + " " + entry.get("action").asString());
        }
        return actions;
    }

    @Test
    void aLeaseIsSeenWithoutItsValuesAndCancelledAndThatIsAudited() throws Exception {
        assertThat(items("/leases").size()).isZero();
        try (Connection client = connect("report")) {
            CompletableFuture<String> sleeping = run(client, "select pg_sleep(60), 's3cret' as password");
            await().atMost(Service.PATIENCE)
                    .until(() -> items("/leases").size() == 1
                            && !items("/leases").get(0).get("statement").isNull());
            JsonNode lease = items("/leases").get(0);
            assertThat(lease.at("/caller/kind").asString()).isEqualTo("wire");
            assertThat(lease.at("/caller/application").asString()).isEqualTo("report");
            assertThat(lease.at("/caller/user").asString()).isEqualTo("app");
            assertThat(lease.at("/caller/address").asString()).startsWith("127.0.0.1:");
            assertThat(lease.get("statement").asString()).isEqualTo("select pg_sleep(?), ? as password");
            assertThat(lease.get("backendPid").asInt()).isPositive();
            String id = lease.get("id").asString();

            await().atMost(Service.PATIENCE).until(() -> {
                int status =
                        service.post(PATH + "/leases/" + id + "/cancel", null).status();
                assertThat(status).isIn(200, 409);
                return sleeping.isDone();
            });
            assertThat(sleeping.get()).isEqualTo("57014");
            assertThat(audited("domains/operated/leases/" + id)).contains("admin leases.cancel");
            await().atMost(Service.PATIENCE).until(() -> items("/leases").size() == 0);
            Service.Answer over =
                    service.post(PATH + "/leases/" + id + "/cancel", null).expect(409);
            assertThat(over.problem()).isEqualTo("conflict");
            assertThat(over.json().get("detail").asString()).isEqualTo("The lease '" + id + "' has ended.");
            service.post(PATH + "/leases/" + id + "/end", null).expect(409);
            assertThat(service.get("/audit?target=domains/operated/leases/" + id)
                            .text())
                    .doesNotContain("s3cret");
            assertThat(service.get("/log?domain=" + DOMAIN).text())
                    .contains("admin cancelled what report 127.0.0.1:")
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void aLeaseThatIsIdleInItsTransactionIsEndedWithItsConnection() throws Exception {
        try (Connection client = connect("forgotten")) {
            client.setAutoCommit(false);
            assertThat(run(client, "select 1").get(20, TimeUnit.SECONDS)).isEqualTo("done");
            JsonNode lease = items("/leases").get(0);
            String id = lease.get("id").asString();
            assertThat(lease.get("state").asString()).isEqualTo("idle in transaction");
            assertThat(service.post(PATH + "/leases/" + id + "/cancel", null)
                            .expect(409)
                            .json()
                            .get("detail")
                            .asString())
                    .startsWith("Nothing runs on the lease");
            assertThat(audited("domains/operated/leases/" + id)).isEmpty();
            service.post(PATH + "/leases/" + id + "/end", null).expect(200);
            assertThat(audited("domains/operated/leases/" + id)).containsExactly("admin leases.end");
            assertThat(run(client, "select 2").get(20, TimeUnit.SECONDS)).isEqualTo("57P01");
            String connection = lease.get("connection").asString();
            await().atMost(Service.PATIENCE)
                    .until(() -> items("/closed-connections").size() == 1);
            JsonNode closed = items("/closed-connections").get(0);
            assertThat(closed.get("id").asString()).isEqualTo(connection);
            assertThat(closed.get("why").asString()).isEqualTo("operator");
            JsonNode report =
                    service.get(PATH + "/connections/" + connection).expect(200).json();
            assertThat(report.get("closed")).isEqualTo(closed);
        }
    }

    @Test
    void waitersAreListedOldestFirstAndEndedOneByOneAndCountedAsTurnedAway() throws Exception {
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        // the common pool of a small machine has one thread
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Lease _ = pool().acquire(LeaseRequest.by("holder"))) {
            for (String name : List.of("first", "second")) {
                waiting.add(CompletableFuture.supplyAsync(
                        () -> {
                            try (Lease lease = pool().acquire(LeaseRequest.by(name))) {
                                return lease.connectionId();
                            } catch (LeaseException e) {
                                return e.why().name();
                            }
                        },
                        threads));
                await().atMost(Service.PATIENCE).until(() -> items("/waiters").size() == waiting.size());
            }
            JsonNode page = service.get(PATH + "/waiters?limit=1").expect(200).json();
            assertThat(page.get("total").asInt()).isEqualTo(2);
            assertThat(page.at("/items/0/caller/holder").asString()).isEqualTo("first");
            assertThat(page.at("/items/0/caller/kind").asString()).isEqualTo("jdbc");
            assertThat(page.at("/items/0/caller/thread").asString()).isNotEmpty();
            assertThat(page.at("/items/0/position").asInt()).isEqualTo(1);
            assertThat(page.at("/items/0/leftMs").asDouble()).isBetween(1.0, 20_000.0);
            JsonNode next = service.get(PATH + "/waiters?limit=1&cursor="
                            + page.get("nextCursor").asString())
                    .expect(200)
                    .json();
            assertThat(next.at("/items/0/caller/holder").asString()).isEqualTo("second");
            String second = next.at("/items/0/id").asString();

            service.post(PATH + "/waiters/" + second + "/end", null).expect(200);
            assertThat(waiting.get(1).get(20, TimeUnit.SECONDS)).isEqualTo("ENDED");
            assertThat(audited("domains/operated/waiters/" + second)).containsExactly("admin waiters.end");
            assertThat(service.post(PATH + "/waiters/" + second + "/end", null)
                            .expect(409)
                            .problem())
                    .isEqualTo("conflict");
            service.post(PATH + "/waiters/nobody/end", null).expect(404);
        }
        assertThat(waiting.get(0).get(20, TimeUnit.SECONDS)).startsWith(DOMAIN);
        JsonNode away = service.get(PATH + "/refusals").expect(200).json();
        assertThat(away.get("total").asInt()).isEqualTo(1);
        assertThat(away.at("/items/0/caller/holder").asString()).isEqualTo("second");
        assertThat(away.at("/items/0/why").asString()).isEqualTo("ended");
        assertThat(away.at("/items/0/count").asInt()).isEqualTo(1);
    }

    @Test
    void clientsAreListedOneByOneAndByApplication() throws Exception {
        try (Connection one = connect("web");
                Connection two = connect("web");
                Connection other = connect("batch")) {
            assertThat(run(one, "select 1").get(20, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(run(two, "select 1/0").get(20, TimeUnit.SECONDS)).isEqualTo("22012");
            assertThat(run(other, "select 1").get(20, TimeUnit.SECONDS)).isEqualTo("done");
            JsonNode clients = service.get(PATH + "/wire-clients?application=web&limit=1")
                    .expect(200)
                    .json();
            assertThat(clients.get("total").asInt()).isEqualTo(2);
            assertThat(clients.get("nextCursor").isNull()).isFalse();
            JsonNode client = clients.get("items").get(0);
            assertThat(client.get("application").asString()).isEqualTo("web");
            assertThat(client.get("tls").asBoolean()).isFalse();
            assertThat(client.get("bytesIn").asLong()).isPositive();
            assertThat(client.get("statements").asInt()).isZero();
            JsonNode applications =
                    service.get(PATH + "/wire-applications").expect(200).json();
            assertThat(applications.get("total").asInt()).isEqualTo(3);
            assertThat(applications.at("/items/0/application").asString()).isEqualTo("batch");
            JsonNode web = applications.get("items").get(1);
            assertThat(web.get("connections").asInt()).isEqualTo(2);
            assertThat(web.get("errors").asInt()).isEqualTo(1);
            assertThat(web.get("statements").asInt()).isZero();
            assertThat(web.get("host").asString()).isEqualTo("127.0.0.1");
            for (String list : List.of("/wire-clients", "/wire-applications")) {
                assertThat(connected(list + "?q=WEB")).as("application").isEqualTo(2);
                assertThat(connected(list + "?q=127.0.0.1")).as("address").isEqualTo(3);
                assertThat(connected(list + "?q=nobody")).isZero();
            }
            assertThat(connected("/wire-clients?q=127&application=batch")).isEqualTo(1);
        }
    }

    private static int connected(String list) {
        return service.get(PATH + list).expect(200).json().get("total").asInt();
    }

    @Test
    void aConnectionTellsItsLife() throws Exception {
        try (Connection client = connect("web")) {
            for (int i = 0; i < 3; i++) {
                assertThat(run(client, "select 'x', 1").get(20, TimeUnit.SECONDS))
                        .isEqualTo("done");
            }
        }
        String id = items("/connections").get(0).get("id").asString();
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(PATH + "/connections/" + id)
                                .expect(200)
                                .json()
                                .get("distribution")
                                .size()
                        > 0);
        JsonNode report = service.get(PATH + "/connections/" + id).expect(200).json();
        assertThat(report.at("/leases/0/holder").asString()).startsWith("web 127.0.0.1:");
        assertThat(report.at("/leases/0/statement").asString()).isEqualTo("select ?, ?");
        assertThat(report.at("/prepared/count").asInt()).isPositive();
        assertThat(report.at("/prepared/statements/0/statement").asString()).doesNotContain("'x'");
        assertThat(report.get("closed").isNull()).isTrue();
        assertThat(service.get(PATH + "/connections/nobody-1").expect(404).problem())
                .isEqualTo("not-found");
    }

    @Test
    void aDomainThatIsNotThereHasNothingToSee() {
        for (String list :
                List.of("leases", "waiters", "refusals", "closed-connections", "wire-clients", "wire-applications")) {
            service.get("/domains/nowhere/" + list).expect(404);
            service.get(PATH + "/" + list + "?what=1").expect(400);
        }
        service.post(PATH + "/leases/nowhere-1.ab/end", null).expect(404);
    }
}
