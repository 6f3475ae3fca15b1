package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** What limited a pool at a moment of the past, after everything that limited it has changed. A service of its own: the last tests delete what it keeps. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PastLimitsTest {

    @TempDir
    static Path data;

    private static Service service;

    /** A moment, and the table of it before anything changed. */
    private static Instant then;

    private static JsonNode limits;

    @BeforeAll
    static void changeEverythingAfterAMoment() throws IOException {
        service = Service.start(data);
        service.post("/databases", service.databaseBody("main", 20)).expect(201);
        service.post("/databases", service.databaseBody("beside", 9)).expect(201);
        service.put("/databases/main/policies", "{\"policies\": " + fixed(0, 12) + "}", "If-Match", "\"0\"")
                .expect(200);
        service.domain("shop", fixed(1, 8));
        service.domain("desk", fixed(3, 3));
        service.domain("gone", fixed(2, 2));
        domain("others", "beside", fixed(4, 4));
        await().atMost(Service.PATIENCE).until(() -> {
            then = Instant.now().minusSeconds(2);
            limits = explained(then);
            return limits.toString().contains("Headgate used 4 for other databases")
                    && rows(limits)
                            .equals(List.of(
                                    "database-policy fixed 7 binds",
                                    "policy fixed 8 next",
                                    "budget main 15",
                                    "server " + server() + " " + allowedBy(limits, "server")));
        });

        service.patch("/databases/main", "{\"budget\": 30}").expect(200);
        service.put("/databases/main/policies", "{\"policies\": []}", "If-Match", "\"1\"")
                .expect(200);
        service.put("/domains/shop/policies", "{\"policies\": " + fixed(1, 5) + "}", "If-Match", "\"1\"")
                .expect(200);
        service.put("/domains/desk/policies", "{\"policies\": " + fixed(6, 6) + "}", "If-Match", "\"1\"")
                .expect(200);
        service.delete("/domains/gone").expect(204);
        domain("gone", "beside", fixed(1, 1));
        service.domain("new", fixed(7, 7));
        await().atMost(Service.PATIENCE)
                .until(() -> rows(service.get("/domains/shop/why")
                                .expect(200)
                                .json()
                                .get("limits"))
                        .subList(0, 2)
                        .equals(List.of("policy fixed 5 binds", "budget main 17 next")));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    @Order(1)
    void tellsWhatWasInForceThen() {
        // what the archive has not taken from a deleted domain's pool yet comes a second later
        await().atMost(Service.PATIENCE)
                .untilAsserted(() -> assertThat(explained(then)).isEqualTo(limits));

        assertThat(row("budget").get("sentence").asString())
                .isEqualTo("The budget was 20, of which its siblings held 5 (desk 3, gone 2).");
        assertThat(row("database-policy").get("sentence").asString())
                .startsWith("All domains together could hold 12, of which its siblings held 5 (desk 3, gone 2).");
        assertThat(row("server").get("sentence").asString())
                .startsWith("The server gave ordinary users ")
                .contains(", Headgate used 4 for other databases, of which its siblings held 5 (desk 3, gone 2).");
    }

    @Test
    @Order(2)
    void aDomainThatWasNotThereYetHadNoLimits() {
        assertThat(service.get("/domains/new/why?at=" + then).expect(200).json().get("limits"))
                .isEmpty();
    }

    @Test
    @Order(3)
    void aServerThatIsNotKeptIsNotToday() {
        service.bean(JdbcTemplate.class).update("delete from server_log");

        JsonNode server = last(explained(then));
        assertThat(server.get("source").asString()).isEqualTo("server");
        assertThat(server.get("known").asBoolean()).isFalse();
        assertThat(server.get("allows").isNull()).isTrue();
        assertThat(server.get("sentence").asString()).isEqualTo("What the server gave is not kept.");
        assertThat(rows(explained(then))).noneMatch(row -> row.endsWith("binds") || row.endsWith("next"));
    }

    @Test
    @Order(4)
    void answersThatAreNotKeptAreNotTodays() {
        service.bean(JdbcTemplate.class).update("delete from decision");

        assertThat(rows(explained(then)))
                .containsExactly("budget main 15", "policy shop ?", "database-policy main ?", "server main ?");
    }

    @Test
    @Order(5)
    void aBudgetAndSiblingsThatAreNotKeptAreNotTodays() {
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            JdbcTemplate store = service.bean(JdbcTemplate.class);
            store.queryForObject("select set_config('headgate.retention', 'audit', true)", String.class);
            store.update("delete from audit where time <= ?", Timestamp.from(then));
        });

        JsonNode found = explained(then);
        assertThat(rows(found))
                .containsExactly("policy shop ?", "database-policy main ?", "budget main ?", "server main ?");
        assertThat(found.get(2).get("sentence").asString()).isEqualTo("The budget is not kept.");
    }

    private static void domain(String name, String database, String policies) {
        service.post(
                        "/domains",
                        "{\"name\": \"%s\", \"database\": \"%s\", \"policySet\": {\"policies\": %s}}"
                                .formatted(name, database, policies))
                .expect(201);
    }

    private static String fixed(int min, int max) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": %d, \"max\": %d}}]".formatted(min, max);
    }

    private static JsonNode explained(Instant at) {
        return service.get("/domains/shop/why?at=" + at).expect(200).json().get("limits");
    }

    private static String server() {
        return "127.0.0.1:" + service.embedded().port();
    }

    private static String allowedBy(JsonNode table, String source) {
        return table.valueStream()
                .filter(row -> row.get("source").asString().equals(source))
                .map(row -> row.get("allows").asString())
                .findFirst()
                .orElse("nothing");
    }

    private static JsonNode row(String source) {
        return limits.valueStream()
                .filter(row -> row.get("source").asString().equals(source))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode last(JsonNode table) {
        return table.get(table.size() - 1);
    }

    private static List<String> rows(JsonNode table) {
        return table.valueStream()
                .map(row -> row.get("source").asString() + " " + row.get("name").asString() + " "
                        + (row.get("known").asBoolean() ? row.get("allows").asString() : "?")
                        + (row.get("binds").asBoolean() ? " binds" : "")
                        + (row.get("next").asBoolean() ? " next" : ""))
                .toList();
    }
}
