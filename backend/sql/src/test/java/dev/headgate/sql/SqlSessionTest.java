package dev.headgate.sql;

import static dev.headgate.sql.SqlWorld.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.spi.WhenExhausted;
import dev.headgate.wire.Directory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SqlSessionTest {

    private SqlWorld world;
    private Directory.Domain bank;

    @BeforeAll
    void open() throws Exception {
        world = new SqlWorld();
        bank = world.domain("bank", 2);
    }

    @AfterEach
    void nothingStays() throws Exception {
        world.endAll();
        Awaitility.await().until(() -> bank.pool().status().inUse() == 0);
    }

    @AfterAll
    void close() throws Exception {
        world.close();
    }

    @Test
    void aStatementIsAnsweredWithItsColumnsAndRows() throws Exception {
        Result result = run(
                        world.open(bank),
                        Query.of("SELECT $1::int AS number, $2 AS text, $3::text AS missing", "42", "é", null))
                .getFirst();
        assertThat(result.columns()).extracting(Column::name).containsExactly("number", "text", "missing");
        assertThat(result.columns()).extracting(Column::type).containsExactly(23, 25, 25);
        assertThat(result.rows()).containsExactly(java.util.Arrays.asList("42", "é", null));
        assertThat(result.tag()).isEqualTo("SELECT 1");
    }

    @Test
    void theConnectionGoesBackAfterEachRound() throws Exception {
        SqlSession session = world.open(bank);
        run(session, Query.of("SELECT 1"));
        Awaitility.await().until(() -> bank.pool().status().inUse() == 0);
    }

    @Test
    void aRoundIsAllOrNothing() throws Exception {
        SqlSession session = world.open(bank);
        run(session, Query.of("CREATE TABLE IF NOT EXISTS rounds (id int)"));
        SqlFailure failure = catchThrowableOfType(
                SqlFailure.class,
                () -> run(
                        session,
                        Query.of("INSERT INTO rounds VALUES (1)"),
                        Query.of("SELECT 1/0"),
                        Query.of("INSERT INTO rounds VALUES (2)")));
        assertThat(failure.sqlState()).isEqualTo("22012");
        assertThat(run(session, Query.of("SELECT count(*) FROM rounds"))
                        .getFirst()
                        .rows())
                .containsExactly(List.of("0"));
    }

    @Test
    void roundsAreIndependentAndAnsweredInOrder() throws Exception {
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(1 << 20);
        AnswerListener answers = queue.from(session);
        for (int i = 0; i < 200; i++) {
            session.submit(List.of(Query.of(i % 3 == 1 ? "SELECT 1/0" : "SELECT " + i)), answers);
        }
        List<String> seen = new ArrayList<>();
        for (int ended = 0; ended < 200; ) {
            switch (queue.next().answer()) {
                case Answer.Some some -> {
                    assertThat(some.rows().next()).isTrue();
                    seen.add(some.rows().text(0));
                }
                case Answer.Failed failed -> seen.add(failed.why().sqlState());
                case Answer.Ended _ -> ended++;
                case Answer.Columns _, Answer.Done _ -> {}
            }
        }
        assertThat(seen).hasSize(200);
        for (int i = 0; i < 200; i++) {
            assertThat(seen.get(i)).isEqualTo(i % 3 == 1 ? "22012" : String.valueOf(i));
        }
    }

    @Test
    void roundsThatAreSubmittedTogetherLeaveInFewWrites() throws Exception {
        int rounds = 20;
        CountDownLatch ended = new CountDownLatch(rounds);
        try (TappedLine line = new TappedLine(world.server.getPort())) {
            SqlSession session = world.open(SqlWorld.domain(
                    world.database("tapped", line.port()), "tapped", 1, WhenExhausted.queue(10_000, 10_000)));
            session.submit(List.of(Query.of("SELECT 1")), answer -> {
                for (int i = 0;
                        i < rounds && answer instanceof Answer.Ended;
                        i++) { // on the loop, so none leaves meanwhile
                    session.submit(List.of(Query.of("SELECT 2")), other -> {
                        if (other instanceof Answer.Ended) {
                            ended.countDown();
                        }
                        return true;
                    });
                }
                return true;
            });
            assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(line.readsWith("SELECT 2")).isBetween(1L, 3L); // some 128 bytes, 512, and the rest
            world.endAll();
        }
    }

    @Test
    void aTransactionKeepsItsConnectionUntilItsEnd() throws Exception {
        SqlSession session = world.open(bank);
        run(session, Query.of("BEGIN"));
        run(session, Query.of("CREATE TABLE gone (id int)"));
        assertThat(bank.pool().status().inUse()).isEqualTo(1);
        session.close();
        session.ended().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(run(world.open(bank), Query.of("SELECT to_regclass('gone')"))
                        .getFirst()
                        .rows())
                .containsExactly(Collections.singletonList(null));
    }

    @Test
    void settingsHoldForTheirSessionAlone() throws Exception {
        SqlSession readOnly =
                world.open(bank, Caller.named("reader").with(Map.of("default_transaction_read_only", "on")));
        assertThat(catchThrowableOfType(
                                SqlFailure.class, () -> run(readOnly, Query.of("CREATE TABLE nothing (id int)")))
                        .sqlState())
                .isEqualTo("25006");
        for (int i = 0; i < 4; i++) {
            assertThat(run(world.open(bank), Query.of("SHOW transaction_read_only"))
                            .getFirst()
                            .rows())
                    .containsExactly(List.of("off"));
        }
    }

    @Test
    void anotherEncodingEndsTheSession() throws Exception {
        SqlSession session = world.open(bank);
        run(session, Query.of("SET client_encoding = 'UTF-8'"));
        for (String change : List.of("SET NAMES 'LATIN1'", "SELECT set_config('client_encoding', 'LATIN1', false)")) {
            SqlFailure failure = catchThrowableOfType(
                    SqlFailure.class, () -> run(world.open(bank), Query.of(change), Query.of("SELECT 'é'")));
            assertThat(failure.sqlState()).as(change).isEqualTo("0A000");
        }
        assertThat(run(session, Query.of("SELECT 'é', current_setting('client_encoding')"))
                        .getFirst()
                        .rows())
                .containsExactly(List.of("é", "UTF8"));
    }

    @Test
    void aLimitOfRowsIsSaid() throws Exception {
        Query query = new Query("SELECT generate_series(1, 100)", List.of(), List.of(), 7);
        Result result = run(world.open(bank), query).getFirst();
        assertThat(result.rows()).hasSize(7);
        assertThat(result.limited()).isTrue();
    }

    @Test
    void aListenerIsNotWokenForEachOfManyAnswers() throws Exception {
        SqlSession session = world.open(bank, Caller.named("test").with(Caller.Order.FINISH_FIRST));
        AtomicInteger woken = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(500);
        AnswerListener counts = new AnswerListener() {
            @Override
            public boolean take(Answer answer) {
                if (answer instanceof Answer.Ended) {
                    ended.countDown();
                }
                return true;
            }

            @Override
            public void arrived() {
                woken.incrementAndGet();
            }
        };
        long began = System.nanoTime();
        for (int i = 0; i < 500; i++) { // all are sent before the first is answered
            session.submit(List.of(Query.of(i == 0 ? "SELECT pg_sleep(0.1)" : "SELECT 1")), counts);
        }
        ended.await();
        long millis = (System.nanoTime() - began) / 1_000_000;
        assertThat((long) woken.get()).isBetween(0L, millis + 3);
        Awaitility.await().until(() -> woken.get() > 0);
    }

    @Test
    void aCallerThatReadsNothingStopsTheServer() throws Exception {
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(64 * 1024);
        AnswerListener answers = queue.from(session);
        session.submit(List.of(Query.of("SELECT repeat('x', 1000) FROM generate_series(1, 200000)")), answers);
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(state("generate_series(1, 200000)")).containsExactly("Client/ClientWrite"));
        long rows = 0;
        long mostAtOnce = 0;
        Answer answer = queue.next().answer();
        for (; !(answer instanceof Answer.Ended); answer = queue.next().answer()) {
            if (answer instanceof Answer.Some some) {
                rows += some.rows().count();
                mostAtOnce = Math.max(mostAtOnce, some.rows().size());
            }
        }
        assertThat(rows).isEqualTo(200_000);
        assertThat(mostAtOnce).isLessThanOrEqualTo(33 * 1024);
    }

    /** What the backends that execute such a statement wait for. */
    private List<String> state(String part) throws Exception {
        List<String> found = new ArrayList<>();
        try (Connection connection = world.direct();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT wait_event_type || '/' || wait_event FROM pg_stat_activity WHERE state = 'active'"
                                + " AND pid <> pg_backend_pid() AND query LIKE '%" + part + "%'")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    @Test
    void aRowBeyondTheLimitEndsTheSession() throws Exception {
        SqlSession session = world.open(bank, Caller.named("test").with(new Bounds(100_000, 0, 0)));
        assertThat(run(session, Query.of("SELECT length(repeat('x', 200000))"))
                        .getFirst()
                        .rows())
                .containsExactly(List.of("200000"));
        SqlFailure failure =
                catchThrowableOfType(SqlFailure.class, () -> run(session, Query.of("SELECT repeat('x', 200000)")));
        assertThat(failure.sqlState()).isEqualTo("54000");
        assertThat(failure).hasMessageContaining("100000");
    }

    @Test
    void anAnswerWithMoreRowsThanTheBoundEndsTheSession() throws Exception {
        SqlSession session = world.open(bank, Caller.named("test").with(new Bounds(100_000, 100, 0)));
        Query within = Query.of("SELECT generate_series(1, 100)");
        assertThat(run(session, within, within))
                .extracting(result -> result.rows().size())
                .containsExactly(100, 100);
        SqlFailure failure =
                catchThrowableOfType(SqlFailure.class, () -> run(session, Query.of("SELECT generate_series(1, 101)")));
        assertThat(failure.sqlState()).isEqualTo("54000");
        assertThat(failure).hasMessageContaining("100 rows");
        assertThatThrownBy(() -> run(session, Query.of("SELECT 1"))).hasMessageContaining("100 rows");
    }

    @Test
    void answersWithMoreBytesThanTheBoundEndTheStatementAtTheServer() throws Exception {
        SqlSession session = world.open(bank, Caller.named("test").with(new Bounds(100_000, 0, 50_000)));
        Query some = Query.of("SELECT repeat('x', 20000)");
        assertThat(run(session, some, some)).hasSize(2);
        SqlFailure failure = catchThrowableOfType(
                SqlFailure.class,
                () -> run(session, Query.of("SELECT repeat('y', 1000) FROM generate_series(1, 10000000)")));
        assertThat(failure.sqlState()).isEqualTo("54000");
        assertThat(failure).hasMessageContaining("50000 bytes");
        Awaitility.await().untilAsserted(() -> assertThat(state("repeat(''y''")).isEmpty());
    }

    @Test
    void longRowsArriveWhole() throws Exception {
        Result result = run(
                        world.open(bank), Query.of("SELECT repeat('ab', 3000000), i FROM generate_series(1, 3) AS i"))
                .getFirst();
        assertThat(result.rows())
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.getFirst()).hasSize(6_000_000).startsWith("abab"));
    }

    @Test
    void aDeadlineEndsTheStatementAtTheServer() throws Exception {
        SqlSession session = world.open(
                bank,
                Caller.named("test").endingAfter(Duration.ofMillis(200), SqlFailure.of("57014", "the time is up")));
        assertThatThrownBy(() -> run(session, Query.of("SELECT pg_sleep(60)"))).hasMessage("the time is up");
        Awaitility.await().untilAsserted(() -> assertThat(state("pg_sleep(60)")).isEmpty());
    }

    @Test
    void aSessionEndsByItselfAfterItsLastRounds() throws Exception {
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(1 << 16);
        session.submitLast(List.of(List.of(Query.of("SELECT 1")), List.of(Query.of("SELECT 2"))), queue.from(session));
        session.ended().toCompletableFuture().get(10, TimeUnit.SECONDS);
        List<Answer> answers = new ArrayList<>();
        for (int ended = 0; ended < 2; ) {
            Answer answer = queue.next().answer();
            answers.add(answer);
            ended += answer instanceof Answer.Ended ? 1 : 0;
        }
        assertThat(answers).noneMatch(Answer.Failed.class::isInstance);
        assertThatThrownBy(() -> run(session, Query.of("SELECT 3"))).hasMessageContaining("has ended");
    }

    @Test
    void whoWaitsForAnAnswerLooksAround() throws Exception {
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(1 << 16);
        session.submit(List.of(Query.of("SELECT pg_sleep(60)")), queue.from(session));
        assertThat(queue.nextOrLook(0)).isNull();
        assertThat(queue.nextOrLook(0)).isNull();
        session.end(SqlFailure.of("57014", "enough"));
        assertThat(queue.next().answer()).isInstanceOf(Answer.Failed.class);
        assertThat(queue.nextOrLook(0)).isNotNull();
    }

    @Test
    void aCancelledStatementLeavesTheSessionUsable() throws Exception {
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(1 << 16);
        AnswerListener answers = queue.from(session);
        session.submit(List.of(Query.of("SELECT pg_sleep(61)")), answers);
        Awaitility.await().until(() -> !state("pg_sleep(61)").isEmpty());
        session.cancel();
        SqlFailure why = null;
        for (Answer answer = queue.next().answer();
                !(answer instanceof Answer.Ended);
                answer = queue.next().answer()) {
            if (answer instanceof Answer.Failed failed) {
                why = failed.why();
            }
        }
        assertThat(why).isNotNull();
        assertThat(why.sqlState()).isEqualTo("57014");
        assertThat(run(session, Query.of("SELECT 1")).getFirst().rows()).containsExactly(List.of("1"));
    }

    @Test
    void aCallerThatGoesAwayEndsItsStatementWithinASecond() throws Exception {
        SqlSession session = world.open(bank);
        session.submit(List.of(Query.of("SELECT pg_sleep(62)")), answer -> true);
        Awaitility.await().until(() -> !state("pg_sleep(62)").isEmpty());
        long began = System.nanoTime();
        session.close();
        session.ended().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void aRefusalSaysWhy() throws Exception {
        Directory.Domain small = world.domain("small", 1, new WhenExhausted(WhenExhausted.Mode.FAIL, 1_000_000_000, 0));
        SqlSession holder = world.open(small);
        run(holder, Query.of("BEGIN"));
        SqlFailure failure = catchThrowableOfType(SqlFailure.class, () -> run(world.open(small), Query.of("SELECT 1")));
        assertThat(failure.sqlState()).isEqualTo("53300");
        assertThat(failure.refusal()).isPresent();
        assertThat(failure.refusal().orElseThrow().situation().reason()).contains("fixed for the test");
    }

    @Test
    void aServerThatEndsTheConnectionFailsWhatIsLeft() throws Exception {
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(1 << 16);
        AnswerListener answers = queue.from(session);
        session.submit(List.of(Query.of("SELECT pg_terminate_backend(pg_backend_pid())")), answers);
        session.submit(List.of(Query.of("SELECT 1")), answers);
        List<String> states = new ArrayList<>();
        for (int ended = 0; ended < 2; ) {
            switch (queue.next().answer()) {
                case Answer.Failed failed -> states.add(failed.why().sqlState());
                case Answer.Ended _ -> ended++;
                default -> {}
            }
        }
        assertThat(states).hasSize(2).startsWith("57P01");
    }

    @Test
    void copyIsRefusedAndTheConnectionIsClean() throws Exception {
        for (String copy : List.of("COPY (SELECT 1) TO STDOUT", "COPY pg_temp.nothing FROM STDIN")) {
            SqlSession session = world.open(bank);
            SqlFailure failure = catchThrowableOfType(
                    SqlFailure.class,
                    () -> run(session, Query.of("CREATE TEMP TABLE IF NOT EXISTS nothing (id int)"), Query.of(copy)));
            assertThat(failure.sqlState()).isEqualTo("0A000");
        }
        world.endAll();
        assertThat(run(world.open(bank), Query.of("SELECT to_regclass('pg_temp.nothing')"))
                        .getFirst()
                        .rows())
                .containsExactly(Collections.singletonList(null));
    }

    /** What was sent after it is no data to the server. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyBeforeOtherStatementsIsRefusedByTheSameError(boolean together) throws Exception {
        run(world.open(bank), Query.of("CREATE TABLE IF NOT EXISTS filled (id int)"));
        List<Query> all = List.of(Query.of("SELECT 1"), Query.of("COPY filled FROM STDIN"), Query.of("SELECT 2"));
        SqlSession session = world.open(bank);
        AnswerQueue queue = new AnswerQueue(1 << 16);
        AnswerListener answers = queue.from(session);
        List<List<Query>> rounds =
                together ? List.of(all) : all.stream().map(List::of).toList();
        rounds.forEach(round -> session.submit(round, answers));
        List<String> states = new ArrayList<>();
        for (int ended = 0; ended < rounds.size(); ) {
            switch (queue.next().answer()) {
                case Answer.Failed failed -> states.add(failed.why().sqlState());
                case Answer.Ended _ -> ended++;
                default -> {}
            }
        }
        assertThat(states).startsWith("0A000");
    }

    /** The server has asked for the data, but not read the Sync that was sent ahead: it does not ignore that one then. */
    @Test
    void aCopyThatEndsBeforeItReadsLeavesNoAnswerToWhoeverComesNext() throws Exception {
        run(
                world.open(bank),
                Query.of("CREATE TABLE slow_to_read (id int)"),
                Query.of("CREATE FUNCTION sleeps() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM pg_sleep(30); RETURN NULL; END'"),
                Query.of("CREATE TRIGGER first BEFORE INSERT ON slow_to_read FOR EACH STATEMENT"
                        + " EXECUTE FUNCTION sleeps()"));
        for (int i = 0; i < 10; i++) {
            SqlFailure failure = catchThrowableOfType(
                    SqlFailure.class, () -> run(world.open(bank), Query.of("COPY slow_to_read FROM STDIN")));
            assertThat(failure.sqlState()).isEqualTo("0A000");
            world.endAll();
            for (int k = 0; k < 3; k++) {
                assertThat(run(world.open(bank), Query.of("SELECT " + k))
                                .getFirst()
                                .rows())
                        .as("after copy %d", i)
                        .containsExactly(List.of(String.valueOf(k)));
            }
            world.endAll();
        }
    }

    @Test
    void waitingRoundsAreBounded() throws Exception {
        SqlSession session = world.open(bank, Caller.named("test").withMostWaiting(5));
        CountDownLatch stand = new CountDownLatch(1);
        session.submit(List.of(Query.of("SELECT 1")), answer -> {
            boolean _ = await(stand); // the loop stands, so nothing is sent
            return true;
        });
        Awaitility.await().until(() -> {
            try {
                session.submit(List.of(Query.of("SELECT 2")), answer -> true);
                return false;
            } catch (RejectedExecutionException full) {
                return full.getMessage().contains("5 rounds");
            }
        });
        stand.countDown();
        AnswerQueue queue = new AnswerQueue(1 << 16);
        AnswerListener answers = queue.from(session);
        session.submitWhenPossible(List.of(Query.of("SELECT 3")), answers);
        assertThat(queue.next().answer()).isInstanceOf(Answer.Columns.class);
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFairCallerLetsOthersTakeTurnsAndAnotherFinishesFirst() throws Exception {
        for (Caller.Order order : Caller.Order.values()) {
            Directory.Domain one = world.domain("one-" + order.name().toLowerCase(java.util.Locale.ROOT), 1);
            ConcurrentLinkedQueue<String> ended = new ConcurrentLinkedQueue<>();
            CountDownLatch all = new CountDownLatch(2 * 3 * Dialogue.TURN);
            SqlSession first = world.open(one, Caller.named("first").with(order));
            SqlSession second = world.open(one, Caller.named("second").with(order));
            for (int i = 0; i < 3 * Dialogue.TURN; i++) {
                first.submit(List.of(Query.of("SELECT 1")), told("first", ended, all));
                second.submit(List.of(Query.of("SELECT 1")), told("second", ended, all));
            }
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
            List<String> runs = new ArrayList<>();
            for (String each : ended) {
                if (runs.isEmpty() || !runs.getLast().equals(each)) {
                    runs.add(each);
                }
            }
            if (order == Caller.Order.FAIR) {
                assertThat(runs).hasSizeGreaterThanOrEqualTo(4);
            } else {
                assertThat(runs).hasSizeLessThanOrEqualTo(3);
            }
        }
    }

    private static AnswerListener told(String who, ConcurrentLinkedQueue<String> ended, CountDownLatch all) {
        return answer -> {
            if (answer instanceof Answer.Ended) {
                ended.add(who);
                all.countDown();
            }
            return true;
        };
    }

    @Test
    void aPublisherGivesWhatIsRequestedAndNoMore() throws Exception {
        SqlSession session = world.open(bank);
        AtomicInteger batches = new AtomicInteger();
        AtomicInteger rows = new AtomicInteger();
        CountDownLatch complete = new CountDownLatch(1);
        List<Flow.Subscription> subscriptions = new ArrayList<>();
        new RowPublisher(session, Query.of("SELECT repeat('y', 1000) FROM generate_series(1, 50000)"))
                .subscribe(new Flow.Subscriber<>() {
                    @Override
                    public void onSubscribe(Flow.Subscription subscription) {
                        subscriptions.add(subscription);
                        subscription.request(2);
                    }

                    @Override
                    public void onNext(Rows some) {
                        batches.incrementAndGet();
                        rows.addAndGet(some.count());
                    }

                    @Override
                    public void onError(Throwable failure) {
                        throw new AssertionError(failure);
                    }

                    @Override
                    public void onComplete() {
                        complete.countDown();
                    }
                });
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(state("generate_series(1, 50000)")).containsExactly("Client/ClientWrite"));
        assertThat(batches).hasValue(2);
        subscriptions.getFirst().request(Long.MAX_VALUE);
        assertThat(complete.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(rows).hasValue(50_000);
    }

    @Test
    void callersNeverSeeEachOthersRows() throws Exception {
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int caller = 0; caller < 20; caller++) {
            String mine = "caller-" + caller;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 50; i++) {
                    SqlSession session = world.sql.open(bank, Caller.named(mine));
                    try (session) {
                        @Nullable
                        String seen = run(session, Query.of("SELECT $1::text FROM generate_series(1, 3)", mine))
                                .getFirst()
                                .rows()
                                .get(2)
                                .getFirst();
                        if (!mine.equals(seen)) {
                            wrong.incrementAndGet();
                        }
                    } catch (Exception e) {
                        wrong.incrementAndGet();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).hasValue(0);
    }
}
