package dev.headgate.server.live;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.Second;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sums the measurements between two frames of one rate, for all clients of that rate. Only for the feed's thread.
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

    private final JsonMapper mapper;

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

    /** The measurements since the last call. Starts again from zero. */
    Cut cut() {
        Cut cut = new Cut(sums, seconds, summary);
        sums = new LinkedHashMap<>();
        seconds = new LinkedHashMap<>();
        summary = null;
        return cut;
    }
}
