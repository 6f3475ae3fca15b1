package dev.headgate.engine.governor;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Window;
import dev.headgate.spi.Window.ConnectionWindow;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Measurements of the last ten seconds, second by second. Governor only; any thread may read the summary. */
final class Rolling {

    private static final int SECONDS = 10;
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** One second's sums. It owns its histograms. */
    private static final class Second {
        final Histogram latency = HdrLatency.newSum();
        final Histogram waits = HdrLatency.newSum();
        long lengthNanos;
        long arrivals;
        long errors;
        long refused;
        long leases;
        long leasedNanos;
        long bytesIn;
        long bytesOut;

        void add(Window window, long leased) {
            lengthNanos += window.lengthNanos();
            HdrLatency.addTo(latency, window.latency());
            HdrLatency.addTo(waits, window.waits());
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

        void add(Second other) {
            lengthNanos += other.lengthNanos;
            latency.add(other.latency);
            waits.add(other.waits);
            arrivals += other.arrivals;
            errors += other.errors;
            refused += other.refused;
            leases += other.leases;
            leasedNanos += other.leasedNanos;
            bytesIn += other.bytesIn;
            bytesOut += other.bytesOut;
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
            Second all = new Second();
            seconds.forEach(all::add);
            double length = all.lengthNanos / 1e9;
            return new Summary(
                    LatencySummary.of(HdrLatency.of(all.latency), all.lengthNanos),
                    LatencySummary.of(HdrLatency.of(all.waits), all.lengthNanos),
                    all.arrivals / length,
                    all.errors / length,
                    all.refused / length,
                    new PoolStatus.Traffic(
                            all.leases == 0 ? 0 : (double) all.leasedNanos / all.leases,
                            all.bytesIn / length,
                            all.bytesOut / length));
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

    /** The first caller computes the sum, so that the governor's step need not. */
    Summary summary() {
        return past.summary();
    }
}
