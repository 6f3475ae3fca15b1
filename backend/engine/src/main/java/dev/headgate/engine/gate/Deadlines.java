package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import java.util.function.Consumer;

/**
 * Ends the asynchronous waiters whose deadline has passed. A blocking waiter looks at its deadline itself.
 *
 * <p>There is one timer however many wait, at or before the earliest deadline. Waiters that are served before their deadline cost
 * nothing: when the timer is due, one walk over the queue (a <em>sweep</em>) looks at all waiters, and another sweep is scheduled only
 * while somebody waits. Safe for any number of threads, without a lock.
 */
final class Deadlines {

    /** Deadlines closer together than this share one sweep. */
    private static final long SHORTEST_SWEEP_NANOS = 500_000;

    /** Added for each waiter, because a sweep walks past all of them. */
    private static final long SWEEP_NANOS_EACH = 1_000;

    private final Time time;
    private final WaitQueue queue;
    private final Consumer<Waiter> timeOut;
    private final EarliestTimer timer;

    /** @param timeOut ends a waiter whose deadline has passed; called on the timer's thread */
    Deadlines(Time time, WaitQueue queue, Consumer<Waiter> timeOut) {
        this.time = time;
        this.queue = queue;
        this.timeOut = timeOut;
        this.timer = new EarliestTimer(time, this::sweep);
    }

    /** Schedules a sweep for that time or earlier. Called after the waiter with this deadline has joined the queue. */
    void sweepBy(long dueNanos, long now) {
        timer.runBy(dueNanos, now);
    }

    private void sweep() {
        long now = time.nanoTime();
        Waiter earliest = null;
        for (Waiter waiter : queue) {
            if (waiter.isAsynchronous() && waiter.isWaiting()) {
                if (waiter.deadlineNanos - now <= 0) {
                    timeOut.accept(waiter);
                } else if (earliest == null || earliest.deadlineNanos - waiter.deadlineNanos > 0) {
                    earliest = waiter;
                }
            }
        }
        if (earliest != null) {
            long soonest = now + SHORTEST_SWEEP_NANOS + queue.waiting() * SWEEP_NANOS_EACH;
            sweepBy(earliest.deadlineNanos - soonest > 0 ? earliest.deadlineNanos : soonest, now);
        }
    }
}
