package dev.headgate.server.sizing;

import dev.headgate.engine.Pool;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.feed.Listener;
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

    /** What came so far. */
    record Sums(MergedWindow all) {

        static final Sums NONE = new Sums(MergedWindow.NONE);

        /** Leases given in a second, but not more than were asked for: a queue from before is no merit of the size. */
        double perSecond() {
            return all.perSecond(Math.min(all.leases(), all.arrivals()));
        }

        /** Of the requests that ended, 0 to 1. */
        double errorShare() {
            long requests = all.latency().count();
            return requests == 0 ? 0 : (double) all.errors() / requests;
        }

        /** Of the requests for a lease, those that got none, 0 to 1. */
        double refusedShare() {
            long ended = all.leases() + all.refused();
            return ended == 0 ? 0 : (double) all.refused() / ended;
        }

        /** @param ruledOut why the size is not taken; empty if it may be */
        Trial trial(int size, String ruledOut) {
            double wait = all.waits().meanNanos() / 1e6;
            double held = all.leases() == 0 ? 0 : all.inUse() * all.nanos() / all.leases() / 1e6; // Little's law
            return new Trial(
                    size,
                    all.leases(),
                    perSecond(),
                    refusedShare(),
                    wait,
                    all.latency().meanNanos() / 1e6,
                    all.latency().percentileNanos(99) / 1e6,
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
        @Nullable
        Sums _ = measured.computeIfPresent(
                pool.domain(), (domain, sums) -> new Sums(sums.all().plus(MergedWindow.of(window))));
    }
}
