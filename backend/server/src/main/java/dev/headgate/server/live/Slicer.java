package dev.headgate.server.live;

import dev.headgate.server.history.Measured;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Adds up what is measured between two frames of one rate, for all clients of that rate at once. Used by the feed's
 * thread alone.
 */
final class Slicer {

    private final Map<String, Measured> sums = new LinkedHashMap<>();

    void add(String domain, Measured window) {
        sums.merge(domain, window, Measured::plus);
    }

    /** What was measured since the last call, by domain; begins anew. */
    Map<String, Measured> cut() {
        Map<String, Measured> cut = new LinkedHashMap<>(sums);
        sums.clear();
        return cut;
    }
}
