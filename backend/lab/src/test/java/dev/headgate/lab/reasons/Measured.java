package dev.headgate.lab.reasons;

import dev.headgate.spi.Latency;
import java.util.ArrayDeque;
import java.util.Deque;

/** What was measured of late, of one domain or of the sum of all: the truth that sentences about latency are held against. */
final class Measured {

    /** Sentences speak of the present; policies sum windows up for 10 s at most, and say what came of it for as long. */
    private static final long PRESENT_NANOS = 20_000_000_000L;

    private record Seen(long endNanos, Latency latency) {}

    private final Deque<Seen> recent = new ArrayDeque<>();

    void add(long endNanos, Latency latency) {
        recent.removeIf(seen -> endNanos - seen.endNanos > PRESENT_NANOS);
        if (latency.count() > 0) {
            recent.add(new Seen(endNanos, latency));
        }
    }

    /** Whether no window of late had such a statistic over a bound. */
    boolean isNeverOver(String statistic, double boundMs) {
        return recent.stream().noneMatch(seen -> of(statistic, seen.latency) > boundMs * 1e6);
    }

    private static double of(String statistic, Latency latency) {
        return statistic.equals("mean")
                ? latency.meanNanos()
                : latency.percentileNanos(Double.parseDouble(statistic.substring(1)));
    }
}
