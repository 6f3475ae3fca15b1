package dev.headgate.lab.link;

/** When the chunks of one direction arrive. Takes the time from its caller. Used by one thread. */
final class Timetable {

    private static final double NANOS_PER_SECOND = 1e9;

    private long number;
    private boolean used;
    private long freeNanos;
    private long lastNanos;

    /** When a chunk that is read now arrives: after those before it, however they were delayed. */
    long due(long nowNanos, long delayNanos, int bytes, Faults faults) {
        long begin = used ? later(freeNanos, nowNanos) : nowNanos;
        freeNanos = faults.bytesPerSecond() == 0
                ? nowNanos
                : begin + (long) (bytes * NANOS_PER_SECOND / faults.bytesPerSecond());
        long arrives = freeNanos + delayNanos + faults.jitterNanos(number++);
        lastNanos = used ? later(lastNanos, arrives) : arrives;
        used = true;
        return lastNanos;
    }

    /** Of two readings of the monotonic clock, which may overflow. */
    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }
}
