package dev.headgate.simulator;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import org.HdrHistogram.Histogram;

/** Collects simulated durations into {@link Latency} values of the meter's own kind. */
final class DurationMeter {

    private final Histogram collected = HdrLatency.newSum();

    /** Negative durations count as 0, those of more than an hour as an hour. */
    void record(long nanos) {
        collected.recordValue(Math.clamp(nanos, 0, HdrLatency.HIGHEST_NANOS));
    }

    /** What was recorded since it was last taken. */
    Latency take() {
        if (collected.getTotalCount() == 0) {
            return HdrLatency.none();
        }
        Latency taken = HdrLatency.copyOf(collected);
        collected.reset();
        return taken;
    }
}
