package dev.headgate.engine.governor;

import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.spi.Window;
import dev.headgate.spi.Window.ConnectionWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of the last ten seconds, second by second. The governor adds; any thread may read the summary. Adding a window
 * costs no addition of histograms: the first reader of a second does that, so that the governor's step need not.
 */
final class Rolling {

    private static final int SECONDS = 10;
    private static final long SECOND_NANOS = 1_000_000_000L;

    /**
     * A second's traffic, and its windows in which something was measured. The governor adds to it; once it is over, it no longer
     * changes and any thread reads it.
     */
    private static final class Second {
        private List<MergedWindow> windows = new ArrayList<>();
        private long lengthNanos;
        private long leasedNanos;
        private long bytesIn;
        private long bytesOut;

        void add(Window window, long leased) {
            if (hasMeasured(window)) {
                windows.add(MergedWindow.of(window));
            }
            lengthNanos += window.lengthNanos();
            leasedNanos += leased;
            for (ConnectionWindow connection : window.connections()) {
                bytesIn += connection.bytesIn();
                bytesOut += connection.bytesOut();
            }
        }

        private static boolean hasMeasured(Window window) {
            return window.arrivals() > 0
                    || window.leases() > 0
                    || window.refused() > 0
                    || window.errors() > 0
                    || window.latency().count() > 0
                    || window.waits().count() > 0;
        }

        /** These windows, merged when first asked for. Any thread, once the second is over. */
        synchronized MergedWindow merged() {
            if (windows.size() > 1) {
                windows = List.of(MergedWindow.of(windows));
            }
            return MergedWindow.of(windows);
        }
    }

    /** The figures, ready to show. */
    record Summary(
            LatencySummary latency,
            LatencySummary waits,
            double arrivalsPerSecond,
            double errorsPerSecond,
            double refusedPerSecond,
            PoolStatus.Traffic traffic) {}

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
                known = computed();
                summary = known;
            }
            return known;
        }

        private Summary computed() {
            MergedWindow all =
                    MergedWindow.of(seconds.stream().map(Second::merged).toList());
            long nanos = total(second -> second.lengthNanos);
            return new Summary(
                    LatencySummary.of(all.latency(), nanos),
                    LatencySummary.of(all.waits(), nanos),
                    MergedWindow.perSecond(all.arrivals(), nanos),
                    MergedWindow.perSecond(all.errors(), nanos),
                    MergedWindow.perSecond(all.refused(), nanos),
                    new PoolStatus.Traffic(
                            all.leases() == 0 ? 0 : (double) total(second -> second.leasedNanos) / all.leases(),
                            MergedWindow.perSecond(total(second -> second.bytesIn), nanos),
                            MergedWindow.perSecond(total(second -> second.bytesOut), nanos)));
        }

        private long total(ToLongFunction<Second> figure) {
            long sum = 0;
            for (Second second : seconds) {
                sum += figure.applyAsLong(second);
            }
            return sum;
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
