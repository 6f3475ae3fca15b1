package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LaterAnswerContractTest {

    private static final String PATH = "/sql/requests/";

    @TempDir
    static Path data;

    private Service service;

    @BeforeAll
    void open() throws IOException {
        service = Service.start(data, "--headgate.sql.kept-bytes=3MB");
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain("later", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 2}}]");
    }

    @AfterAll
    void close() {
        service.close();
    }

    private Answer begin(String sql) {
        return service.post("/domains/later/sql", "{\"sql\": \"" + sql + "\"}", "Prefer", "respond-async");
    }

    private String id(Answer begun) {
        String id = begun.expect(202).json().get("id").asString();
        assertThat(begun.header("Location")).isEqualTo("/api/v1" + PATH + id);
        assertThat(begun.header("Preference-Applied")).isEqualTo("respond-async");
        return id;
    }

    private String state(String id) {
        return service.get(PATH + id).expect(200).json().get("state").asString();
    }

    private void await(String id, String state) {
        Awaitility.await().atMost(Service.PATIENCE).until(() -> state(id).equals(state));
    }

    private long files() throws IOException {
        return files(data);
    }

    private static long files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("sql-answers"))) {
            return files.count();
        }
    }

    @Test
    void anAnswerIsFetchedLaterFromAnyOffset() {
        String id = id(begin("SELECT i FROM generate_series(1, 1000) AS i"));
        await(id, "done");
        String whole = service.get(PATH + id + "/result").expect(200).text();
        assertThat(whole.lines()).hasSize(1003);
        assertThat(whole).contains("\n[1000]\n").contains("{\"end\":");
        assertThat(service.get(PATH + id + "/result?offset=100").expect(200).text())
                .isEqualTo(whole.substring(100));
        assertThat(service.get(PATH + id).json().get("bytes").asInt()).isEqualTo(whole.length());
        service.get(PATH + id + "/result?offset=" + (whole.length() + 1)).expect(400);
        assertThat(service.get("/sql/requests").expect(200).text()).contains(id);
        service.delete(PATH + id).expect(204);
        service.get(PATH + id).expect(404);
    }

    @Test
    void aReaderWaitsForWhatIsStillToCome() {
        String id = id(begin("SELECT i, pg_sleep(0.2) FROM generate_series(1, 4) AS i"));
        String text = service.get(PATH + id + "/result").expect(200).text();
        assertThat(text).contains("[4,\"\"]").contains("{\"end\":");
        service.delete(PATH + id).expect(204);
    }

    @Test
    void aFailureIsTheLastRecord() {
        String id = id(begin("SELECT 1/0"));
        await(id, "failed");
        assertThat(service.get(PATH + id + "/result").expect(200).text()).startsWith("{\"error\":{\"code\":\"22012\"");
        service.delete(PATH + id).expect(204);
        service.post("/domains/later/sql", "{}", "Prefer", "respond-async").expect(422);
    }

    @Test
    void theFailureOfATransactionNamesItsStatement() {
        String third = id(service.post(
                "/domains/later/sql",
                "{\"transaction\": true, \"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 2\"},"
                        + " {\"sql\": \"SELECT 1/0\"}]}",
                "Prefer",
                "respond-async"));
        await(third, "failed");
        assertThat(service.get(PATH + third + "/result").expect(200).text()).endsWith("\"statement\":2}\n");
        service.delete(PATH + third).expect(204);
    }

    @Test
    void aDeletedOneIsCancelledAndLeavesNoFile() throws IOException {
        String id = id(begin("SELECT pg_sleep(60)"));
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .until(() ->
                        service.get("/domains/later/pool").json().get("inUse").asInt() > 0);
        service.delete(PATH + id).expect(204);
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .until(() ->
                        service.get("/domains/later/pool").json().get("inUse").asInt() == 0);
        service.get(PATH + id).expect(404);
        assertThat(files()).isZero();
    }

    @Test
    void answersHaveAQuota() throws IOException {
        String id = id(begin("SELECT repeat('x', 1000) FROM generate_series(1, 10000)"));
        await(id, "failed");
        assertThat(service.get(PATH + id + "/result").expect(200).text())
                .as("it has given its room back")
                .startsWith("{\"error\":{\"code\":\"54000\"")
                .contains("headgate.sql.kept-bytes");
        assertThat(service.get(PATH + id + "/result?offset=10").expect(400).text())
                .as("whoever was cut off has ten bytes of something else")
                .contains("must be 0");
        service.delete(PATH + id).expect(204);
        String next = id(begin("SELECT 1"));
        await(next, "done");
        service.delete(PATH + next).expect(204);
        assertThat(files()).isZero();
    }

    @Test
    void answersThatAreAskedForLaterLeaveRoomForThoseWithAKey() {
        List<String> ids = new ArrayList<>();
        for (Answer next = begin("SELECT 1"); next.status() == 202; next = begin("SELECT 1")) {
            ids.add(id(next));
            await(ids.getLast(), "done");
        }
        begin("SELECT 1").expect(503);
        for (int i = 0; i < 100; i++) { // more than there is room for at once
            keyed("fails-" + i, "SELECT 1/0").expect(400);
        }
        ids.add(id(keyed("room", "SELECT 1", "Prefer", "respond-async")));
        await(ids.getLast(), "done");
        for (String id : ids) {
            service.delete(PATH + id).expect(204);
        }
    }

    private Answer keyed(String key, String sql, String... headers) {
        return service.post(
                "/domains/later/sql",
                "{\"sql\": \"" + sql + "\"}",
                Stream.concat(Stream.of("Idempotency-Key", key), Stream.of(headers))
                        .toArray(String[]::new));
    }

    @Test
    void anOldOneLeavesTheDiskThoughNobodyAsks() throws IOException {
        Path other = data.resolve("brief");
        try (Service brief = Service.start(other, "--headgate.sql.kept=1s")) {
            brief.post("/databases", brief.databaseBody("main", 10)).expect(201);
            brief.domain("later", "[]");
            brief.post("/domains/later/sql", "{\"sql\": \"SELECT 1\"}", "Prefer", "respond-async")
                    .expect(202);
            Awaitility.await().atMost(Service.PATIENCE).until(() -> files(other) == 0);
        }
    }

    @Test
    void aDomainHasSoManyAndNoMore() {
        String[] ids = new String[16];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = id(begin("SELECT pg_sleep(60)"));
        }
        assertThat(begin("SELECT 1").expect(429).header("Retry-After")).isEqualTo("5");
        String keyed = id(service.post(
                "/domains/later/sql",
                "{\"sql\": \"SELECT 1\"}",
                "Prefer",
                "respond-async",
                "Idempotency-Key",
                "apart"));
        service.delete(PATH + keyed).expect(204);
        for (String id : ids) {
            service.delete(PATH + id).expect(204);
        }
    }

    @Test
    void whatCouldNotBeKeptTakesNoRoom() throws IOException {
        Path folder = data.resolve("sql-answers");
        Path away = Files.move(folder, folder.resolveSibling("away"));
        for (int i = 0; i < 200; i++) { // more than the quota has room for
            begin("SELECT 1").expect(503);
        }
        Files.move(away, folder);
        String id = id(begin("SELECT 1"));
        await(id, "done");
        service.delete(PATH + id).expect(204);
    }
}
