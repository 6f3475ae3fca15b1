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

    /** Which are kept without a histogram. */
    @Test
    void fewValuesAnswerAsAHistogramOfThemDoes() {
        SplittableRandom random = new SplittableRandom(17);
        for (int round = 0; round < 20_000; round++) {
            Histogram recorded = HdrLatency.newSum();
            List<Latency> parts = new ArrayList<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                IntCountsHistogram part = HdrLatency.newWindow();
                random.longs(random.nextInt(1 + FewLatencies.MOST / 4), 0, 1 + (1L << random.nextInt(36)))
                        .map(nanos -> random.nextInt(4) == 0 ? 0 : nanos)
                        .forEach(nanos -> {
                            part.recordValue(nanos);
                            recorded.recordValue(nanos);
                        });
                parts.add(HdrLatency.of(part));
            }
            Latency few = HdrLatency.sum(parts);
            assertThat(few.count()).isEqualTo(recorded.getTotalCount());
            if (few.count() > 0) {
                assertThat(few).isInstanceOf(FewLatencies.class);
                assertThat(few.minNanos()).isEqualTo(recorded.getMinValue());
                assertThat(few.maxNanos()).isEqualTo(recorded.getMaxValue());
                assertThat(few.meanNanos()).isCloseTo(recorded.copy().getMean(), withPercentage(1e-9));
                for (double percentile :
                        new double[] {0, 12.5, 25, 50, 75, 87.5, 95, 99, 100, random.nextDouble(100)}) {
                    long greatest = recorded.getValueAtPercentile(percentile);
                    assertThat(few.percentileNanos(percentile))
                            .as("%s of %s", percentile, round)
                            .isEqualTo(recorded.lowestEquivalentValue(greatest) == 0 ? 0 : greatest);
                }
                List<Long> buckets = new ArrayList<>();
                HdrLatency.eachBucket(few, (nanos, count) -> {
                    buckets.add(recorded.lowestEquivalentValue(nanos));
                    assertThat(count).isEqualTo(recorded.getCountAtValue(nanos));
                });
                assertThat(buckets).doesNotHaveDuplicates().isSorted();
            }
            Histogram sum = HdrLatency.newSum();
            HdrLatency.addTo(sum, few);
            assertThat((Object) sum).isEqualTo(recorded);
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
