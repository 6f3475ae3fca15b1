package dev.headgate.wire;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the clients that have connected and have not logged in. A login takes milliseconds, so where all places are taken for long,
 * somebody opens connections and says nothing. Then the client that has waited longest gives way to the next, but no client before
 * it had a second. Until then the next waits in the system's queue, as it does when many applications connect at once.
 *
 * <p>One address has a part of the places, so that it cannot take all of them: beyond it, its next client takes the place of its own
 * oldest, if that had its second, and is not taken otherwise. Addresses of one {@link AddressBlock} count as one.
 *
 * <p>{@link #untilRoom} and {@link #enter} belong to the accepting thread, the rest to any.
 */
final class Arrivals {

    /** No client is ended sooner after it was accepted. */
    static final Duration UNDISTURBED = Duration.ofSeconds(1);

    /** A client that has not logged in. */
    final class Place {
        private final long sinceNanos;
        private final Executor loop;
        private final InetAddress address;
        private final AtomicBoolean here = new AtomicBoolean(true);

        /** Belongs to the loop's thread. A place stays in the queue behind an older one, so it must not hold a client that has left. */
        private @Nullable Runnable end;

        private Place(long sinceNanos, Executor loop, InetAddress address) {
            this.sinceNanos = sinceNanos;
            this.loop = loop;
            this.address = address;
        }

        /** What ends the client. On its loop, by the first task that got the place. */
        void onEnd(Runnable action) {
            end = action;
        }

        /** The client has logged in, or is gone. On its loop; may be told twice. */
        void leave() {
            end = null;
            boolean _ = free();
        }

        private boolean isOf(InetAddress one) {
            return here.get() && address.equals(one);
        }

        private void giveWay() {
            if (free()) {
                gaveWay.incrementAndGet();
                loop.execute(this::end);
            }
        }

        private void end() {
            if (end != null) {
                end.run();
            }
        }

        /** @return false if it was free before */
        private boolean free() {
            boolean first = here.compareAndSet(true, false);
            if (first) {
                present.decrementAndGet();
            }
            return first;
        }
    }

    private final int most;
    private final int mostOfOne;
    private final Deque<Place> oldestFirst = new ArrayDeque<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicLong gaveWay = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /**
     * @param most clients at once, at least 1
     * @param mostOfOne clients of one address, at least 1
     */
    Arrivals(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    ArrivalStatus status() {
        return new ArrivalStatus(present.get(), gaveWay.get(), refused.get());
    }

    /**
     * Makes room for one more client if it may.
     *
     * @return 0 if there is room, else nanoseconds after which there will be
     */
    long untilRoom(long nowNanos) {
        forgetWhoLeft();
        if (present.get() < most) {
            return 0;
        }
        Place oldest = oldestFirst.peek();
        if (oldest == null) {
            return 0; // all have left since they were counted
        }
        long wait = undisturbedFor(oldest, nowNanos);
        if (wait == 0) {
            oldestFirst.remove();
            oldest.giveWay();
        }
        return wait;
    }

    /**
     * A client was accepted.
     *
     * @param loop that the client belongs to
     * @param of its address
     * @return empty if it is not taken: its address has all its places
     */
    Optional<Place> enter(long nowNanos, Executor loop, InetAddress of) {
        InetAddress address = AddressBlock.of(of);
        if (!makesRoom(nowNanos, address)) {
            refused.incrementAndGet();
            return Optional.empty();
        }
        Place place = new Place(nowNanos, loop, address);
        oldestFirst.add(place);
        present.incrementAndGet();
        return Optional.of(place);
    }

    private boolean makesRoom(long nowNanos, InetAddress address) {
        if (present.get() < mostOfOne) {
            return true;
        }
        List<Place> its =
                oldestFirst.stream().filter(place -> place.isOf(address)).toList();
        if (its.size() < mostOfOne) {
            return true;
        }
        Place oldest = its.getFirst();
        if (undisturbedFor(oldest, nowNanos) > 0) {
            return false;
        }
        oldest.giveWay();
        return true;
    }

    /** How many nanoseconds are left of a client's second. */
    private static long undisturbedFor(Place place, long nowNanos) {
        return Math.max(0, UNDISTURBED.toNanos() - (nowNanos - place.sinceNanos));
    }

    private void forgetWhoLeft() {
        while (!oldestFirst.isEmpty() && !oldestFirst.peek().here.get()) {
            oldestFirst.remove();
        }
        if (oldestFirst.size() > 2 * most) { // behind one that stays
            oldestFirst.removeIf(place -> !place.here.get());
        }
    }
}
