package dev.headgate.lab.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.time.VirtualTime;
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
        slow.change(1_000, Optional.empty());
        time.advance(SECOND);

        assertThat(due).hasSizeBetween(850, 1_150);
    }

    @Test
    void aChangeDoesNotStartAPacerThatStandsStill() {
        pacer.change(1_000, Optional.empty());
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

    private static Arrivals arrivals(double ratePerSecond) {
        return new Arrivals(ratePerSecond, Optional.empty(), new SplittableRandom(5));
    }
}
