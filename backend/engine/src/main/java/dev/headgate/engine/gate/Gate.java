package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests to the connections of one pool. A <em>permit</em> is one connection that policy allows. An admitted
 * request holds a permit until {@link #release()}.
 *
 * <h2>The two sides</h2>
 *
 * Requests ({@link #acquire}, {@link #acquireAsync}, {@link #release}) come from any thread. The governor, one thread at
 * a time, adds and removes permits ({@link #resize}) and changes the {@link Rules}. They share the {@link Permits} (how many
 * are free, how fast they may be taken), the {@link WaitQueue} of requests without a permit, and no lock. The gate decides
 * who is next.
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
 * order at least one side sees the other. Every permit becomes free in one place, {@link #putBack}, which then serves the
 * waiters ({@link #drain}). A waiter that leaves the queue also serves the next one. Closing follows the same rule: the
 * governor first closes the gate, then refuses the queue; an arrival first joins, then checks whether the gate is closed.
 *
 * <h2>Ending once</h2>
 *
 * Exactly one compare-and-set ends a waiter (see {@link Waiter}). If a permit was taken for a waiter that has already
 * ended, the permit is put back. So no permit is lost or doubled, in whatever order grants, deadlines and refusals happen.
 */
public final class Gate {

    /** No arrival passes a head that has waited this long. */
    static final long STRICT_AFTER_NANOS = 1_000_000;
    /** No arrival passes a head that was passed this often. */
    static final int STRICT_AFTER_PASSES = 64;

    /** The number of times a blocking arrival yields before it queues. */
    private static final int YIELDS_BEFORE_PARKING = 4;

    /** Made a request that says nothing of who asks. */
    private static final Object ANYBODY = new Object();

    /** Receives the outcome of an asynchronous request, once. Called on the thread that caused it; must not block. */
    public interface Listener {
        /** The request holds a permit now. */
        void admitted(long waitedNanos);

        void refused(Refusal refusal);
    }

    /** A timer's due time. A class, not a record, so that equality is identity. */
    private static final class Appointment {
        private final long dueNanos;

        Appointment(long dueNanos) {
            this.dueNanos = dueNanos;
        }
    }

    private final Time time;
    private final Runnable governor;

    private final Permits permits;
    private final WaitQueue queue = new WaitQueue();
    private final Deadlines deadlines;
    private final Outcomes outcomes = new Outcomes();
    private volatile Rules rules;

    /** Requests that were let in at the door and hold no permit yet. */
    private final AtomicInteger inside = new AtomicInteger();

    /** The next {@link #drain} that the rate makes necessary. */
    private final AtomicReference<@Nullable Appointment> appointment = new AtomicReference<>();

    /**
     * @param governor wakes the governor; called when a request found no permit and when a debt was paid. Must not block
     */
    public Gate(Time time, Rules rules, Runnable governor) {
        this.time = time;
        this.rules = rules;
        this.governor = governor;
        this.permits = new Permits(time);
        this.deadlines = new Deadlines(time, queue, waiter -> giveUp(waiter, Refusal.Why.TIMED_OUT));
    }

    // ---- requests

    /**
     * Waits for a permit, at most as long as the caller and the rules allow.
     *
     * @param timeoutNanos the longest time that the caller is ready to wait
     * @return how long it waited, in nanoseconds; 0 if it did not wait
     */
    public long acquire(long timeoutNanos) throws Refusal {
        return acquire(timeoutNanos, ANYBODY);
    }

    /**
     * The same.
     *
     * @param by who asks; {@link #queue} shows it while the request waits
     */
    public long acquire(long timeoutNanos, Object by) throws Refusal {
        return acquire(timeoutNanos, by, false);
    }

    private long acquire(long timeoutNanos, Object by, boolean inside) throws Refusal {
        if (tryPass()) {
            return 0;
        }
        long arrived = time.nanoTime();
        if (tryPassSoon()) {
            return 0;
        }
        Waiter waiter = join(arrived, timeoutNanos, by, inside, Thread.currentThread(), null);
        return await(waiter);
    }

    /**
     * As {@link #acquire}, without blocking a thread. If a permit is free, the listener is called on this thread; else later
     * on the thread that frees one.
     *
     * @return leaves the queue; does nothing after the request has ended
     */
    public Runnable acquireAsync(long timeoutNanos, Listener listener) {
        return acquireAsync(timeoutNanos, ANYBODY, listener);
    }

    /**
     * The same.
     *
     * @param by who asks; {@link #queue} shows it while the request waits
     */
    public Runnable acquireAsync(long timeoutNanos, Object by, Listener listener) {
        if (tryPass()) {
            listener.admitted(0);
            return () -> {};
        }
        long arrived = time.nanoTime();
        Waiter waiter;
        try {
            waiter = join(arrived, timeoutNanos, by, false, null, listener);
        } catch (Refusal refusal) {
            listener.refused(refusal);
            return () -> {};
        }
        deadlines.sweepBy(waiter.deadlineNanos, arrived);
        drain();
        return () -> giveUp(waiter, Refusal.Why.INTERRUPTED);
    }

    /**
     * Lets a request in at the door, before any of its work is done, or refuses it. It takes no permit. While the rules say reject and the
     * governor would add no permit, no more requests are inside than permits are free. So each of them finds its permit, if all requests
     * come through the door. {@link #acquireInside} or {@link #leaveDoor} must follow, once.
     */
    public void enter() throws Refusal {
        Rules now = rules;
        if (now.passage() == Rules.Passage.CLOSED) {
            throw refused(Refusal.Why.CLOSED);
        }
        int alreadyInside = inside.getAndIncrement();
        if (now.whenExhausted().mode() == WhenExhausted.Mode.REJECT && now.exhausted() && alreadyInside >= free()) {
            inside.getAndDecrement();
            governor.run();
            throw refused(Refusal.Why.REJECTED);
        }
    }

    /**
     * As {@link #acquire(long, Object)}, for a request that was let in at the door. If another one took the permit, it waits for the next:
     * the modes fail and reject do not refuse it.
     */
    public long acquireInside(long timeoutNanos, Object by) throws Refusal {
        try {
            return acquire(timeoutNanos, by, true);
        } finally {
            inside.getAndDecrement();
        }
    }

    /** For a request that was let in and does not come. */
    public void leaveDoor() {
        inside.getAndDecrement();
    }

    /**
     * Pays a debt instead of releasing, if there is one: the caller's permit is gone, and it must close its connection.
     *
     * @return whether a debt was paid; if not, the caller gives its connection back and then calls {@link #release()}
     */
    public boolean payDebt() {
        boolean isPaid = permits.forgive(1) == 1;
        if (isPaid) {
            governor.run();
        }
        return isPaid;
    }

    /** Gives a permit back. */
    public void release() {
        putBack(1);
        if (permits.debt() > 0) {
            governor.run();
        }
    }

    private boolean tryPass() {
        Rules now = rules;
        if (now.passage() != Rules.Passage.OPEN) {
            return false;
        }
        if (queue.hasWaiters()) {
            Waiter head = queue.head();
            if (head != null) {
                if (isStrict(head, time.nanoTime())) {
                    return false;
                }
                if (permits.tryAdmit()) {
                    head.notePassed();
                    return true;
                }
                return false;
            }
        }
        return permits.tryAdmit();
    }

    /**
     * Lets others run for a moment before queueing. If more threads than cores hold connections for microseconds, preempted
     * threads hold the permits. Parking would cost a hundred times the time that they need to release them.
     */
    @SuppressWarnings("ThreadPriorityCheck") // a yield is what is meant
    private boolean tryPassSoon() {
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

    private Waiter join(
            long arrived,
            long timeoutNanos,
            Object by,
            boolean inside,
            @Nullable Thread thread,
            @Nullable Listener listener)
            throws Refusal {
        Rules now = rules;
        if (now.passage() == Rules.Passage.CLOSED) {
            throw refused(Refusal.Why.CLOSED);
        }
        WhenExhausted exhaustion = now.whenExhausted();
        boolean wouldQueue = inside || exhaustion.mode() == WhenExhausted.Mode.QUEUE;
        if (now.exhausted()
                && now.passage() == Rules.Passage.OPEN
                && !wouldQueue
                && !permits.isHeldByRate()) { // the modes do not apply to whom the rate alone holds back
            governor.run();
            throw refused(whyOf(exhaustion.mode()));
        }
        if (!queue.tryCount(exhaustion.depth())) {
            governor.run();
            throw refused(Refusal.Why.QUEUE_FULL);
        }
        long patience = Math.max(0, Math.min(timeoutNanos, exhaustion.timeoutNanos()));
        long deadline = patience > Long.MAX_VALUE / 4 ? arrived + Long.MAX_VALUE / 4 : arrived + patience;
        Waiter waiter = new Waiter(arrived, deadline, by, inside, thread, listener);
        queue.add(waiter);
        if (rules.passage() == Rules.Passage.CLOSED) { // closed since the check above
            giveUp(waiter, Refusal.Why.CLOSED);
        }
        governor.run();
        return waiter;
    }

    @SuppressWarnings("ReferenceEquality") // the markers of an outcome are what they are by identity
    private long await(Waiter waiter) throws Refusal {
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
                if (queue.head() == waiter && rules.passage() == Rules.Passage.OPEN && permits.tryAdmit()) {
                    if (waiter.end(Waiter.GRANTED)) {
                        queue.leave();
                        drain();
                        return noteWait(waiter);
                    }
                    putBackAdmission();
                    continue;
                }
                long left = waiter.deadlineNanos - time.nanoTime();
                if (left <= 0) {
                    giveUp(waiter, Refusal.Why.TIMED_OUT);
                } else if (interrupted) {
                    giveUp(waiter, Refusal.Why.INTERRUPTED);
                } else {
                    LockSupport.parkNanos(this, Math.min(left, pauseOfRate(waiter)));
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
        long pause = permits.pauseNanos(time.nanoTime());
        return pause < Long.MAX_VALUE && queue.head() == waiter ? pause : Long.MAX_VALUE;
    }

    private long noteWait(Waiter waiter) {
        long nanos = Math.max(0, time.nanoTime() - waiter.arrivedNanos);
        outcomes.admittedAfter(nanos);
        return nanos;
    }

    /** Counts a refusal. */
    private Refusal refused(Refusal.Why why) {
        outcomes.refused(why);
        return new Refusal(why, 0);
    }

    private void giveUp(Waiter waiter, Refusal.Why why) {
        if (waiter.end(why)) {
            queue.leave();
            outcomes.refused(why);
            if (waiter.isAsynchronous()) {
                waiter.tell(time.nanoTime());
            }
            drain();
        }
    }

    /** Frees permits and serves waiters. Every permit becomes free here. */
    private void putBack(long back) {
        permits.putBack(back);
        if (queue.hasWaiters()) {
            drain();
        }
    }

    /** Returns a permit that was taken for a waiter that had already ended. */
    private void putBackAdmission() {
        permits.giveBackToRate();
        putBack(1 - Permits.ADMISSION);
    }

    private static boolean isStrict(Waiter head, long now) {
        return now - head.arrivedNanos > STRICT_AFTER_NANOS || head.passed() >= STRICT_AFTER_PASSES;
    }

    private static Refusal.Why whyOf(WhenExhausted.Mode mode) {
        return mode == WhenExhausted.Mode.REJECT ? Refusal.Why.REJECTED : Refusal.Why.FAILED;
    }

    /** Serves waiters with free permits, as far as the order allows. */
    private void drain() {
        while (rules.passage() == Rules.Passage.OPEN && free() > 0) {
            Waiter head = queue.head();
            if (head == null) {
                return;
            }
            long now = time.nanoTime();
            if (!head.isAsynchronous() && !isStrict(head, now)) {
                head.nudge();
                return;
            }
            if (!permits.tryAdmit()) {
                long pause = permits.pauseNanos(now);
                if (pause < Long.MAX_VALUE) {
                    drainAfter(pause, now);
                }
                return;
            }
            if (head.end(Waiter.GRANTED)) {
                queue.leave();
                if (head.isAsynchronous()) {
                    noteWait(head);
                }
                head.tell(now);
            } else {
                putBackAdmission();
                return; // putBack has served the next
            }
        }
    }

    /** Schedules {@link #drain} for when the rate allows it. One timer, replaced only if an earlier one is needed. */
    private void drainAfter(long nanos, long now) {
        Appointment made = new Appointment(now + nanos);
        Appointment standing = appointment.get();
        while (standing == null || standing.dueNanos - made.dueNanos > 0) {
            if (appointment.compareAndSet(standing, made)) {
                time.after(nanos, () -> {
                    appointment.compareAndSet(made, null); // before the drain looks: a later request schedules the next
                    drain();
                });
                return;
            }
            standing = appointment.get();
        }
    }

    // ---- the governor

    /**
     * Sets the number of permits. More become free at once (after debts are forgiven); fewer are taken from the free
     * ones, and the rest becomes debt. Governor only.
     *
     * @return how many free permits were removed: the caller closes as many free connections now
     */
    public int resize(int target) {
        int change = permits.allow(target);
        if (change > 0) {
            int forgiven = permits.forgive(change);
            if (change > forgiven) {
                putBack(change - forgiven);
            }
            return 0;
        }
        return permits.remove(-change) + settle();
    }

    /** Pays debts out of permits that became free in the meantime. Governor only; returns how many. */
    public int settle() {
        int paid = 0;
        while (permits.debt() > 0 && permits.removeFree()) {
            if (permits.forgive(1) == 1) {
                paid++;
            } else { // its holder has paid it in the meantime
                putBack(1);
            }
        }
        return paid;
    }

    /** Replaces the rules. Opening the gate serves the waiters, closing it refuses them. Governor only. */
    public void setRules(Rules next) {
        Rules before = rules;
        if (next.equals(before)) {
            return;
        }
        rules = next;
        if (next.passage() == Rules.Passage.CLOSED) {
            refuseAll(Refusal.Why.CLOSED);
        } else if (next.passage() == Rules.Passage.OPEN && before.passage() != Rules.Passage.OPEN) {
            drain();
        }
    }

    /** Sets the rate of admissions per second; infinite for none. Governor only. */
    public void setRate(double perSecond) {
        setRate(perSecond, Limits.UNSPECIFIED, null);
    }

    /**
     * Sets the rate of admissions per second, infinite for none, and how many may come at once before it paces them
     * ({@link Limits#UNSPECIFIED} for a tenth of a second's worth). Governor only.
     *
     * @param shared a rate for the sum of several gates, including this one; null for none
     */
    public void setRate(double perSecond, int burst, @Nullable SharedRate shared) {
        if (permits.setRate(perSecond, burst, shared)) {
            drain();
        }
    }

    /** Whether there is a rate, of its own or a shared one. */
    public boolean isPaced() {
        return permits.isPaced();
    }

    /** Refuses the waiters as the exhaustion mode says, but for those who were let in. For the modes fail and reject. Governor only. */
    public void refuseWaiters() {
        WhenExhausted.Mode mode = rules.whenExhausted().mode();
        if (mode != WhenExhausted.Mode.QUEUE && free() <= 0) {
            refuseAll(whyOf(mode));
            drain();
        }
    }

    private void refuseAll(Refusal.Why why) {
        for (Waiter waiter : queue) {
            boolean stays = waiter.inside && why != Refusal.Why.CLOSED;
            if (!stays && waiter.end(why)) {
                queue.leave();
                outcomes.refused(why);
                waiter.tell(time.nanoTime());
            }
        }
    }

    // ---- an operator

    /** The requests in the queue, the one that has waited longest first, so many at most. Walks the queue and holds nobody up. */
    public List<Queued> queue(int most) {
        return queue.list(most, time.nanoTime());
    }

    /** Refuses one waiter. Walks the queue. @return who asked; null if that one does not wait, or waits no more */
    public @Nullable Object end(String id) {
        for (Waiter waiter : queue) {
            if (waiter.isWaiting() && waiter.id().equals(id) && waiter.end(Refusal.Why.ENDED)) {
                queue.leave();
                outcomes.refused(Refusal.Why.ENDED);
                waiter.tell(time.nanoTime());
                drain();
                return waiter.by;
            }
        }
        return null;
    }

    // ---- figures

    public Rules rules() {
        return rules;
    }

    /** The number of permits that the governor allows. */
    public int permits() {
        return permits.allowed();
    }

    /** Permits that were removed while held and are not released yet. */
    public int debt() {
        return permits.debt();
    }

    /** Permits that no request holds. */
    public int free() {
        return permits.free();
    }

    /** Permits held. Exact if nothing changes at the same time, else approximate. */
    public int inUse() {
        return permits.inUse();
    }

    /** Requests in the queue. */
    public int waiting() {
        return queue.waiting();
    }

    /**
     * Requests in the queue that one more permit would help. 0 if there is a rate and permits are free: then the rate holds
     * them back, or did until this moment.
     */
    public int waitingForPermits() {
        return permits.isHeldByRate() ? 0 : waiting();
    }

    /** How long the head of the queue has waited; 0 if the queue is empty. */
    public long longestWaitNanos() {
        Waiter head = queue.head();
        return head == null ? 0 : Math.max(0, time.nanoTime() - head.arrivedNanos);
    }

    /** Admissions so far. */
    public long admittedTotal() {
        return permits.admittedTotal();
    }

    /** Refusals so far, without timeouts. */
    public long refusedTotal() {
        return outcomes.refusedTotal();
    }

    /** How often the rate alone kept a request from a free permit so far: at least once for each request that it delayed. */
    public long heldByRateTotal() {
        return permits.heldByRateTotal();
    }

    public long timedOutTotal() {
        return outcomes.timedOutTotal();
    }

    /** Admissions so far that had to wait. */
    public long waitedTotal() {
        return outcomes.waitedTotal();
    }

    /** The sum of their waits. */
    public long waitedNanosTotal() {
        return outcomes.waitedNanosTotal();
    }

    /**
     * The waits of the requests that were admitted since the last call.
     *
     * @param immediate how many of them did not wait
     */
    public Latency drainWaits(long immediate) {
        return outcomes.drainWaits(immediate);
    }
}
