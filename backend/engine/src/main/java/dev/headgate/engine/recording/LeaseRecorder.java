package dev.headgate.engine.recording;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.time.Time;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last lease requests of one pool: those of the last {@link #REACH}, at most {@value #CAPACITY} (one minute at 1,000
 * per second), and fewer if the memory account has no room for them. They are kept in segments of {@value #SEGMENT}; the
 * oldest segment is dropped when it is too old, when there are too many, or when a further one gets no memory. So an idle pool
 * needs almost nothing, and a full recorder 2 MB.
 *
 * <p>Any number of threads may call {@link #lease} and {@link #refused}: one fetch-and-add claims a slot, and the slot's stamp
 * is written last. Only the first request of a segment takes a lock, for some hundred nanoseconds. A slot is written once: a
 * segment that is dropped is not used again, so a thread that is late spoils nothing. A reader takes a slot only if it is
 * complete.
 */
public final class LeaseRecorder implements AutoCloseable {

    /** The holder of the memory account that records are reserved from. */
    public static final String HOLDER = "leases";

    /** How far back a recording may reach. */
    public static final Duration REACH = Duration.ofMinutes(10);

    static final int CAPACITY = 1 << 16;
    static final int SEGMENT = 1 << 8;
    private static final int SEGMENTS = CAPACITY / SEGMENT;

    /** Bytes of a segment, with the headers of its arrays. */
    static final long SEGMENT_BYTES = SEGMENT * 25L + 160;

    /** So many segments a recorder keeps whatever the account says. */
    static final int LEAST_SEGMENTS = 2;

    private static final long MICRO = 1_000;
    private static final long WINDOW_NANOS = 100_000_000;
    private static final long WINDOWS = REACH.toNanos() / WINDOW_NANOS;

    /** The bits of a sort key that hold a slot's place: more than there are slots. The other bits hold two hours of nanoseconds. */
    private static final int PLACE_BITS = 20;

    private static final VarHandle COMPLETE = MethodHandles.arrayElementVarHandle(boolean[].class);

    private static final class Segment {
        /** Counted from 0: its first request has the number {@code order * SEGMENT}. */
        final long order;

        /** When its first slot was claimed: every request of an older segment had arrived. */
        final long begunNanos;

        final boolean[] complete = new boolean[SEGMENT];
        final long[] arrivedNanos = new long[SEGMENT];
        final int[] waitedMicros = new int[SEGMENT];
        final int[] holdMicros = new int[SEGMENT];
        final int[] busyMicros = new int[SEGMENT];
        final int[] requests = new int[SEGMENT];

        Segment(long order, long begunNanos) {
            this.order = order;
            this.begunNanos = begunNanos;
        }
    }

    /** The number of connections from the end of a window on, until the next size. */
    private record Size(long window, int connections) {}

    private final Time time;
    private final MemoryAccount.Share memory;
    private final AtomicLong claimed = new AtomicLong();

    /** A segment's place is its order modulo {@link #SEGMENTS}. Written under its own lock. */
    private final AtomicReferenceArray<@Nullable Segment> segments = new AtomicReferenceArray<>(SEGMENTS);

    /** The order of the oldest segment that may be there. Written under the lock of {@code segments}. */
    private final AtomicLong oldest = new AtomicLong();

    /** The number of segments. Written under the lock of {@code segments}. */
    private final AtomicInteger held = new AtomicInteger();

    /** The sizes at the ends of the windows within {@link #REACH}; only those that differ from the one before. */
    private final ArrayDeque<Size> sizes = new ArrayDeque<>();

    private long windows;

    /** @param memory for the segments; closed with the recorder */
    public LeaseRecorder(Time time, MemoryAccount.Share memory) {
        this.time = time;
        this.memory = memory;
    }

    /** Records the end of a lease with at least one request. */
    public void lease(long arrivedNanos, long waitedNanos, long holdNanos, long busyNanos, int requests) {
        write(arrivedNanos, waitedNanos, holdNanos, busyNanos, Math.max(1, requests));
    }

    /** Records a request that got no lease. */
    public void refused(long arrivedNanos, long waitedNanos) {
        write(arrivedNanos, waitedNanos, 0, 0, 0);
    }

    /** Records the number of connections at the end of a window, and drops what is too old. Governor only. */
    public void windowEnded(int connections) {
        synchronized (sizes) {
            Size last = sizes.peekLast();
            if (last == null || last.connections() != connections) {
                sizes.addLast(new Size(windows, connections));
            }
            windows++;
            // the first one counts until the second: it goes when that one is too old as well
            while (sizes.size() > 1 && second(sizes).window() <= windows - WINDOWS) {
                sizes.removeFirst();
            }
        }
        if (held.get() > 1) {
            dropOld(time.nanoTime() - REACH.toNanos());
        }
    }

    private static Size second(ArrayDeque<Size> sizes) {
        Iterator<Size> each = sizes.iterator();
        each.next();
        return each.next();
    }

    private void write(long arrivedNanos, long waitedNanos, long holdNanos, long busyNanos, int requests) {
        long number = claimed.getAndIncrement();
        Segment segment = segment(number / SEGMENT);
        if (segment == null) {
            return;
        }
        int slot = (int) (number % SEGMENT);
        segment.arrivedNanos[slot] = arrivedNanos;
        segment.waitedMicros[slot] = micros(waitedNanos);
        segment.holdMicros[slot] = micros(holdNanos);
        segment.busyMicros[slot] = micros(busyNanos);
        segment.requests[slot] = requests;
        COMPLETE.setRelease(segment.complete, slot, true);
    }

    /** The segment of that order; null if it was dropped already. */
    private @Nullable Segment segment(long order) {
        Segment there = find(order);
        return there == null ? begin(order) : there;
    }

    /** The segment of that order if it is there. */
    private @Nullable Segment find(long order) {
        Segment there = segments.getAcquire((int) (order % SEGMENTS));
        return there != null && there.order == order ? there : null;
    }

    private @Nullable Segment begin(long order) {
        synchronized (segments) {
            Segment there = find(order);
            if (there != null || order < oldest.get()) {
                return there;
            }
            while (oldest.get() <= order - SEGMENTS) {
                dropOldest();
            }
            while (held.get() >= LEAST_SEGMENTS && !memory.tryReserve(SEGMENT_BYTES)) {
                dropOldest();
            }
            if (held.get() < LEAST_SEGMENTS) {
                memory.reserve(SEGMENT_BYTES);
            }
            Segment fresh = new Segment(order, time.nanoTime());
            segments.setRelease((int) (order % SEGMENTS), fresh);
            held.incrementAndGet();
            return fresh;
        }
    }

    /** Drops the segments that ended before an instant: the next one had begun. */
    private void dropOld(long beforeNanos) {
        synchronized (segments) {
            while (held.get() > 1) {
                Segment next = find(oldest.get() + 1);
                if (find(oldest.get()) != null && (next == null || next.begunNanos - beforeNanos >= 0)) {
                    return;
                }
                dropOldest();
            }
        }
    }

    private void dropOldest() {
        long order = oldest.get();
        if (find(order) != null) {
            segments.setRelease((int) (order % SEGMENTS), null);
            held.decrementAndGet();
            memory.release(SEGMENT_BYTES);
        }
        oldest.set(order + 1);
    }

    private static int micros(long nanos) {
        return Math.clamp(nanos / MICRO, 0, Integer.MAX_VALUE);
    }

    /** Receives the slots that are complete. */
    private interface Reader {
        void read(Segment segment, int slot);
    }

    private void forEach(Reader reader) {
        long last = claimed.get();
        for (long order = oldest.get(); order * SEGMENT < last; order++) {
            Segment segment = find(order);
            for (int slot = 0; segment != null && slot < SEGMENT; slot++) {
                if ((boolean) COMPLETE.getAcquire(segment.complete, slot)) {
                    reader.read(segment, slot);
                }
            }
        }
    }

    /** Finds the slots of an interval and their order. Copies nothing of them. */
    private static final class Found implements Reader {
        private final long earliestNanos;
        private final List<Segment> places = new ArrayList<>();

        /** Each is the nanoseconds from the interval's start to an arrival, and in the low bits the place of its slot. */
        private long[] keys = new long[SEGMENT];

        private int size;
        private long firstNanos = Long.MAX_VALUE;

        Found(long earliestNanos) {
            this.earliestNanos = earliestNanos;
        }

        @Override
        public void read(Segment segment, int slot) {
            if (places.isEmpty() || places.getLast() != segment) {
                places.add(segment);
            }
            long at = segment.arrivedNanos[slot] - earliestNanos;
            firstNanos = Math.min(firstNanos, at);
            if (at >= 0) {
                if (size == keys.length) {
                    keys = Arrays.copyOf(keys, 2 * size);
                }
                keys[size++] = at << PLACE_BITS | (long) (places.size() - 1) * SEGMENT + slot;
            }
        }

        /** The one copy of them. */
        Arrivals sorted(long startNanos) {
            Arrays.sort(keys, 0, size);
            Arrivals sorted = new Arrivals(size);
            for (int i = 0; i < size; i++) {
                int place = (int) (keys[i] & ((1L << PLACE_BITS) - 1));
                Segment segment = places.get(place / SEGMENT);
                int slot = place % SEGMENT;
                sorted.fill(
                        i,
                        (keys[i] >> PLACE_BITS) - startNanos,
                        segment.waitedMicros[slot],
                        segment.holdMicros[slot],
                        segment.busyMicros[slot],
                        segment.requests[slot]);
            }
            return sorted;
        }
    }

    /**
     * The recording of the last interval of this length, without leases that have not ended yet. Does not block; copies each of
     * them once.
     *
     * @param length at most {@link #REACH}
     */
    public Recording last(String domain, Duration length) {
        long now = time.nanoTime();
        boolean dropped = oldest.get() > 0;
        Found found = new Found(now - length.toNanos());
        forEach(found);
        // of what was dropped, some may have arrived until the first one that is kept
        long missing = dropped ? Math.clamp(found.firstNanos, 0, length.toNanos()) : 0;
        long covered = length.toNanos() - missing;
        return new Recording(domain, time.now().minusNanos(covered), covered, found.sorted(missing), sizesOf(covered));
    }

    /** The number of requests that {@link #last} would return. Does not block; copies nothing. */
    public int count(Duration length) {
        long earliest = time.nanoTime() - length.toNanos();
        int[] count = {0};
        forEach((segment, slot) -> {
            if (segment.arrivedNanos[slot] - earliest >= 0) {
                count[0]++;
            }
        });
        return count[0];
    }

    private List<Integer> sizesOf(long lengthNanos) {
        List<Integer> found = new ArrayList<>();
        synchronized (sizes) {
            long count = Math.min(Math.min(windows, WINDOWS), lengthNanos / WINDOW_NANOS);
            Iterator<Size> each = sizes.iterator();
            Size present = each.hasNext() ? each.next() : new Size(0, 0);
            Size next = each.hasNext() ? each.next() : null;
            for (long window = windows - count; window < windows; window++) {
                while (next != null && next.window() <= window) {
                    present = next;
                    next = each.hasNext() ? each.next() : null;
                }
                found.add(present.connections());
            }
        }
        return found;
    }

    /** Releases its memory. What it has recorded stays readable; further requests are still recorded. */
    @Override
    public void close() {
        memory.close();
    }
}
