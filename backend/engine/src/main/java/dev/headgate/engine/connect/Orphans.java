package dev.headgate.engine.connect;

import dev.headgate.engine.time.Time;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends statements whose connection was closed while the server executed them. PostgreSQL notices a closed socket only when it reads from
 * it or writes to it. A statement that computes, waits for a lock, or catches its own cancel goes on until then, with its locks and
 * beside the budget, and nobody will read its answer.
 *
 * <p>Most such processes end by themselves at once. So the server is asked a second later, for all of them together, and again until it
 * was reached, for a minute. Safe for any number of threads; {@link #add} does not block.
 */
public final class Orphans {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long GIVEN_UP_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * A process of the server. Its number alone does not identify it, because the system gives numbers again; its age does.
     *
     * @param process its number, as the server has told it
     * @param openedNanos when its connection was opened
     */
    public record Orphan(int process, long openedNanos) {}

    /** Asks the server. */
    @FunctionalInterface
    public interface Server {

        /** Ends those that still execute a statement. Blocks. */
        void end(List<Orphan> orphans) throws SQLException;
    }

    private record Waiting(Orphan orphan, long sinceNanos) {}

    private final Server server;
    private final Time time;
    private final Executor background;
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile boolean closed;

    /** @param background runs what may block */
    public Orphans(Server server, Time time, Executor background) {
        this.server = server;
        this.time = time;
        this.background = background;
    }

    /** The connection was closed, and the server has not answered its last request. */
    void add(Orphan orphan) {
        waiting.add(new Waiting(orphan, time.nanoTime()));
        endSoon();
    }

    private void endSoon() {
        if (!closed && due.compareAndSet(false, true)) {
            Time.Timer _ = time.after(PAUSE_NANOS, () -> background.execute(this::end));
        }
    }

    private void end() {
        due.set(false);
        List<Waiting> asked = new ArrayList<>();
        for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
            asked.add(each);
        }
        if (closed || asked.isEmpty()) {
            return;
        }
        try {
            server.end(asked.stream().map(Waiting::orphan).toList());
        } catch (SQLException unreachable) {
            long now = time.nanoTime();
            asked.removeIf(each -> now - each.sinceNanos >= GIVEN_UP_NANOS);
            if (!asked.isEmpty()) {
                waiting.addAll(asked);
                endSoon();
            }
        }
    }

    /** Asks no more: the database is closed. */
    public void close() {
        closed = true;
        waiting.clear();
    }
}
