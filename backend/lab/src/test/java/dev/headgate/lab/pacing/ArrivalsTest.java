package dev.headgate.lab.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    @Test
    void arePoissonAtAConstantRate() {
        List<Long> times = draw(new Arrivals(Course.of(100, Optional.empty()), new SplittableRandom(1)), 1_000);

        assertThat(times.size() / 1_000.0).isCloseTo(100, within(1.0));
        // Poisson: the counts of equal intervals have their mean as their variance, and gaps have it as deviation.
        double[] perSecond = new double[1_000];
        times.forEach(time -> perSecond[(int) (time / 1_000_000_000L)]++);
        double mean = mean(perSecond);
        double variance = mean(Arrays.stream(perSecond)
                .map(count -> (count - mean) * (count - mean))
                .toArray());
        assertThat(variance / mean).isCloseTo(1, within(0.15));
        long shortGaps = 0;
        for (int i = 1; i < times.size(); i++) {
            shortGaps += times.get(i) - times.get(i - 1) < 10_000_000L ? 1 : 0;
        }
        assertThat(shortGaps / (double) times.size()).isCloseTo(1 - Math.exp(-1), within(0.01));
    }

    @Test
    void followTheTide() {
        Tide tide = new Tide(3);
        List<Long> times = draw(new Arrivals(Course.of(1_000, Optional.of(tide)), new SplittableRandom(1)), 600);

        int[] perTenSeconds = new int[60];
        times.forEach(time -> perTenSeconds[(int) (time / 10_000_000_000L)]++);
        for (int i = 0; i < 60; i++) {
            double expected = 0;
            for (int step = 0; step < 100; step++) {
                expected += 100 * tide.at((i * 100L + step) * 100_000_000L + 50_000_000L);
            }
            // Five standard deviations of a Poisson count.
            assertThat((double) perTenSeconds[i]).isCloseTo(expected, within(5 * Math.sqrt(expected)));
        }
    }

    @Test
    void neverGoBackAndRepeatForTheSameSeed() {
        List<Long> times = draw(new Arrivals(Course.of(5_000, Optional.of(new Tide(1))), new SplittableRandom(9)), 20);

        assertThat(times).isSorted();
        assertThat(draw(new Arrivals(Course.of(5_000, Optional.of(new Tide(1))), new SplittableRandom(9)), 20))
                .isEqualTo(times);
    }

    @Test
    void takeANewRateFromTheNextDrawOn() {
        Arrivals arrivals = new Arrivals(Course.of(0.1, Optional.empty()), new SplittableRandom(1));
        arrivals.change(Course.of(1_000, Optional.empty()));

        assertThat(draw(arrivals, 10)).hasSizeBetween(9_500, 10_500);
    }

    /** They are drawn on the timer's thread: what takes long there makes every load late. */
    @Test
    void takeFewDrawsForALongPauseAfterAHighRate() {
        Plan plan = new Plan(List.of(
                Plan.Phase.hold(5_000, Duration.ofMillis(100)),
                Plan.Phase.hold(0, Duration.ofHours(1)),
                Plan.Phase.hold(0.1, Duration.ofHours(1)),
                Plan.Phase.ramp(0, 10, Duration.ofSeconds(10))));
        AtomicLong draws = new AtomicLong();
        SplittableRandom seeded = new SplittableRandom(1);
        Arrivals arrivals = new Arrivals(plan, () -> {
            draws.incrementAndGet();
            return seeded.nextLong();
        });
        int[] ofPhase = new int[4];
        for (long time = arrivals.next(0); !arrivals.isOver(time); time = arrivals.next(time)) {
            ofPhase[plan.indexAt(time)]++;
        }
        assertThat(ofPhase[0]).isBetween(400, 600);
        assertThat(ofPhase[1]).isZero();
        assertThat(ofPhase[2]).isBetween(280, 440);
        assertThat(ofPhase[3]).isBetween(20, 80);
        assertThat(draws).hasValueLessThan(3_000);
    }

    private static List<Long> draw(Arrivals arrivals, int seconds) {
        List<Long> times = new ArrayList<>();
        for (long time = arrivals.next(0); time < seconds * 1_000_000_000L; time = arrivals.next(time)) {
            times.add(time);
        }
        return times;
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }
}
