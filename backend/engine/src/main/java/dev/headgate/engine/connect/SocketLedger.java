package dev.headgate.engine.connect;

import dev.headgate.engine.meter.TapSocketFactory;
import java.io.IOException;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The open sockets to one database, one entry each, and the budget for their number. While the entries fill the budget,
 * opening one more waits until another is closed. The governor grants no more permits than the budget, so this wait occurs
 * only when HikariCP already opens the next connection while it retires one.
 *
 * <p>Safe for any number of threads. {@link LedgerAudit} compares the entries with the sockets that are open.
 */
public final class SocketLedger {

    /** The budget has no room for one more connection. */
    public static final class BudgetUsedUpException extends IOException {
        private static final long serialVersionUID = 1;

        BudgetUsedUpException(int budget) {
            super("the budget of " + budget + (budget == 1 ? " connection" : " connections") + " is used up");
        }

        /** Finds this exception among a failure's causes, because drivers wrap it. */
        static @Nullable BudgetUsedUpException in(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof BudgetUsedUpException found) {
                    return found;
                }
            }
            return null;
        }
    }

    /** One socket's place in the budget, from before it is opened until it is closed. */
    public final class Entry implements TapSocketFactory.Place {
        private volatile @Nullable Socket socket;

        /** Set before the socket is read, so that the thread that sets a socket later closes it. */
        private volatile boolean isCut;

        private Entry() {}

        @Override
        public void taken(Socket opened) {
            socket = opened;
            if (isCut) {
                closeSocket();
            }
        }

        /** Frees the place. Later calls do nothing. */
        @Override
        public void close() {
            lock.lock();
            try {
                if (entries.remove(this)) {
                    closed.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Whether it has a socket that is not closed. */
        boolean isOpen() {
            Socket held = socket;
            return held != null && !held.isClosed();
        }

        /** Closes the socket, if there is one, and the entry. Sends nothing and never waits for the peer. */
        void closeSocket() {
            isCut = true;
            Socket held = socket;
            try {
                if (held != null) {
                    held.close();
                }
            } catch (IOException e) {
                // the socket is closed anyway
            } finally {
                close();
            }
        }
    }

    private final long patienceNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closed = lock.newCondition();
    private final Set<Entry> entries = new LinkedHashSet<>();
    private int budget;
    private int waiting;
    private boolean isClosed;

    /** @param patienceNanos how long opening a connection may wait for its place */
    public SocketLedger(int budget, long patienceNanos) {
        this.budget = budget;
        this.patienceNanos = patienceNanos;
    }

    /**
     * Takes a place. Waits for one if none is free.
     *
     * @throws BudgetUsedUpException if none became free in time
     */
    public Entry open() throws IOException {
        lock.lock();
        waiting++;
        try {
            long left = patienceNanos;
            while (entries.size() >= budget && !isClosed) {
                if (left <= 0) {
                    throw new BudgetUsedUpException(budget);
                }
                left = closed.awaitNanos(left);
            }
            if (isClosed) {
                throw new IOException("the database is closed");
            }
            Entry entry = new Entry();
            entries.add(entry);
            return entry;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a place in the budget", e);
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    /** The reason why an opening waits for a place; null if none waits. */
    @Nullable
    BudgetUsedUpException usedUp() {
        lock.lock();
        try {
            return waiting > 0 && entries.size() >= budget ? new BudgetUsedUpException(budget) : null;
        } finally {
            lock.unlock();
        }
    }

    /** Closes every open socket. Later openings fail, and so do those that wait for a place. Does not block. */
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            closed.signalAll();
        } finally {
            lock.unlock();
        }
        entries().forEach(Entry::closeSocket);
    }

    /** Sets the budget for the next opening. Closes nothing. */
    public void setBudget(int connections) {
        lock.lock();
        try {
            budget = connections;
            closed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The number of entries. */
    public int openNow() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }

    List<Entry> entries() {
        lock.lock();
        try {
            return List.copyOf(entries);
        } finally {
            lock.unlock();
        }
    }
}
