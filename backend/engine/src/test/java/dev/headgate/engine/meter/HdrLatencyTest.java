package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.spi.Latency;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
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
