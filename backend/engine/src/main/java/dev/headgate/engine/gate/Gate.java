package dev.headgate.engine.gate;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.IntCountsHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests to the connections of one pool. A <em>permit</em> is one connection that policy allows. An admitted
 * request holds a permit until {@link #release()}.
 *
 * <h2>The two sides</h2>
 *
 * Requests ({@link #acquire}, {@link #acquireAsync}, {@link #release}) come from any thread. The governor, one thread at
 * a time, adds and removes permits ({@link #resize}) and changes the {@link Rules}. They share a few atomic fields and
 * no lock:
 *
 * <pre>
 *   permits   what the governor allows; only the governor writes it
 *   free      permits that no request holds
 *   debt      permits removed while held: each is paid by one release, which then frees nothing
 *   queue     requests without a permit, in order of arrival
 *
 *   in use = permits + debt - free        (the invariant; every move below keeps it)
 * </pre>
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
 * A waiter first joins the queue (and counts itself in {@code waiting}), then reads {@code free}. The thread that frees a
 * permit first raises {@code free}, then reads {@code waiting}. All four are volatile accesses, so in their one total
 * order at least one side sees the other. Every permit becomes free in one place, {@link #putBack}, which then serves the
 * waiters ({@link #drain}). A waiter that leaves the queue also serves the next one. Closing follows the same rule: the
 * governor first closes the gate, then refuses the queue; an arrival first joins, then checks whether the gate is closed.
 *
 * <h2>Ending once</h2>
 *
 * Exactly one compare-and-set ends a waiter (see {@link Waiter}). If a permit was taken for a waiter that has already
 * ended, the permit is put back. So no permit is lost or doubled, in whatever order grants, deadlines and refusals happen.
 *
 * <h2>Leaving costs the same in a long queue</h2>
 *
 * An ended waiter is not searched for. It stays in the queue until it reaches the head, or until more than half of the
 * queue has ended; then one walk removes all ended waiters. So ten thousand waiters that time out together cost ten
 * thousand steps, not fifty million.
 */
public final class Gate {

    /** No arrival passes a head that has waited this long. */
    static final long STRICT_AFTER_NANOS = 1_000_000;
    /** No arrival passes a head that was passed this often. */
    static final int STRICT_AFTER_PASSES = 64;

    /** The number of times a blocking arrival yields before it queues. */
    private static final int YIELDS_BEFORE_PARKING = 4;

    /** The least delay before a waiter held back by the rate checks again. */
    private static final long SHORTEST_PAUSE_NANOS = 1_000;

    /** Deadlines closer together than this share one sweep. */
    private static final long SHORTEST_SWEEP_NANOS = 500_000;

    /** Added for each waiter, because a sweep walks past all of them. */
    private static final long SWEEP_NANOS_EACH = 1_000;

    /** The number of ended waiters that may always stay in the queue. */
    private static final int FEW_ENDED = 64;

    /**
     * The index of the one element of {@link #tickets} that is used. The others keep its cache line free of what is only read on
     * every lease: sharing the line costs a sixth of the throughput of twenty threads.
     */
    private static final int LINE = 16;

    /** Made a request that says nothing of who asks. */
    private static final Object ANYBODY = new Object();

    /** One admission, in the upper half of {@link #tickets}. */
    private static final long ADMISSION = 1L << 32;

    /** Receives the outcome of an asynchronous request, once. Called on the thread that caused it; must not block. */
    public interface Listener {
        /** The request holds a permit now. */
        void admitted(long waitedNanos);

        void refused(Refusal refusal);
    }

    /** A timer's due time. A class, not a record, so that equality is identity. */
    private static final class Appointment {
        private final long dueNanos;
        private volatile Time.@Nullable Timer timer;

        /** Set when the appointment ends, which may happen before the timer is known. */
        private volatile boolean isOver;

        Appointment(long dueNanos) {
            this.dueNanos = dueNanos;
        }

        void set(Time.Timer known) {
            timer = known;
            if (isOver) {
                known.cancel();
            }
        }

        void cancel() {
            isOver = true;
            Time.Timer known = timer;
            if (known != null) {
                known.cancel();
            }
        }
    }

    private final Time time;
    private final Runnable governor;

    /** Free permits in the lower half, admissions so far (modulo 2^32) in the upper: one compare-and-set moves both. */
    private final AtomicLongArray tickets = new AtomicLongArray(2 * LINE);

    private final AtomicInteger debt = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final ConcurrentLinkedQueue<Waiter> queue = new ConcurrentLinkedQueue<>();

    /** Requests that were let in at the door and hold no permit yet. */
    private final AtomicInteger inside = new AtomicInteger();

    /** Approximate number of ended waiters in the queue. */
    private final AtomicInteger ended = new AtomicInteger();

    private volatile int permits;
    private volatile Rules rules;
    private volatile @Nullable Pace pace;
    private @Nullable Rate ownRate;
    private @Nullable SharedRate sharedRate;
    /** The next {@link #drain} that the rate makes necessary. */
    private final AtomicReference<@Nullable Appointment> appointment = new AtomicReference<>();

    /** The next {@link #sweep}, at or before the earliest deadline of an asynchronous waiter. */
    private final AtomicReference<@Nullable Appointment> sweeping = new AtomicReference<>();

    private long admitted;
    private final LongAdder refused = new LongAdder();
    private final LongAdder timedOut = new LongAdder();

    /** Counts attempts to take a free permit that the rate prevented. */
    private final LongAdder heldByRate = new LongAdder();

    /** The waits of the current window. Only requests that have waited record here, so a lock is cheap enough. */
    private final Object waitsLock = new Object();

    private IntCountsHistogram waits = HdrLatency.newWindow();

    private final LongAdder waited = new LongAdder();
    private final LongAdder waitedNanos = new LongAdder();

    /**
     * @param governor wakes the governor; called when a request found no permit and when a debt was paid. Must not block
     */
    public Gate(Time time, Rules rules, Runnable governor) {
        this.time = time;
        this.rules = rules;
        this.governor = governor;
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
        sweepBy(waiter.deadlineNanos, arrived);
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
            refused.increment();
            throw new Refusal(Refusal.Why.CLOSED, 0);
        }
        int alreadyInside = inside.getAndIncrement();
        if (now.whenExhausted().mode() == WhenExhausted.Mode.REJECT && now.exhausted() && alreadyInside >= free()) {
            inside.getAndDecrement();
            governor.run();
            refused.increment();
            throw new Refusal(Refusal.Why.REJECTED, 0);
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
        for (; ; ) {
            int owed = debt.get();
            if (owed <= 0) {
                return false;
            }
            if (debt.compareAndSet(owed, owed - 1)) {
                governor.run();
                return true;
            }
        }
    }

    /** Gives a permit back. */
    public void release() {
        putBack(1);
        if (debt.get() > 0) {
            governor.run();
        }
    }

    private boolean tryPass() {
        Rules now = rules;
        if (now.passage() != Rules.Passage.OPEN) {
            return false;
        }
        if (waiting.get() > 0) {
            Waiter head = head();
            if (head != null) {
                if (isStrict(head, time.nanoTime())) {
                    return false;
                }
                if (tryTake()) {
                    head.notePassed();
                    return true;
                }
                return false;
            }
        }
        return tryTake();
    }

    /**
     * Lets others run for a moment before queueing. If more threads than cores hold connections for microseconds, preempted
     * threads hold the permits. Parking would cost a hundred times the time that they need to release them.
     */
    @SuppressWarnings("ThreadPriorityCheck") // a yield is what is meant
    private boolean tryPassSoon() {
        for (int i = 0; i < YIELDS_BEFORE_PARKING; i++) {
            Waiter head = head();
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

    private boolean tryTake() {
        Pace current = pace;
        if (current == null) {
            return take(ADMISSION);
        }
        if (free() <= 0) {
            return false;
        }
        if (!current.tryTake(time.nanoTime())) {
            heldByRate.increment();
            return false;
        }
        if (take(ADMISSION)) {
            return true;
        }
        current.giveBack();
        return false;
    }

    /** Takes a free permit, to admit a request or to remove the permit. */
    private boolean take(long admissions) {
        for (long now = tickets.get(LINE); (int) now > 0; now = tickets.get(LINE)) {
            if (tickets.compareAndSet(LINE, now, now - 1 + admissions)) {
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
            refused.increment();
            throw new Refusal(Refusal.Why.CLOSED, 0);
        }
        WhenExhausted exhaustion = now.whenExhausted();
        boolean wouldQueue = inside || exhaustion.mode() == WhenExhausted.Mode.QUEUE;
        boolean lacksPermit = pace == null || free() <= 0; // the modes do not apply to whom the rate alone holds back
        if (now.exhausted() && now.passage() == Rules.Passage.OPEN && !wouldQueue && lacksPermit) {
            governor.run();
            refused.increment();
            throw new Refusal(whyOf(exhaustion.mode()), 0);
        }
        if (waiting.incrementAndGet() > exhaustion.depth()) {
            waiting.decrementAndGet();
            governor.run();
            refused.increment();
            throw new Refusal(Refusal.Why.QUEUE_FULL, 0);
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
                if (head() == waiter && rules.passage() == Rules.Passage.OPEN && tryTake()) {
                    if (waiter.end(Waiter.GRANTED)) {
                        leave();
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
                    LockSupport.parkNanos(this, Math.min(left, pauseOfPace(waiter)));
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
    private long pauseOfPace(Waiter waiter) {
        Pace current = pace;
        return current != null && free() > 0 && head() == waiter
                ? Math.max(SHORTEST_PAUSE_NANOS, current.waitNanos(time.nanoTime()))
                : Long.MAX_VALUE;
    }

    private long noteWait(Waiter waiter) {
        long nanos = Math.max(0, time.nanoTime() - waiter.arrivedNanos);
        synchronized (waitsLock) {
            waits.recordValue(Math.min(nanos, HdrLatency.HIGHEST_NANOS));
        }
        waited.increment();
        waitedNanos.add(nanos);
        return nanos;
    }

    private void giveUp(Waiter waiter, Refusal.Why why) {
        if (waiter.end(why)) {
            leave();
            (why == Refusal.Why.TIMED_OUT ? timedOut : refused).increment();
            if (waiter.isAsynchronous()) {
                waiter.tell(time.nanoTime());
            }
            drain();
        }
    }

    /** Stops counting an ended waiter. It is removed when it reaches the head, or together with many others. */
    private void leave() {
        int remaining = waiting.decrementAndGet();
        int over = ended.incrementAndGet();
        head();
        if (over > FEW_ENDED && over > remaining && ended.compareAndSet(over, 0)) {
            queue.removeIf(each -> !each.isWaiting());
        }
    }

    /** The waiter that has waited longest; removes ended ones before it. Null if nobody waits. */
    private @Nullable Waiter head() {
        for (Waiter head = queue.peek(); head != null; head = queue.peek()) {
            if (head.isWaiting()) {
                return head;
            }
            if (queue.remove(head)) {
                ended.updateAndGet(count -> Math.max(0, count - 1)); // a walk may have subtracted it already
            }
        }
        return null;
    }

    /** Frees permits and serves waiters. Every permit becomes free here. */
    private void putBack(long permitsBack) {
        tickets.getAndAdd(LINE, permitsBack);
        if (waiting.get() > 0) {
            drain();
        }
    }

    /** Returns a permit that was taken for a waiter that had already ended. */
    private void putBackAdmission() {
        Pace current = pace;
        if (current != null) {
            current.giveBack();
        }
        putBack(1 - ADMISSION);
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
            Waiter head = head();
            if (head == null) {
                return;
            }
            long now = time.nanoTime();
            if (!head.isAsynchronous() && !isStrict(head, now)) {
                head.nudge();
                return;
            }
            if (!tryTake()) {
                Pace current = pace;
                if (current != null && free() > 0) {
                    drainAfter(Math.max(SHORTEST_PAUSE_NANOS, current.waitNanos(now)), now);
                }
                return;
            }
            if (head.end(Waiter.GRANTED)) {
                leave();
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

    /** Schedules {@link #sweep}. There is one timer however many wait; it is replaced only if an earlier one is needed. */
    private void sweepBy(long dueNanos, long now) {
        Appointment made = new Appointment(dueNanos);
        Appointment standing = sweeping.get();
        while (standing == null || standing.dueNanos - dueNanos > 0) {
            if (sweeping.compareAndSet(standing, made)) {
                if (standing != null) {
                    standing.cancel();
                }
                made.set(time.after(dueNanos - now, () -> {
                    sweeping.compareAndSet(
                            made, null); // before the sweep looks: a waiter that joins later schedules the next
                    sweep();
                }));
                return;
            }
            standing = sweeping.get();
        }
    }

    /**
     * Refuses the asynchronous waiters whose deadline has passed. Waiters served since then cost nothing: another sweep is
     * scheduled only while somebody waits.
     */
    private void sweep() {
        long now = time.nanoTime();
        Waiter next = null;
        for (Waiter waiter : queue) {
            if (waiter.isAsynchronous() && waiter.isWaiting()) {
                if (waiter.deadlineNanos - now <= 0) {
                    giveUp(waiter, Refusal.Why.TIMED_OUT);
                } else if (next == null || next.deadlineNanos - waiter.deadlineNanos > 0) {
                    next = waiter;
                }
            }
        }
        if (next != null) {
            long soonest = now + SHORTEST_SWEEP_NANOS + waiting() * SWEEP_NANOS_EACH;
            sweepBy(next.deadlineNanos - soonest > 0 ? next.deadlineNanos : soonest, now);
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
        int change = target - permits;
        permits = target;
        if (change > 0) {
            int forgiven = forgive(change);
            if (change > forgiven) {
                putBack(change - forgiven);
            }
            return 0;
        }
        int taken = 0;
        while (taken < -change && take(0)) {
            taken++;
        }
        debt.getAndAdd(-change - taken);
        return taken + settle();
    }

    /** Pays debts out of permits that became free in the meantime. Governor only; returns how many. */
    public int settle() {
        int paid = 0;
        while (debt.get() > 0 && take(0)) {
            if (forgive(1) == 1) {
                paid++;
            } else { // its holder has paid it in the meantime
                putBack(1);
            }
        }
        return paid;
    }

    private int forgive(int atMost) {
        for (; ; ) {
            int owed = debt.get();
            int less = Math.min(owed, atMost);
            if (less <= 0) {
                return 0;
            }
            if (debt.compareAndSet(owed, owed - less)) {
                return less;
            }
        }
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
        Rate own = ownRate;
        boolean ownStays = own == null ? Double.isInfinite(perSecond) : own.is(perSecond, burst);
        if (ownStays && shared == sharedRate) {
            return;
        }
        if (!ownStays) {
            own = Double.isInfinite(perSecond) ? null : new Rate(perSecond, burst, time.nanoTime());
            ownRate = own;
        }
        sharedRate = shared;
        pace = shared == null ? own : shared.turn(own);
        drain();
    }

    /** Whether there is a rate, of its own or a shared one. */
    public boolean isPaced() {
        return pace != null;
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
                leave();
                refused.increment();
                waiter.tell(time.nanoTime());
            }
        }
    }

    // ---- an operator

    /**
     * A request in the queue.
     *
     * @param id {@link #end} takes it
     * @param position from 1, the head
     * @param by who asks
     * @param thread the one that is blocked; null for a request that blocks none
     * @param leftNanos until its deadline
     */
    public record Queued(
            String id, int position, Object by, @Nullable Thread thread, long waitedNanos, long leftNanos) {}

    /** The requests in the queue, the one that has waited longest first, so many at most. Walks the queue and holds nobody up. */
    public List<Queued> queue(int most) {
        long now = time.nanoTime();
        List<Queued> waiters = new ArrayList<>();
        for (Waiter waiter : queue) {
            if (waiters.size() >= most) {
                break;
            }
            if (waiter.isWaiting()) {
                waiters.add(new Queued(
                        waiter.id(),
                        waiters.size() + 1,
                        waiter.by,
                        waiter.thread,
                        Math.max(0, now - waiter.arrivedNanos),
                        waiter.deadlineNanos - now));
            }
        }
        return waiters;
    }

    /** Refuses one waiter. Walks the queue. @return who asked; null if that one does not wait, or waits no more */
    public @Nullable Object end(String id) {
        for (Waiter waiter : queue) {
            if (waiter.isWaiting() && waiter.id().equals(id) && waiter.end(Refusal.Why.ENDED)) {
                leave();
                refused.increment();
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
        return permits;
    }

    /** Permits that were removed while held and are not released yet. */
    public int debt() {
        return debt.get();
    }

    /** Permits that no request holds. */
    public int free() {
        return (int) tickets.get(LINE);
    }

    /** Permits held. Exact if nothing changes at the same time, else approximate. */
    public int inUse() {
        return Math.max(0, permits + debt.get() - free());
    }

    /** Requests in the queue. */
    public int waiting() {
        return Math.max(0, waiting.get());
    }

    /**
     * Requests in the queue that one more permit would help. 0 if there is a rate and permits are free: then the rate holds
     * them back, or did until this moment.
     */
    public int waitingForPermits() {
        return pace != null && free() > 0 ? 0 : waiting();
    }

    /** How long the head of the queue has waited; 0 if the queue is empty. */
    public long longestWaitNanos() {
        Waiter head = head();
        return head == null ? 0 : Math.max(0, time.nanoTime() - head.arrivedNanos);
    }

    /** Admissions so far. */
    public synchronized long admittedTotal() {
        int since = (int) (tickets.get(LINE) >>> 32) - (int) admitted;
        admitted += Math.max(0, since); // less than none where an admission was taken back since it was counted
        return admitted;
    }

    /** Refusals so far, without timeouts. */
    public long refusedTotal() {
        return refused.sum();
    }

    /** How often the rate alone kept a request from a free permit so far: at least once for each request that it delayed. */
    public long heldByRateTotal() {
        return heldByRate.sum();
    }

    public long timedOutTotal() {
        return timedOut.sum();
    }

    /** Admissions so far that had to wait. */
    public long waitedTotal() {
        return waited.sum();
    }

    /** The sum of their waits. */
    public long waitedNanosTotal() {
        return waitedNanos.sum();
    }

    /**
     * The waits of the requests that were admitted since the last call.
     *
     * @param immediate how many of them did not wait
     */
    public Latency drainWaits(long immediate) {
        IntCountsHistogram drained;
        synchronized (waitsLock) {
            drained = waits;
            waits = HdrLatency.newWindowLike(drained);
        }
        if (immediate > 0) {
            drained.recordValueWithCount(0, Math.min(immediate, Integer.MAX_VALUE));
        }
        return HdrLatency.of(drained);
    }
}
