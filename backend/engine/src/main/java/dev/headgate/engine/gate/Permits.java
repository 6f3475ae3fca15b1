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
 * <p>The numbers that every request touches are fields, accessed through {@link VarHandle}s. As atomic objects they would add
 * 5 ns to the 160 of borrowing and returning a connection (measured on 26 November 2026).
 */
final class Permits {

    /** One admission, in the upper half of {@link #tickets}. */
    static final long ADMISSION = 1L << 32;

    /** The least delay before a waiter held back by the rate checks again. */
    private static final long SHORTEST_PAUSE_NANOS = 1_000;

    /**
     * The index of the one element of {@link #tickets} that is used. The others keep its cache line free of what is only read on
     * every lease: sharing the line costs a sixth of the throughput of twenty threads.
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
     * Free permits in the lower half, admissions so far (modulo 2^32) in the upper: one compare-and-set moves both. Accessed through
     * TICKETS, always as volatile.
     */
    private final long[] tickets = new long[2 * LINE];

    private volatile int debt;
    private volatile int allowed;
    private volatile @Nullable Pace pace;
    private @Nullable Rate ownRate;
    private @Nullable SharedRate sharedRate;

    /** Counts attempts to take a free permit that the rate prevented. */
    private final LongAdder heldByRate = new LongAdder();

    private long admitted;

    Permits(Time time) {
        this.time = time;
    }

    // ---- any thread

    /** The rate in force; null if there is none. */
    @Nullable
    Pace pace() {
        return pace;
    }

    /** Takes an admission from a rate, unless there is no permit for it. */
    boolean tryPace(Pace rate) {
        if (free() <= 0) {
            return false;
        }
        if (!rate.tryTake(time.nanoTime())) {
            heldByRate.increment();
            return false;
        }
        return true;
    }

    /** Takes a free permit to admit a request. */
    boolean tryTake() {
        return take(ADMISSION);
    }

    private boolean take(long admissions) {
        for (long now = tickets(); (int) now > 0; now = tickets()) {
            if (TICKETS.compareAndSet(tickets, LINE, now, now - 1 + admissions)) {
                return true;
            }
        }
        return false;
    }

    private long tickets() {
        return (long) TICKETS.getVolatile(tickets, LINE);
    }

    /**
     * Frees permits. Called in one place, {@link Turnstile#putBack}, which then serves the waiters.
     *
     * @param back the number of permits; less {@link #ADMISSION} for one whose admission did not happen
     */
    void putBack(long back) {
        TICKETS.getAndAdd(tickets, LINE, back);
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
        return pace != null && free() > 0;
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
        int since = (int) (tickets() >>> 32) - (int) admitted;
        admitted += Math.max(0, since); // less than none where an admission was taken back since it was counted
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
        return take(0);
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
