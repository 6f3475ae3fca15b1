package dev.headgate.server.live;

import dev.headgate.server.api.Second;
import dev.headgate.server.history.Measured;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds up what is measured between two frames of one rate, for all clients of that rate at once. Used by the feed's
 * thread alone.
 */
final class Slicer {

    /**
     * What came since the cut before, by domain.
     *
     * @param seconds that were over, oldest first
     */
    record Cut(Map<String, Measured> sums, Map<String, List<Encoded<Second>>> seconds) {}

    private Map<String, Measured> sums = new LinkedHashMap<>();
    private Map<String, List<Encoded<Second>>> seconds = new LinkedHashMap<>();

    void add(String domain, Measured window) {
        sums.merge(domain, window, Measured::plus);
    }

    void add(String domain, Encoded<Second> second) {
        seconds.computeIfAbsent(domain, name -> new ArrayList<>()).add(second);
    }

    /** What came since the last call; begins anew. */
    Cut cut() {
        Cut cut = new Cut(sums, seconds);
        sums = new LinkedHashMap<>();
        seconds = new LinkedHashMap<>();
        return cut;
    }
}
