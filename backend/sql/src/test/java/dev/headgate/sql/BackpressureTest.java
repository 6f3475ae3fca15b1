package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Who takes few rows stops the reads from the server, and nothing beyond a bound waits in between. */
class BackpressureTest {

    /** 100,000 rows of 100 bytes: far more than all buffers. */
    private static final String MANY = "rows 100000 of 100 for me";

    /** A message with such a row. */
    private static final int MESSAGE = 111;

    private static final int BATCH = 16 * 1024;

    /**
     * The bytes that are read from the server and not taken: what waits for the session (16 KB, and one read more), what it decodes,
     * and two items of rows.
     */
    private static final int BOUND = 5 * BATCH;

    private static final Caller PATIENT = Caller.named("test").withSilence(Duration.ZERO);

    private static Taker subscribe(SqlSession session, String sql) {
        Taker taker = new Taker();
        new RowPublisher(session, Query.of(sql)).subscribe(taker);
        return taker;
    }

    @Test
    void aSubscriberThatRequestsNothingStopsTheReads() {
        VirtualWorld world = new VirtualWorld(1);
        Taker taker = subscribe(world.open(PATIENT), MANY);
        world.settle();
        FakeLine line = world.pool.line(0);
        long read = line.read();
        assertThat(read).isBetween(1L, (long) BOUND);
        assertThat(line.server.isBusy()).isTrue();
        world.pass(Duration.ofHours(1));
        assertThat(line.read()).isEqualTo(read);
        assertThat(taker.items).isZero();
        taker.request(Long.MAX_VALUE);
        world.settle();
        assertThat(taker.completed).isTrue();
        assertThat(taker.count).isEqualTo(100_000);
        assertThat(world.pool.inUse()).isZero();
        world.endAll();
    }

    @Test
    void whatIsReadFollowsWhatIsRequested() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT);
        Taker taker = subscribe(session, MANY);
        FakeLine line = world.pool.line(0);
        for (int i = 1; i <= 300; i++) {
            taker.request(1);
            world.settle();
            assertThat(taker.items).isEqualTo(i);
            assertThat(line.read() - (long) taker.count * MESSAGE).isLessThanOrEqualTo(BOUND);
            assertThat(session.buffered()).isLessThanOrEqualTo(3 * BATCH);
        }
        assertThat(taker.completed).isFalse();
        taker.cancel();
        world.endAll();
    }

    @Test
    void theBoundHoldsWhateverThePiecesAreThatArrive() {
        for (int most = 1; most < 3 * BATCH; most += 1 + most * 2) {
            VirtualWorld world = new VirtualWorld(1);
            SqlSession session = world.open(PATIENT);
            FakeLine line = world.pool.line(0);
            line.mostAtOnce = most;
            Taker taker = subscribe(session, MANY);
            for (int i = 0; i < 20; i++) {
                taker.request(1);
                world.settle();
                assertThat(line.read() - (long) taker.count * MESSAGE)
                        .as("pieces of " + most)
                        .isLessThanOrEqualTo(BOUND);
            }
            line.mostAtOnce = Integer.MAX_VALUE;
            taker.cancel();
            world.endAll();
        }
    }

    @Test
    void aListenerThatRefusesGetsNoMoreThanWhatHadArrived() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT);
        Heard heard = new Heard(List.of(Query.of(MANY)), () -> true);
        session.submit(heard.round, heard);
        for (int times = 0; !heard.hasEnded(); times++) {
            world.settle();
            assertThat(heard.sinceRefused).isLessThanOrEqualTo(1);
            heard.sinceRefused = 0;
            heard.refuses = false;
            assertThat(times).isLessThan(2_000);
            session.resume();
        }
        assertThat(heard.notes).last().isEqualTo("ended");
        world.endAll();
    }

    @Test
    void aQueueHoldsNoMoreThanItMay() throws InterruptedException {
        VirtualWorld world = new VirtualWorld(2);
        AnswerQueue queue = new AnswerQueue(4 * BATCH);
        for (int i = 0; i < 2; i++) {
            SqlSession session = world.open(PATIENT);
            session.submit(List.of(Query.of(MANY)), queue.from(session));
        }
        int[] rows = new int[2];
        for (int ended = 0; ended < 2; ) {
            world.settle();
            assertThat(queue.hasNext()).isTrue();
            AnswerQueue.Arrival next = queue.next();
            if (next.answer() instanceof Answer.Some some) {
                rows[next.source()] += some.rows().count();
            }
            ended += next.answer() instanceof Answer.Ended ? 1 : 0;
            for (FakeLine line : world.pool.lines()) { // of either session, whichever line it has
                long most = (long) Math.max(rows[0], rows[1]) * MESSAGE + 4 * BATCH + BOUND;
                assertThat(line.read()).isLessThanOrEqualTo(most);
            }
        }
        assertThat(rows).containsExactly(100_000, 100_000);
        world.endAll();
    }

    @Test
    void aPausedSessionDoesNotStopTheOthersOfItsLoop() {
        VirtualWorld world = new VirtualWorld(2);
        Taker paused = subscribe(world.open(PATIENT), MANY);
        world.settle();
        SqlSession other = world.open(PATIENT);
        for (int i = 0; i < 20; i++) {
            Heard heard = world.submit(other, "rows 1000 of 100");
            world.settle();
            assertThat(heard.hasEnded()).isTrue();
        }
        paused.request(1);
        world.settle();
        assertThat(paused.items).isEqualTo(1);
        paused.cancel();
        world.endAll();
    }

    @Test
    void aCallerThatReadsNothingLosesItsConnectionInTheEnd() {
        VirtualWorld world = new VirtualWorld(1);
        Taker taker = subscribe(world.open(Caller.named("test").withSilence(Duration.ofSeconds(5))), MANY);
        world.pass(Duration.ofMillis(4_900));
        assertThat(world.pool.inUse()).isEqualTo(1);
        world.pass(Duration.ofMillis(200));
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isZero();
        taker.request(Long.MAX_VALUE);
        world.settle();
        assertThat(taker.failure).isInstanceOf(SqlFailure.class);
        world.endAll();
    }

    @Test
    void aServerThatReadsNothingStopsTheWrites() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT.with(Caller.Order.FINISH_FIRST));
        world.submit(session, "sleep");
        List<Heard> rounds = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            rounds.add(world.submit(session, Query.of("insert", "x".repeat(1_000))));
        }
        world.settle();
        FakeLine line = world.pool.line(0);
        assertThat(line.server.unread()).isLessThanOrEqualTo(FakeLine.ROOM);
        assertThat(session.buffered()).isLessThanOrEqualTo(3 * BATCH);
        line.server.wake();
        world.settle();
        assertThat(rounds).allMatch(Heard::hasEnded);
        world.endAll();
    }

    @Test
    void noMoreRoundsWaitThanMay() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT.withMostWaiting(50));
        List<Heard> rounds = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            rounds.add(world.submit(session, "insert"));
        }
        assertThatThrownBy(() -> world.submit(session, "insert")).isInstanceOf(RejectedExecutionException.class);
        world.settle();
        assertThat(rounds).allMatch(Heard::hasEnded);
        for (int i = 0; i < 50; i++) {
            rounds.add(world.submit(session, "insert"));
        }
        world.settle();
        assertThat(rounds).allMatch(Heard::hasEnded);
        world.endAll();
    }

    @Test
    void aSubscriberThatFindsTheQueueFullIsTold() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT.withMostWaiting(1));
        Heard before = world.submit(session, "insert");
        Taker taker = subscribe(session, MANY);
        assertThat(taker.failure).isInstanceOf(RejectedExecutionException.class);
        world.settle();
        assertThat(before.hasEnded()).isTrue();
        assertThat(taker.items).isZero();
        world.endAll();
    }

    @Test
    void aResultThatFindsTheQueueFullFails() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT.withMostWaiting(1));
        Heard before = world.submit(session, "insert");
        assertThat(Result.of(session, List.of(Query.of("insert")), 1_000).toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(RejectedExecutionException.class);
        world.settle();
        assertThat(before.hasEnded()).isTrue();
        world.endAll();
    }

    @Test
    void whoeverMayBlockWaitsWhileTheQueueIsFull() throws InterruptedException {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT.withMostWaiting(1));
        Heard first = world.submit(session, "insert");
        Heard second = new Heard(Query.of("insert"));
        Heard third = new Heard(Query.of("insert"));
        Thread waiting = submitting(session, second);
        Thread interrupted = submitting(session, third);
        interrupted.interrupt();
        interrupted.join();
        assertThat(waiting.getState()).isEqualTo(Thread.State.WAITING);
        world.settle(); // sends the first, so that there is room
        waiting.join();
        world.settle();
        assertThat(first.hasEnded()).isTrue();
        assertThat(second.hasEnded()).isTrue();
        assertThat(third.notes).isEmpty();
        world.endAll();
    }

    /** A thread that waits to submit a round. */
    private static Thread submitting(SqlSession session, Heard heard) {
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                session.submitWhenPossible(heard.round, heard);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Awaitility.await().until(() -> thread.getState() == Thread.State.WAITING);
        return thread;
    }

    @Test
    void aLongRowReservesItsMemoryWhileItArrives() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT);
        world.submit(session, "insert");
        world.settle();
        FakeLine line = world.pool.line(0);
        line.slow = true;
        Heard heard = world.submit(session, "rows 2 of 1000000");
        for (int i = 0; i < 10; i++) { // Parse, Bind and so on, and half of the row
            world.settle();
            line.serve(FakeLine.ROOM);
            line.arrive(50_000);
        }
        world.settle();
        assertThat(world.reservedForRows()).isBetween(2_000_000L, 2_000_100L);
        while (!heard.hasEnded()) {
            line.arrive(50_000);
            world.settle();
        }
        assertThat(heard.notes).hasSize(4).last().isEqualTo("ended");
        assertThat(world.memory.reserved()).isZero();
        world.endAll();
    }

    /** Its thread writes it to a caller that reads slowly. */
    @Test
    void aLongRowKeepsItsMemoryUntilItsListenerIsDone() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(PATIENT);
        Heard heard = new Heard(List.of(Query.of("rows 3 of 1000000")), () -> true);
        session.submit(heard.round, heard);
        world.settle();
        assertThat(heard.taken).isEqualTo(2); // the columns and the first row
        assertThat(world.reservedForRows()).isBetween(2_000_000L, 2_000_100L);
        heard.refuses = false;
        session.resume();
        world.settle();
        assertThat(heard.taken).isEqualTo(3);
        assertThat(world.reservedForRows()).isBetween(2_000_000L, 2_000_100L);
        session.end(SqlFailure.of("57014", "the time is up"));
        world.settle();
        assertThat(heard.hasEnded()).isTrue();
        assertThat(world.memory.reserved())
                .as("its thread may still be at the row")
                .isBetween(2_000_000L, 2_000_100L);
        session.close();
        world.settle();
        assertThat(world.memory.reserved()).isZero();
        world.endAll();
    }
}
