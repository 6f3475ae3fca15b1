package dev.headgate.server.sizing;

import dev.headgate.engine.Pool;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.server.feed.Listener;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Sums up the windows of the domains that are measured. Windows come on the feed's thread; any thread begins and reads. */
@Component
class TrialMeter implements Listener {

    private final Map<String, Sums> measured = new ConcurrentHashMap<>();

    /**
     * What came so far. Immutable.
     *
     * @param errors requests that the server answered with an error
     * @param inUseNanos the connections in use, by time
     */
    record Sums(
            long lengthNanos,
            long leases,
            long arrivals,
            long refused,
            long errors,
            double inUseNanos,
            Latency waits,
            Latency latency) {

        static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, HdrLatency.none(), HdrLatency.none());

        private Sums plus(Window window) {
            return new Sums(
                    lengthNanos + window.lengthNanos(),
                    leases + window.leases(),
                    arrivals + window.arrivals(),
                    refused + window.refused(),
                    errors + window.errors(),
                    inUseNanos + window.meanInUse() * window.lengthNanos(),
                    waits.plus(window.waits()),
                    latency.plus(window.latency()));
        }

        /** Leases given in a second, but not more than were asked for: a queue from before is no merit of the size. */
        double perSecond() {
            return lengthNanos == 0 ? 0 : Math.min(leases, arrivals) * 1e9 / lengthNanos;
        }

        /** Of the requests that ended, 0 to 1. */
        double errorShare() {
            return latency.count() == 0 ? 0 : (double) errors / latency.count();
        }

        /** @param ruledOut why the size is not taken; empty if it may be */
        Trial trial(int size, String ruledOut) {
            double wait = waits.meanNanos() / 1e6;
            double held = leases == 0 ? 0 : inUseNanos / leases / 1e6; // Little's law
            return new Trial(
                    size,
                    leases,
                    perSecond(),
                    wait,
                    latency.meanNanos() / 1e6,
                    latency.percentileNanos(99) / 1e6,
                    wait + held,
                    ruledOut);
        }
    }

    /** Begins anew. */
    void begin(String domain) {
        measured.put(domain, Sums.NONE);
    }

    Sums read(String domain) {
        return measured.getOrDefault(domain, Sums.NONE);
    }

    void end(String domain) {
        measured.remove(domain);
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        @Nullable Sums _ = measured.computeIfPresent(pool.domain(), (domain, sums) -> sums.plus(window));
    }
}
