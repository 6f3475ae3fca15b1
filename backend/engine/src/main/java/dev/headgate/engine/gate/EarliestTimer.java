package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action at the earliest of the times that it was asked for, on a timer's thread. There is one timer at most: an earlier time
 * replaces it, a later one changes nothing. So the action asks again for what it finds left to do. Safe for any number of threads,
 * without a lock.
 */
final class EarliestTimer {

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
    private final Runnable action;
    private final AtomicReference<@Nullable Appointment> next = new AtomicReference<>();

    EarliestTimer(Time time, Runnable action) {
        this.time = time;
        this.action = action;
    }

    /** Runs the action at that time or earlier. */
    void runBy(long dueNanos, long now) {
        Appointment made = new Appointment(dueNanos);
        Appointment standing = next.get();
        while (standing == null || standing.dueNanos - dueNanos > 0) {
            if (next.compareAndSet(standing, made)) {
                if (standing != null) {
                    standing.cancel();
                }
                made.set(time.after(dueNanos - now, () -> {
                    next.compareAndSet(made, null); // before it looks: who comes later asks for the next
                    action.run();
                }));
                return;
            }
            standing = next.get();
        }
    }
}
