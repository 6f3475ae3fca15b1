package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import org.jspecify.annotations.Nullable;

/**
 * Decides who gets the next free permit: an arrival or a waiter. Any thread may call it, and it has no lock; only the governor
 * changes the rules.
 *
 * <h2>Fair, but not slow</h2>
 *
 * Handing every released permit straight to the longest waiter is fair but slow: a parked thread must wake first, and
 * meanwhile the connection is unused (a <em>convoy</em>; Blasgen, Gray, Mitchell and Price, "The convoy phenomenon", 1979).
 * Letting any running thread take the permit is fast but starves waiters: bare pools show waits a hundred times the mean.
 * So a released permit becomes free and the head of the queue is <em>nudged</em>. A running arrival may take the permit first, but only
 * while the head has waited less than {@value #STRICT_AFTER_NANOS} ns and was passed fewer than {@value #STRICT_AFTER_PASSES} times. After
 * that the order is <em>strict</em>: arrivals queue, and the next released permit goes to the head. No request waits longer than in a fair
 * queue plus that bound.
 *
 * <h2>No wake-up is lost</h2>
 *
 * A waiter first joins the queue (and is counted as waiting), then reads the free permits. The thread that frees a permit
 * first raises their number, then reads how many wait. All four are volatile accesses, so in their one total
 * order at least one side sees the other. Permits lie at several places; a waiter that reads one place before a permit gets there was
 * counted before that, and the thread that has put it there sees it. Every permit becomes free in one place, {@link #putBack}, which then serves the
 * waiters ({@link #serve}). A waiter that leaves the queue also serves the next one. Closing follows the same rule: the
 * governor first closes the gate, then refuses the queue; an arrival first joins, then checks whether the gate is closed.
 *
 * <h2>Ending once</h2>
 *
 * Exactly one compare-and-set ends a waiter (see {@link Waiter}). If a permit was taken for a waiter that has already
 * ended, the permit is put back. So no permit is lost or doubled, in whatever order grants, deadlines and refusals happen.
 */
final class Turnstile {

    /** No arrival passes a head that has waited this long. */
    static final long STRICT_AFTER_NANOS = 500_000;
    /** No arrival passes a head that was passed this often. */
    static final int STRICT_AFTER_PASSES = 64;

    /** The number of times a blocking arrival yields before it queues. */
    private static final int YIELDS_BEFORE_PARKING = 4;

    private final Time time;
    private final Permits permits;
    private final WaitQueue queue;
    private final Outcomes outcomes;
    private final Deadlines deadlines;
    private volatile Rules rules;

    /** The next {@link #serve} that the rate makes necessary. */
    private final EarliestTimer rateTimer;

    Turnstile(Time time, Permits permits, WaitQueue queue, Outcomes outcomes, Rules rules) {
        this.time = time;
        this.permits = permits;
        this.queue = queue;
        this.outcomes = outcomes;
        this.rules = rules;
        this.rateTimer = new EarliestTimer(time, this::serve);
        this.deadlines = new Deadlines(time, queue, waiter -> giveUp(waiter, Refusal.Why.TIMED_OUT));
    }

    Rules rules() {
        return rules;
    }

    // ---- an arrival

    /** Takes a permit for an arrival, if one is free and the order allows it to pass the head of the queue. */
    boolean tryPass() {
        Rules now = rules;
        if (now.passage() != Rules.Passage.OPEN) {
            return false;
        }
        Waiter head = queue.hasWaiters() ? queue.head() : null;
        if (head == null) {
            return tryAdmit(permits.pace());
        }
        if (isStrict(head, time.nanoTime()) || !tryAdmit(permits.pace())) {
            return false;
        }
        head.notePassed();
        return true;
    }

    /**
     * Lets others run for a moment before queueing. If more threads than cores hold connections for microseconds, preempted
     * threads hold the permits. Parking would cost a hundred times the time that they need to release them.
     */
    @SuppressWarnings("ThreadPriorityCheck") // a yield is what is meant
    boolean tryPassSoon() {
        for (int i = 0; i < YIELDS_BEFORE_PARKING; i++) {
            Waiter head = queue.head();
            if (head != null && isStrict(head, time.nanoTime())) {
                return false; // nobody may pass the head, so join the queue at once
            }
            Thread.yield();
            if (tryPass()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isStrict(Waiter head, long now) {
        return now - head.arrivedNanos > STRICT_AFTER_NANOS || head.passed() >= STRICT_AFTER_PASSES;
    }

    // ---- a waiter

    /** Adds a waiter to the queue, in which {@link WaitQueue#tryCount} has counted it. */
    void join(Waiter waiter) {
        queue.add(waiter);
        if (rules.passage() == Rules.Passage.CLOSED) { // closed since the arrival saw the rules
            giveUp(waiter, Refusal.Why.CLOSED);
        }
    }

    /**
     * Blocks this thread, which is the waiter's, until the waiter ends. {@link #join} must come before.
     *
     * @return how long it has waited, in nanoseconds
     */
    @SuppressWarnings("ReferenceEquality") // the markers of an outcome are what they are by identity
    long await(Waiter waiter) throws Refusal {
        boolean interrupted = false;
        try {
            for (; ; ) {
                Object outcome = waiter.outcome();
                if (outcome == Waiter.GRANTED) {
                    return noteWait(waiter);
                }
                if (outcome instanceof Refusal.Why why) {
                    throw waiter.refusal(why, time.nanoTime());
                }
                Pace pace = permits.pace();
                if (queue.head() == waiter && rules.passage() == Rules.Passage.OPEN && tryAdmit(pace)) {
                    if (waiter.end(Waiter.GRANTED)) {
                        queue.leave();
                        serve();
                        return noteWait(waiter);
                    }
                    putBackAdmission(pace);
                    continue;
                }
                long left = waiter.deadlineNanos - time.nanoTime();
                if (left <= 0) {
                    giveUp(waiter, Refusal.Why.TIMED_OUT);
                } else if (interrupted) {
                    giveUp(waiter, Refusal.Why.INTERRUPTED);
                } else {
                    time.park(this, Math.min(left, pauseOfRate(waiter)));
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** How long the rate alone makes the head wait; for ever if the rate does not hold it back. */
    private long pauseOfRate(Waiter waiter) {
        return permits.isPaced() && queue.head() == waiter ? permits.pauseNanos(time.nanoTime()) : Long.MAX_VALUE;
    }

    private long noteWait(Waiter waiter) {
        long nanos = Math.max(0, time.nanoTime() - waiter.arrivedNanos);
        outcomes.admittedAfter(nanos);
        return nanos;
    }

    /** Serves an asynchronous waiter now or later, on another thread, until its deadline. {@link #join} must come before. */
    void awaitAsync(Waiter waiter) {
        deadlines.sweepBy(waiter.deadlineNanos, waiter.arrivedNanos);
        serve();
    }

    /** Ends a waiter at its deadline, when its caller leaves, or when the gate closed while it joined; then serves the next. */
    void giveUp(Waiter waiter, Refusal.Why why) {
        if (waiter.end(why)) {
            queue.leave();
            outcomes.refused(why);
            if (waiter.isAsynchronous()) {
                waiter.tell(time);
            }
            serve();
        }
    }

    // ---- permits that are taken, and that become free

    /** Takes a free permit to admit a request, if this rate allows it. */
    private boolean tryAdmit(@Nullable Pace pace) {
        if (pace == null) {
            return permits.tryTake();
        }
        if (!permits.tryPace(pace)) {
            return false;
        }
        if (permits.tryTake()) {
            return true;
        }
        pace.giveBack();
        if (queue.hasWaiters()) {
            serve(); // somebody may have found a permit, and the admission gone that has just come back
        }
        return false;
    }

    /** Frees permits and serves waiters. Every permit becomes free here. */
    void putBack(int back) {
        permits.putBack(back);
        if (queue.hasWaiters()) {
            serve();
        }
    }

    /** Returns a permit that was taken for a waiter that had already ended, and its admission to the rate that allowed it. */
    private void putBackAdmission(@Nullable Pace pace) {
        if (pace != null) {
            pace.giveBack();
        }
        permits.noteUnused();
        putBack(1);
    }

    /** Serves waiters with free permits, as far as the order allows. */
    void serve() {
        while (rules.passage() == Rules.Passage.OPEN && permits.free() > 0) {
            Waiter head = queue.head();
            if (head == null) {
                return;
            }
            long now = time.nanoTime();
            if (!head.isAsynchronous() && !isStrict(head, now)) {
                head.nudge(time);
                return;
            }
            Pace pace = permits.pace();
            if (!tryAdmit(pace)) {
                long pause = permits.pauseNanos(now);
                if (pause < Long.MAX_VALUE) {
                    rateTimer.runBy(now + pause, now);
                }
                return;
            }
            if (head.end(Waiter.GRANTED)) {
                queue.leave();
                if (head.isAsynchronous()) {
                    noteWait(head);
                }
                head.tell(time);
            } else {
                putBackAdmission(pace);
                return; // putBack has served the next
            }
        }
    }

    // ---- the governor and an operator

    /** As {@link Gate#setRules} says. Governor only. */
    void setRules(Rules next) {
        Rules before = rules;
        if (next.equals(before)) {
            return;
        }
        rules = next;
        if (next.passage() == Rules.Passage.CLOSED) {
            refuseAll(Refusal.Why.CLOSED);
        } else if (next.passage() == Rules.Passage.OPEN && before.passage() != Rules.Passage.OPEN) {
            serve();
        }
    }

    /** Refuses another's waiter; false if it has already ended. The caller then serves the next, unless the gate is closed. */
    boolean refuse(Waiter waiter, Refusal.Why why) {
        if (!waiter.end(why)) {
            return false;
        }
        queue.leave();
        outcomes.refused(why);
        waiter.tell(time);
        return true;
    }

    /** Refuses all waiters; those that stay only when the gate closes. */
    void refuseAll(Refusal.Why why) {
        for (Waiter waiter : queue) {
            if (!waiter.stays || why == Refusal.Why.CLOSED) {
                refuse(waiter, why);
            }
        }
    }
}
