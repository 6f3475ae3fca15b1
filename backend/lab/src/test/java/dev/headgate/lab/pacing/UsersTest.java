package dev.headgate.lab.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class UsersTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final List<Long> due = new ArrayList<>();
    private final Deque<Users.Ended> waiting = new ArrayDeque<>();

    private Users users(Course course, Duration think) {
        return new Users(time, course, think, new SplittableRandom(3), (dueNanos, ended) -> {
            due.add(dueNanos);
            waiting.add(ended);
        });
    }

    private static Course constant(int users) {
        return Course.of(users, Optional.empty());
    }

    private void answerAll(boolean served) {
        for (int left = waiting.size(); left > 0; left--) {
            waiting.remove().ended(served);
        }
    }

    @Test
    void nobodySendsASecondRequestBeforeTheFirstHasEnded() {
        Users users = users(constant(7), Duration.ofMillis(10));
        users.start();
        time.advance(10 * SECOND);
        assertThat(due).hasSize(7);

        answerAll(true);
        time.advance(10 * SECOND);
        assertThat(due).hasSize(14);
        assertThat(users.isRunning()).isTrue();
    }

    @Test
    void aRequestIsDueWhenTheThinkingEndsHoweverLateTheTimerIs() {
        Users users = users(constant(1), Duration.ofMillis(10));
        users.start();
        long begin = time.nanoTime();
        time.standStill(5 * SECOND);
        time.advance(0);
        assertThat(due.getFirst() - begin).isLessThan(200 * MILLI);
    }

    @Test
    void asManyTakePartAsThePlanSays() {
        Users users = users(
                new Plan(List.of(
                        Plan.Phase.hold(4, Duration.ofSeconds(2)),
                        Plan.Phase.ramp(4, 24, Duration.ofSeconds(2)),
                        Plan.Phase.hold(2, Duration.ofSeconds(2)))),
                Duration.ZERO);
        users.start();
        time.advance(SECOND);
        assertThat(waiting).hasSize(4);
        time.advance(2 * SECOND); // in the middle of the ramp
        assertThat(waiting).hasSizeBetween(13, 14);
        time.advance(SECOND + 200 * MILLI);
        int most = waiting.size();
        assertThat(most).isBetween(22, 24);

        answerAll(true);
        time.advance(MILLI);
        assertThat(waiting).as("the others have left").hasSize(2);
        time.advance(10 * SECOND);
        assertThat(users.isRunning()).isFalse();
        assertThat(users.elapsedNanos()).isEqualTo(6 * SECOND);
        answerAll(true);
        time.advance(10 * SECOND);
        assertThat(waiting).isEmpty();
    }

    @Test
    void whoeverWasTurnedAwayDoesNotComeBackAtOnce() {
        users(constant(1), Duration.ZERO).start();
        time.advance(0);
        assertThat(due).hasSize(1);
        answerAll(false);
        time.advance(99 * MILLI);
        assertThat(due).hasSize(1);
        time.advance(MILLI);
        assertThat(due).hasSize(2);
    }

    @Test
    void stoppedUsersSendNothingAndWaitForTheirAnswersWhenStartedAgain() {
        Users users = users(constant(3), Duration.ofMillis(1));
        users.start();
        time.advance(SECOND);
        users.stop();
        waiting.remove().ended(true);
        time.advance(SECOND);
        assertThat(due).hasSize(3);

        users.start();
        time.advance(SECOND);
        assertThat(due).as("two still wait for their first answers").hasSize(4);
    }

    @Test
    void aRequestThatCannotBeSentCountsAsTurnedAway() {
        List<Long> asked = new ArrayList<>();
        Users users = new Users(time, constant(1), Duration.ZERO, new SplittableRandom(3), (dueNanos, ended) -> {
            asked.add(dueNanos);
            throw new IllegalStateException("no thread for it");
        });
        users.start();
        assertThatThrownBy(() -> time.advance(0)).hasMessage("no thread for it");
        assertThatThrownBy(() -> time.advance(200 * MILLI)).hasMessage("no thread for it");
        assertThat(asked).hasSize(2);
    }
}
