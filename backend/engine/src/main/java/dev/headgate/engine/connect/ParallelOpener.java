package dev.headgate.engine.connect;

import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.supervision.Supervisor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections that a pool lacks, up to {@value #AT_ONCE} at a time, and hands them to HikariCP one by one. HikariCP
 * itself opens one after another, so that ten connections take ten times as long as one: each costs the server a process and
 * several round trips.
 *
 * <p>Each is opened on a virtual thread, with a single attempt. HikariCP gets the first that is ready, and is told to ask again
 * when another one is. After a failed attempt nothing is opened ahead: the thread that asks opens a connection itself, at the
 * pace of the {@link Outage}.
 *
 * <p>Safe for any number of threads. HikariCP uses one.
 */
final class ParallelOpener {

    /** A pool opens so many connections at the same time. */
    static final int AT_ONCE = 4;

    private final String name;
    private final Opener opener;
    private final IntSupplier missing;
    private final Runnable ask;
    private final Supervisor supervisor;
    private final Deque<MeteredConnection> ready = new ArrayDeque<>();

    /** Connections that are being opened, also by the thread that asks. */
    private int underWay;

    /** HikariCP waits for a connection. It gets the next one, also if the pool needs none any more: there is no other answer. */
    private boolean isAsked;

    /** Counts the flushes. */
    private int flushes;

    private boolean isClosed;

    /**
     * @param missing how many more connections HikariCP needs now
     * @param ask makes HikariCP ask for a connection if it needs one; must not block
     */
    ParallelOpener(String name, Opener opener, IntSupplier missing, Runnable ask, Supervisor supervisor) {
        this.name = name;
        this.opener = opener;
        this.missing = missing;
        this.ask = ask;
        this.supervisor = supervisor;
    }

    /**
     * The first connection that is ready. Blocks until there is one, or the pool needs none any more.
     *
     * @throws SQLException if an attempt failed and the pool does not need the connection any more
     */
    Connection open() throws SQLException {
        MeteredConnection opened = takeReady();
        if (opened != null) {
            return opened;
        }
        try {
            while (true) {
                int before = flushes();
                opened = opener.open(() -> missing.getAsInt() > 0);
                if (flushes() == before) {
                    return opened;
                }
                close(opened, Ending.FLUSHED); // of before the flush
            }
        } finally {
            ended();
        }
    }

    private synchronized int flushes() {
        return flushes;
    }

    /** Null if the caller is to open one itself, because an attempt has failed. */
    private synchronized @Nullable MeteredConnection takeReady() throws SQLException {
        isAsked = true;
        try {
            while (ready.isEmpty() && mayOpenAhead()) {
                openAhead(Math.max(1, missing.getAsInt()));
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException(name + " was interrupted while it opened a connection", e);
        } finally {
            isAsked = false;
        }
        MeteredConnection taken = ready.poll();
        if (taken == null) {
            underWay++;
        } else if (mayOpenAhead()) {
            openAhead(missing.getAsInt() - 1);
        }
        return taken;
    }

    private boolean mayOpenAhead() {
        return !isClosed && opener.failure().isEmpty() && opener.overBudget().isEmpty();
    }

    private void openAhead(int needed) {
        while (ready.size() + underWay < needed && underWay < AT_ONCE) {
            underWay++;
            int before = flushes;
            Thread _ =
                    supervisor.start("headgate-open", Thread.ofVirtual().name(name + "-open"), () -> openOne(before));
        }
    }

    private synchronized void ended() {
        underWay--;
        notifyAll();
    }

    /** @param before the number of flushes when it began */
    private void openOne(int before) throws SQLException {
        MeteredConnection opened = null;
        Ending needless;
        try {
            opened = opener.open();
        } catch (SQLException e) {
            // the opener keeps it; the thread that asks opens one itself
        } finally {
            needless = keep(opened, before);
        }
        if (opened == null || needless == null) {
            ask.run();
        } else {
            close(opened, needless);
        }
    }

    /** @return why the connection is to be closed; null if it waits to be taken, or there is none */
    private synchronized @Nullable Ending keep(@Nullable MeteredConnection opened, int before) {
        ended();
        if (opened == null) {
            return null;
        }
        if (isClosed) {
            return Ending.POOL_CLOSED;
        }
        if (flushes != before) {
            return Ending.FLUSHED;
        }
        boolean isForWhoAsks = isAsked && ready.isEmpty();
        if (!isForWhoAsks && ready.size() + underWay >= missing.getAsInt()) {
            return Ending.UNNEEDED;
        }
        ready.add(opened);
        return null;
    }

    private static void close(MeteredConnection needless, Ending why) throws SQLException {
        needless.meter().endsBy(why);
        needless.close();
    }

    /** Connections that wait to be taken. */
    synchronized int ready() {
        return ready.size();
    }

    /** Replaces the connections that wait to be taken or are being opened. Does not block. */
    void flush() {
        synchronized (this) {
            flushes++;
        }
        discard(Ending.FLUSHED);
    }

    /** Closes the connections that wait to be taken if the pool needs none any more. Does not block. */
    void tidy() {
        if (missing.getAsInt() <= 0) {
            discard(Ending.UNNEEDED);
        }
    }

    /** Closes the connections that wait to be taken; those that are being opened are closed when they are. Does not block. */
    void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        discard(Ending.POOL_CLOSED);
    }

    private void discard(Ending why) {
        List<MeteredConnection> needless;
        synchronized (this) {
            needless = List.copyOf(ready);
            ready.clear();
        }
        for (MeteredConnection each : needless) {
            Thread _ = supervisor.start(
                    "headgate-open", Thread.ofVirtual().name(name + "-discard"), () -> close(each, why));
        }
    }
}
