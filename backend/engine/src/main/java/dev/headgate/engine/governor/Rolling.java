package dev.headgate.engine.governor;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.util.ArrayDeque;
import java.util.Deque;

/** What was measured over the last ten seconds, second by second. The governor's own; the summary is for anyone. */
final class Rolling {

    private static final int SECONDS = 10;
    private static final long SECOND_NANOS = 1_000_000_000L;

    private record Second(long lengthNanos, Latency latency, Latency waits, long arrivals, long errors, long refused) {
        static final Second NONE = new Second(0, HdrLatency.none(), HdrLatency.none(), 0, 0, 0);

        Second plus(Second other) {
            return new Second(
                    lengthNanos + other.lengthNanos,
                    latency.plus(other.latency),
                    waits.plus(other.waits),
                    arrivals + other.arrivals,
                    errors + other.errors,
                    refused + other.refused);
        }
    }

    /** The figures, ready to show. */
    record Summary(
            LatencySummary latency,
            LatencySummary waits,
            double arrivalsPerSecond,
            double errorsPerSecond,
            double refusedPerSecond) {
        static final Summary NONE = new Summary(LatencySummary.none(), LatencySummary.none(), 0, 0, 0);
    }

    private final Deque<Second> seconds = new ArrayDeque<>();
    private Second current = Second.NONE;
    private volatile Summary summary = Summary.NONE;

    void add(Window window) {
        current = current.plus(new Second(
                window.lengthNanos(),
                window.latency(),
                window.waits(),
                window.arrivals(),
                window.errors(),
                window.refused()));
        if (current.lengthNanos() >= SECOND_NANOS) {
            seconds.addLast(current);
            current = Second.NONE;
            if (seconds.size() > SECONDS) {
                seconds.removeFirst();
            }
            Second all = seconds.stream().reduce(Second.NONE, Second::plus);
            double length = all.lengthNanos() / 1e9;
            summary = new Summary(
                    LatencySummary.of(all.latency(), all.lengthNanos()),
                    LatencySummary.of(all.waits(), all.lengthNanos()),
                    all.arrivals() / length,
                    all.errors() / length,
                    all.refused() / length);
        }
    }

    Summary summary() {
        return summary;
    }
}
