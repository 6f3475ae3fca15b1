package dev.headgate.server.live;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.FeedThread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sums the measurements between two frames of one rate, for all clients of that rate, and knows which domains rest. Only for the feed's
 * thread.
 */
final class Slicer {

    /**
     * The measurements since the previous cut, by domain.
     *
     * @param seconds that ended, oldest first
     * @param summary what has changed; null if the summary was not looked at
     */
    record Cut(
            Map<String, MergedWindow> sums,
            Map<String, List<Encoded<Second>>> seconds,
            @Nullable Summary summary) {}

    /**
     * A domain as it was in the last slice that every client has got of it.
     *
     * @param quiet whether nobody had come to it
     * @param turn when that was
     */
    private record Told(PoolJson pool, boolean quiet, long turn) {}

    private final JsonMapper mapper;
    private final Map<String, Told> told = new HashMap<>();

    private Map<String, MergedWindow> sums = new LinkedHashMap<>();
    private Map<String, List<Encoded<Second>>> seconds = new LinkedHashMap<>();
    private @Nullable Summary summary;
    private Subscription wanted = Subscription.NOTHING;

    Slicer(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** What is added from now on serves these subscriptions. */
    void serve(Collection<Subscription> current) {
        wanted = Subscription.union(current);
    }

    /** Everything that any client of this rate wants. */
    Subscription wanted() {
        return wanted;
    }

    void add(String domain, MergedWindow window) {
        if (wanted.covers(domain)) {
            sums.merge(domain, window, MergedWindow::plus);
        }
    }

    void add(Summary changes) {
        if (wanted.summary() != null) {
            summary = Summary.together(summary, changes, mapper);
        }
    }

    void add(String domain, Encoded<Second> second) {
        if (wanted.coversSeconds(domain)) {
            seconds.computeIfAbsent(domain, name -> new ArrayList<>()).add(second);
        }
    }

    /**
     * Whether a domain rests in this slice: nobody came to it and nothing of it has changed, neither now nor in the last second since a
     * slice in which it did not rest. So it does not in at least one slice of each second. Ask once for each slice: a domain that does
     * not rest is noted.
     *
     * @param sum measured since the slice before
     */
    boolean rests(PoolJson pool, MergedWindow sum, long turn) {
        Told last = told.get(pool.domain());
        boolean quiet = isQuiet(sum);
        if (last != null
                && turn - last.turn() < FeedThread.TURNS_PER_SECOND
                && quiet
                && last.quiet()
                && pool.equals(last.pool())) {
            return true;
        }
        told.put(pool.domain(), new Told(pool, quiet, turn));
        return false;
    }

    private static boolean isQuiet(MergedWindow sum) {
        return sum.arrivals()
                        + sum.leases()
                        + sum.refused()
                        + sum.errors()
                        + sum.latency().count()
                == 0;
    }

    /** Forgets all other domains. */
    void keep(Set<String> domains) {
        told.keySet().retainAll(domains);
    }

    /** The measurements since the last call. Starts again from zero. */
    Cut cut() {
        Cut cut = new Cut(sums, seconds, summary);
        sums = new LinkedHashMap<>();
        seconds = new LinkedHashMap<>();
        summary = null;
        return cut;
    }
}
