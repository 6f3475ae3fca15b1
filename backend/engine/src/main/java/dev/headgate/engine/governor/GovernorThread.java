package dev.headgate.engine.governor;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a governor's steps on a thread of its own: when woken, and at the end of every window. Steps are at least
 * {@value #GAP_NANOS} ns apart, so that a pool with a queue before it does not keep a core busy deciding the same again. After a
 * slow step they are {@value #REST_FACTOR} times its length apart, up to a window: policies that use their deadline to the full
 * have a part of one core and not the whole of it, however often they are woken.
 */
public final class GovernorThread implements AutoCloseable {

    private static final long GAP_NANOS = 2_000_000;
    private static final int REST_FACTOR = 4;

    private final Consumer<Throwable> faults;
    private final Thread thread;
    private volatile @Nullable Governor governor;
    private volatile boolean woken;
    private volatile boolean stopped;

    /** @param faults told of what a step threw, which is a defect of ours; the next step runs all the same */
    public GovernorThread(String name, Consumer<Throwable> faults) {
        this.faults = faults;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    public void start(Governor toRun) {
        governor = toRun;
        thread.start();
    }

    /** Makes a step run soon; from any thread, cheap when one is due already. */
    public void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        Governor running = Objects.requireNonNull(governor);
        try {
            steps(running);
        } finally {
            running.stop();
        }
    }

    private void steps(Governor running) {
        while (!stopped) {
            woken = false;
            long left = Governor.WINDOW_NANOS;
            long started = System.nanoTime();
            try {
                left = running.step();
            } catch (RuntimeException | Error thrown) {
                faults.accept(thrown);
            }
            long began = System.nanoTime();
            long rest = Math.min(REST_FACTOR * (began - started), Governor.WINDOW_NANOS);
            waitUntil(began + Math.max(GAP_NANOS, rest), false);
            waitUntil(began + left, true);
        }
    }

    private void waitUntil(long deadline, boolean orWoken) {
        for (long left = deadline - System.nanoTime();
                left > 0 && !stopped && !(orWoken && woken);
                left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    /** Ends the thread and stops the governor after the step that is under way; waits for it up to a second. */
    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
