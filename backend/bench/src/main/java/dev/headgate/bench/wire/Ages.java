package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import java.util.Arrays;

/** The ages of frames when they were read. Safe for several threads. */
final class Ages {

    private long[] nanos = new long[1 << 16];
    private int size;

    synchronized void add(long age) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * size);
        }
        nanos[size++] = age;
    }

    /** Adds the median, the 99th percentile and the highest. */
    synchronized void note(Sheet.Entry entry) {
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        entry.add("frames", "%,.0f", size);
        if (size > 0) {
            entry.add("age of frames, p50, ms", "%.1f", at(sorted, 0.5));
            entry.add("age of frames, p99, ms", "%.1f", "at most 500", at(sorted, 0.99));
            entry.add("highest age of a frame, ms", "%.1f", at(sorted, 1));
        }
    }

    private static double at(long[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1L, (long) (share * sorted.length))] / 1e6;
    }
}
