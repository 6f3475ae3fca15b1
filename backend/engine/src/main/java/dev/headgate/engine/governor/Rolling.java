package dev.headgate.engine.governor;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import dev.headgate.spi.Window.ConnectionWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of the last ten seconds, second by second. The governor adds; any thread may read the summary. Adding a window
 * costs no addition of histograms: the first reader of a second does that, so that the governor's step need not.
 */
final class Rolling {

    private static final int SECONDS = 10;
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** One second's sums. The governor adds to it; once it is over, it no longer changes and any thread reads it. */
    private static final class Second {
        private final Distribution latency = new Distribution();
        private final Distribution waits = new Distribution();
        private long lengthNanos;
        private long arrivals;
        private long errors;
        private long refused;
        private long leases;
        private long leasedNanos;
        private long bytesIn;
        private long bytesOut;

        void add(Window window, long leased) {
            lengthNanos += window.lengthNanos();
            latency.add(window.latency());
            waits.add(window.waits());
            arrivals += window.arrivals();
            errors += window.errors();
            refused += window.refused();
            leases += window.leases();
            leasedNanos += leased;
            for (ConnectionWindow connection : window.connections()) {
                bytesIn += connection.bytesIn();
                bytesOut += connection.bytesOut();
            }
        }
    }

    /** The distributions of a second's windows, added up when first read. */
    private static final class Distribution {
        private List<Latency> parts = new ArrayList<>();

        /** Governor only, while the second lasts. */
        void add(Latency part) {
            if (part.count() > 0) {
                parts.add(part);
            }
        }

        /** Any thread, once the second is over. */
        synchronized Latency sum() {
            if (parts.size() != 1) {
                parts = List.of(HdrLatency.sum(parts));
            }
            return parts.getFirst();
        }
    }

    /** The figures, ready to show. */
    record Summary(
            LatencySummary latency,
            LatencySummary waits,
            double arrivalsPerSecond,
            double errorsPerSecond,
            double refusedPerSecond,
            PoolStatus.Traffic traffic) {
        static final Summary NONE =
                new Summary(LatencySummary.none(), LatencySummary.none(), 0, 0, 0, PoolStatus.Traffic.NONE);
    }

    /** The past seconds, which no longer change, and their summary once someone has asked for it. */
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

        /** Threads that compute it at the same time get the same result. */
        Summary summary() {
            Summary known = summary;
            if (known == null) {
                known = seconds.isEmpty() ? Summary.NONE : sum();
                summary = known;
            }
            return known;
        }

        private Summary sum() {
            double length = total(second -> second.lengthNanos) / 1e9;
            long leases = total(second -> second.leases);
            return new Summary(
                    summary(second -> second.latency),
                    summary(second -> second.waits),
                    total(second -> second.arrivals) / length,
                    total(second -> second.errors) / length,
                    total(second -> second.refused) / length,
                    new PoolStatus.Traffic(
                            leases == 0 ? 0 : (double) total(second -> second.leasedNanos) / leases,
                            total(second -> second.bytesIn) / length,
                            total(second -> second.bytesOut) / length));
        }

        private LatencySummary summary(Function<Second, Distribution> figure) {
            List<Latency> parts =
                    seconds.stream().map(second -> figure.apply(second).sum()).toList();
            return LatencySummary.of(HdrLatency.sum(parts), total(second -> second.lengthNanos));
        }

        private long total(ToLongFunction<Second> figure) {
            return seconds.stream().mapToLong(figure).sum();
        }
    }

    private Second current = new Second();
    private volatile Past past = new Past(List.of());

    /** @param leasedNanos the time that connections spent in leases */
    void add(Window window, long leasedNanos) {
        current.add(window, leasedNanos);
        if (current.lengthNanos >= SECOND_NANOS) {
            past = past.with(current);
            current = new Second();
        }
    }

    /** Of the last ten full seconds. Any thread. */
    Summary summary() {
        return past.summary();
    }
}
