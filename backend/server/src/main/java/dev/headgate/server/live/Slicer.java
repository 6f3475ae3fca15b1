package dev.headgate.server.live;

import dev.headgate.server.api.Second;
import dev.headgate.server.history.Measured;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums the measurements between two frames of one rate, for all clients of that rate. Only for the feed's thread.
 */
final class Slicer {

    /**
     * The measurements since the previous cut, by domain.
     *
     * @param seconds that ended, oldest first
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

    /** The measurements since the last call. Starts again from zero. */
    Cut cut() {
        Cut cut = new Cut(sums, seconds);
        sums = new LinkedHashMap<>();
        seconds = new LinkedHashMap<>();
        return cut;
    }
}
