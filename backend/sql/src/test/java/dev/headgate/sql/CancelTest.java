package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever cancels, leaves or runs out of time, in whatever state: each round ends once, and the lease comes back. */
class CancelTest {

    /** ReadyForQuery. */
    private static final int READY = 6;

    /** How far the statement is. */
    private enum State {
        /** The only connection is another caller's. */
        WAITING,
        /** The server executes it, and has not answered. */
        SENT,
        /** Some rows have come, and there are more. */
        ROWS,
        /** All rows have come, and the end of the round has not. */
        AFTER_ROWS
    }

    /** What ends it. */
    private enum Way {
        CANCEL,
        CLOSE,
        END,
        DEADLINE
    }

    private static final Duration DEADLINE = Duration.ofSeconds(5);

    /** A world with one session, whose statement is in a state. */
    private static final class Scene {
        final VirtualWorld world = new VirtualWorld(1);
        final List<Heard> rounds = new ArrayList<>();
        final SqlSession other;
        final SqlSession session;
        final State state;

        Scene(State state) {
            this.state = state;
            other = world.open();
            session = world.open(Caller.named("test").endingAfter(DEADLINE, SqlFailure.of("57014", "the time is up")));
            if (state == State.WAITING) {
                world.submit(other, "begin");
                world.settle();
            } else {
                world.submit(other, "empty"); // the settings are in place from now on
                world.settle();
                line().slow = true;
            }
            submit(state == State.SENT ? "sleep" : "rows 100 of 1000 for me");
            submit("insert");
            world.settle();
            if (state == State.WAITING) {
                assertThat(world.pool.waiting()).isEqualTo(1);
                return;
            }
            serve();
            if (state == State.ROWS) {
                line().arrive(20_000);
                world.settle();
                assertThat(line().server.isBusy()).isTrue();
                assertThat(rounds.getFirst().unfinished()).isGreaterThan(10_000);
            } else if (state == State.AFTER_ROWS) {
                while (line().server.isBusy()) {
                    line().arrive(1_000);
                    world.settle();
                }
                arriveAllBut(answersOfInsert() + READY);
                assertThat(rounds.getFirst().notes).last().isEqualTo("done SELECT 100");
            }
            assertThat(rounds).noneMatch(Heard::hasEnded);
        }

        void submit(String sql) {
            rounds.add(world.submit(session, sql));
        }

        FakeLine line() {
            return world.pool.line(0);
        }

        /** The server gets all that is on its way. */
        void serve() {
            for (int times = 0; times < 3; times++) {
                line().serve(FakeLine.ROOM);
                world.settle();
            }
        }

        private int answersOfInsert() {
            // ParseComplete, BindComplete, NoData, CommandComplete, ReadyForQuery
            return 5 + 5 + 5 + 5 + "INSERT 0 1".length() + 1 + READY;
        }

        void arriveAllBut(int bytes) {
            for (int left = line().server.unsent();
                    left > bytes;
                    left = line().server.unsent()) {
                line().arrive(left - bytes);
                world.settle();
            }
        }

        void end(Way way) {
            switch (way) {
                case CANCEL -> session.cancel();
                case CLOSE -> session.close();
                case END -> session.end(SqlFailure.of("57014", "it is enough"));
                case DEADLINE -> world.pass(DEADLINE);
            }
            world.settle();
        }

        /** All is on time again: bytes arrive, and so do cancels. */
        void goOn() {
            line().slow = false;
            line().serve(FakeLine.ROOM);
            world.settle();
        }
    }

    private static Stream<Arguments> allStatesAndEnds() {
        return Stream.of(State.values())
                .flatMap(state -> Stream.of(Way.CLOSE, Way.END, Way.DEADLINE).map(way -> Arguments.of(state, way)));
    }

    @ParameterizedTest
    @MethodSource("allStatesAndEnds")
    void whatIsLeftFailsAtOnceAndTheLeaseComesBack(State state, Way way) {
        Scene scene = new Scene(state);
        scene.end(way);
        assertThat(scene.rounds)
                .allSatisfy(heard -> assertThat(heard.notes)
                        .containsOnlyOnce("ended")
                        .containsOnlyOnce(way == Way.CLOSE ? "failed 08006" : "failed 57014")
                        .endsWith("ended"));
        int before = scene.rounds.stream().mapToInt(heard -> heard.taken).sum();
        scene.goOn();
        scene.world.pass(Duration.ofSeconds(1)); // a statement of a caller that leaves has half a second
        if (state == State.WAITING) {
            assertThat(scene.world.pool.waiting()).isZero();
            scene.world.submit(scene.other, "commit");
            scene.world.settle();
        }
        assertThat(scene.world.pool.inUse()).isZero();
        assertThat(scene.world.pool.discarded()).isZero();
        assertThat(scene.session.ended().toCompletableFuture()).isCompleted();
        assertThat(scene.rounds.stream().mapToInt(heard -> heard.taken).sum())
                .as("nothing comes after the end")
                .isEqualTo(before);
        Heard next = scene.world.submit(scene.other, "rows 1 of 1 for you");
        scene.world.settle();
        assertThat(next.notes).containsExactly("columns 1", "you:0: ", "done SELECT 1", "ended");
        scene.world.endAll();
    }

    /** The server has all of them, and begins the next one when one is cancelled. */
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "END", "DEADLINE"})
    void everyStatementOfACallerThatIsGoneIsCancelled(Way way) {
        Scene scene = new Scene(State.SENT);
        scene.submit("sleep");
        scene.submit("sleep");
        scene.world.settle();
        scene.serve();
        scene.end(way);
        scene.goOn();
        scene.world.pass(Duration.ofSeconds(1));
        assertThat(scene.world.pool.inUse()).isZero();
        assertThat(scene.world.pool.discarded()).isZero();
        assertThat(scene.session.ended().toCompletableFuture()).isCompleted();
        scene.world.endAll();
    }

    @ParameterizedTest
    @EnumSource
    void aCancelEndsTheStatementAlone(State state) {
        Scene scene = new Scene(state);
        scene.end(Way.CANCEL);
        if (state == State.WAITING) { // the next round waits for the connection
            scene.world.submit(scene.other, "commit");
        }
        scene.goOn();
        List<String> first = scene.rounds.get(0).notes;
        switch (state) {
            case WAITING -> assertThat(first).containsExactly("failed 57014", "ended");
            case SENT -> assertThat(first).containsExactly("columns 0", "failed 57014", "ended");
            case ROWS -> assertThat(first).hasSize(4).startsWith("columns 1").endsWith("failed 57014", "ended");
            case AFTER_ROWS ->
                assertThat(first).hasSize(4).startsWith("columns 1").endsWith("done SELECT 100", "ended");
        }
        assertThat(scene.rounds.get(1).notes).containsExactly("columns 0", "done INSERT 0 1", "ended");
        scene.submit("rows 1 of 1 for me");
        scene.world.settle();
        assertThat(scene.rounds.getLast().notes).containsExactly("columns 1", "me:0: ", "done SELECT 1", "ended");
        assertThat(scene.world.pool.inUse()).isZero();
        assertThat(scene.world.pool.discarded()).isZero();
        scene.world.endAll();
    }

    @ParameterizedTest
    @EnumSource(names = {"SENT", "ROWS", "AFTER_ROWS"})
    void aConnectionIsKeptUntilTheCancelHasArrived(State state) {
        Scene scene = new Scene(state);
        scene.world.worksByHand = true;
        scene.session.cancel();
        scene.world.settle();
        assertThat(scene.world.hasWork()).isTrue();
        scene.goOn();
        scene.line().server.wake();
        scene.world.settle();
        assertThat(scene.rounds).allMatch(Heard::hasEnded).noneMatch(heard -> heard.notes.contains("failed 57014"));
        Heard other = scene.world.submit(scene.other, "sleep");
        scene.world.settle();
        assertThat(scene.world.pool.inUse()).isEqualTo(1);
        assertThat(scene.world.pool.waiting()).isEqualTo(1);
        scene.world.work(); // it meets nobody
        scene.world.settle();
        assertThat(scene.line().server.isSleeping()).isTrue();
        scene.line().server.wake();
        scene.world.settle();
        assertThat(other.notes).containsExactly("columns 0", "done SLEPT", "ended");
        scene.world.worksByHand = false;
        scene.world.endAll();
    }

    @Test
    void aStatementOfACallerThatLeavesHasHalfASecond() {
        Scene scene = new Scene(State.SENT);
        scene.goOn();
        scene.session.close();
        scene.world.pass(Duration.ofMillis(490));
        assertThat(scene.line().server.isSleeping()).isTrue();
        assertThat(scene.world.pool.inUse()).isEqualTo(1);
        scene.world.pass(Duration.ofMillis(20));
        assertThat(scene.line().server.isSleeping()).isFalse();
        assertThat(scene.world.pool.inUse()).isZero();
        assertThat(scene.world.pool.discarded()).isZero();
        scene.world.endAll();
    }

    /** How long after its end a connection is given up if the server does not answer: the grace, and two seconds after the cancel. */
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "END", "DEADLINE"})
    void aConnectionWhoseServerDoesNotAnswerACancelIsGivenUp(Way way) {
        Scene scene = new Scene(State.SENT);
        scene.line().mute();
        scene.end(way);
        assertThat(scene.rounds).allMatch(Heard::hasEnded);
        Duration givenUp = Duration.ofSeconds(2).plusMillis(way == Way.CLOSE ? 500 : 0);
        scene.world.pass(givenUp.minusMillis(10));
        assertThat(scene.world.pool.inUse()).isEqualTo(1);
        scene.world.pass(Duration.ofMillis(20));
        assertThat(scene.world.pool.inUse()).isZero();
        assertThat(scene.world.pool.discarded()).isEqualTo(1);
        scene.world.endAll();
    }

    @Test
    void aLongStatementThatWaitsForALeaseLeavesNothing() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession owner = world.open();
        world.submit(owner, "begin");
        world.settle();
        SqlSession session = world.open();
        Heard heard = world.submit(session, "insert " + "x".repeat(1_000_000));
        world.settle();
        assertThat(world.memory.reserved()).isGreaterThan(1_000_000);
        assertThat(session.buffered()).isGreaterThan(1_000_000);
        session.close();
        world.settle();
        assertThat(heard.notes).containsExactly("failed 08006", "ended");
        assertThat(world.memory.reserved()).isZero();
        assertThat(session.buffered()).isZero();
        world.endAll();
    }

    @Test
    void aDeadlineCountsFromTheFirstUse() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session =
                world.open(Caller.named("test").endingAfter(DEADLINE, SqlFailure.of("57014", "the time is up")));
        world.pass(Duration.ofSeconds(20));
        Heard heard = world.submit(session, "sleep");
        world.pass(DEADLINE.minusMillis(10));
        assertThat(heard.hasEnded()).isFalse();
        world.pass(Duration.ofMillis(20));
        assertThat(heard.notes).containsExactly("columns 0", "failed 57014", "ended");
        world.settle();
        assertThat(world.pool.inUse()).isZero();
        world.endAll();
    }

    @Test
    void aSubscriberThatCancelsGivesTheLeaseBack() {
        VirtualWorld world = new VirtualWorld(1);
        world.submit(world.open(), "insert");
        world.settle();
        FakeLine line = world.pool.line(0);
        line.slow = true;
        Taker taker = new Taker();
        new RowPublisher(world.open(), Query.of("rows 100000 of 100")).subscribe(taker);
        world.settle();
        line.serve(FakeLine.ROOM);
        line.arrive(5_000);
        world.settle();
        taker.request(1);
        taker.cancel();
        taker.request(1);
        world.pass(Duration.ofMillis(600));
        line.slow = false;
        world.settle();
        assertThat(taker.items).isLessThanOrEqualTo(1);
        assertThat(taker.isOver()).isFalse();
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isZero();
        world.endAll();
    }
}
