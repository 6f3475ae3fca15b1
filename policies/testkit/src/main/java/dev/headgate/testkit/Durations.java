package dev.headgate.testkit;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import org.HdrHistogram.Histogram;

/** Makes {@link Latency} values as the meter makes them, out of durations that a test or the simulator made up. */
public final class Durations {

    private static final long HIGHEST_NANOS = 3_600_000_000_000L;

    private Histogram collected = HdrLatency.newSum();

    /** No duration at all. */
    public static Latency none() {
        return HdrLatency.none();
    }

    public static Latency ofNanos(long... nanos) {
        Durations durations = new Durations();
        for (long each : nanos) {
            durations.record(each);
        }
        return durations.take();
    }

    /** Negative durations count as 0, those of more than an hour as an hour. */
    public void record(long nanos) {
        collected.recordValue(Math.clamp(nanos, 0, HIGHEST_NANOS));
    }

    /** What was recorded since it was last taken. */
    public Latency take() {
        if (collected.getTotalCount() == 0) {
            return HdrLatency.none();
        }
        Latency taken = HdrLatency.of(collected);
        collected = HdrLatency.newSumLike(collected);
        return taken;
    }
}
