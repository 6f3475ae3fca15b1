package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong in the middle of a pipeline, at the server or on the way: who hears of it, and what becomes of the connection. */
class FailuresTest {

    private static final List<String> INSERTED = List.of("columns 0", "done INSERT 0 1", "ended");
    private static final List<String> DIVIDED = List.of("columns 0", "failed 22012", "ended");
    private static final List<String> ABORTED = List.of("failed 25P02", "ended");

    private static List<Heard> submit(VirtualWorld world, SqlSession session, String... texts) {
        List<Heard> rounds = new ArrayList<>();
        for (String text : texts) {
            rounds.add(world.submit(session, text));
        }
        return rounds;
    }

    private static List<List<String>> notes(List<Heard> rounds) {
        return rounds.stream().map(heard -> heard.notes).toList();
    }

    // ---- errors of statements

    @Test
    void anErrorEndsItsRoundAndNoOther() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        Heard first = world.submit(session, Query.of("insert"), Query.of("rows 2 of 1 for a"));
        Heard failing = world.submit(session, Query.of("insert"), Query.of("fail"), Query.of("insert"));
        Heard last = world.submit(session, "insert");
        world.settle();
        assertThat(first.notes)
                .containsExactly("columns 0", "done INSERT 0 1", "columns 1", "a:0: a:1: ", "done SELECT 2", "ended");
        assertThat(failing.notes).containsExactly("columns 0", "done INSERT 0 1", "columns 0", "failed 22012", "ended");
        assertThat(last.notes).isEqualTo(INSERTED);
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isZero();
        world.endAll();
    }

    @Test
    void anErrorInATransactionFailsWhatComesUntilItsEnd() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        List<Heard> rounds = submit(world, session, "begin", "insert", "fail", "insert", "rows 3 of 1");
        world.settle();
        assertThat(notes(rounds).subList(1, 5)).containsExactly(INSERTED, DIVIDED, ABORTED, ABORTED);
        assertThat(rounds).extracting(heard -> heard.transaction).containsExactly('T', 'T', 'E', 'E', 'E');
        assertThat(world.pool.inUse()).isEqualTo(1);
        List<Heard> after = submit(world, session, "rollback", "insert");
        world.settle();
        assertThat(after).extracting(heard -> heard.transaction).containsExactly('I', 'I');
        assertThat(after.getLast().notes).isEqualTo(INSERTED);
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isZero();
        world.endAll();
    }

    @Test
    void aTransactionWithinOneRoundEndsWithItsError() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        Heard round = world.submit(session, Query.of("begin"), Query.of("fail"), Query.of("commit"));
        Heard next = world.submit(session, "insert");
        Heard commit = world.submit(session, "commit");
        world.settle();
        assertThat(round.notes).containsExactly("columns 0", "done BEGIN", "columns 0", "failed 22012", "ended");
        assertThat(next.notes).isEqualTo(ABORTED);
        assertThat(commit.notes).containsExactly("columns 0", "done ROLLBACK", "ended");
        assertThat(world.pool.inUse()).isZero();
        world.endAll();
    }

    @ParameterizedTest
    @ValueSource(strings = {"insert", "fail"})
    void aTransactionOfACallerThatLeavesIsRolledBack(String last) {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        submit(world, session, "begin", last);
        world.settle();
        session.close();
        world.settle();
        assertThat(world.pool.line(0).server.executed()).contains("ROLLBACK").doesNotContain("commit");
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isZero();
        world.endAll();
    }

    @Test
    void aTransactionInWhichNothingComesEndsAfterTheSilence() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(Caller.named("test").withSilence(Duration.ofSeconds(30)));
        submit(world, session, "begin");
        world.pass(Duration.ofMillis(29_900));
        assertThat(world.pool.inUse()).isEqualTo(1);
        world.pass(Duration.ofMillis(200));
        assertThat(world.pool.line(0).server.executed()).contains("ROLLBACK").doesNotContain("commit");
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isZero();
        Heard late = world.submit(session, "insert");
        world.settle();
        assertThat(late.notes).containsExactly("failed 25P03", "ended");
        world.endAll();
    }

    @Test
    void aStatementMayTakeLongerThanTheSilence() {
        VirtualWorld world = new VirtualWorld(1);
        Heard heard = world.submit(world.open(Caller.named("test").withSilence(Duration.ofSeconds(30))), "sleep");
        world.pass(Duration.ofMinutes(10));
        world.pool.line(0).server.wake();
        world.settle();
        assertThat(heard.notes).containsExactly("columns 0", "done SLEPT", "ended");
        world.endAll();
    }

    @Test
    void aCopyEndsTheSessionAndTheConnectionServesOthers() {
        VirtualWorld world = new VirtualWorld(1);
        List<Heard> rounds = submit(world, world.open(), "insert", "copy", "insert");
        world.pass(Duration.ofSeconds(3));
        assertThat(notes(rounds))
                .containsExactly(
                        INSERTED, List.of("columns 0", "failed 0A000", "ended"), List.of("failed 0A000", "ended"));
        assertThat(world.pool.inUse()).isZero();
        Heard next = world.submit(world.open(), "insert");
        world.settle();
        assertThat(next.notes).isEqualTo(INSERTED);
        world.endAll();
    }

    // ---- the pool and the settings

    @Test
    void aRoundWithoutALeaseFailsAndTheSessionGoesOn() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession owner = world.open();
        submit(world, owner, "begin");
        world.settle();
        SqlSession session = world.open();
        List<SqlFailure> failures = new ArrayList<>();
        session.submit(List.of(Query.of("insert")), answer -> {
            if (answer instanceof Answer.Failed failed) {
                failures.add(failed.why());
            }
            return true;
        });
        world.pass(Duration.ofMillis(9_900));
        assertThat(failures).isEmpty();
        world.pass(Duration.ofMillis(200));
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.sqlState()).isEqualTo("53300");
            assertThat(failure.refusal()).isPresent();
        });
        submit(world, owner, "commit");
        Heard next = world.submit(session, "insert");
        world.settle();
        assertThat(next.notes).isEqualTo(INSERTED);
        world.endAll();
    }

    @Test
    void aSettingThatTheServerRefusesFailsTheRoundAndLeavesNothing() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open(Caller.named("test").with(Map.of("work_mem", "refused")));
        List<Heard> rounds = submit(world, session, "insert", "insert");
        world.settle();
        assertThat(notes(rounds)).containsOnly(List.of("failed 22023", "ended"));
        assertThat(world.pool.inUse()).isZero();
        Heard other = world.submit(world.open(), "insert");
        world.settle();
        assertThat(other.notes).isEqualTo(INSERTED);
        world.endAll();
    }

    @Test
    void aConnectionThatDoesNotAnswerBeforeTheFirstStatementIsReplaced() {
        VirtualWorld world = new VirtualWorld(1);
        world.pool.line(0).mute();
        Heard heard = world.submit(world.open(), "insert");
        world.pass(Duration.ofMillis(9_900));
        assertThat(heard.notes).isEmpty();
        world.pass(Duration.ofMillis(200));
        assertThat(heard.notes).isEqualTo(INSERTED);
        assertThat(heard.connection).isEqualTo("fake-2");
        assertThat(world.pool.discarded()).isEqualTo(1);
        world.endAll();
    }

    // ---- the server and the network

    @Test
    void aServerThatEndsTheSessionIsHeardByAllThatIsLeft() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        List<Heard> rounds = submit(world, session, "insert", "die", "insert");
        world.settle();
        assertThat(notes(rounds))
                .containsExactly(
                        INSERTED, List.of("columns 0", "failed 57P01", "ended"), List.of("failed 57P01", "ended"));
        Heard late = world.submit(session, "insert");
        world.settle();
        assertThat(late.notes).containsExactly("failed 57P01", "ended");
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isEqualTo(1);
        world.endAll();
    }

    @Test
    void aServerThatNeverAnswersIsLeftAtTheDeadline() {
        VirtualWorld world = new VirtualWorld(1);
        world.submit(world.open(), "insert");
        world.settle();
        world.pool.line(0).mute();
        SqlSession session = world.open(
                Caller.named("test").endingAfter(Duration.ofSeconds(5), SqlFailure.of("57014", "the time is up")));
        List<Heard> rounds = submit(world, session, "insert", "insert");
        world.pass(Duration.ofMillis(4_990));
        assertThat(rounds).noneMatch(Heard::hasEnded);
        world.pass(Duration.ofMillis(20));
        assertThat(notes(rounds)).containsOnly(List.of("failed 57014", "ended"));
        world.pass(Duration.ofSeconds(2));
        assertThat(world.pool.inUse()).isZero();
        assertThat(world.pool.discarded()).isEqualTo(1);
        world.endAll();
    }

    @Test
    void aConnectionThatBreaksInTheMiddleFailsWhatIsLeft() {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = world.open();
        List<Heard> rounds = submit(world, session, "insert", "sleep", "insert");
        world.settle();
        world.pool.line(0).reset();
        world.settle();
        assertThat(notes(rounds))
                .containsExactly(
                        INSERTED, List.of("columns 0", "failed 08006", "ended"), List.of("failed 08006", "ended"));
        assertThat(world.pool.discarded()).isEqualTo(1);
        world.endAll();
    }

    // ---- Headgate and its callers

    @Test
    void aListenerThatThrowsEndsItsSession() {
        VirtualWorld world = new VirtualWorld(1);
        world.mayFail = true;
        List<Answer> answers = new ArrayList<>();
        SqlSession session = world.open();
        session.submit(List.of(Query.of("sleep")), new AnswerListener() {
            @Override
            public boolean take(Answer answer) {
                return answers.add(answer);
            }

            @Override
            public void awaited() {
                throw new IllegalStateException("of a test");
            }
        });
        world.pass(Duration.ofMillis(300));
        assertThat(world.failures).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(answers).last().isInstanceOf(Answer.Ended.class);
        assertThat(world.pool.discarded()).isEqualTo(1);
        world.assertNothingIsLeft();
    }

    // ---- at every byte

    private static final String[] PIPELINE = {
        "insert", "rows 3 of 20 for a", "fail", "begin", "rows 2 of 5 for b", "commit"
    };

    /** A session whose settings are in place, so that the bytes that come are those of its statements. */
    private static SqlSession warm(VirtualWorld world) {
        SqlSession session = world.open();
        world.submit(session, "empty");
        world.settle();
        return session;
    }

    /** What the pipeline is answered, and how many bytes that is. */
    private static List<List<String>> whole(long[] bytes) {
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = warm(world);
        long before = world.pool.line(0).read();
        List<Heard> rounds = submit(world, session, PIPELINE);
        world.settle();
        bytes[0] = world.pool.line(0).read() - before;
        assertThat(rounds).allMatch(Heard::hasEnded);
        world.endAll();
        return notes(rounds);
    }

    @Test
    void answersThatAreSplitAtAnyByteAreTheSame() {
        long[] bytes = {0};
        List<List<String>> whole = whole(bytes);
        assertThat(bytes[0]).isGreaterThan(200);
        for (int split = 1; split < bytes[0]; split++) {
            VirtualWorld world = new VirtualWorld(1);
            SqlSession session = warm(world);
            FakeLine line = world.pool.line(0);
            line.slow = true;
            List<Heard> rounds = submit(world, session, PIPELINE);
            world.settle();
            line.serve(FakeLine.ROOM);
            line.arrive(split);
            world.settle();
            line.arrive(Integer.MAX_VALUE / 2);
            world.settle();
            assertThat(notes(rounds)).as("split at byte %s", split).isEqualTo(whole);
            assertThat(world.pool.inUse()).isZero();
            line.slow = false;
            world.endAll();
        }
    }

    @Test
    void answersByteForByteAreTheSame() {
        List<List<String>> whole = whole(new long[1]);
        VirtualWorld world = new VirtualWorld(1);
        SqlSession session = warm(world);
        world.pool.line(0).mostAtOnce = 1; // reads and writes
        List<Heard> rounds = submit(world, session, PIPELINE);
        world.settle();
        assertThat(notes(rounds)).isEqualTo(whole);
        assertThat(world.pool.inUse()).isZero();
        world.endAll();
    }

    @Test
    void aServerThatClosesAtAnyByteFailsWhatIsLeftAndNothingElse() {
        long[] bytes = {0};
        List<List<String>> whole = whole(bytes);
        for (int end = 0; end < bytes[0]; end++) {
            VirtualWorld world = new VirtualWorld(1);
            SqlSession session = warm(world);
            world.pool.line(0).endAfter(end);
            List<Heard> rounds = submit(world, session, PIPELINE);
            world.settle();
            boolean failed = false;
            for (int i = 0; i < rounds.size(); i++) {
                List<String> notes = rounds.get(i).notes;
                if (!failed && notes.equals(whole.get(i))) {
                    continue;
                }
                failed = true; // whatever comes after it fails, too
                assertThat(notes).as("ended at byte %s, round %s", end, i).endsWith("failed 08006", "ended");
                assertThat(notes).containsOnlyOnce("ended");
                assertBegins(notes.subList(0, notes.size() - 2), whole.get(i));
            }
            assertThat(failed).as("ended at byte %s", end).isTrue();
            assertThat(world.pool.inUse()).isZero();
            assertThat(world.pool.discarded()).isEqualTo(1);
            world.endAll();
        }
    }

    private static void assertBegins(List<String> notes, List<String> whole) {
        for (int i = 0; i < notes.size(); i++) {
            assertThat(whole.get(i)).startsWith(notes.get(i));
        }
    }
}
