package dev.headgate.lab.scaleup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts something for each site in windows of 100 ms, from any thread. What happens after its length is not counted. */
final class Pulse {

    static final long WINDOW_NANOS = 100_000_000;

    private final long originNanos;
    private final int windows;
    private final List<AtomicIntegerArray> sites;

    /** @param originNanos the begin of the first window, on {@link System#nanoTime}'s clock */
    Pulse(int sites, Duration length, long originNanos) {
        this.originNanos = originNanos;
        this.windows = (int) (length.toNanos() / WINDOW_NANOS);
        List<AtomicIntegerArray> counts = new ArrayList<>();
        for (int i = 0; i < sites; i++) {
            counts.add(new AtomicIntegerArray(windows));
        }
        this.sites = List.copyOf(counts);
    }

    /** Counts one that happens now. */
    void count(int site) {
        long window = Math.floorDiv(System.nanoTime() - originNanos, WINDOW_NANOS);
        if (window >= 0 && window < windows) {
            sites.get(site).incrementAndGet((int) window);
        }
    }

    /** All counts by the length. */
    double perSecond() {
        long sum = between(0, windows).stream()
                .flatMapToInt(Arrays::stream)
                .asLongStream()
                .sum();
        return sum / (windows * WINDOW_NANOS / 1e9);
    }

    int windows() {
        return windows;
    }

    /** The counts of each site in some windows. */
    List<int[]> between(int from, int to) {
        List<int[]> counts = new ArrayList<>();
        for (AtomicIntegerArray site : sites) {
            int[] some = new int[to - from];
            for (int i = 0; i < some.length; i++) {
                some[i] = site.get(from + i);
            }
            counts.add(some);
        }
        return counts;
    }
}
