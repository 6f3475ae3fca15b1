package dev.headgate.engine.governor;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Window;
import java.util.ArrayDeque;
import java.util.Deque;
import org.HdrHistogram.Histogram;

/** What was measured over the last ten seconds, second by second. The governor's own; the summary is for anyone. */
final class Rolling {

    private static final int SECONDS = 10;
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** What is being summed; its histograms are nobody else's. */
    private static final class Second {
        final Histogram latency = HdrLatency.newSum();
        final Histogram waits = HdrLatency.newSum();
        long lengthNanos;
        long arrivals;
        long errors;
        long refused;

        void add(Window window) {
            lengthNanos += window.lengthNanos();
            HdrLatency.addTo(latency, window.latency());
            HdrLatency.addTo(waits, window.waits());
            arrivals += window.arrivals();
            errors += window.errors();
            refused += window.refused();
        }

        void add(Second other) {
            lengthNanos += other.lengthNanos;
            latency.add(other.latency);
            waits.add(other.waits);
            arrivals += other.arrivals;
            errors += other.errors;
            refused += other.refused;
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
    private Second current = new Second();
    private volatile Summary summary = Summary.NONE;

    void add(Window window) {
        current.add(window);
        if (current.lengthNanos >= SECOND_NANOS) {
            seconds.addLast(current);
            current = new Second();
            if (seconds.size() > SECONDS) {
                seconds.removeFirst();
            }
            Second all = new Second();
            seconds.forEach(all::add);
            double length = all.lengthNanos / 1e9;
            summary = new Summary(
                    LatencySummary.of(HdrLatency.of(all.latency), all.lengthNanos),
                    LatencySummary.of(HdrLatency.of(all.waits), all.lengthNanos),
                    all.arrivals / length,
                    all.errors / length,
                    all.refused / length);
        }
    }

    Summary summary() {
        return summary;
    }
}
