package dev.headgate.server.guards;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long the waiters of one pool have waited so far. A window tells how many requests came and how many wait at its end, but
 * not since when: those who wait are taken for the latest that came. No other choice makes their waits shorter, so nobody is
 * said to have waited longer than is so. What somebody waited before the first window does not count.
 */
final class StillWaiting {

    private record Arrivals(Instant until, long count) {}

    private final Deque<Arrivals> latest = new ArrayDeque<>();
    private @Nullable Instant began;
    private long known;
    private int waiting;

    /** @param end the window's, on the wall clock */
    void add(Instant end, Window window) {
        if (began == null) {
            began = end.minusNanos(window.lengthNanos());
        }
        if (window.arrivals() > 0) {
            latest.addLast(new Arrivals(end, window.arrivals()));
            known += window.arrivals();
        }
        waiting = window.waiting();
        while (!latest.isEmpty() && known - latest.getFirst().count() >= waiting) {
            known -= latest.removeFirst().count();
        }
    }

    /** Requests that waited at the end of the last window. */
    int count() {
        return waiting;
    }

    /** Adds the waits that have lasted longer than a bound to a histogram of nanoseconds. */
    void addTo(Histogram waits, Instant now, long boundNanos) {
        long left = waiting;
        for (Iterator<Arrivals> newestFirst = latest.descendingIterator(); newestFirst.hasNext() && left > 0; ) {
            Arrivals arrivals = newestFirst.next();
            long those = Math.min(left, arrivals.count());
            add(waits, those, Duration.between(arrivals.until(), now).toNanos(), boundNanos);
            left -= those;
        }
        if (began != null && left > 0) {
            add(waits, left, Duration.between(began, now).toNanos(), boundNanos);
        }
    }

    private static void add(Histogram waits, long count, long waitedNanos, long boundNanos) {
        if (waitedNanos > boundNanos) {
            waits.recordValueWithCount(Math.min(waitedNanos, HdrLatency.HIGHEST_NANOS), count);
        }
    }
}
