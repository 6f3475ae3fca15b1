package dev.headgate.wire;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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
 * <p>{@link #untilRoom} and {@link #enter} belong to the accepting thread, the rest to any.
 */
final class Arrivals {

    /** No client is ended sooner after it was accepted. */
    static final Duration UNDISTURBED = Duration.ofSeconds(1);

    /** A client that has not logged in. */
    final class Place {
        private final long sinceNanos;
        private final Executor loop;
        private final AtomicBoolean here = new AtomicBoolean(true);

        /** Belongs to the loop's thread. A place stays in the queue behind an older one, so it must not hold a client that has left. */
        private @Nullable Runnable end;

        private Place(long sinceNanos, Executor loop) {
            this.sinceNanos = sinceNanos;
            this.loop = loop;
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
    private final Deque<Place> oldestFirst = new ArrayDeque<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicLong gaveWay = new AtomicLong();

    /** @param most clients at once, at least 1 */
    Arrivals(int most) {
        this.most = most;
    }

    ArrivalStatus status() {
        return new ArrivalStatus(present.get(), gaveWay.get());
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
        long wait = UNDISTURBED.toNanos() - (nowNanos - oldest.sinceNanos);
        if (wait <= 0) {
            oldestFirst.remove();
            oldest.giveWay();
        }
        return Math.max(0, wait);
    }

    /**
     * A client was accepted.
     *
     * @param loop that the client belongs to
     */
    Place enter(long nowNanos, Executor loop) {
        Place place = new Place(nowNanos, loop);
        oldestFirst.add(place);
        present.incrementAndGet();
        return place;
    }

    private void forgetWhoLeft() {
        while (!oldestFirst.isEmpty() && !oldestFirst.peek().here.get()) {
            oldestFirst.remove();
        }
    }
}
