package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScatterContractTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Service service;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        for (String name : List.of("east", "west")) {
            service.domain(name, "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 2}}]");
        }
    }

    @AfterEach
    void noConnectionStaysLeased() {
        for (String name : List.of("east", "west")) {
            Awaitility.await()
                    .atMost(Service.PATIENCE)
                    .until(() -> service.get("/domains/" + name + "/pool")
                                    .json()
                                    .get("inUse")
                                    .asInt()
                            == 0);
        }
    }

    private Answer scatter(String rest, String... branches) {
        return service.post("/sql/scatter", "{\"branches\": [" + String.join(",", branches) + "]" + rest + "}");
    }

    private static String branch(String domain, String sql) {
        return "{\"domain\": \"" + domain + "\", \"sql\": \"" + sql + "\"}";
    }

    private static List<JsonNode> records(Answer answer) {
        return answer.expect(200).text().lines().map(JSON::readTree).toList();
    }

    @Test
    void everyRecordNamesItsBranch() {
        List<JsonNode> records = records(scatter(
                "", branch("east", "SELECT 'e' AS x FROM generate_series(1, 3)"), branch("west", "SELECT 'w' AS x")));
        assertThat(records.stream()
                        .filter(each -> each.has("row"))
                        .map(each -> each.get("branch") + each.get("row").toString()))
                .containsExactlyInAnyOrder("0[\"e\"]", "0[\"e\"]", "0[\"e\"]", "1[\"w\"]");
        JsonNode end = records.getLast().get("end");
        assertThat(end.get("rows").asInt()).isEqualTo(4);
        assertThat(end.get("branches").get(1).get("domain").asString()).isEqualTo("west");
        assertThat(end.get("branches").get(1).get("connection").asString()).isNotEmpty();
    }

    /** None of them ends before all four wait. */
    @Test
    void allBranchesAreAskedAtOnce() throws Exception {
        String statement = "SELECT pg_advisory_xact_lock_shared(1504)";
        CompletableFuture<List<JsonNode>> answer;
        try (Connection direct = direct();
                Statement lock = direct.createStatement()) {
            lock.execute("SELECT pg_advisory_lock(1504)");
            answer = CompletableFuture.supplyAsync(() -> records(scatter(
                    "",
                    branch("east", statement),
                    branch("east", statement),
                    branch("west", statement),
                    branch("west", statement))));
            Awaitility.await().atMost(Service.PATIENCE).until(() -> waitingForLocks(lock) == 4);
            lock.execute("SELECT pg_advisory_unlock(1504)");
        }
        assertThat(answer.get().stream().filter(each -> each.has("row"))).hasSize(4);
    }

    private static int waitingForLocks(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1504 AND NOT granted")) {
            row.next();
            return row.getInt(1);
        }
    }

    private Connection direct() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + service.embedded().port() + "/" + Service.TARGET,
                Service.TARGET,
                Service.TARGET_PASSWORD);
    }

    @Test
    void rowsAreMergedByAKey() {
        List<Integer> keys = new ArrayList<>();
        for (JsonNode each : records(scatter(
                ", \"orderBy\": \"n\"",
                branch("east", "SELECT n, repeat('x', 100) FROM generate_series(1, 19999, 2) AS n ORDER BY n"),
                branch("west", "SELECT repeat('x', 100), n FROM generate_series(2, 20000, 2) AS n ORDER BY n")))) {
            if (each.has("row")) {
                keys.add(each.get("row").get(each.get("branch").asInt()).asInt());
            }
        }
        assertThat(keys).isEqualTo(IntStream.rangeClosed(1, 20_000).boxed().toList());
        assertThat(records(scatter(
                                ", \"orderBy\": \"n\", \"descending\": true",
                                branch("east", "SELECT n FROM (VALUES ('b'), ('a')) AS v(n)"),
                                branch("west", "SELECT n FROM (VALUES ('c'), ('a')) AS v(n)")))
                        .stream()
                        .filter(each -> each.has("row"))
                        .map(each -> each.get("row").get(0).asString()))
                .containsExactly("c", "b", "a", "a");
        scatter(", \"orderBy\": \"m\"", branch("east", "SELECT 1 AS n")).expect(422);
    }

    /** Else the merge would be wrong, and nothing would say so. */
    @Test
    void aBranchThatIsNotSortedIsAnError() {
        assertThat(scatter(", \"orderBy\": \"n\"", branch("east", "SELECT n FROM (VALUES (2), (10), (9)) AS v(n)"))
                        .expect(422)
                        .fault("/orderBy"))
                .isEqualTo("is not the order of branch 0");
        scatter(
                        ", \"orderBy\": \"n\", \"descending\": true",
                        branch("east", "SELECT n FROM (VALUES ('a'), ('b')) AS v(n)"))
                .expect(422);
        scatter(", \"orderBy\": \"n\"", branch("east", "SELECT n FROM (VALUES (NULL), (1)) AS v(n)"))
                .expect(422);
        for (String equal : List.of("(1), (1), (2.0), (2)", "(NULL), (NULL)", "(1), (NULL)")) {
            records(scatter(", \"orderBy\": \"n\"", branch("east", "SELECT n FROM (VALUES " + equal + ") AS v(n)")));
        }
        List<JsonNode> late = records(scatter(
                ", \"orderBy\": \"n\"",
                branch("east", "SELECT i % 5000 AS n, repeat('x', 100) FROM generate_series(1, 5000) AS i"),
                branch("west", "SELECT 9999 AS n")));
        assertThat(late.getLast().get("error").get("code").asString()).isEqualTo("42804");
        assertThat(late.getLast().get("error").get("message").asString())
                .isEqualTo("Branch 0 is not sorted by 'n': its row 5000 comes before its row 4999. Add ORDER BY,"
                        + " for texts with COLLATE \"C\".");
    }

    /** Whichever branch is slow, and however much the others have already sent. */
    @Test
    void whatHasNoCommonOrderIsRefusedBeforeARow() {
        String many = branch("east", "SELECT n, repeat('x', 1000) FROM generate_series(1, 1000) AS n");
        assertThat(scatter(", \"orderBy\": \"n\"", many, branch("west", "SELECT 'a' AS n FROM pg_sleep(0.3)"))
                        .expect(422)
                        .fault("/orderBy"))
                .isEqualTo("is not of one kind in all branches");
        assertThat(scatter(", \"orderBy\": \"n\"", many, branch("west", "SELECT 1 AS m FROM pg_sleep(0.3)"))
                        .expect(422)
                        .fault("/orderBy"))
                .isEqualTo("is not a column of branch 1");
        records(scatter(", \"orderBy\": \"n\"", branch("east", "SELECT 1 AS n"), branch("west", "SELECT 2.5 AS n")));
    }

    /** A SELECT may have rows without a single column. Where there are no rows there is nothing to order. */
    @Test
    void rowsWithoutColumnsHaveNoOrder() {
        String rows = branch("east", "SELECT n FROM generate_series(1, 3) AS n");
        for (String empty : List.of("SELECT", "SELECT FROM generate_series(1, 3)")) {
            assertThat(scatter(", \"orderBy\": \"n\"", rows, branch("west", empty))
                            .expect(422)
                            .fault("/orderBy"))
                    .isEqualTo("is not a column of branch 1");
            assertThat(records(scatter("", branch("west", empty))).getLast().has("end"))
                    .isTrue();
        }
        for (String none : List.of("SELECT FROM generate_series(1, 0)", "SET work_mem = '4MB'", "")) {
            assertThat(records(scatter(", \"orderBy\": \"n\"", branch("west", none), rows)).stream()
                            .filter(each -> each.has("row")))
                    .hasSize(3);
        }
    }

    @Test
    void aFailureIsPartialUnlessAllAreAskedToFail() {
        List<JsonNode> records = records(scatter("", branch("east", "SELECT 1/0"), branch("west", "SELECT 2")));
        assertThat(records.stream().filter(each -> each.has("error")))
                .singleElement()
                .satisfies(error -> assertThat(error.get("branch").asInt()).isZero());
        assertThat(records.stream().filter(each -> each.has("row"))).hasSize(1);
        JsonNode end = records.getLast().get("end");
        assertThat(end.get("branches").get(0).get("failed").asBoolean()).isTrue();
        assertThat(end.get("branches").get(1).get("failed").asBoolean()).isFalse();
        Answer failed = scatter(
                        ", \"onError\": \"fail\"", branch("east", "SELECT pg_sleep(600)"), branch("west", "SELECT 1/0"))
                .expect(400); // and no connection stays leased
        assertThat(failed.fault("/branches/1")).isEqualTo("failed: division by zero");
    }

    /** A deferred constraint is looked at by the commit alone. */
    @Test
    void aBranchThatCannotBeCommittedIsNotCalledDone() {
        service.post("/domains/east/sql", "{\"sql\": \"DROP TABLE IF EXISTS late_scatter\"}")
                .expect(200);
        service.post(
                        "/domains/east/sql",
                        "{\"sql\": \"CREATE TABLE late_scatter (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)\"}")
                .expect(200);
        List<JsonNode> records = records(
                scatter("", branch("east", "INSERT INTO late_scatter VALUES (1), (1)"), branch("west", "SELECT 2")));
        assertThat(records.stream()
                        .filter(each -> each.has("error"))
                        .map(each -> each.get("branch")
                                + each.get("error").get("code").asString()))
                .containsExactly("023505");
        assertThat(records.stream()
                        .filter(each -> each.has("done"))
                        .map(each -> each.get("branch").asInt()))
                .containsExactly(1);
    }

    @Test
    void aDeadlineHoldsForAll() {
        List<JsonNode> records = records(
                scatter(", \"deadlineMs\": 300", branch("east", "SELECT pg_sleep(20)"), branch("west", "SELECT 2")));
        assertThat(records.stream()
                        .filter(each -> each.has("error"))
                        .map(each -> each.get("error").get("code").asString()))
                .containsExactly("57014");
    }

    @Test
    void whatIsWrongIsSaidWithItsPlace() {
        Answer answer = scatter("", branch("nowhere", "SELECT 1"), "{\"domain\": \"east\"}")
                .expect(422);
        assertThat(answer.fault("/branches/0/domain")).isEqualTo("is not a domain");
        assertThat(answer.fault("/branches/1/sql")).startsWith("is missing");
        assertThat(scatter(
                                "",
                                branch("west", "SELECT 1"),
                                "{\"domain\": \"east\", \"sql\": \"SELECT $1, $2\", \"params\": [1, \"\\u0000\"]}")
                        .expect(422)
                        .fault("/branches/1/params/1"))
                .contains("zero character");
        scatter("").expect(422);
        assertThat(scatter(", \"descending\": true", branch("east", "SELECT 1"))
                        .expect(422)
                        .fault("/descending"))
                .contains("orderBy");
    }
}
