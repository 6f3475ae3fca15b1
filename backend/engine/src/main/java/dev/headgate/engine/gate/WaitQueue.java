package dev.headgate.engine.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of a gate, in order of arrival. Safe for any number of threads, without a lock.
 *
 * <h2>Leaving costs the same in a long queue</h2>
 *
 * An ended waiter is not searched for. It stays in the queue until it reaches the head, or until more than half of the
 * queue has ended; then one walk removes all ended waiters. So ten thousand waiters that time out together cost ten
 * thousand steps, not fifty million.
 */
final class WaitQueue implements Iterable<Waiter> {

    /** The number of ended waiters that may always stay in the queue. */
    private static final int FEW_ENDED = 64;

    private static final VarHandle WAITING;

    static {
        try {
            WAITING = MethodHandles.lookup().findVarHandle(WaitQueue.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ConcurrentLinkedQueue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /** Approximate number of ended waiters in the queue. */
    private final AtomicInteger ended = new AtomicInteger();

    /** Counts a waiter before it is added, until it ends. */
    private volatile int waiting;

    /** Counts one more waiter, if fewer than so many wait. {@link #add} must follow. */
    boolean tryCount(int depth) {
        if ((int) WAITING.getAndAdd(this, 1) < depth) {
            return true;
        }
        WAITING.getAndAdd(this, -1);
        return false;
    }

    /** Adds a waiter that {@link #tryCount} has counted. */
    void add(Waiter waiter) {
        queue.add(waiter);
    }

    /** Whether somebody waits. */
    boolean hasWaiters() {
        return waiting > 0;
    }

    /** How many wait. */
    int waiting() {
        return Math.max(0, waiting);
    }

    /** The waiter that has waited longest; removes ended ones before it. Null if nobody waits. */
    @Nullable
    Waiter head() {
        for (Waiter head = queue.peek(); head != null; head = queue.peek()) {
            if (head.isWaiting()) {
                return head;
            }
            if (queue.remove(head)) {
                ended.updateAndGet(count -> Math.max(0, count - 1)); // a walk may have subtracted it already
            }
        }
        return null;
    }

    /** Stops counting a waiter that the caller has ended. It is removed when it reaches the head, or together with many others. */
    void leave() {
        int remaining = (int) WAITING.getAndAdd(this, -1) - 1;
        int over = ended.incrementAndGet();
        head();
        if (over > FEW_ENDED && over > remaining && ended.compareAndSet(over, 0)) {
            queue.removeIf(each -> !each.isWaiting());
        }
    }

    /** Walks the queue, past waiters that have ended too. Others may join and leave meanwhile. */
    @Override
    public Iterator<Waiter> iterator() {
        return queue.iterator();
    }

    /** For {@link Gate#queue}. */
    List<Queued> list(@Nullable WaiterId after, int most, long now) {
        // whoever is late on the way into the queue stands behind later arrivals, so the whole queue is looked at
        PriorityQueue<Queued> first =
                new PriorityQueue<>(Comparator.comparing(Queued::id).reversed());
        int position = 0;
        for (Waiter waiter : queue) {
            if (!waiter.isWaiting()) {
                continue;
            }
            position++;
            boolean full = first.size() >= most;
            if ((after != null && waiter.arrivedNanos < after.arrivedNanos())
                    || (full && waiter.arrivedNanos > latest(first))) {
                continue;
            }
            WaiterId id = waiter.id();
            if (after == null || id.compareTo(after) > 0) {
                first.add(new Queued(
                        id,
                        position,
                        waiter.by,
                        waiter.thread,
                        Math.max(0, now - waiter.arrivedNanos),
                        waiter.deadlineNanos - now));
                if (full) {
                    first.remove();
                }
            }
        }
        return first.stream().sorted(Comparator.comparing(Queued::id)).toList();
    }

    private static long latest(PriorityQueue<Queued> latestFirst) {
        return Objects.requireNonNull(latestFirst.peek()).id().arrivedNanos();
    }
}
