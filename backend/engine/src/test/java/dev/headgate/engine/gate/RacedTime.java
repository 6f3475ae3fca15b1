package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands until it is moved, and the sleep of threads. It counts those that run, so it knows when nothing more happens by
 * itself. A thread wakes when it is woken or interrupted, or when its time has come; never for no reason, as it may in Lincheck's
 * {@code LockSupport}: there no lost wake-up would be seen. Safe for any number of threads.
 */
final class RacedTime implements Time {

    private static final class Sleeper {
        final Thread thread;
        boolean isWoken;
        boolean isAsleep;
        boolean isInterrupted;
        long wakesAtNanos;

        Sleeper(Thread thread) {
            this.thread = thread;
        }
    }

    private record Task(long dueNanos, Runnable action) {}

    private final List<Sleeper> sleepers = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private int running;
    private volatile long now;

    /** @param running how many threads will call {@link #ends} */
    RacedTime(int running) {
        this.running = running;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(now);
    }

    // ---- timers

    @Override
    public synchronized Timer after(long delayNanos, Runnable action) {
        Task task = new Task(now + delayNanos, action);
        tasks.add(task);
        return () -> cancel(task);
    }

    @SuppressWarnings("ReferenceEquality") // two tasks may be due at the same time
    private synchronized void cancel(Task task) {
        tasks.removeIf(each -> each == task);
    }

    private synchronized @Nullable Task nextDue() {
        for (Task task : tasks) {
            if (task.dueNanos <= now) {
                cancel(task);
                return task;
            }
        }
        return null;
    }

    /** Moves the clock, wakes whose time has come, and runs what is due, on this thread. One thread at a time. */
    void pass(long nanos) {
        synchronized (this) {
            now += nanos;
            for (Sleeper sleeper : sleepers) {
                if (sleeper.wakesAtNanos <= now) {
                    rouse(sleeper);
                }
            }
        }
        for (Task task = nextDue(); task != null; task = nextDue()) {
            task.action.run();
        }
    }

    // ---- threads

    @Override
    public synchronized void park(Object blocker, long nanos) {
        Sleeper me = sleeper(Thread.currentThread());
        if (me.isWoken || me.thread.isInterrupted()) {
            me.isWoken = false;
            return;
        }
        me.wakesAtNanos = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
        me.isAsleep = true;
        ends();
        await(() -> !me.isAsleep);
        if (me.isInterrupted) {
            me.thread.interrupt();
        }
    }

    @Override
    public synchronized void unpark(Thread thread) {
        Sleeper sleeper = sleeper(thread);
        if (!rouse(sleeper)) {
            sleeper.isWoken = true;
        }
    }

    synchronized void interrupt(Thread thread) {
        Sleeper sleeper = sleeper(thread);
        if (rouse(sleeper)) {
            sleeper.isInterrupted = true;
        } else {
            thread.interrupt();
        }
    }

    private boolean rouse(Sleeper sleeper) {
        if (!sleeper.isAsleep) {
            return false;
        }
        sleeper.isAsleep = false;
        running++;
        notifyAll();
        return true;
    }

    private Sleeper sleeper(Thread thread) {
        for (Sleeper sleeper : sleepers) {
            if (sleeper.thread == thread) {
                return sleeper;
            }
        }
        Sleeper added = new Sleeper(thread);
        sleepers.add(added);
        return added;
    }

    /** A thread has ended what it does. */
    synchronized void ends() {
        running--;
        notifyAll();
    }

    /** Waits until all threads but so many have ended or sleep. */
    synchronized void settle(int but) {
        await(() -> running <= but);
    }

    private void await(BooleanSupplier condition) {
        try {
            while (!condition.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
