package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.policies.ManagedSets;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Requests against an account of 16 MB: those of one caller may have 4 MB of it, one may have 2 MB, a body of 250 kB. */
@Timeout(120)
class MemoryContractTest {

    private static final String JSON = "application/json";
    private static final int BODY = 250 << 10;

    @TempDir
    static Path data;

    private static Service service;
    private static MemoryAccount account;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(data, "--headgate.limits.memory=16MB");
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        account = service.bean(MemoryAccount.class);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @BeforeEach
    void nobodyHoldsAnything() {
        await().atMost(Service.PATIENCE).until(() -> line().reserved() == 0);
    }

    @Test
    void twelveAtOnceAreAnsweredOrToldToComeAgain() throws IOException {
        long refusedBefore = line().refused();
        List<Slow> slow = new ArrayList<>();
        for (int n = 0; n < 12; n++) {
            slow.add(new Slow(BODY));
        }
        List<String> answers = new ArrayList<>();
        // ten of them wait in vain; the two that have room are read once they send the rest
        await().atMost(Service.PATIENCE).until(() -> line().refused() - refusedBefore >= 10);
        assertThat(line().reserved()).isEqualTo(2L * BODY * BodyLimit.ROOM).isLessThanOrEqualTo(line().most());
        for (Slow each : slow) {
            answers.add(each.finish());
        }
        assertThat(answers)
                .filteredOn(answer -> answer.startsWith("HTTP/1.1 400"))
                .hasSize(2);
        assertThat(answers)
                .filteredOn(answer -> answer.startsWith("HTTP/1.1 503"))
                .hasSize(10)
                .allSatisfy(answer -> assertThat(answer)
                        .contains(
                                "Retry-After: 2",
                                "application/problem+json",
                                "/unavailable",
                                "headgate.limits.memory"));
        await().atMost(Service.PATIENCE).until(() -> line().reserved() == 0);
    }

    @Test
    void aBodyThatNeedsMoreThanARequestMayHaveIsTooLarge() {
        byte[] large = ("{\"nmae\": 1" + " ".repeat(2 * BODY) + "}").getBytes(StandardCharsets.UTF_8);
        for (Answer answer :
                List.of(service.upload("/databases", large, JSON), service.chunked("/databases", large, JSON))) {
            assertThat(answer.status()).as(answer.text()).isEqualTo(413);
            assertThat(answer.problem()).isEqualTo("payload-too-large");
            assertThat(answer.json().get("detail").asString())
                    .contains("its body", "2097152", "headgate.limits.memory (16777216)");
        }
        byte[] fits = ("{\"nmae\": 1" + " ".repeat(BODY / 2) + "}").getBytes(StandardCharsets.UTF_8);
        assertThat(service.chunked("/databases", fits, JSON).fault("/nmae")).startsWith("is not a field");
    }

    /** Each object of three bytes takes sixty, and more where it is copied. */
    @Test
    void manySmallValuesCountAsWhatTheyBecome() {
        String values = "{}" + ",{}".repeat(20_000);
        assertThat(policies("[" + values + "]").expect(413).json().get("detail").asString())
                .contains("its body");
        assertThat(policies("\"" + values + "\"").status())
                .as("a text is one value")
                .isEqualTo(422);
    }

    /** Only the reader of YAML counts values itself, so only its own type may go without. */
    @ParameterizedTest
    @ValueSource(strings = {"application/json;note=yaml", "application/yaml+json", "application/json; charset=utf-8"})
    void valuesOfJsonCountUnderWhateverTypeTheyCome(String type) {
        String set = "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"min\": [{}" + ",{}".repeat(20_000)
                + "]}}]}";
        Answer answer = service.upload("/databases/main/policies/plan", set.getBytes(StandardCharsets.UTF_8), type);
        assertThat(answer.status()).as(answer.text()).isEqualTo(413);
        assertThat(answer.json().get("detail").asString()).contains("its body");
    }

    private static Answer policies(String value) {
        return service.put(
                "/databases/main/policies",
                "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"min\": " + value + "}}]}",
                "If-Match",
                "\"0\"");
    }

    @Test
    void whatAliasesStandForCounts() {
        byte[] files = ("a: &a " + "x".repeat(50_000) + "\nb: [" + "*a,".repeat(100) + "*a]\n")
                .getBytes(StandardCharsets.UTF_8);
        Answer answer = service.upload("/files/diff", files, "application/yaml");
        assertThat(answer.status()).as(answer.text()).isEqualTo(413);
        assertThat(answer.json().get("detail").asString()).contains("the values of the files");
    }

    /** Before its document is complete, so also where that would never fit. */
    @Test
    void theNodesOfAFlatFileCount() {
        byte[] files = ("a: [" + "1,".repeat(30_000) + "1]\n").getBytes(StandardCharsets.UTF_8);
        Answer answer = service.upload("/files/diff", files, "application/yaml");
        assertThat(answer.status()).as(answer.text()).isEqualTo(413);
        assertThat(answer.json().get("detail").asString()).contains("the values of the files");
    }

    /** All sets in force are loaded for it. */
    @Test
    void anExportIsEstimatedByWhatThereIs() {
        service.post("/databases", service.databaseBody("large", 10)).expect(201);
        long before = service.bean(ManagedSets.class).bytesOfAll();
        service.bean(JdbcClient.class).sql("""
                        insert into policy_revision (scope, name, revision, created_at, actor, policy_set)
                        values ('database', 'large', 1, now(), 'a', json_build_object('policies', json_build_array(), 'comment', repeat('c', 600000)))
                        """).update();
        service.bean(JdbcClient.class)
                .sql("update policy_head set revision = 1 where name = 'large'")
                .update();
        assertThat(service.bean(ManagedSets.class).bytesOfAll()).isBetween(before + 4_800_000, before + 5_000_000);
        Answer refused = service.get("/files/export?database=large").expect(413);
        assertThat(refused.json().get("detail").asString()).contains("This work needs about");
        service.bean(JdbcClient.class)
                .sql("update policy_head set revision = 0 where name = 'large'")
                .update();
        service.get("/files/export?database=large").expect(200);
    }

    /** Two bodies take what their caller may have. What is small, such as this memory, is told all the same. */
    @Test
    void aLargeAnswerIsReservedBeforeItIsMade() throws IOException {
        List<Slow> slow = List.of(new Slow(BODY), new Slow(BODY));
        await().atMost(Service.PATIENCE).until(() -> line().reserved() == 2L * BODY * BodyLimit.ROOM);
        Answer refused = service.get("/decisions");
        assertThat(refused.status()).as(refused.text()).isEqualTo(503);
        assertThat(refused.problem()).isEqualTo("unavailable");
        assertThat(refused.header("Retry-After")).isEqualTo("2");
        assertThat(refused.json().get("detail").asString()).contains("its answer", "headgate.limits.memory");
        assertThat(service.send("GET", "/actuator/prometheus", null).status()).isEqualTo(503);
        Answer list = service.get("/domains?limit=500").expect(503); // of a list, as much as is asked for
        assertThat(list.problem()).isEqualTo("unavailable");
        assertThat(list.header("Retry-After")).isEqualTo("2");
        assertThat(list.json().get("detail").asString())
                .contains(500 * LargeAnswers.ENTRY_BYTES + " bytes", "its answer");
        service.get("/domains?limit=10").expect(200);
        service.get("/memory").expect(200);
        for (Slow each : slow) {
            each.finish();
        }
        service.get("/decisions").expect(200);
        service.get("/domains?limit=500").expect(200);
    }

    /** It reads every decision that is kept, and there may be 200,000; of the audit there may be a million. */
    @ParameterizedTest
    @CsvSource({
        "decision, /decisions?q=slow, The decisions, domain",
        "audit, /audit?actor=slow, The entries of the audit, target"
    })
    void aSearchThatTakesTooLongEndsAndSaysWhatToDo(String table, String path, String rows, String parameter) {
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            service.bean(JdbcClient.class)
                    .sql("lock table " + table + " in access exclusive mode")
                    .update();
            Answer late = service.get(path);
            assertThat(late.status()).as(late.text()).isEqualTo(503);
            assertThat(late.problem()).isEqualTo("unavailable");
            assertThat(late.json().get("detail").asString())
                    .startsWith(rows + " could not be searched within 5 s.")
                    .contains("'from'", "'" + parameter + "'");
        });
        service.get(path).expect(200);
    }

    @Test
    void whoGoesAwayGivesBackWhatWasReserved() throws IOException {
        Slow whole = new Slow(BODY);
        Slow chunked = new Slow(-1);
        chunked.chunk(100 << 10);
        await().atMost(Service.PATIENCE).until(() -> line().reserved() > 2L * BODY * BodyLimit.ROOM * 2 / 3);
        whole.socket.close();
        chunked.socket.close();
        await().atMost(Service.PATIENCE).until(() -> line().reserved() == 0);
    }

    @Test
    void aStrangerMaySendALoginAndNoMore() {
        Answer answer = service.sendAnonymous("POST", "/api/v1/session", "{\"code\": \"" + "c".repeat(20_000) + "\"}");
        assertThat(answer.status()).isEqualTo(413);
        assertThat(service.sendAnonymous("POST", "/api/v1/session", "{\"code\": \"c\"}")
                        .status())
                .isEqualTo(401);
    }

    /** Many of them state a length, and send a byte now and then. */
    @Test
    void forAStrangersBodyThereIsAsMuchAsHasCome() throws IOException {
        Slow slow = new Slow(16_000, "");
        slow.write("{");
        await().atMost(Service.PATIENCE).until(() -> line().reserved() > 0);
        assertThat(line().reserved()).isLessThanOrEqualTo(1_024L * BodyLimit.ROOM);
        slow.socket.close();
    }

    /** A thread waits for it. With a token it has 20 s. */
    @Test
    void aStrangersBodyHasFiveSeconds() throws IOException {
        Slow slow = new Slow(16_000, "");
        await().atMost(Duration.ofSeconds(15))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    slow.write(" ");
                    return slow.socket.getInputStream().available() > 0;
                });
        assertThat(slow.finish()).startsWith("HTTP/1.1 400").contains("came too slowly");
    }

    /** Each number of two bytes becomes an object of eighty. */
    @Test
    void manyShortParametersCountAsWhatTheyBecome() {
        domain("short");
        String body = "{\"sql\": \"SELECT 1\", \"params\": [1" + ",1".repeat(30_000) + "]}";
        Answer answer = service.post("/domains/short/sql", body).expect(413);
        assertThat(answer.json().get("detail").asString()).contains("One request may have 2097152");
    }

    /** It goes on after its request. */
    @Test
    void whatIsAnsweredLaterHoldsItsMemoryUntilItsEnd() {
        domain("later");
        String body = "{\"sql\": \"SELECT pg_sleep(600) /*" + "x".repeat(200_000) + "*/\"}";
        List<String> running = new ArrayList<>();
        Answer answer;
        for (answer = later(body); answer.status() == 202; answer = later(body)) {
            running.add(answer.json().get("id").asString());
        }
        assertThat(answer.problem()).isEqualTo("unavailable");
        assertThat(answer.json().get("detail").asString()).contains("headgate.limits.memory");
        assertThat(running).hasSizeBetween(4, 10);
        assertThat(line().reserved()).isGreaterThan(running.size() * 200_000L);
        running.forEach(id -> service.delete("/sql/requests/" + id).expect(204));
    }

    private static Answer later(String body) {
        return service.post("/domains/later/sql", body, "Prefer", "respond-async");
    }

    private static void domain(String name) {
        service.domain(name, "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 2}}]");
    }

    /** What others need is not taken by one. */
    @Test
    void oneCallerHasHalfOfAHolder() {
        for (String holder : List.of(Holders.HTTP, Holders.WORK, Holders.STREAM, Holders.WIDE_STREAM)) {
            long most = account.lines().stream()
                    .filter(line -> line.holder().equals(holder))
                    .findFirst()
                    .orElseThrow()
                    .most();
            List<MemoryAccount.Share> shares = new ArrayList<>();
            long held = 0;
            for (MemoryAccount.Share share = account.share(holder, "one");
                    share.tryReserve(1 << 20);
                    share = account.share(holder, "one")) {
                shares.add(share);
                held += 1 << 20;
            }
            assertThat(held).as(holder).isLessThanOrEqualTo(most / 2);
            try (MemoryAccount.Share other = account.share(holder, "other")) {
                assertThat(other.tryReserve(1 << 20)).as(holder).isTrue();
            }
            shares.forEach(MemoryAccount.Share::close);
        }
    }

    @Test
    void aPageOfRevisionsEndsWhereItsSetsHaveNoRoom() {
        service.post("/databases", service.databaseBody("revised", 10)).expect(201);
        service.bean(JdbcClient.class).sql("""
                        insert into policy_revision (scope, name, revision, created_at, actor, comment, policy_set)
                        select 'database', 'revised', i, now(), 'a', repeat('c', 200000), json_build_object('policies', json_build_array())
                        from generate_series(1, 9) i on conflict do nothing
                        """).update();
        List<Long> seen = new ArrayList<>();
        int pages = 0;
        String cursor = "";
        do {
            Answer page = service.get("/databases/revised/policies/revisions?limit=500&cursor=" + cursor)
                    .expect(200);
            page.json()
                    .get("items")
                    .forEach(each -> seen.add(each.get("revision").asLong()));
            cursor = page.json().get("nextCursor").isNull()
                    ? null
                    : page.json().get("nextCursor").asString();
            pages++;
        } while (cursor != null);
        assertThat(pages).as("of 500 revisions, but 2 MB each").isGreaterThan(3);
        assertThat(seen).containsExactly(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L);
    }

    @Test
    void aPageOfTheAuditEndsWhereItsEntriesHaveNoRoom() {
        service.bean(JdbcClient.class).sql("""
                        insert into audit (node, actor, action, target, before, after, remote)
                        select 'n', 'a', 'padded', 't', null, json_build_object('a', repeat('p', 90000), 'b', repeat('q', 90000)), ''
                        from generate_series(1, 8)
                        """).update();
        List<String> seen = new ArrayList<>();
        int pages = 0;
        String cursor = "";
        do {
            Answer page = service.get("/audit?limit=500&cursor=" + cursor).expect(200);
            page.json().get("items").forEach(entry -> seen.add(entry.get("id").asString()));
            cursor = page.json().get("nextCursor").isNull()
                    ? null
                    : page.json().get("nextCursor").asString();
            pages++;
        } while (cursor != null);
        assertThat(pages).as("of 500 entries, but 2 MB each").isGreaterThan(3);
        assertThat(seen)
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(8)
                .isSortedAccordingTo((a, b) -> Long.compare(Long.parseLong(b), Long.parseLong(a)));
    }

    @Test
    void itIsShown() {
        Answer memory = service.get("/memory").expect(200);
        assertThat(memory.json().get("mostBytes").asLong()).isEqualTo(16 << 20);
        assertThat(memory.json().get("holders")).hasSize(9);
        assertThat(memory.json().get("holders").get(1).get("holder").asString()).isEqualTo("buffers");
        assertThat(memory.json().get("holders").get(2).get("holder").asString()).isEqualTo("http");
        assertThat(memory.json().get("holders").get(2).get("mostBytes").asLong())
                .isEqualTo(8 << 20);
        Answer metrics = service.send("GET", "/actuator/prometheus", null);
        assertThat(metrics.text())
                .contains(
                        "headgate_memory_account_bytes 1.6777216E7",
                        "headgate_memory_most_bytes{holder=\"http\"} 8388608.0",
                        "headgate_memory_reserved_bytes{holder=\"wire\"} 0.0",
                        "headgate_memory_refused_total{holder=\"work\"}",
                        "headgate_memory_highest_bytes{holder=\"history\"}");
    }

    @Test
    void requestsAtOnceThatFitAreAllAnswered() {
        byte[] body = ("{\"nmae\": 1" + " ".repeat(20_000) + "}").getBytes(StandardCharsets.UTF_8);
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int n = 0; n < 40; n++) {
            answers.add(CompletableFuture.supplyAsync(
                    () -> service.chunked("/databases", body, JSON),
                    task -> Thread.ofVirtual().start(task)));
        }
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.join().status()).isEqualTo(400));
    }

    private static MemoryAccount.Line line() {
        return account.lines().stream()
                .filter(line -> line.holder().equals(Holders.HTTP))
                .findFirst()
                .orElseThrow();
    }

    /** A request whose body comes late. */
    private static final class Slow {

        private final Socket socket;
        private final OutputStream out;
        private final int length;

        /** @param length of the body; -1 if it does not say */
        Slow(int length) throws IOException {
            this(length, "Authorization: Bearer " + service.token() + "\r\n");
        }

        /** @param credential a line of its headers; empty for none */
        Slow(int length, String credential) throws IOException {
            this.length = length;
            this.socket =
                    new Socket(InetAddress.getLoopbackAddress(), service.root().getPort());
            this.out = socket.getOutputStream();
            write("POST /api/v1/" + (credential.isEmpty() ? "session" : "databases")
                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    + credential
                    + (length < 0 ? "Transfer-Encoding: chunked" : "Content-Length: " + length) + "\r\n\r\n");
        }

        void chunk(int bytes) throws IOException {
            write(Integer.toHexString(bytes) + "\r\n" + " ".repeat(bytes) + "\r\n");
        }

        String finish() throws IOException {
            try (socket) {
                try {
                    write("{\"nmae\": 1" + " ".repeat(length - 11) + "}");
                } catch (IOException e) {
                    // it was refused and closed before
                }
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            }
        }

        private void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }
    }
}
