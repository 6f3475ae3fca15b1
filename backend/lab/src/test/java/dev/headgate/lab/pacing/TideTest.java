package dev.headgate.lab.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TideTest {

    @Test
    void staysWithinItsBoundsAndIsOneOnAverage() {
        for (long seed = 0; seed < 20; seed++) {
            Tide tide = new Tide(seed);

            double[] day = day(tide).toArray();

            assertThat(DoubleStream.of(day).min().orElseThrow()).isGreaterThanOrEqualTo(0.4);
            assertThat(DoubleStream.of(day).max().orElseThrow()).isLessThanOrEqualTo(tide.peak());
            assertThat(DoubleStream.of(day).average().orElseThrow()).isBetween(1.0, 1.12);
        }
    }

    @Test
    void risesAboveTwiceTheRestAndFallsBelowTwoThirdsWithinHalfAnHour() {
        double[] halfHour = day(new Tide(1)).limit(1800).toArray();

        assertThat(DoubleStream.of(halfHour).max().orElseThrow()).isGreaterThan(2);
        assertThat(DoubleStream.of(halfHour).min().orElseThrow()).isLessThan(0.67);
    }

    @Test
    void isSmooth() {
        Tide tide = new Tide(1);
        double before = tide.at(0);
        for (long millis = 50; millis < 3_600_000; millis += 50) {
            double now = tide.at(TimeUnit.MILLISECONDS.toNanos(millis));
            assertThat(Math.abs(now - before)).as("step at %d ms", millis).isLessThan(0.05);
            before = now;
        }
    }

    @Test
    void repeatsForTheSameSeedAndDiffersForAnother() {
        assertThat(day(new Tide(7)).limit(600).toArray())
                .isEqualTo(day(new Tide(7)).limit(600).toArray())
                .isNotEqualTo(day(new Tide(8)).limit(600).toArray());
    }

    private static DoubleStream day(Tide tide) {
        return LongStream.range(0, 86_400).mapToDouble(second -> tide.at(TimeUnit.SECONDS.toNanos(second)));
    }
}
