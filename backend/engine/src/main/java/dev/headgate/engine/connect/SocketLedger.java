package dev.headgate.engine.connect;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the sockets that are really open to one database, and holds the budget on that number: while as many are open
 * as the budget allows, opening one more waits until one is closed. The governor hands out no more permits than the
 * budget, so the wait is that of HikariCP retiring one connection while it already opens the next.
 */
public final class SocketLedger {

    private final long patienceNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closed = lock.newCondition();
    private int budget;
    private int open;

    /** @param patienceNanos how long an opening waits for its place */
    public SocketLedger(int budget, long patienceNanos) {
        this.budget = budget;
        this.patienceNanos = patienceNanos;
    }

    /**
     * Takes a place, waiting for one where none is free.
     *
     * @throws IOException if none came free in time
     */
    public void open() throws IOException {
        lock.lock();
        try {
            long left = patienceNanos;
            while (open >= budget) {
                if (left <= 0) {
                    throw new IOException("the budget of " + budget + " connections is used up, and none was closed in "
                            + TimeUnit.NANOSECONDS.toMillis(patienceNanos) + " ms");
                }
                left = closed.awaitNanos(left);
            }
            open++;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a place in the budget", e);
        } finally {
            lock.unlock();
        }
    }

    public void close() {
        lock.lock();
        try {
            open--;
            closed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Takes effect for the next opening; nothing that is open is closed. */
    public void setBudget(int connections) {
        lock.lock();
        try {
            budget = connections;
            closed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public int openNow() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }
}
