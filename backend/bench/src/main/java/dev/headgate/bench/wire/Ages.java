package dev.headgate.bench.wire;

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

    /** In milliseconds: the median, the 99th percentile and the highest. */
    synchronized String show() {
        if (size == 0) {
            return "none";
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        return "p50 %.1f, p99 %.1f, highest %.1f ms of %d frames"
                .formatted(at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1), size);
    }

    private static double at(long[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1L, (long) (share * sorted.length))] / 1e6;
    }
}
