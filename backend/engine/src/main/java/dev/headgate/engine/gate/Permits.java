package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a gate, and the rate at which requests may take them. It counts them; the {@link Turnstile} decides who gets one.
 *
 * <pre>
 *   allowed   what the governor allows; only the governor writes it
 *   free      permits that no request holds
 *   debt      permits removed while held: each is paid by one release, which then frees nothing
 *
 *   in use = allowed + debt - free        (the invariant; every move keeps it)
 * </pre>
 *
 * <p>Any thread takes permits, puts them back and pays debts, without a lock. Only the governor, one thread at a time, changes
 * how many are allowed and how fast.
 *
 * <p>Free permits lie at one place. When two threads have met there, they lie at {@value #PLACES}, and a thread takes from and puts back
 * at its own as long as it can. So threads on different cores do not take one cache line from each other twice in every lease, which
 * made twenty threads half as fast again where a line takes 190 ns to the other core (measured on 28 November 2026).
 *
 * <p>While permits move, a thread that looks at one place after the other may find none, although one was free all the time. So whoever
 * finds none looks at all places until two looks are the same, and takes a permit if he sees one ({@link #hadAtMost}). A place counts how
 * often a permit was taken there, which never goes back; without a take, its free permits only become more. So between two looks with
 * the same sums nothing moved. Only who is about to go without a permit pays for that.
 *
 * <p>The numbers that every request touches are fields, accessed through {@link VarHandle}s. As atomic objects they would add
 * 5 ns to the 160 of borrowing and returning a connection (measured on 26 November 2026).
 */
class Permits {

    /** One take, in the upper half of {@link #tickets}. */
    private static final long TAKE = 1L << 32;

    /** The least delay before a waiter held back by the rate checks again. */
    private static final long SHORTEST_PAUSE_NANOS = 1_000;

    /** The number of places that free permits are kept in; a power of two. */
    private static final int PLACES = 4;

    /**
     * The distance of two places in {@link #tickets}. What lies between them keeps their cache lines apart, and free of what is only read
     * on every lease.
     */
    private static final int LINE = 16;

    private static final VarHandle TICKETS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle DEBT;

    static {
        try {
            DEBT = MethodHandles.lookup().findVarHandle(Permits.class, "debt", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Time time;

    /**
     * At each place free permits in the lower half and takes so far (modulo 2^32) in the upper: one compare-and-set moves both. What
     * counts is the sum of the places. Accessed through TICKETS, always as volatile.
     */
    private final long[] tickets = new long[(PLACES + 1) * LINE];

    /**
     * Whether two threads have met at a place; then each thread has its own. It is not volatile: who sees it late is slower, and
     * nothing else.
     */
    private boolean crowded;

    private volatile int debt;
    private volatile int allowed;
    private volatile @Nullable Pace pace;
    private @Nullable Rate ownRate;
    private @Nullable SharedRate sharedRate;

    /** Counts takes that admitted nobody. */
    private final LongAdder unused = new LongAdder();

    /** Counts attempts to take a free permit that the rate prevented. */
    private final LongAdder heldByRate = new LongAdder();

    private long admitted;

    Permits(Time time) {
        this.time = time;
    }

    /** Gives each thread a place of its own for permits, as from the moment on when two threads meet at one. */
    void crowd() {
        crowded = true;
    }

    // ---- any thread

    /** The rate in force; null if there is none. */
    @Nullable
    Pace pace() {
        return pace;
    }

    /** Takes an admission from a rate, unless there is no permit for it. */
    boolean tryPace(Pace rate) {
        if (hadAtMost(0)) {
            return false;
        }
        if (!rate.tryTake(time.nanoTime())) {
            heldByRate.increment();
            return false;
        }
        return true;
    }

    /** Takes a free permit to admit a request. Fails only if at one moment of this call none was free. */
    boolean tryTake() {
        int own = ownPlace();
        return takeAt(own) || takeElsewhere(own);
    }

    private boolean takeAt(int place) {
        for (long now = tickets(place); (int) now > 0; now = tickets(place)) {
            if (TICKETS.compareAndSet(tickets, place, now, now - 1 + TAKE)) {
                return true;
            }
            crowd();
        }
        return false;
    }

    private boolean takeElsewhere(int own) {
        do {
            for (int i = 1; i <= PLACES; i++) {
                if (takeAt(placeAfter(own, i))) {
                    return true;
                }
            }
        } while (!hadAtMost(0));
        return false;
    }

    int ownPlace() {
        return !crowded ? LINE : LINE + ((int) Thread.currentThread().threadId() & (PLACES - 1)) * LINE;
    }

    static int placeAfter(int place, int steps) {
        return LINE + ((place / LINE - 1 + steps) & (PLACES - 1)) * LINE;
    }

    /** What lies at one place. A test overrides it, to move permits between two looks. */
    long tickets(int place) {
        return (long) TICKETS.getVolatile(tickets, place);
    }

    /** The sum of all places, in the same halves. */
    private long tickets() {
        long sum = 0;
        for (int place = LINE; place <= PLACES * LINE; place += LINE) {
            sum += tickets(place);
        }
        return sum;
    }

    /**
     * Whether at one moment of this call no more permits than so many were free. If it says no, they were more, or moved and were counted
     * twice.
     */
    boolean hadAtMost(int most) {
        for (long before = tickets(); (int) before <= most; ) {
            long now = tickets();
            if (now == before) {
                return true;
            }
            before = now;
        }
        return false;
    }

    /** Frees permits. Called in one place, {@link Turnstile#putBack}, which then serves the waiters. */
    void putBack(int back) {
        TICKETS.getAndAdd(tickets, ownPlace(), (long) back);
    }

    /** Counts that a permit which was taken to admit a request has admitted nobody. */
    void noteUnused() {
        unused.increment();
    }

    /** Reduces the debt; returns by how much. */
    int forgive(int atMost) {
        for (; ; ) {
            int owed = debt;
            int less = Math.min(owed, atMost);
            if (less <= 0) {
                return 0;
            }
            if (DEBT.compareAndSet(this, owed, owed - less)) {
                return less;
            }
        }
    }

    int allowed() {
        return allowed;
    }

    int debt() {
        return debt;
    }

    /** Free permits. Exact if nothing changes at the same time, else approximate. */
    int free() {
        return (int) tickets();
    }

    /** Permits held. Exact if nothing changes at the same time, else approximate. */
    int inUse() {
        return Math.max(0, allowed + debt - free());
    }

    /** Whether there is a rate, of its own or a shared one. */
    boolean isPaced() {
        return pace != null;
    }

    /** Whether permits are free and there is a rate. So the rate holds requests back, or did until this moment. */
    boolean isHeldByRate() {
        return pace != null && !hadAtMost(0);
    }

    /** How long the rate alone prevents the next admission; for ever if it does not. */
    long pauseNanos(long now) {
        Pace current = pace;
        return current != null && free() > 0 ? Math.max(SHORTEST_PAUSE_NANOS, current.waitNanos(now)) : Long.MAX_VALUE;
    }

    /** How often the rate alone kept a request from a free permit so far. */
    long heldByRateTotal() {
        return heldByRate.sum();
    }

    /** Admissions so far. */
    synchronized long admittedTotal() {
        int since = (int) (tickets() >>> 32) - (int) unused.sum() - (int) admitted;
        admitted += Math.max(0, since); // less than none where a take was counted before it turned out to admit nobody
        return admitted;
    }

    // ---- the governor

    /** Sets how many permits are allowed; returns how many more or less than before. */
    int allow(int target) {
        int change = target - allowed;
        allowed = target;
        return change;
    }

    /** Removes permits: free ones at once, and the rest becomes debt. Returns how many were free. */
    int remove(int excess) {
        int taken = 0;
        while (taken < excess && removeFree()) {
            taken++;
        }
        DEBT.getAndAdd(this, excess - taken);
        return taken;
    }

    /** Takes a free permit for no request. */
    boolean removeFree() {
        if (!tryTake()) {
            return false;
        }
        noteUnused();
        return true;
    }

    /** Replaces the rate, as {@link Gate#setRate(double, int, SharedRate)} says; returns whether it changed. */
    boolean setRate(double perSecond, int burst, @Nullable SharedRate shared) {
        Rate own = ownRate;
        boolean ownStays = own == null ? Double.isInfinite(perSecond) : own.is(perSecond, burst);
        if (ownStays && shared == sharedRate) {
            return false;
        }
        if (!ownStays) {
            own = Double.isInfinite(perSecond) ? null : new Rate(perSecond, burst, time.nanoTime());
            ownRate = own;
        }
        sharedRate = shared;
        pace = shared == null ? own : shared.turn(own);
        return true;
    }
}
