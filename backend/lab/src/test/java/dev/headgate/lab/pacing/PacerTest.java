package dev.headgate.lab.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PacerTest {

    private static final long SECOND = 1_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final List<Long> due = new ArrayList<>();
    private final List<Long> told = new ArrayList<>();
    private final Pacer pacer = new Pacer(time, arrivals(50), dueNanos -> {
        due.add(dueNanos);
        told.add(time.nanoTime());
    });

    @Test
    void tellsEachArrivalAtItsTime() {
        pacer.start();
        time.advance(100 * SECOND);

        assertThat(due).hasSizeBetween(4_600, 5_400).isSorted();
        assertThat(told).isEqualTo(due);
    }

    @Test
    void startsLateArrivalsAtOnceAndDriftsNotAtAll() {
        pacer.start();
        time.advance(10 * SECOND);
        int before = due.size();
        long stoodStillAt = time.nanoTime();
        time.standStill(2 * SECOND);
        time.advance(0);

        List<Long> late = due.subList(before, due.size());
        assertThat(late)
                .hasSizeBetween(60, 140)
                .allSatisfy(dueNanos -> assertThat(dueNanos).isBetween(stoodStillAt, stoodStillAt + 2 * SECOND));
        assertThat(told.subList(before, told.size())).containsOnly(stoodStillAt + 2 * SECOND);

        time.advance(88 * SECOND);
        VirtualTime undisturbed = new VirtualTime();
        List<Long> expected = new ArrayList<>();
        Pacer other = new Pacer(undisturbed, arrivals(50), expected::add);
        other.start();
        undisturbed.advance(100 * SECOND);
        assertThat(due).isEqualTo(expected);
    }

    @Test
    void goesOnAfterAnArrivalThatCouldNotBeTold() {
        List<Long> arrived = new ArrayList<>();
        Pacer failing = new Pacer(time, arrivals(50), dueNanos -> {
            arrived.add(dueNanos);
            if (arrived.size() == 10) {
                throw new IllegalStateException("no thread for it");
            }
        });
        failing.start();
        assertThatThrownBy(() -> time.advance(10 * SECOND)).hasMessage("no thread for it");
        time.advance(10 * SECOND);
        assertThat(arrived).hasSizeGreaterThan(400);
    }

    @Test
    void isSilentOnceStoppedAndGoesOnFromNowWhenStartedAgain() {
        pacer.start();
        time.advance(SECOND);
        pacer.stop();
        int before = due.size();
        time.advance(3_600 * SECOND);
        assertThat(due).hasSize(before);
        assertThat(pacer.isRunning()).isFalse();

        long restarted = time.nanoTime();
        pacer.start();
        pacer.start();
        time.advance(10 * SECOND);

        assertThat(due.subList(before, due.size()))
                .hasSizeBetween(400, 600)
                .allSatisfy(dueNanos -> assertThat(dueNanos).isGreaterThanOrEqualTo(restarted));
    }

    @Test
    void takesANewRateAtOnceHoweverFarAwayTheNextArrivalWas() {
        Pacer slow = new Pacer(time, arrivals(0.1), due::add);
        slow.start();
        slow.change(Course.of(1_000, Optional.empty()));
        time.advance(SECOND);

        assertThat(due).hasSizeBetween(850, 1_150);
    }

    @Test
    void aChangeDoesNotStartAPacerThatStandsStill() {
        pacer.change(Course.of(1_000, Optional.empty()));
        time.advance(10 * SECOND);

        assertThat(due).isEmpty();
    }

    @Test
    void mayBeStoppedByTheArrivalItTells() {
        Pacer[] self = new Pacer[1];
        self[0] = new Pacer(time, arrivals(50), dueNanos -> {
            due.add(dueNanos);
            self[0].stop();
        });
        self[0].start();
        time.advance(10 * SECOND);

        assertThat(due).hasSize(1);
    }

    @Test
    void followsAPlanTellsEveryArrivalOfItAndThenThatItIsOver() {
        List<String> ended = new ArrayList<>();
        Plan plan = new Plan(List.of(
                Plan.Phase.hold(100, Duration.ofSeconds(10)),
                Plan.Phase.ramp(100, 500, Duration.ofSeconds(20)),
                Plan.Phase.hold(0, Duration.ofSeconds(5)),
                Plan.Phase.hold(50, Duration.ofSeconds(10))));
        Pacer planned = new Pacer(
                time, new Arrivals(plan, new SplittableRandom(5)), due::add, () -> ended.add("at " + time.nanoTime()));
        time.advance(7 * SECOND);
        long begin = time.nanoTime();
        planned.start();
        time.advance(44 * SECOND);
        assertThat(planned.isRunning()).isTrue();
        assertThat(ended).isEmpty();
        time.advance(100 * SECOND);

        assertThat(count(begin, 0, 10)).isBetween(850L, 1_150L);
        assertThat(count(begin, 10, 15)).isBetween(650L, 850L); // 100 to 200 a second
        assertThat(count(begin, 25, 30)).isBetween(2_050L, 2_450L); // 400 to 500 a second
        assertThat(count(begin, 30, 35)).isZero();
        assertThat(count(begin, 35, 45)).isBetween(400L, 600L);
        assertThat(count(begin, 45, 1_000)).isZero();
        assertThat(planned.isRunning()).isFalse();
        assertThat(planned.elapsedNanos()).isEqualTo(45 * SECOND);
        assertThat(ended).containsExactly("at " + (begin + 45 * SECOND));
    }

    @Test
    void aLateGeneratorStillTellsWhatWasDueBeforeTheEnd() {
        Pacer planned = new Pacer(
                time,
                new Arrivals(Plan.of(100, Duration.ZERO, Duration.ofSeconds(10)), new SplittableRandom(5)),
                due::add);
        planned.start();
        time.standStill(60 * SECOND);
        time.advance(0);

        assertThat(due).hasSizeBetween(850, 1_150);
        assertThat(planned.isRunning()).isFalse();
    }

    private long count(long begin, int fromSecond, int toSecond) {
        return due.stream()
                .filter(each -> each >= begin + fromSecond * SECOND && each < begin + toSecond * SECOND)
                .count();
    }

    private static Arrivals arrivals(double ratePerSecond) {
        return new Arrivals(Course.of(ratePerSecond, Optional.empty()), new SplittableRandom(5));
    }
}
