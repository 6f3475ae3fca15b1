package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.store.DataFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request with a key is executed once, however often it is sent. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdempotencyContractTest {

    private static final String DOMAIN = "once";
    private static final String INSERT = "INSERT INTO once VALUES (1) RETURNING i";

    @TempDir
    static Path data;

    private Service service;

    @BeforeAll
    void open() throws IOException {
        service = Service.start(data, "--headgate.sql.most-keys=80");
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain(DOMAIN, "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 4}}]");
        plain("CREATE TABLE once (i int)").expect(200);
    }

    @AfterAll
    void close() {
        try {
            service.assertExactLedgers();
        } finally {
            service.close();
        }
    }

    @BeforeEach
    void empty() {
        plain("TRUNCATE once").expect(200);
    }

    private Answer plain(String sql) {
        return service.post("/domains/" + DOMAIN + "/sql", "{\"sql\": \"" + sql + "\"}");
    }

    private Answer keyed(String key, String sql, String... headers) {
        return service.post(
                "/domains/" + DOMAIN + "/sql",
                "{\"sql\": \"" + sql + "\"}",
                Stream.concat(Stream.of("Idempotency-Key", key), Stream.of(headers))
                        .toArray(String[]::new));
    }

    private String rows() {
        return plain("SELECT count(*) FROM once").text().lines().toList().get(1);
    }

    @Test
    void theSameRequestGetsTheSameAnswer() {
        Answer first = keyed("a", INSERT).expect(200);
        assertThat(first.header("Idempotency-Replayed")).isEqualTo("false");
        assertThat(first.text()).contains("\n[1]\n").contains("{\"end\":");
        Answer second = keyed("a", INSERT).expect(200);
        assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(rows()).isEqualTo("[\"1\"]");
        keyed("another", INSERT).expect(200);
        assertThat(rows()).isEqualTo("[\"2\"]");
    }

    @Test
    void requestsAtTheSameTimeAreExecutedOnce() {
        String slow = "INSERT INTO once SELECT 1 FROM pg_sleep(0.3) RETURNING i";
        List<CompletableFuture<Answer>> all = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> keyed("at-once", slow)))
                .toList();
        Set<String> texts =
                all.stream().map(each -> each.join().expect(200).text()).collect(Collectors.toSet());
        assertThat(texts).hasSize(1);
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        keyed("b", INSERT).expect(200);
        keyed("b", "INSERT INTO once VALUES (2)").expect(422);
        service.post(
                        "/domains/" + DOMAIN + "/sql",
                        "{\"sql\": \"" + INSERT + "\", \"maxRows\": 5}",
                        "Idempotency-Key",
                        "b")
                .expect(422);
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    @Test
    void nullIsAnotherValueThanItsName() {
        String path = "/domains/" + DOMAIN + "/sql";
        String body = "{\"sql\": \"SELECT $1::text\", \"params\": [%s]}";
        service.post(path, body.formatted("null"), "Idempotency-Key", "n").expect(200);
        service.post(path, body.formatted("\"null\""), "Idempotency-Key", "n").expect(422);
        service.post(path, body.formatted("null"), "Idempotency-Key", "n").expect(200);
        service.post(
                        path,
                        "{\"sql\": \"SELECT $1::text\", \"params\": [null], \"types\": [null]}",
                        "Idempotency-Key",
                        "n")
                .expect(422);
    }

    @Test
    void aKeyWhoseStatementFailedMayBeUsedAgain() {
        keyed("c", "INSERT INTO once SELECT 1/0").expect(400);
        keyed("c", INSERT).expect(200);
        keyed("c", INSERT).expect(200);
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    /** Whoever sees the failure may send the request again at once, and must not get the same failure. */
    @Test
    void aFailureIsToldWhenItsKeyMayBeUsedAgain() throws Exception {
        CompletableFuture<Answer> failing;
        try (Connection direct = direct();
                Statement lock = direct.createStatement()) {
            lock.execute("SELECT pg_advisory_lock(1506)");
            failing = CompletableFuture.supplyAsync(() -> keyed(
                    "told",
                    "INSERT INTO once SELECT 1/i FROM generate_series(0, 0) AS i, pg_advisory_xact_lock(1506)"));
            Awaitility.await()
                    .atMost(Service.PATIENCE)
                    .until(() -> isThere(lock, "FROM pg_locks WHERE objid = 1506 AND NOT granted"));
            synchronized (service.bean(IdempotencyKeys.class)) { // so no key can be forgotten
                lock.execute("SELECT pg_advisory_unlock(1506)");
                Awaitility.await()
                        .atMost(Service.PATIENCE)
                        .until(() -> !isThere(
                                lock,
                                "FROM pg_stat_activity WHERE state = 'active' AND query LIKE"
                                        + " '%pg_advisory_xact_lock(1506)%' AND pid <> pg_backend_pid()"));
                assertThatThrownBy(() -> failing.get(300, TimeUnit.MILLISECONDS))
                        .isInstanceOf(TimeoutException.class);
            }
        }
        failing.join().expect(400);
        keyed("told", INSERT).expect(200);
    }

    private static boolean isThere(Statement statement, String from) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT 1 " + from)) {
            return row.next();
        }
    }

    /** The server executes nothing before it has described the answer, whatever the statement is. */
    @Test
    void aKeyWhoseStatementWasNotUnderstoodMayBeUsedAgain() {
        keyed("typo", "INSRT INTO once VALUES (1)").expect(400);
        keyed("typo", INSERT).expect(200);
        plain("DROP PROCEDURE IF EXISTS later()").expect(200);
        keyed("early", "CALL later()").expect(404);
        plain("CREATE PROCEDURE later() LANGUAGE sql AS 'INSERT INTO once VALUES (2)'")
                .expect(200);
        assertThat(keyed("early", "CALL later()").expect(200).header("Idempotency-Replayed"))
                .isEqualTo("false");
        keyed("early", "CALL later()").expect(200);
        assertThat(rows()).isEqualTo("[\"2\"]");
    }

    @Test
    void aFailureThatMayHaveTakenEffectIsNotTriedAgain() throws SQLException {
        String slow = "INSERT INTO once SELECT 1 FROM pg_sleep(60)";
        CompletableFuture<Answer> first = CompletableFuture.supplyAsync(() -> keyed("d", slow));
        Awaitility.await().atMost(Service.PATIENCE).until(() -> terminate("pg_sleep(60)"));
        int status = first.join().status();
        assertThat(status).isIn(500, 503);
        Answer second = keyed("d", slow);
        assertThat(second.status()).isEqualTo(status);
        assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void whatDidNotComeToItsEndIsNotCalledExecuted() throws IOException, SQLException {
        String cancelled = begun("k", "INSERT INTO once SELECT 1 FROM pg_sleep(61)");
        service.delete("/sql/requests/" + cancelled).expect(204);
        String broken = begun("l", "INSERT INTO once SELECT 1 FROM pg_sleep(62)");
        Awaitility.await().atMost(Service.PATIENCE).until(() -> terminate("pg_sleep(62)"));
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .until(() -> service.get("/sql/requests/" + broken).text().contains("failed"));
        service.delete("/sql/requests/" + broken).expect(204);
        assertThat(keyed("k", "INSERT INTO once SELECT 1 FROM pg_sleep(61)")
                        .expect(409)
                        .text())
                .contains("is not known")
                .doesNotContain("executed");
        assertThat(keyed("l", "INSERT INTO once SELECT 1 FROM pg_sleep(62)")
                        .expect(409)
                        .text())
                .contains("is not known")
                .doesNotContain("executed");
    }

    private String begun(String key, String sql) {
        return keyed(key, sql, "Prefer", "respond-async")
                .expect(202)
                .json()
                .get("id")
                .asString();
    }

    @Test
    void aProcedureThatCommittedBeforeItFailedIsNotTriedAgain() {
        plain("CREATE OR REPLACE PROCEDURE half() LANGUAGE plpgsql AS"
                        + " 'BEGIN INSERT INTO once VALUES (1); COMMIT; PERFORM 1/0; END'")
                .expect(200);
        keyed("i", "CALL half()").expect(400);
        Answer again = keyed("i", "CALL half()").expect(400);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    @Test
    void whatHasNoRoomForItsAnswerIsNotExecuted() throws IOException {
        Path folder = service.bean(DataFolder.class).path().resolve("sql-answers");
        Path away = Files.move(folder, folder.resolveSibling("away"));
        keyed("j", INSERT).expect(503);
        Files.move(away, folder);
        assertThat(rows()).isEqualTo("[\"0\"]");
        keyed("j", INSERT).expect(200);
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    private Connection direct() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + service.embedded().port() + "/" + Service.TARGET,
                "postgres",
                service.embedded().password());
    }

    private boolean terminate(String part) throws SQLException {
        try (Connection connection = direct();
                Statement statement = connection.createStatement();
                ResultSet ended = statement.executeQuery(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                                + " AND state = 'active' AND query LIKE '%" + part + "%'")) {
            return ended.next();
        }
    }

    @Test
    void whatWasNeverExecutedMayBeSentAgain() {
        service.patch("/domains/" + DOMAIN, "{\"sql\": {\"access\": \"off\"}}").expect(200);
        keyed("e", INSERT).expect(403);
        service.patch("/domains/" + DOMAIN, "{\"sql\": {\"access\": \"write\"}}")
                .expect(200);
        service.post("/domains/" + DOMAIN + "/drain", "").expect(200);
        keyed("e", INSERT).expect(503);
        service.post("/domains/" + DOMAIN + "/resume", "").expect(200);
        keyed("e", INSERT).expect(200);
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    /** Those who waited for a connection in vain send their request again, and must not get the same failure for a day. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"sql\": \"SELECT 1\"",
                "\"transaction\": true, \"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 2\"}]",
                "\"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 2\"}]",
                "\"sql\": \"CALL nothing()\""
            })
    void whatGotNoConnectionInItsTimeMayBeSentAgain(String statements) {
        service.domain("narrow", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 1}}]");
        String path = "/domains/narrow/sql";
        String body = "{\"timeoutMs\": 300, " + statements + "}";
        String transaction =
                service.post(path + "/transactions", "{}").expect(201).header("Location");
        String key = "waits-" + statements.length();
        assertThat(service.post(path, body, "Idempotency-Key", key).text())
                .contains("the deadline of 300 ms has passed");
        service.send("DELETE", transaction, null).expect(204);
        Answer again = service.post(path, body, "Idempotency-Key", key);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("false");
        assertThat(again.text()).doesNotContain("deadline");
        service.delete("/domains/narrow").expect(204);
    }

    @Test
    void itIsExecutedThoughItsCallerIsAnsweredLater() {
        String first = keyed("f", INSERT, "Prefer", "respond-async").expect(202).text();
        String id = first.replaceAll(".*\"id\":\"([^\"]+)\".*", "$1");
        assertThat(keyed("f", INSERT, "Prefer", "respond-async").expect(202).text())
                .contains(id);
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .until(() -> service.get("/sql/requests/" + id).text().contains("done"));
        assertThat(rows()).isEqualTo("[\"1\"]");
        service.delete("/sql/requests/" + id).expect(204);
        assertThat(keyed("f", INSERT).expect(409).text()).contains("not kept any more");
        assertThat(rows()).isEqualTo("[\"1\"]");
    }

    /** As libraries send it that prefer JSON and take anything. */
    @Test
    void whoTakesTheFormOfKeptAnswersAmongOthersGetsIt() {
        for (String accept : List.of("application/json, text/plain, */*", "text/csv, application/x-ndjson;q=0.1")) {
            Answer answer = keyed("accepts-" + accept.length(), INSERT, "Accept", accept)
                    .expect(200);
            assertThat(answer.header("Content-Type")).isEqualTo(SqlAnswers.NDJSON);
        }
        keyed("accepts-json", INSERT, "Accept", "application/json").expect(406);
        assertThat(rows()).isEqualTo("[\"2\"]");
    }

    @Test
    void theFailureOfATransactionNamesItsStatement() {
        String body = "{\"transaction\": true, \"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 1/0\"}]}";
        Answer answer = service.post("/domains/" + DOMAIN + "/sql", body, "Idempotency-Key", "named")
                .expect(400);
        assertThat(answer.fault("/statements/1")).isEqualTo("failed: division by zero");
    }

    @Test
    void whatIsNoKeyIsRefusedAndExecutesNothing() {
        keyed("has a space", INSERT).expect(400);
        keyed("x".repeat(256), INSERT).expect(400);
        keyed("g", INSERT, "Accept", "text/csv").expect(406);
        assertThat(rows()).isEqualTo("[\"0\"]");
    }

    /** Of 80 a domain may have 40. */
    @Test
    void aDomainThatHasUsedUpItsKeysLeavesTheOthersTheirs() {
        for (String name : List.of("many-keys", "few-keys")) {
            service.domain(name, "[]");
        }
        String path = "/domains/many-keys/sql";
        String body = "{\"sql\": \"SELECT 1\"}";
        for (int i = 0; i < 40; i++) {
            service.post(path, body, "Idempotency-Key", "m" + i).expect(200);
        }
        Answer refused = service.post(path, body, "Idempotency-Key", "m").expect(503);
        assertThat(refused.text()).contains("40 keys of many-keys").contains("headgate.sql.most-keys");
        assertThat(Long.parseLong(refused.header("Retry-After")))
                .as("until the first of them is forgotten")
                .isBetween(23L * 60 * 60, 24L * 60 * 60 + 1);
        service.post(path, body, "Idempotency-Key", "m0").expect(200);
        service.post("/domains/few-keys/sql", body, "Idempotency-Key", "m").expect(200);
    }

    @Test
    void keysOutliveARestart() throws IOException {
        keyed("h", INSERT).expect(200);
        Path journal = service.bean(DataFolder.class).path().resolve("sql-keys");
        service.close();
        List<String> before = Files.readAllLines(journal);
        String ended = before.stream()
                .filter(line -> line.startsWith("ended "))
                .toList()
                .getLast();
        String[] words = ended.split(" ");
        // as if the service had been killed while it executed another
        Files.writeString(
                journal,
                "began " + words[1].replaceAll("^........", "00000000") + " " + words[2] + " " + words[3] + "\n",
                StandardOpenOption.APPEND);
        service = Service.startAsItIs(data, "--headgate.sql.most-keys=80");
        assertThat(keyed("h", INSERT).expect(409).text())
                .contains("was executed")
                .contains("not kept any more");
        assertThat(rows()).isEqualTo("[\"1\"]");
        assertThat(new KeyJournal(journal).read().values())
                .anySatisfy(entry -> assertThat(entry.state()).isEqualTo(KeyJournal.State.began));
    }
}
