package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In which order rounds are executed and answered: of one caller and of several, on one connection and on several. */
class OrdersTest {

    private static final int MANY = 100;

    private static Caller caller(Caller.Order order) {
        return Caller.named("test").with(order);
    }

    /** Submits numbered rounds. */
    private static List<Heard> submit(VirtualWorld world, SqlSession session, String name, int count) {
        List<Heard> rounds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rounds.add(world.submit(session, "rows 1 of 1 for " + name + i));
        }
        return rounds;
    }

    /** The letters of the callers whose statements a server executed, in the order of execution. */
    private static String callers(FakeServer server) {
        StringBuilder letters = new StringBuilder();
        for (String text : server.executed()) {
            if (text.startsWith("rows ")) {
                letters.append(text.charAt(text.lastIndexOf(' ') + 1));
            }
        }
        return letters.toString();
    }

    private static void assertAnswered(List<Heard> rounds, String name) {
        for (int i = 0; i < rounds.size(); i++) {
            assertThat(rounds.get(i).notes).containsExactly("columns 1", name + i + ":0: ", "done SELECT 1", "ended");
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachRoundHearsItsOwnAnswer(Caller.Order order) {
        VirtualWorld world = new VirtualWorld(1);
        List<Heard> rounds = submit(world, world.open(caller(order)), "a", MANY);
        world.settle();
        assertAnswered(rounds, "a");
        assertThat(world.pool.inUse()).isZero();
        world.endAll();
    }

    @Test
    void fairCallersTakeTurns() {
        VirtualWorld world = new VirtualWorld(1);
        List<Heard> first = submit(world, world.open(caller(Caller.Order.FAIR)), "a", MANY);
        List<Heard> second = submit(world, world.open(caller(Caller.Order.FAIR)), "b", MANY);
        world.settle();
        String turn = "a".repeat(Dialogue.TURN) + "b".repeat(Dialogue.TURN);
        String rest = "a".repeat(MANY % Dialogue.TURN) + "b".repeat(MANY % Dialogue.TURN);
        assertThat(callers(world.pool.line(0).server)).isEqualTo(turn.repeat(MANY / Dialogue.TURN) + rest);
        assertAnswered(first, "a");
        assertAnswered(second, "b");
        world.endAll();
    }

    @Test
    void aCallerThatFinishesFirstKeepsItsConnection() {
        VirtualWorld world = new VirtualWorld(1);
        List<Heard> first = submit(world, world.open(caller(Caller.Order.FINISH_FIRST)), "a", MANY);
        List<Heard> second = submit(world, world.open(caller(Caller.Order.FAIR)), "b", MANY);
        world.settle();
        assertThat(callers(world.pool.line(0).server)).isEqualTo("a".repeat(MANY) + "b".repeat(MANY));
        assertAnswered(first, "a");
        assertAnswered(second, "b");
        world.endAll();
    }

    @Test
    void aFairCallerSendsNoMoreThanItsTurn() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(caller(Caller.Order.FAIR));
        Heard slow = world.submit(session, "sleep");
        submit(world, session, "a", MANY);
        world.pass(Duration.ofSeconds(1));
        FakeServer server = world.pool.line(0).server;
        assertThat(server.isSleeping()).isTrue();
        server.wake();
        for (int turns = 0; server.syncs() < Dialogue.TURN; turns++) { // no further turn has begun by then
            assertThat(turns).isLessThan(10);
            world.turn();
        }
        assertThat(server.syncs()).isEqualTo(Dialogue.TURN);
        world.settle();
        assertThat(server.syncs()).isEqualTo(MANY + 1);
        assertThat(slow.notes).containsExactly("columns 0", "done SLEPT", "ended");
        world.endAll();
    }

    @Test
    void aCallerWithoutOrderSendsAllBehindASlowStatement() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(caller(Caller.Order.FINISH_FIRST));
        world.submit(session, "sleep");
        List<Heard> rounds = submit(world, session, "a", MANY);
        world.settle();
        assertThat(rounds).allMatch(heard -> heard.notes.isEmpty());
        assertThat(world.pool.line(0).server.unread()).isGreaterThan(FakeLine.ROOM / 2);
        world.pool.line(0).server.wake();
        world.settle();
        assertAnswered(rounds, "a");
        world.endAll();
    }

    @Test
    void callersOnSeveralConnectionsDoNotWaitForEachOther() {
        VirtualWorld world = new VirtualWorld(2);
        SqlSession slow = world.open();
        Heard sleeps = world.submit(slow, "sleep");
        List<Heard> behind = submit(world, slow, "a", 3);
        world.settle();
        List<Heard> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.addAll(submit(world, world.open(), "b", MANY));
        }
        world.settle();
        assertThat(others).hasSize(5 * MANY).allMatch(Heard::hasEnded);
        assertThat(sleeps.hasEnded()).isFalse();
        assertThat(world.pool.inUse()).isEqualTo(1);
        FakeLine held = world.pool.lines().stream()
                .filter(world.pool::isLeased)
                .findFirst()
                .orElseThrow();
        held.server.wake();
        world.settle();
        assertAnswered(behind, "a");
        world.endAll();
    }

    @Test
    void waitersGetConnectionsInTheOrderOfTheirArrival() {
        VirtualWorld world = new VirtualWorld(1);
        Heard first = world.submit(world.open(), "sleep");
        world.settle();
        String names = "bcdefgh";
        List<Heard> others = IntStream.range(0, names.length())
                .mapToObj(i -> world.submit(world.open(), "rows 1 of 1 for " + names.charAt(i)))
                .toList();
        world.settle();
        assertThat(world.pool.waiting()).isEqualTo(names.length());
        world.pool.line(0).server.wake();
        world.settle();
        assertThat(callers(world.pool.line(0).server)).isEqualTo(names);
        assertThat(others).allMatch(Heard::hasEnded);
        assertThat(first.hasEnded()).isTrue();
        world.endAll();
    }

    @Test
    void aTransactionKeepsItsConnectionWhileOthersWait() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession owner = world.open();
        Heard begin = world.submit(owner, "begin");
        world.settle();
        assertThat(begin.transaction).isEqualTo('T');
        Heard other = world.submit(world.open(), "rows 1 of 1 for b");
        world.submit(owner, "rows 1 of 1 for a");
        world.pass(Duration.ofSeconds(1));
        assertThat(other.notes).isEmpty();
        assertThat(world.pool.inUse()).isEqualTo(1);
        Heard commit = world.submit(owner, "commit");
        world.settle();
        assertThat(commit.transaction).isEqualTo('I');
        assertThat(other.hasEnded()).isTrue();
        assertThat(callers(world.pool.line(0).server)).isEqualTo("ab");
        world.endAll();
    }

    @Test
    void theLastRoundsOfASessionAreAnsweredBeforeItEnds() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        Heard heard = new Heard();
        session.submitLast(
                List.of(List.of(Query.of("rows 1 of 1 for a")), List.of(Query.of("rows 1 of 1 for b"))), heard);
        world.settle();
        assertThat(heard.notes)
                .containsExactly(
                        "columns 1", "a:0: ", "done SELECT 1", "ended", "columns 1", "b:0: ", "done SELECT 1", "ended");
        world.assertNothingIsLeft();
    }

    @Test
    void aSessionWithoutLastRoundsEndsAtOnce() {
        VirtualWorld world = new VirtualWorld(1);
        Heard heard = new Heard();
        world.open().submitLast(List.of(), heard);
        world.settle();
        assertThat(heard.taken).isZero();
        world.assertNothingIsLeft();
    }

    @Test
    void aListenerIsToldFourTimesASecondThatItsAnswerIsStillToCome() {
        VirtualWorld world = new VirtualWorld(1);
        Heard heard = world.submit(world.open(), "sleep");
        world.pass(Duration.ofMillis(10_010));
        assertThat(heard.awaited).isEqualTo(10 * SqlSession.LOOKS_PER_SECOND);
        world.pool.line(0).server.wake();
        world.endAll();
    }

    @Test
    void aListenerOfManyRoundsIsToldOnceAMillisecondThatTheyHaveArrived() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(caller(Caller.Order.FINISH_FIRST));
        Heard heard = new Heard();
        FakeLine line = world.pool.line(0);
        for (int i = 0; i < MANY; i++) {
            session.submit(List.of(Query.of("insert")), heard);
        }
        line.mostAtOnce = 100; // each turn reads some of the answers
        int turns = 0;
        for (; line.server.syncs() == 0 || line.server.hasAnswers(); turns++) {
            world.turn();
            world.time.advance(100_000);
        }
        world.settle();
        assertThat(turns).isGreaterThan(30);
        assertThat(heard.taken).isEqualTo(3 * MANY);
        assertThat(heard.arrivals).isBetween(2, turns / 10 + 2);
        world.endAll();
    }
}
