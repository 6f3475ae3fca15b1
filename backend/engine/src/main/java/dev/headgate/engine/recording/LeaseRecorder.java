package dev.headgate.engine.recording;

import dev.headgate.engine.recording.Recording.Arrival;
import dev.headgate.engine.time.Time;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last {@value #CAPACITY} lease requests of one pool: one minute at 1,000 per second. It is a ring of segments that
 * are allocated on first use, so an idle pool needs almost no memory (a full ring needs 2 MB).
 *
 * <p>Any number of threads may call {@link #lease} and {@link #refused}, which never wait: one fetch-and-add claims a slot,
 * and the slot's stamp is written last. A reader takes a slot only if its stamp is the same before and after the read; so it
 * skips a slot that is being overwritten. The recorder reads no clock: the meter has the instants already.
 */
public final class LeaseRecorder {

    static final int CAPACITY = 1 << 16;
    private static final int SEGMENT = 1 << 10;
    private static final long MICRO = 1_000;
    private static final int WINDOWS = 6_000;
    private static final long WINDOW_NANOS = 100_000_000;

    private static final VarHandle STAMP = MethodHandles.arrayElementVarHandle(long[].class);

    private static final class Segment {
        /** The claimed number plus one if a slot is complete, its negative while the slot is being written. */
        final long[] stamp = new long[SEGMENT];

        final long[] arrivedNanos = new long[SEGMENT];
        final int[] waitedMicros = new int[SEGMENT];
        final int[] holdMicros = new int[SEGMENT];
        final int[] busyMicros = new int[SEGMENT];
        final int[] requests = new int[SEGMENT];
    }

    private final Time time;
    private final AtomicLong claimed = new AtomicLong();
    /** Connections at the end of each window of the last ten minutes. Only the governor writes it. */
    private final AtomicIntegerArray sizes = new AtomicIntegerArray(WINDOWS);

    private volatile long windows;
    private final AtomicReferenceArray<@Nullable Segment> segments = new AtomicReferenceArray<>(CAPACITY / SEGMENT);

    public LeaseRecorder(Time time) {
        this.time = time;
    }

    /** Records the end of a lease with at least one request. */
    public void lease(long arrivedNanos, long waitedNanos, long holdNanos, long busyNanos, int requests) {
        write(arrivedNanos, waitedNanos, holdNanos, busyNanos, Math.max(1, requests));
    }

    /** Records a request that got no lease. */
    public void refused(long arrivedNanos, long waitedNanos) {
        write(arrivedNanos, waitedNanos, 0, 0, 0);
    }

    /** Records the number of connections at the end of a window. Governor only. */
    public void windowEnded(int connections) {
        long number = windows;
        sizes.set((int) (number % WINDOWS), connections);
        windows = number + 1;
    }

    private void write(long arrivedNanos, long waitedNanos, long holdNanos, long busyNanos, int requests) {
        long number = claimed.getAndIncrement();
        Segment segment = segment((int) (number % CAPACITY) / SEGMENT);
        int slot = (int) (number % SEGMENT);
        STAMP.setOpaque(segment.stamp, slot, -number - 1);
        VarHandle.storeStoreFence();
        segment.arrivedNanos[slot] = arrivedNanos;
        segment.waitedMicros[slot] = micros(waitedNanos);
        segment.holdMicros[slot] = micros(holdNanos);
        segment.busyMicros[slot] = micros(busyNanos);
        segment.requests[slot] = requests;
        STAMP.setRelease(segment.stamp, slot, number + 1);
    }

    private Segment segment(int index) {
        Segment there = segments.getAcquire(index);
        if (there != null) {
            return there;
        }
        Segment fresh = new Segment();
        Segment won = segments.compareAndExchange(index, null, fresh);
        return won == null ? fresh : won;
    }

    private static int micros(long nanos) {
        return Math.clamp(nanos / MICRO, 0, Integer.MAX_VALUE);
    }

    /**
     * The recording of the last interval of this length, without leases that have not ended yet. Does not block; copies.
     */
    public Recording last(String domain, Duration length) {
        long now = time.nanoTime();
        long end = claimed.get();
        long earliest = now - length.toNanos();
        List<Arrival> found = new ArrayList<>();
        boolean full = end > CAPACITY;
        long oldest = now;
        for (long number = Math.max(0, end - CAPACITY); number < end; number++) {
            Segment segment = segments.getAcquire((int) (number % CAPACITY) / SEGMENT);
            int slot = (int) (number % SEGMENT);
            if (segment == null || (long) STAMP.getAcquire(segment.stamp, slot) != number + 1) {
                continue;
            }
            long arrived = segment.arrivedNanos[slot];
            Arrival arrival = new Arrival(
                    arrived - earliest,
                    segment.waitedMicros[slot] * MICRO,
                    segment.holdMicros[slot] * MICRO,
                    segment.busyMicros[slot] * MICRO,
                    segment.requests[slot]);
            VarHandle.loadLoadFence();
            if ((long) STAMP.getOpaque(segment.stamp, slot) == number + 1) {
                oldest = Math.min(oldest, arrived);
                if (arrival.atNanos() >= 0) {
                    found.add(arrival);
                }
            }
        }
        // a ring that has wrapped may have lost requests from before its oldest one
        long missing = full ? Math.max(0, oldest - earliest) : 0;
        List<Arrival> sorted = found.stream()
                .map(each -> new Arrival(
                        each.atNanos() - missing,
                        each.waitedNanos(),
                        each.holdNanos(),
                        each.busyNanos(),
                        each.requests()))
                .sorted(Comparator.comparingLong(Arrival::atNanos))
                .toList();
        long covered = length.toNanos() - missing;
        return new Recording(domain, time.now().minusNanos(covered), covered, sorted, sizesOf(covered));
    }

    /** The number of requests that {@link #last} would return. Does not block; copies nothing. */
    public int count(Duration length) {
        long end = claimed.get();
        long earliest = time.nanoTime() - length.toNanos();
        int count = 0;
        for (long number = Math.max(0, end - CAPACITY); number < end; number++) {
            Segment segment = segments.getAcquire((int) (number % CAPACITY) / SEGMENT);
            int slot = (int) (number % SEGMENT);
            if (segment != null
                    && (long) STAMP.getAcquire(segment.stamp, slot) == number + 1
                    && segment.arrivedNanos[slot] - earliest >= 0) {
                count++;
            }
        }
        return count;
    }

    private List<Integer> sizesOf(long lengthNanos) {
        long end = windows;
        long count = Math.min(Math.min(end, WINDOWS), lengthNanos / WINDOW_NANOS);
        List<Integer> found = new ArrayList<>();
        for (long number = end - count; number < end; number++) {
            found.add(sizes.get((int) (number % WINDOWS)));
        }
        return found;
    }
}
