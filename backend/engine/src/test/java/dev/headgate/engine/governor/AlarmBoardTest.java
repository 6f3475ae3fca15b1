package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.AlarmBoard.Condition;
import dev.headgate.engine.governor.AlarmBoard.Damping;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/** In virtual time: a window of 100 ms after the other. */
class AlarmBoardTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final Words WORDS = Words.been("at cap", "bank", "held at its latency cap", "");

    private AlarmBoard board = AlarmBoard.CLEAR;
    private final List<String> told = new ArrayList<>();

    @Test
    void aBurstThatIsShorterThanThePatienceAlarmsNobody() {
        run(Damping.PATIENT, 0, 600, tenth -> tenth % 100 < 29);
        assertThat(told).isEmpty();
        assertThat(board.conditions()).isEmpty();
    }

    @Test
    void aConditionThatBlinksBetweenWindowsHolds() {
        run(Damping.PATIENT, 0, 100, tenth -> tenth % 5 == 0);
        assertThat(told).containsExactly("raised at 30");
        assertThat(alarm().times()).isEqualTo(1);
    }

    /** Else the state of a pool with few waiters would change ten times a second. */
    @Test
    void anAlarmThatBlinksBetweenWindowsIsNotOverInBetween() {
        run(Damping.PATIENT, 0, 98, tenth -> tenth % 5 == 0);
        assertThat(alarm().clearing()).isEmpty();
        assertThat(alarm().severityNow()).isEqualTo(Severity.WARNING);
    }

    @Test
    void briefMomentsThatAreFarApartDoNotAddUp() {
        run(Damping.PATIENT, 0, 600, tenth -> tenth % 20 == 0);
        assertThat(told).isEmpty();
    }

    /** The load of the issue: held back for a few seconds, every 23 s, over 37 minutes. */
    @Test
    void whatFlapsForHalfAnHourIsOneAlarmWithACount() {
        run(Damping.PATIENT, 0, 22_200, tenth -> tenth % 230 < 60);
        assertThat(told).containsExactly("raised at 30");
        assertThat(alarm().since()).isEqualTo(NOON);
        assertThat(alarm().times()).isEqualTo(97);

        run(Damping.PATIENT, 22_200, 22_600, tenth -> false);
        assertThat(told).containsExactly("raised at 30", "ended at 22439 after 22139, 97 times");
        assertThat(board.raised()).isEmpty();
    }

    @Test
    void anAlarmSaysThatItsConditionIsGone() {
        run(Damping.PROMPT, 0, 20, tenth -> true);
        assertThat(alarm().clearing()).isEmpty();
        run(Damping.PROMPT, 20, 100, tenth -> false);
        assertThat(alarm().clearing()).contains(at(19));
        run(Damping.PROMPT, 100, 101, tenth -> true);
        assertThat(alarm().clearing()).isEmpty();
        assertThat(alarm().times()).isEqualTo(2);
    }

    @Test
    void aCriticalAlarmIsRaisedAtOnceAndEndsAfterTenSecondsOfQuiet() {
        run(Damping.PROMPT, 0, 300, tenth -> tenth < 10 || tenth == 100);
        assertThat(told).containsExactly("raised at 0", "ended at 200 after 100, 2 times");
    }

    @Test
    void whatSomebodyDoesAndUndoesIsFollowedAtOnce() {
        run(Damping.NONE, 0, 40, tenth -> tenth < 10 || tenth == 20);
        assertThat(told)
                .containsExactly(
                        "raised at 0", "ended at 10 after 9, 1 times", "raised at 20", "ended at 21 after 0, 1 times");
    }

    /** Whatever the condition does: an alarm stands from its raise to its end, and never without a sighting for longer than agreed. */
    @Test
    void everyAlarmEndsOnceAndOnlyAfterItsQuiet() {
        for (long seed = 1; seed <= 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            for (Damping damping : List.of(Damping.NONE, Damping.PROMPT, Damping.PATIENT)) {
                AlarmBoard now = AlarmBoard.CLEAR;
                boolean holds = false;
                boolean stands = false;
                long last = Long.MIN_VALUE;
                for (long tenth = 0; tenth < 3_000; tenth++) {
                    holds = random.nextInt(30) == 0 ? !holds : holds;
                    last = holds ? tenth : last;
                    AlarmBoard.Change change = now.next(conditions(damping, holds), nanos(tenth), at(tenth));
                    now = change.board();
                    stands =
                            stands ? change.ended().isEmpty() : !change.raised().isEmpty();
                    assertThat(now.raised()).as("seed %d at %d", seed, tenth).hasSize(stands ? 1 : 0);
                    if (stands) {
                        assertThat(nanos(tenth - last)).isLessThan(Math.max(1, damping.clearNanos()));
                        assertThat(now.raised().getFirst().clearing().isEmpty())
                                .as("within a lull it still holds")
                                .isEqualTo(nanos(tenth - last) <= AlarmBoard.LULL_NANOS);
                    }
                }
            }
        }
    }

    private RaisedAlarm alarm() {
        return board.raised().getFirst();
    }

    private void run(Damping damping, long from, long to, LongPredicate holds) {
        for (long tenth = from; tenth < to; tenth++) {
            AlarmBoard.Change change = board.next(conditions(damping, holds.test(tenth)), nanos(tenth), at(tenth));
            board = change.board();
            for (RaisedAlarm ignored : change.raised()) {
                told.add("raised at " + tenth);
            }
            for (AlarmBoard.Held ended : change.ended()) {
                told.add("ended at %d after %d, %d times"
                        .formatted(tenth, ended.lengthNanos() / nanos(1), ended.times()));
            }
        }
    }

    private static List<Condition> conditions(Damping damping, boolean holds) {
        return holds ? List.of(new Condition("at-ceiling", WORDS, Severity.WARNING, Reach.DOMAIN, damping)) : List.of();
    }

    private static long nanos(long tenths) {
        return tenths * 100_000_000;
    }

    private static Instant at(long tenth) {
        return NOON.plusNanos(nanos(tenth));
    }
}
