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
 * The sockets that are open to one database, one entry each, and the budget on their number: while as many entries stand
 * as the budget allows, opening one more waits until one is closed. The governor hands out no more permits than the
 * budget, so the wait is that of HikariCP retiring one connection while it already opens the next.
 *
 * <p>Safe for any number of threads. {@link LedgerAudit} compares the entries with the sockets that are really open.
 */
public final class SocketLedger {

    /** The budget has no room for one more connection. */
    public static final class BudgetUsedUpException extends IOException {
        private static final long serialVersionUID = 1;

        BudgetUsedUpException(int budget) {
            super("the budget of " + budget + " connections is used up");
        }

        /** The one among a failure's causes, if it is there: drivers wrap it. */
        static @Nullable BudgetUsedUpException in(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof BudgetUsedUpException found) {
                    return found;
                }
            }
            return null;
        }
    }

    /** One socket's place in the budget: from before the socket is opened until it is closed. */
    public final class Entry implements TapSocketFactory.Place {
        private volatile @Nullable Socket socket;

        /** Set before the socket is looked at, so that a socket that comes later is closed by whoever brings it. */
        private volatile boolean isCut;

        private Entry() {}

        @Override
        public void taken(Socket opened) {
            socket = opened;
            if (isCut) {
                closeSocket();
            }
        }

        /** Frees the place; further calls do nothing. */
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

        /** Whether its socket is there and not closed. */
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
                // closed all the same
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

    /** @param patienceNanos how long an opening waits for its place */
    public SocketLedger(int budget, long patienceNanos) {
        this.budget = budget;
        this.patienceNanos = patienceNanos;
    }

    /**
     * Takes a place, waiting for one where none is free.
     *
     * @throws BudgetUsedUpException if none came free in time
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

    /** Set while somebody waits for a place: why. */
    @Nullable
    BudgetUsedUpException usedUp() {
        lock.lock();
        try {
            return waiting > 0 && entries.size() >= budget ? new BudgetUsedUpException(budget) : null;
        } finally {
            lock.unlock();
        }
    }

    /** Closes every socket that is open and lets none be opened any more; whoever waits for a place fails. Does not block. */
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

    /** How many entries stand. */
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
