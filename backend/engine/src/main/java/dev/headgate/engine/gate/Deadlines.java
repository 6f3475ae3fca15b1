package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends the asynchronous waiters whose deadline has passed. A blocking waiter looks at its deadline itself.
 *
 * <p>There is one timer however many wait, at or before the earliest deadline. It is replaced only if an earlier one is needed.
 * Waiters that are served before their deadline cost nothing: when the timer is due, one walk over the queue (a <em>sweep</em>)
 * looks at all waiters, and another sweep is scheduled only while somebody waits. Safe for any number of threads, without a lock.
 */
final class Deadlines {

    /** Deadlines closer together than this share one sweep. */
    private static final long SHORTEST_SWEEP_NANOS = 500_000;

    /** Added for each waiter, because a sweep walks past all of them. */
    private static final long SWEEP_NANOS_EACH = 1_000;

    /** A timer and its due time. A class, not a record, so that equality is identity. */
    private static final class Appointment {
        private final long dueNanos;
        private volatile Time.@Nullable Timer timer;

        /** Set when the appointment ends, which may happen before the timer is known. */
        private volatile boolean isOver;

        Appointment(long dueNanos) {
            this.dueNanos = dueNanos;
        }

        void set(Time.Timer known) {
            timer = known;
            if (isOver) {
                known.cancel();
            }
        }

        void cancel() {
            isOver = true;
            Time.Timer known = timer;
            if (known != null) {
                known.cancel();
            }
        }
    }

    private final Time time;
    private final WaitQueue queue;
    private final Consumer<Waiter> timeOut;
    private final AtomicReference<@Nullable Appointment> next = new AtomicReference<>();

    /** @param timeOut ends a waiter whose deadline has passed; called on the timer's thread */
    Deadlines(Time time, WaitQueue queue, Consumer<Waiter> timeOut) {
        this.time = time;
        this.queue = queue;
        this.timeOut = timeOut;
    }

    /** Schedules a sweep for that time or earlier. Called after the waiter with this deadline has joined the queue. */
    void sweepBy(long dueNanos, long now) {
        Appointment made = new Appointment(dueNanos);
        Appointment standing = next.get();
        while (standing == null || standing.dueNanos - dueNanos > 0) {
            if (next.compareAndSet(standing, made)) {
                if (standing != null) {
                    standing.cancel();
                }
                made.set(time.after(dueNanos - now, () -> {
                    next.compareAndSet(
                            made, null); // before the sweep looks: a waiter that joins later schedules the next
                    sweep();
                }));
                return;
            }
            standing = next.get();
        }
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
