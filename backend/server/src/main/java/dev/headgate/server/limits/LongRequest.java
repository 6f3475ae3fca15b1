package dev.headgate.server.limits;

import dev.headgate.server.access.Actor;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A long request from its arrival until its thread has ended. Safe for any thread. */
public final class LongRequest {

    /** Where it stands. */
    public enum State {
        /** For a place or for memory. */
        WAITING,
        RUNNING,
        /** Nobody waits for it any more, and its thread has not ended yet. */
        ENDING
    }

    private final String id = UUID.randomUUID().toString();
    private final long number;
    private final LongWork work;
    private final Actor author;
    private final long arrivedNanos = System.nanoTime();
    private volatile double share = -1;
    private volatile @Nullable Actor canceller;
    private volatile boolean left;
    private volatile boolean changing;

    /** Guarded by this. */
    private @Nullable Thread thread;

    /**
     * @param number in the order of arrival
     */
    LongRequest(long number, LongWork work, Actor author) {
        this.number = number;
        this.work = work;
        this.author = author;
    }

    public String id() {
        return id;
    }

    /** Lower than that of those which came later. */
    public long number() {
        return number;
    }

    public LongWork work() {
        return work;
    }

    public Actor author() {
        return author;
    }

    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - arrivedNanos);
    }

    /** The done share of the work, from 0 to 1; negative if the work has not told it. */
    public double share() {
        return share;
    }

    public synchronized State state() {
        return left ? State.ENDING : thread == null ? State.WAITING : State.RUNNING;
    }

    /** Whether it can be cancelled: it has not begun to change something. */
    public boolean canBeCancelled() {
        return !changing;
    }

    /** Who cancelled it; null if nobody did. */
    @Nullable
    Actor canceller() {
        return canceller;
    }

    /** Called by the thread of the work, first. */
    synchronized void begin() {
        thread = Thread.currentThread();
        if (left) {
            thread.interrupt();
        }
    }

    /** Ends the work early, for nobody waits for it any more. Returns false if it changes something. */
    synchronized boolean leave() {
        if (changing) {
            return false;
        }
        left = true;
        if (thread != null) {
            thread.interrupt();
        }
        return true;
    }

    /** The same, for an actor. */
    synchronized boolean cancel(Actor actor) {
        if (!changing) {
            canceller = actor;
        }
        return leave();
    }

    /** Called by its work before the first change. */
    synchronized void changes() {
        at(share);
        changing = true;
    }

    /** Called by its work, on whatever threads that does it. */
    void at(double done) {
        share = done;
        if (left) {
            throw new CancellationException("The work was cancelled.");
        }
    }
}
