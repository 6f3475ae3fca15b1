package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.headgate.engine.Engine;
import dev.headgate.server.Service;
import dev.headgate.wire.Directory;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.UnnamedStatements;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class ClientContractTest {

    private static final String GIVEN = "{\"name\": \"%s\", \"password\": \"%s\"}";
    private static final String OWN_PASSWORD = "chosen-by-hand-4711";

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @Test
    void aClientIsMadeWithAPasswordThatIsShownOnce() {
        service.domain("served", "[]");
        Service.Answer made = service.post("/domains/served/clients", "{\"name\": \"shop.web_1\"}")
                .expect(201);
        assertThat(made.header("Location")).isEqualTo("/api/v1/domains/served/clients/shop.web_1");
        assertThat(made.header("Cache-Control")).isEqualTo("no-store");
        JsonNode client = made.json();
        String password = client.get("password").asString();
        int port = client.get("port").asInt();
        assertThat(password).matches("[A-Za-z0-9_-]{24,}");
        assertThat(client.get("createdBy").asString()).isEqualTo("admin");
        assertThat(client.get("host").asString()).isEqualTo("127.0.0.1");
        assertThat(client.get("database").asString()).isEqualTo("served");
        assertThat(client.get("psql").asString())
                .isEqualTo("psql -h 127.0.0.1 -p " + port + " -U shop.web_1 -d served")
                .doesNotContain(password);
        assertThat(directory().client("served", "shop.web_1")).isPresent();

        Service.Answer listed = service.get("/domains/served/clients").expect(200);
        assertThat(listed.text()).doesNotContain(password).doesNotContain("SCRAM");
        JsonNode item = listed.json().get("items").get(0);
        assertThat(item.get("name").asString()).isEqualTo("shop.web_1");
        assertThat(item.get("createdAt")).isEqualTo(client.get("createdAt"));
        assertThat(item.get("connected").asInt()).isZero();
        assertThat(listed.json().get("endpoint").get("port").asInt()).isEqualTo(port);
        assertThat(listed.json().get("endpoint").get("database").asString()).isEqualTo("served");

        service.delete("/domains/served/clients/shop.web_1").expect(204);
        assertThat(service.delete("/domains/served/clients/shop.web_1").problem())
                .isEqualTo("not-found");
        assertThat(service.get("/domains/served/clients").json().get("items").size())
                .isZero();
        assertThat(directory().client("served", "shop.web_1")).isEmpty();
        service.delete("/domains/served").expect(204);
    }

    @Test
    void whatIsKeptAuditedAndLoggedHoldsNoSecret() {
        service.domain("discreet", "[]");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        log.start();
        root.addAppender(log);
        String made;
        try {
            made = service.client("discreet", "made");
            service.post("/domains/discreet/clients", GIVEN.formatted("given", OWN_PASSWORD))
                    .expect(201);
            service.post("/domains/discreet/clients", GIVEN.formatted("given", OWN_PASSWORD))
                    .expect(409);
            service.delete("/domains/discreet/clients/given").expect(204);
        } finally {
            root.detachAppender(log);
        }

        String audit = service.get("/audit?limit=3").expect(200).text();
        assertThat(audit)
                .contains("\"action\":\"clients.create\"", "\"target\":\"domains/discreet/clients/made\"")
                .contains("\"action\":\"clients.delete\"", "\"before\":{\"name\":\"given\"}");
        List<String> verifiers = service.bean(JdbcClient.class)
                .sql("select verifier from wire_client where domain = 'discreet'")
                .query(String.class)
                .list();
        assertThat(verifiers).singleElement().asString().startsWith("SCRAM-SHA-256$4096:");
        String logged = String.join(
                "\n",
                log.list.stream()
                        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                        .map(ILoggingEvent::getFormattedMessage)
                        .toList());
        assertThat(List.of(audit, logged, String.join("\n", verifiers)))
                .noneMatch(text -> text.contains(made) || text.contains(OWN_PASSWORD));
        assertThat(List.of(audit, logged)).noneMatch(text -> text.contains("SCRAM"));
        service.delete("/domains/discreet").expect(204);
    }

    @Test
    void aNameIsTakenOncePerDomain() {
        service.domain("here", "[]");
        service.domain("there", "[]");
        service.post("/domains/here/clients", "{\"name\": \"app\"}").expect(201);
        Service.Answer again = service.post("/domains/here/clients", "{\"name\": \"app\"}");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.problem()).isEqualTo("conflict");
        assertThat(again.json().get("detail").asString()).isEqualTo("The domain 'here' already has a client 'app'.");
        service.post("/domains/there/clients", "{\"name\": \"app\"}").expect(201);
        service.delete("/domains/here").expect(204);
        service.delete("/domains/there").expect(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "-app",
                "a b",
                "ä",
                "a/b",
                "a'b",
                "x234567890123456789012345678901234567890123456789012345678901234"
            })
    void aNameThatIsNoneIsRefused(String name) {
        service.domain("strict", "[]");
        Service.Answer answer = service.post("/domains/strict/clients", "{\"name\": \"%s\"}".formatted(name));
        assertThat(answer.problem()).isEqualTo("invalid-request");
        assertThat(answer.fault("/name")).startsWith("must be a user's name");
        service.delete("/domains/strict").expect(204);
    }

    @Test
    void aPasswordThatIsNoneIsRefusedAndNotRepeated() {
        service.domain("guarded", "[]");
        Service.Answer none = service.post("/domains/guarded/clients", "{\"password\": \"long enough\"}");
        assertThat(none.fault("/name")).isEqualTo("is missing");
        Service.Answer little = service.post("/domains/guarded/clients", GIVEN.formatted("app", "1234567"));
        assertThat(little.status()).isEqualTo(422);
        assertThat(little.fault("/password")).isEqualTo("must have 8 to 200 characters | 8..200 characters");
        Service.Answer much = service.post("/domains/guarded/clients", GIVEN.formatted("app", "x".repeat(201)));
        assertThat(much.fault("/password")).startsWith("must have 8 to 200 characters");
        Service.Answer control = service.post("/domains/guarded/clients", GIVEN.formatted("app", "1234\\u0001567"));
        assertThat(control.fault("/password")).startsWith("must hold no control characters");
        Service.Answer nul = service.post("/domains/guarded/clients", GIVEN.formatted("app", "1234\\u0000567"));
        assertThat(nul.fault("/password")).startsWith("holds a NUL character");
        assertThat(List.of(little.text(), much.text(), control.text(), nul.text()))
                .noneMatch(text -> text.contains("1234") || text.contains("xxx"));
        service.post("/domains/guarded/clients", GIVEN.formatted("app", "x".repeat(200)))
                .expect(201);
        service.delete("/domains/guarded").expect(204);
    }

    /** Else making thousands of them costs the square of their number. */
    @Test
    void forANewClientNoOtherIsReadAgain() {
        service.domain("crowded", "[]");
        service.client("crowded", "first");
        service.bean(JdbcClient.class)
                .sql("delete from wire_client where domain = 'crowded' and name = 'first'")
                .update();
        service.client("crowded", "second");
        WireDirectory directory = service.bean(WireDirectory.class);
        assertThat(directory.client("crowded", "second")).isPresent();
        assertThat(directory.client("crowded", "first")).as("not looked up").isPresent();
        service.delete("/domains/crowded").expect(204);
        assertThat(directory.client("crowded", "second")).isEmpty();
    }

    @Test
    void aDomainTakesItsClientsWithIt() {
        service.domain("passing", "[]");
        service.post("/domains/passing/clients", "{\"name\": \"app\"}").expect(201);
        service.delete("/domains/passing").expect(204);
        assertThat(service.get("/domains/passing/clients").problem()).isEqualTo("not-found");
        assertThat(service.post("/domains/passing/clients", "{\"name\": \"app\"}")
                        .problem())
                .isEqualTo("not-found");
        assertThat(directory().client("passing", "app")).isEmpty();
        assertThat(directory().domain("passing")).isEmpty();

        service.domain("passing", "[]");
        assertThat(service.get("/domains/passing/clients").json().get("items").size())
                .isZero();
        assertThat(directory().client("passing", "app")).isEmpty();
        service.delete("/domains/passing").expect(204);
    }

    @Test
    void aClientConnectsUntilItIsRemoved() throws SQLException {
        service.domain("visited", "[]");
        JsonNode made = service.post("/domains/visited/clients", "{\"name\": \"app\"}")
                .expect(201)
                .json();
        service.patch("/domains/visited", "{\"wire\": {\"maxClients\": 1}}").expect(200);
        try (Connection connection = connect(made);
                ResultSet answer = connection.createStatement().executeQuery("select 6 * 7")) {
            assertThat(answer.next()).isTrue();
            assertThat(answer.getInt(1)).isEqualTo(42);
            JsonNode list = service.get("/domains/visited/clients").expect(200).json();
            assertThat(list.get("items").get(0).get("connected").asInt()).isEqualTo(1);
            assertThat(list.get("endpoint").get("listening").asBoolean()).isTrue();
            assertThatThrownBy(() -> connect(made)).hasMessageContaining("visited has 1 clients already");
        }
        service.delete("/domains/visited/clients/app").expect(204);
        assertThatThrownBy(() -> connect(made)).hasMessageContaining("password authentication failed");
        service.delete("/domains/visited").expect(204);
        assertThatThrownBy(() -> connect(made)).hasMessageContaining("there is no domain \"visited\"");
    }

    @Test
    void whatPinsIsRefusedToClientsThatConnectAfterTheDomainSaysSo() throws SQLException {
        service.domain("sharing", "[]");
        JsonNode made = service.post("/domains/sharing/clients", "{\"name\": \"app\"}")
                .expect(201)
                .json();
        try (Connection before = connect(made)) {
            service.patch("/domains/sharing", "{\"wire\": {\"sessionState\": \"refuse\"}}")
                    .expect(200);
            before.createStatement().execute("listen news");
            try (Connection after = connect(made)) {
                assertThatThrownBy(() -> after.createStatement().execute("listen news"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
            }
        }
        service.delete("/domains/sharing").expect(204);
    }

    /** Also where the same name is made anew at once: that is another client. */
    @Test
    void aRemovedClientIsConnectedNoLonger() throws Exception {
        service.domain("ended", "[]");
        JsonNode gone = made("ended", "gone");
        JsonNode stays = made("ended", "stays");
        try (Connection other = connect(stays);
                Connection idle = connect(gone);
                Connection within = connect(gone);
                Connection busy = connect(gone)) {
            assertThat(idle.isValid(5)).isTrue();
            within.setAutoCommit(false);
            within.createStatement().execute("select 1");
            Thread sleeping = Thread.startVirtualThread(
                    () -> assertThatThrownBy(() -> busy.createStatement().execute("select pg_sleep(600)")));
            await().atMost(Service.PATIENCE).until(() -> pool("ended", "inUse") == 2);

            service.delete("/domains/ended/clients/gone").expect(204);
            made("ended", "gone");
            assertThatThrownBy(() -> idle.createStatement().execute("select 1"))
                    .isInstanceOfSatisfying(SQLException.class, e -> {
                        assertThat(e.getSQLState()).isEqualTo("57P01");
                        assertThat(e.getMessage()).contains("this client was deleted");
                    });
            assertThatThrownBy(within::commit)
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
            assertThat(sleeping.join(Service.PATIENCE)).isTrue();
            await().atMost(Service.PATIENCE).until(() -> pool("ended", "inUse") == 0);
            assertThat(other.isValid(5)).isTrue();
            await().atMost(Service.PATIENCE)
                    .untilAsserted(() -> assertThat(service.get("/domains/ended/clients")
                                    .json()
                                    .get("items")
                                    .values())
                            .extracting(item -> item.get("name").asString() + " "
                                    + item.get("connected").asInt())
                            .containsExactly("gone 0", "stays 1"));
            service.delete("/domains/ended").expect(204);
            assertThatThrownBy(() -> other.createStatement().execute("select 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
        }
    }

    private static JsonNode made(String domain, String name) {
        return service.post("/domains/" + domain + "/clients", "{\"name\": \"%s\"}".formatted(name))
                .expect(201)
                .json();
    }

    private static int pool(String domain, String field) {
        return service.get("/domains/" + domain + "/pool")
                .expect(200)
                .json()
                .get(field)
                .asInt();
    }

    private static Connection connect(JsonNode client) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://%s:%d/%s?sslmode=disable"
                        .formatted(
                                client.get("host").asString(),
                                client.get("port").asInt(),
                                client.get("database").asString()),
                client.get("name").asString(),
                client.get("password").asString());
    }

    @Test
    void theWirePortIsToldOfDomainsAndTheirSettings() {
        service.domain("told", "[]");
        Directory.Domain told = directory().domain("told").orElseThrow();
        assertThat(told.pool()).isSameAs(service.bean(Engine.class).pool("told").orElseThrow());
        assertThat(told.mode()).isEqualTo(PoolMode.TRANSACTION);
        assertThat(told.mostClients()).isEqualTo(1000);
        assertThat(told.sessionState()).isEqualTo(SessionState.PIN);
        assertThat(told.unnamedStatements()).isEqualTo(UnnamedStatements.AUTO);

        service.patch(
                        "/domains/told",
                        "{\"wire\": {\"mode\": \"statement\", \"maxClients\": 3, \"sessionState\": \"refuse\", \"unnamedStatements\": \"off\"}}")
                .expect(200);
        Directory.Domain changed = directory().domain("told").orElseThrow();
        assertThat(changed.mode()).isEqualTo(PoolMode.STATEMENT);
        assertThat(changed.mostClients()).isEqualTo(3);
        assertThat(changed.sessionState()).isEqualTo(SessionState.REFUSE);
        assertThat(changed.unnamedStatements()).isEqualTo(UnnamedStatements.OFF);
        assertThat(directory().domain("nobody")).isEmpty();
        assertThat(directory().client("nobody", "app")).isEmpty();
        service.delete("/domains/told").expect(204);
    }

    private static Directory directory() {
        return service.bean(Directory.class);
    }
}
