package dev.headgate.engine.governor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs policies on a thread of its own, and abandons that thread when a policy does not answer in time.
 *
 * <p>The governor hands over all calls of a step at once and waits, so a step costs one hand-over and not one per policy. It
 * watches the call under way. If the call passes the deadline, the governor interrupts its thread, does not wait for it, and
 * continues with the remaining calls on a fresh thread. Java cannot stop a thread, so one that ignores the interrupt stays as a
 * daemon until it ends by itself. The governor quarantines the policy, so each policy can do this only once.
 *
 * <p><b>Blocked or only starved?</b> A quarantine is permanent. It must not hit a policy that was ready to run while the machine
 * had no core for it, or while its classes were loaded. After the deadline, a call is abandoned if its thread waits for something
 * or has used as much processor time as the deadline allows. A runnable thread that has used less continues for up to
 * {@value #STARVED_FACTOR} deadlines.
 *
 * <p>If the thread itself fails, the step that waits for it fails, and the supervisor reports that.
 */
public final class GuardedRunner implements PolicyRunner {

    public static final long DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Deadlines that a runnable thread gets when it finds no core. */
    private static final int STARVED_FACTOR = 20;

    /** A shorter call is charged its time by the clock. */
    private static final long SHORT_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** How often a call that has passed its deadline is looked at. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String name;
    private ExecutorService worker;

    public GuardedRunner(String name) {
        this.name = name;
        this.worker = newWorker();
    }

    @Override
    public void run(List<PolicyCall> calls) {
        int next = 0;
        while (next < calls.size()) {
            Batch batch = new Batch(calls.subList(next, calls.size()));
            worker.execute(batch);
            int stuck = batch.await();
            if (stuck < 0) {
                return;
            }
            worker.shutdownNow();
            worker = newWorker();
            calls.get(next + stuck).abandon();
            next += stuck + 1;
        }
    }

    @Override
    public void forget() {
        worker.shutdown();
        worker = newWorker();
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }

    private ExecutorService newWorker() {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name + "-policies").factory());
    }

    private static final class Batch implements Runnable {
        private static final int LEFT = -1;

        private final List<PolicyCall> calls;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition ended = lock.newCondition();

        /**
         * The call under way, or {@link #LEFT}. The thread goes on to the next call, and the governor leaves the thread, by one
         * compare-and-set each. So either the call has ended and the thread goes on, or the call is abandoned and the thread does
         * nothing more: no call runs twice, and none is abandoned that has ended.
         */
        private final AtomicInteger current = new AtomicInteger();

        /** When the call under way began, and the processor time before it. Set before {@link #current} is. */
        private volatile long currentBegan = System.nanoTime();

        private volatile long currentCpu;

        /** Set after its processor time is known; null until it has begun. */
        private volatile @Nullable Thread thread;

        private volatile @Nullable Throwable fatal;

        Batch(List<PolicyCall> calls) {
            this.calls = calls;
        }

        @Override
        public void run() {
            currentCpu = ownCpuNanos();
            thread = Thread.currentThread();
            try {
                int i = 0;
                do {
                    if (current.get() != i) {
                        return; // it was left before it found a core
                    }
                    calls.get(i).run();
                    long now = System.nanoTime();
                    long cpu = cpuAfter(now - currentBegan);
                    calls.get(i).charge(cpu - currentCpu);
                    currentCpu = cpu;
                    currentBegan = now;
                } while (current.compareAndSet(i, ++i) && i < calls.size());
            } catch (Throwable thrown) {
                fatal = thrown;
                current.updateAndGet(at -> at == LEFT ? LEFT : calls.size());
            } finally {
                lock.lock();
                try {
                    ended.signal();
                } finally {
                    lock.unlock();
                }
            }
        }

        private boolean isStuck(long lateNanos) {
            Thread running = thread;
            if (running == null) {
                return lateNanos > (STARVED_FACTOR - 1) * DEADLINE_NANOS;
            }
            return running.getState() != Thread.State.RUNNABLE
                    || cpuNanos(running) - currentCpu >= DEADLINE_NANOS
                    || lateNanos > (STARVED_FACTOR - 1) * DEADLINE_NANOS;
        }

        /**
         * The processor time used by the end of a call. For a short call that is its time by the clock, because asking the
         * system would cost as much as the call.
         */
        private long cpuAfter(long tookNanos) {
            return tookNanos < SHORT_NANOS ? currentCpu + tookNanos : Math.max(currentCpu, ownCpuNanos());
        }

        private static long ownCpuNanos() {
            return THREADS.isThreadCpuTimeEnabled() ? THREADS.getCurrentThreadCpuTime() : 0;
        }

        private static long cpuNanos(Thread of) {
            return THREADS.isThreadCpuTimeEnabled() ? THREADS.getThreadCpuTime(of.threadId()) : 0;
        }

        /** Waits for the end; the index of the call that is stuck, or -1 when all have ended. */
        int await() {
            lock.lock();
            try {
                for (int seen = current.get(); seen < calls.size(); seen = current.get()) {
                    long late = System.nanoTime() - currentBegan - DEADLINE_NANOS;
                    if (late < 0) {
                        ended.awaitNanos(-late);
                    } else if (isStuck(late) && current.compareAndSet(seen, LEFT)) {
                        return seen;
                    } else {
                        ended.awaitNanos(LOOK_NANOS);
                    }
                }
                if (fatal != null) {
                    throw new IllegalStateException("the policy thread died", fatal);
                }
                return -1;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                int at = current.getAndSet(LEFT);
                return at < calls.size() ? at : -1;
            } finally {
                lock.unlock();
            }
        }
    }
}
