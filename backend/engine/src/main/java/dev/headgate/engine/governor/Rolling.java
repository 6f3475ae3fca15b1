package dev.headgate.engine.governor;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

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

    /** The last seconds, which nobody changes any more, and what they come to once someone has asked. */
    private static final class Past {
        private final List<Second> seconds;
        private volatile @Nullable Summary summary;

        Past(List<Second> seconds) {
            this.seconds = seconds;
        }

        Past with(Second ended) {
            List<Second> kept = new ArrayList<>(seconds.size() < SECONDS ? seconds : seconds.subList(1, SECONDS));
            kept.add(ended);
            return new Past(List.copyOf(kept));
        }

        /** Whoever works it out gets the same. */
        Summary summary() {
            Summary known = summary;
            if (known == null) {
                known = seconds.isEmpty() ? Summary.NONE : sum();
                summary = known;
            }
            return known;
        }

        private Summary sum() {
            Second all = new Second();
            seconds.forEach(all::add);
            double length = all.lengthNanos / 1e9;
            return new Summary(
                    LatencySummary.of(HdrLatency.of(all.latency), all.lengthNanos),
                    LatencySummary.of(HdrLatency.of(all.waits), all.lengthNanos),
                    all.arrivals / length,
                    all.errors / length,
                    all.refused / length);
        }
    }

    private Second current = new Second();
    private volatile Past past = new Past(List.of());

    void add(Window window) {
        current.add(window);
        if (current.lengthNanos >= SECOND_NANOS) {
            past = past.with(current);
            current = new Second();
        }
    }

    /** Summed by whoever asks first, so that the governor's step does not have to. */
    Summary summary() {
        return past.summary();
    }
}
