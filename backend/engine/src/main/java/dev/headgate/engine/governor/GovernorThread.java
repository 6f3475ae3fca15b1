package dev.headgate.engine.governor;

import dev.headgate.engine.supervision.Supervisor;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a governor's steps on a supervised thread of its own: when woken, and at the end of every window. A step that fails is a
 * defect of ours; the supervisor counts it, and the next step runs all the same.
 *
 * <p>Steps are at least {@value #GAP_NANOS} ns apart, so that a pool with a queue does not keep a core busy with the same
 * decision. After a slow step they are {@value #REST_FACTOR} times its length apart, but at most a window. So policies that use
 * their deadline to the full have a part of one core, however often they are woken.
 */
public final class GovernorThread implements AutoCloseable {

    private static final long GAP_NANOS = 2_000_000;
    private static final int REST_FACTOR = 4;

    private final String name;
    private final Supervisor supervisor;
    private final Consumer<Throwable> faults;
    private final StepTimes times = new StepTimes(System.nanoTime());
    private volatile @Nullable Governor governor;
    private volatile @Nullable Thread thread;
    private volatile boolean woken;
    private volatile boolean closing;
    private volatile boolean ended;

    /** @param faults told of what a step threw, on this thread */
    public GovernorThread(String name, Supervisor supervisor, Consumer<Throwable> faults) {
        this.name = name;
        this.supervisor = supervisor;
        this.faults = faults;
    }

    public void start(Governor toRun) {
        governor = toRun;
        thread = supervisor.keep(name, Thread.ofPlatform().daemon(), () -> ended, this::turn);
    }

    /** Makes a step run soon; from any thread, cheap when one is due already. */
    public void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    /** How long the steps have taken; from any thread. */
    public StepTimes.Figures times() {
        return times.figures();
    }

    private void turn() {
        Governor running = Objects.requireNonNull(governor);
        if (closing) {
            ended = true;
            running.stop();
            return;
        }
        woken = false;
        long began = System.nanoTime();
        long left = step(running);
        long now = System.nanoTime();
        times.add(now, now - began);
        long rest = Math.min(REST_FACTOR * (now - began), Governor.WINDOW_NANOS);
        waitUntil(now + Math.max(GAP_NANOS, rest), false);
        waitUntil(now + left, true);
    }

    private long step(Governor running) {
        try {
            return running.step();
        } catch (RuntimeException | Error fault) {
            boolean _ = supervisor.run(name, () -> faults.accept(fault));
            throw fault;
        }
    }

    private void waitUntil(long deadline, boolean orWoken) {
        for (long left = deadline - System.nanoTime();
                left > 0 && !closing && !(orWoken && woken);
                left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    /** Ends the thread and stops the governor after the step that is under way; waits for it up to a second. */
    @Override
    public void close() {
        closing = true;
        Thread running = thread;
        if (running == null) {
            return;
        }
        LockSupport.unpark(running);
        try {
            running.join(TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
