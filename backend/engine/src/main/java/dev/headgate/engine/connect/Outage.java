package dev.headgate.engine.connect;

import dev.headgate.engine.time.Time;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Paces the attempts to connect to a database that does not let Headgate in, for all of its pools together.
 *
 * <p>The first pool that fails becomes the scout. If the server cannot be reached, or is starting, the scout tries again after a
 * fiftieth of the time that the outage has lasted, at least 10 ms and at most 250 ms. The other pools wait for it: the first
 * connection that anybody opens ends the outage, and all of them connect at once. So service resumes within 2 % of the length of
 * the outage, and a database with a hundred pools gets no more attempts than one with a single pool. A server that answers and
 * refuses (a wrong password, too many connections) is asked more rarely: after half of the time so far, at most 5 s. Every pool
 * tries by itself after 5 s in any case, since its failure may have a cause of its own.
 *
 * <p>Safe for any number of threads.
 */
public final class Outage {

    static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long the pools that are not the scout wait. */
    static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Why a pool has no connection. */
    enum Kind {
        /** The server does not answer, or will soon. */
        UNREACHABLE(50, TimeUnit.MILLISECONDS.toNanos(250)),
        /** The server answers and refuses. */
        REFUSED(2, LONGEST_WAIT_NANOS);

        private final int parts;
        private final long longestPauseNanos;

        /** @param parts the scout waits one of these parts of the outage's length */
        Kind(int parts, long longestPauseNanos) {
            this.parts = parts;
            this.longestPauseNanos = longestPauseNanos;
        }

        static Kind of(@Nullable String sqlState) {
            boolean isAway = sqlState == null || sqlState.startsWith("08") || sqlState.startsWith("57");
            return isAway ? UNREACHABLE : REFUSED;
        }

        private long pauseNanos(long lastedNanos) {
            return Math.clamp(lastedNanos / parts, SHORTEST_PAUSE_NANOS, longestPauseNanos);
        }
    }

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Object scout;
    private long beganNanos;
    private boolean isOn;

    /** Counts the outages that have ended. */
    private long ended;

    public Outage(Time time) {
        this.time = time;
    }

    /** A connection was opened, or the database has another address: everybody who waits tries now. */
    public void end() {
        lock.lock();
        try {
            isOn = false;
            scout = null;
            ended++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a pool that failed to connect should try again. Blocks for 5 s at most.
     *
     * @param pool who failed
     * @param isNeedless whether to end the wait at once; asked after every {@link #look}
     * @throws InterruptedException if the thread is interrupted; the pool is then no scout any more
     */
    void awaitNextAttempt(Object pool, Kind kind, BooleanSupplier isNeedless) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long now = time.nanoTime();
            if (!isOn) {
                isOn = true;
                beganNanos = now;
            }
            if (scout == null) {
                scout = pool;
            }
            long before = ended;
            if (pool.equals(scout)) {
                await(kind.pauseNanos(now - beganNanos), () -> ended != before || isNeedless.getAsBoolean());
            } else {
                await(LONGEST_WAIT_NANOS, () -> ended != before || scout == null || isNeedless.getAsBoolean());
            }
        } catch (InterruptedException e) {
            leave(pool);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the shortest pause, for a pool whose failure says nothing of the server. Begins no outage. Blocks.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    void awaitShortly(BooleanSupplier isNeedless) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            await(SHORTEST_PAUSE_NANOS, isNeedless);
        } finally {
            lock.unlock();
        }
    }

    /** A pool makes no further attempt. If it was the scout, another pool becomes it. */
    void leave(Object pool) {
        lock.lock();
        try {
            if (pool.equals(scout)) {
                scout = null;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets those who wait look again whether they still need to. */
    void look() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many pools wait. For tests. */
    int waiting() {
        lock.lock();
        try {
            return lock.getWaitQueueLength(changed);
        } finally {
            lock.unlock();
        }
    }

    private void await(long nanos, BooleanSupplier isOver) throws InterruptedException {
        long began = time.nanoTime();
        Time.Timer timer = time.after(nanos, this::look);
        try {
            while (time.nanoTime() - began < nanos && !isOver.getAsBoolean()) {
                changed.await();
            }
        } finally {
            timer.cancel();
        }
    }
}
