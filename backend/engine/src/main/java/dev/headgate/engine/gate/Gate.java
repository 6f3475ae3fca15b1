package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests to the connections of one pool. A <em>permit</em> is one connection that policy allows. An admitted
 * request holds a permit until {@link #release()}.
 *
 * <h2>The two sides</h2>
 *
 * Requests ({@link #acquire}, {@link #acquireAsync}, {@link #release}) come from any thread. The governor, one thread at
 * a time, adds and removes permits ({@link #resize}) and changes the {@link Rules} and the rate. The two sides share a few
 * atomic fields and no lock. Each part holds those of one concern:
 *
 * <ul>
 *   <li>{@link Permits}: how many permits are free, held and owed, and how fast they may be taken;
 *   <li>{@link WaitQueue}: the requests without a permit, in order of arrival;
 *   <li>{@link Turnstile}: who gets the next permit, and why no wake-up is lost;
 *   <li>{@link Deadlines}: the end of a wait that blocks no thread;
 *   <li>{@link Outcomes}: what became of the requests.
 * </ul>
 *
 * The gate itself says which requests may wait, and keeps the door.
 */
public final class Gate {

    /** Stands for who asks, where the caller does not say. */
    private static final Object ANYBODY = new Object();

    /** Receives the outcome of an asynchronous request, once. Called on the thread that caused it; must not block. */
    public interface Listener {
        /** The request holds a permit now. */
        void admitted(long waitedNanos);

        void refused(Refusal refusal);
    }

    private final Time time;
    private final Runnable governor;
    private final Permits permits;
    private final WaitQueue queue = new WaitQueue();
    private final Turnstile turnstile;
    private final Outcomes outcomes = new Outcomes();

    /** Requests that were let in at the door and hold no permit yet. */
    private final AtomicInteger inside = new AtomicInteger();

    /**
     * @param governor wakes the governor; called when a request found no permit and when a debt was paid. Must not block
     */
    public Gate(Time time, Rules rules, Runnable governor) {
        this(time, rules, governor, new Permits(time));
    }

    Gate(Time time, Rules rules, Runnable governor, Permits permits) {
        this.time = time;
        this.governor = governor;
        this.permits = permits;
        this.turnstile = new Turnstile(time, permits, queue, outcomes, rules);
    }

    /** As {@link Permits#crowd}. */
    void crowd() {
        permits.crowd();
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
        if (turnstile.tryPass()) {
            return 0;
        }
        long arrived = time.nanoTime();
        if (turnstile.tryPassSoon()) {
            return 0;
        }
        return turnstile.await(join(arrived, timeoutNanos, by, inside, Thread.currentThread(), null));
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
        if (turnstile.tryPass()) {
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
        turnstile.awaitAsync(waiter);
        return () -> turnstile.giveUp(waiter, Refusal.Why.INTERRUPTED);
    }

    /**
     * Lets a request in at the door, before any of its work is done, or refuses it. It takes no permit. {@link #acquireInside} or
     * {@link #leaveDoor} must follow, once.
     *
     * <p>While the rules say reject and the governor would add no permit, no more requests are inside than permits are free. So each of
     * them finds its permit, if all requests come through the door. Two moments are exceptions. A permit that moves while it is counted may
     * count twice: then one request more is let in, and waits. A request inside and the permit that it has just taken both count against
     * the next one.
     */
    public void enter() throws Refusal {
        Rules now = turnstile.rules();
        if (now.passage() == Rules.Passage.CLOSED) {
            throw refused(Refusal.Why.CLOSED);
        }
        int alreadyInside = inside.getAndIncrement();
        if (now.whenExhausted().mode() == WhenExhausted.Mode.REJECT
                && now.exhausted()
                && permits.hadAtMost(alreadyInside)) {
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
        turnstile.putBack(1);
        if (permits.debt() > 0) {
            governor.run();
        }
    }

    /** Gives a permit back for which there was no connection: its request counts as refused. */
    public void release(Refusal.Why why) {
        outcomes.refused(why);
        release();
    }

    private Waiter join(
            long arrived,
            long timeoutNanos,
            Object by,
            boolean inside,
            @Nullable Thread thread,
            @Nullable Listener listener)
            throws Refusal {
        Rules now = turnstile.rules();
        if (now.passage() == Rules.Passage.CLOSED) {
            throw refused(Refusal.Why.CLOSED);
        }
        WhenExhausted exhaustion = now.whenExhausted();
        boolean stays = inside || permits.isHeldByRate(); // the modes do not apply to whom the rate alone holds back
        boolean wouldQueue = stays || exhaustion.mode() == WhenExhausted.Mode.QUEUE;
        if (now.exhausted() && now.passage() == Rules.Passage.OPEN && !wouldQueue) {
            governor.run();
            throw refused(whyOf(exhaustion.mode()));
        }
        if (!queue.tryCount(exhaustion.depth())) {
            governor.run();
            throw refused(Refusal.Why.QUEUE_FULL);
        }
        long patience = Math.max(0, Math.min(timeoutNanos, exhaustion.timeoutNanos()));
        long deadline = patience > Long.MAX_VALUE / 4 ? arrived + Long.MAX_VALUE / 4 : arrived + patience;
        Waiter waiter = new Waiter(arrived, deadline, by, stays, thread, listener);
        turnstile.join(waiter);
        governor.run();
        return waiter;
    }

    /** Counts a refusal. */
    private Refusal refused(Refusal.Why why) {
        outcomes.refused(why);
        return new Refusal(why, 0);
    }

    private static Refusal.Why whyOf(WhenExhausted.Mode mode) {
        return mode == WhenExhausted.Mode.REJECT ? Refusal.Why.REJECTED : Refusal.Why.FAILED;
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
                turnstile.putBack(change - forgiven);
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
                turnstile.putBack(1);
            }
        }
        return paid;
    }

    /** Replaces the rules. Opening the gate serves the waiters, closing it refuses them. Governor only. */
    public void setRules(Rules next) {
        turnstile.setRules(next);
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
            turnstile.serve();
        }
    }

    /** Whether there is a rate, of its own or a shared one. */
    public boolean isPaced() {
        return permits.isPaced();
    }

    /**
     * Refuses the waiters as the exhaustion mode says, but for those who were let in and those whom the rate alone held back when they came.
     * For the modes fail and reject. Governor only.
     */
    public void refuseWaiters() {
        WhenExhausted.Mode mode = rules().whenExhausted().mode();
        if (mode != WhenExhausted.Mode.QUEUE && permits.hadAtMost(0)) {
            turnstile.refuseAll(whyOf(mode));
            turnstile.serve();
        }
    }

    // ---- an operator

    /**
     * The requests in the queue by arrival. Walks the queue, holds nobody up, and makes no more than it returns.
     *
     * @param after those that arrived after this one; null for all
     * @param most so many at most
     */
    public List<Queued> queue(@Nullable WaiterId after, int most) {
        return queue.list(after, most, time.nanoTime());
    }

    /** Refuses one waiter. Walks the queue. @return who asked; null if that one does not wait, or waits no more */
    public @Nullable Object end(WaiterId id) {
        for (Waiter waiter : queue) {
            if (waiter.isWaiting() && waiter.id().equals(id) && turnstile.refuse(waiter, Refusal.Why.ENDED)) {
                turnstile.serve();
                return waiter.by;
            }
        }
        return null;
    }

    // ---- figures

    public Rules rules() {
        return turnstile.rules();
    }

    /** The number of permits that the governor allows. */
    public int permits() {
        return permits.allowed();
    }

    /** Permits that were removed while held and are not released yet. */
    public int debt() {
        return permits.debt();
    }

    /** Permits and debts: as many connections as the pool holds or may open at any moment. */
    public int places() {
        return permits() + debt();
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

    /** Whether there is a rate and permits are free: the rate alone holds requests back, or did until this moment. */
    public boolean isHeldByRate() {
        return permits.isHeldByRate();
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

    /** Requests that the rules turned away so far, without timeouts. */
    public long refusedTotal() {
        return outcomes.refusedTotal();
    }

    /** Requests so far that left the queue before their time: their callers left, or an operator ended their wait. */
    public long leftTotal() {
        return outcomes.leftTotal();
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
