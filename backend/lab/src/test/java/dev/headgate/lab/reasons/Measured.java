package dev.headgate.lab.reasons;

import dev.headgate.spi.Latency;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** What was measured of late, of one domain or of the sum of all: the truth that sentences about latency are held against. */
final class Measured {

    /** Sentences speak of the present; policies sum windows up for 10 s at most, and say what came of it for as long. */
    private static final long PRESENT_NANOS = 20_000_000_000L;

    /** Fewer requests, or those of one window alone, give no figure to judge by. */
    private static final int FEWEST = 8;

    private record Seen(long endNanos, Latency latency) {}

    /** Every window, also those without a request; the newest first. */
    private final Deque<Seen> recent = new ArrayDeque<>();

    void add(long endNanos, Latency latency) {
        recent.removeIf(seen -> endNanos - seen.endNanos > PRESENT_NANOS);
        recent.addFirst(new Seen(endNanos, latency));
    }

    /** Whether such a statistic was over a bound in some stretch of windows of late. */
    boolean wasOver(String statistic, double boundMs) {
        List<Latency> windows = recent.stream().map(Seen::latency).toList();
        for (int last = 0; last < windows.size(); last++) {
            Latency stretch = windows.get(last);
            for (int first = last + 1; first < windows.size(); first++) {
                stretch = stretch.plus(windows.get(first));
                if (stretch.count() >= FEWEST && of(statistic, stretch) > boundMs * 1e6) {
                    return true;
                }
            }
        }
        return false;
    }

    private static double of(String statistic, Latency latency) {
        return statistic.equals("mean")
                ? latency.meanNanos()
                : latency.percentileNanos(Double.parseDouble(statistic.substring(1)));
    }
}
