package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.headgate.spi.Latency;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;
import org.junit.jupiter.api.Test;

class HdrLatencyTest {

    /** A policy takes a pool for full by most of its leases having been waited for. */
    @Test
    void whatTookNoTimeIsNoTimeInEveryPercentile() {
        Histogram waits = HdrLatency.newSum();
        waits.recordValueWithCount(0, 90);
        waits.recordValueWithCount(2_000_000, 10);
        Latency latency = HdrLatency.of(waits);
        assertThat(latency.percentileNanos(50)).isZero();
        assertThat(latency.percentileNanos(90)).isZero();
        assertThat(latency.percentileNanos(95)).isBetween(1_980_000L, 2_020_000L);
        assertThat(latency.minNanos()).isZero();
    }

    @Test
    void aSumIsOfAllThatItsPartsRecorded() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 200; round++) {
            Histogram all = HdrLatency.newHistogram();
            List<Latency> parts = new ArrayList<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                IntCountsHistogram part = HdrLatency.newWindow();
                random.longs(random.nextInt(50), 0, 1_000L << random.nextInt(20))
                        .forEach(nanos -> {
                            part.recordValue(nanos);
                            all.recordValue(nanos);
                        });
                parts.add(HdrLatency.of(part));
            }
            Latency sum = HdrLatency.sum(parts);
            assertThat(sum.count()).isEqualTo(all.getTotalCount());
            assertThat(sum.maxNanos()).isEqualTo(all.getMaxValue());
            assertThat(sum.meanNanos()).isCloseTo(sum.count() == 0 ? 0 : all.getMean(), withPercentage(1e-9));
            assertThat(sum.percentileNanos(90)).isEqualTo(HdrLatency.of(all).percentileNanos(90));
        }
    }

    /** A window's latency is read by the governor, by the history and by every client of the stream. */
    @Test
    void aMeanIsTheSameForEveryThreadThatAsksAtOnce() throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < 2_000; round++) {
                Histogram recorded = HdrLatency.newSum();
                random.longs(200, 1_000, 100_000_000).forEach(recorded::recordValue);
                double mean = recorded.copy().getMean();
                Latency latency = HdrLatency.of(recorded);
                CyclicBarrier together = new CyclicBarrier(4);
                List<Callable<Double>> askers = Collections.nCopies(4, () -> {
                    together.await();
                    return latency.meanNanos();
                });
                for (Future<Double> asked : threads.invokeAll(askers)) {
                    assertThat(asked.get()).isEqualTo(mean);
                }
            }
        }
    }
}
