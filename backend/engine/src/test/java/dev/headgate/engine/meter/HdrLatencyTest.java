package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.spi.Latency;
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
}
