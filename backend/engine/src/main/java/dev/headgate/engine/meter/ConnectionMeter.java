package dev.headgate.engine.meter;

import dev.headgate.engine.meter.ConnectionStatus.LeaseStatus;
import dev.headgate.engine.meter.ConnectionStatus.State;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Window.ConnectionWindow;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The meter of one physical connection.
 *
 * <p><b>Writers.</b> The thread that uses the connection reports bytes and requests, one thread at a time; the pool hands the
 * connection over with a happens-before edge. The figures are single-writer fields, written with opaque or release stores,
 * so the lease path needs no fence. <b>Readers.</b> The governor drains the histogram once per window, and only the governor
 * uses the merged result. Any thread may call {@link #status}.
 */
@SuppressWarnings("UnusedVariable") // fields are read through their handles
public final class ConnectionMeter {

    private static final VarHandle REQUESTS = handle("requests", long.class);
    private static final VarHandle ERRORS = handle("errors", long.class);
    private static final VarHandle BYTES_IN = handle("bytesIn", long.class);
    private static final VarHandle BYTES_OUT = handle("bytesOut", long.class);
    private static final VarHandle BUSY_NANOS = handle("busyNanos", long.class);
    private static final VarHandle LEASED_NANOS = handle("leasedNanos", long.class);
    private static final VarHandle REQUEST_BEGAN = handle("requestBegan", long.class);
    private static final VarHandle REQUEST_ENDED = handle("requestEnded", long.class);
    private static final VarHandle TRANSACTION = handle("transaction", byte.class);
    private static final VarHandle HOLDER = handle("holder", String.class);
    private static final VarHandle LEASE_BEGAN = handle("leaseBegan", long.class);

    /** What the instants say when there is none. */
    private static final long NONE = Long.MIN_VALUE;

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final String id;
    private final Time time;
    private final long openedNanos;
    private final SingleWriterRecorder recorder =
            new SingleWriterRecorder(HdrLatency.LOWEST_NANOS, HdrLatency.HIGHEST_NANOS, HdrLatency.SIGNIFICANT_DIGITS);

    // Written by the connection's user through the handles above.
    private long requests;
    private long errors;
    private long bytesIn;
    private long bytesOut;
    private long busyNanos;
    private long leasedNanos;
    private long requestBegan = NONE;
    private long requestEnded = NONE;
    private byte transaction = 'I';
    private @Nullable String holder;
    private long leaseBegan = NONE;

    // The lease holder's own.
    private long busyBeforeLease;
    private long requestsBeforeLease;

    private volatile boolean ready;
    private volatile boolean closing;
    private volatile int backendPid;

    // The governor's own.
    private @Nullable Histogram spare;
    private final Histogram second = HdrLatency.newSum();
    private final Histogram total = HdrLatency.newSum();
    private long secondBegan;
    private long seenBusyNanos;
    private long seenLeasedNanos;
    private long seenErrors;
    private long seenBytesIn;
    private long seenBytesOut;
    private volatile LatencySummary lastSecond = LatencySummary.none();
    private volatile LatencySummary sinceConnect = LatencySummary.none();

    public ConnectionMeter(String id, Time time) {
        this.id = id;
        this.time = time;
        this.openedNanos = time.nanoTime();
        this.secondBegan = openedNanos;
    }

    public String id() {
        return id;
    }

    // ---- the connection's user

    /** The connection is established; requests count from here on. */
    public void opened(int pid) {
        backendPid = pid;
        REQUEST_BEGAN.setOpaque(this, NONE);
        ready = true;
    }

    /** Whether the connection is established. */
    public boolean isReady() {
        return ready;
    }

    public void closing() {
        closing = true;
    }

    /** Whether the server answered so recently. To be asked by whoever holds the connection. */
    public boolean wasUsedWithin(long nanos) {
        return requestEnded != NONE && time.nanoTime() - requestEnded < nanos;
    }

    /** Whether a transaction is open, as the server has said last. */
    public boolean isWithinTransaction() {
        return (byte) TRANSACTION.getOpaque(this) != 'I';
    }

    /** Whether the connection is being closed. From any thread. */
    public boolean isClosing() {
        return closing;
    }

    /** Whether somebody holds a lease of the connection. From any thread. */
    public boolean isLeased() {
        return HOLDER.getAcquire(this) != null;
    }

    /** A lease began. The holder is written last, so that who sees it sees a lease. */
    public void leased(String by) {
        busyBeforeLease = busyNanos;
        requestsBeforeLease = requests;
        LEASE_BEGAN.setOpaque(this, NONE);
        HOLDER.setRelease(this, by);
    }

    /**
     * The lease ends. Where a request was made on it, it is recorded: from the first request's begin to the last one's end.
     *
     * @param waitedNanos how long the holder had waited for it
     */
    public void returned(long waitedNanos, LeaseRecorder leases) {
        long made = requests - requestsBeforeLease;
        long began = (long) LEASE_BEGAN.getOpaque(this);
        HOLDER.setRelease(this, null);
        if (made > 0 && began != NONE) {
            leases.lease(
                    began - waitedNanos, waitedNanos, requestEnded - began, busyNanos - busyBeforeLease, (int) made);
            // after the holder: who sees this time sees that the lease is over, and does not count it as going on
            LEASED_NANOS.setRelease(this, leasedNanos + Math.max(0, requestEnded - began));
        }
    }

    void requestBegan() {
        long now = time.nanoTime();
        REQUEST_BEGAN.setRelease(this, now);
        if (leaseBegan == NONE) {
            LEASE_BEGAN.setOpaque(this, now);
        }
    }

    void requestEnded(boolean failed, byte transactionStatus) {
        TRANSACTION.setOpaque(this, transactionStatus);
        if (!ready) {
            return;
        }
        long began = requestBegan;
        if (began != NONE) {
            long ended = time.nanoTime();
            long nanos = ended - began;
            REQUEST_ENDED.setOpaque(this, ended);
            recorder.recordValue(HdrLatency.clamp(nanos));
            BUSY_NANOS.setOpaque(this, busyNanos + nanos);
            REQUESTS.setOpaque(this, requests + 1);
            REQUEST_BEGAN.setRelease(this, NONE);
        }
        if (failed) {
            ERRORS.setOpaque(this, errors + 1);
        }
    }

    void read(int bytes) {
        BYTES_IN.setOpaque(this, bytesIn + bytes);
    }

    void written(int bytes) {
        BYTES_OUT.setOpaque(this, bytesOut + bytes);
    }

    // ---- the governor

    /**
     * Ends the connection's window: takes what was recorded since the last call. Governor only.
     *
     * @param sum the pool's histogram, to which the connection's is added
     */
    Drained drain(long nowNanos, Histogram sum) {
        if ((long) LEASE_BEGAN.getOpaque(this) == NONE && HOLDER.getAcquire(this) != null) {
            LEASE_BEGAN.compareAndSet(this, NONE, nowNanos);
        }
        Histogram taken = recorder.getIntervalHistogram(spare);
        long count = taken.getTotalCount();
        // a histogram that is told of is never written again; an empty one told nothing and serves the next window
        spare = count == 0 ? taken : null;
        if (count > 0) {
            sum.add(taken);
            second.add(taken);
            total.add(taken);
        }
        if (nowNanos - secondBegan >= SECOND_NANOS) {
            lastSecond = LatencySummary.of(HdrLatency.of(second), nowNanos - secondBegan);
            sinceConnect = LatencySummary.of(HdrLatency.of(total), 0);
            second.reset();
            secondBegan = nowNanos;
        }
        // looked at while it changes, a figure may be too high by an instant: then the next window has that much less
        long busyNow = Math.max(seenBusyNanos, busyNanosUntil(nowNanos));
        long leasedNow = Math.max(seenLeasedNanos, leasedNanosUntil(nowNanos));
        long errorsNow = (long) ERRORS.getOpaque(this);
        long bytesInNow = (long) BYTES_IN.getOpaque(this);
        long bytesOutNow = (long) BYTES_OUT.getOpaque(this);
        ConnectionWindow window = new ConnectionWindow(
                id, HdrLatency.of(taken), errorsNow - seenErrors, bytesInNow - seenBytesIn, bytesOutNow - seenBytesOut);
        long busyInWindow = busyNow - seenBusyNanos;
        long leasedInWindow = leasedNow - seenLeasedNanos;
        seenBusyNanos = busyNow;
        seenLeasedNanos = leasedNow;
        seenErrors = errorsNow;
        seenBytesIn = bytesInNow;
        seenBytesOut = bytesOutNow;
        return new Drained(window, busyInWindow, leasedInWindow, count);
    }

    /**
     * A connection's window.
     *
     * @param busyNanos the time in it that a request was under way
     * @param leasedNanos the time in it that a lease was used
     * @param requests that ended in it
     */
    record Drained(ConnectionWindow window, long busyNanos, long leasedNanos, long requests) {}

    private long busyNanosUntil(long nowNanos) {
        long began = (long) REQUEST_BEGAN.getAcquire(this);
        long busy = (long) BUSY_NANOS.getOpaque(this);
        return ready && began != NONE ? busy + Math.max(0, nowNanos - began) : busy;
    }

    /** Of a lease that goes on, up to its last request's end, or to now where one is under way. */
    private long leasedNanosUntil(long nowNanos) {
        long leased = (long) LEASED_NANOS.getAcquire(this);
        if (HOLDER.getAcquire(this) == null) {
            return leased;
        }
        long began = (long) LEASE_BEGAN.getOpaque(this);
        if (began == NONE) {
            return leased;
        }
        boolean underWay = (long) REQUEST_BEGAN.getAcquire(this) != NONE;
        long until = underWay ? nowNanos : (long) REQUEST_ENDED.getOpaque(this);
        return until == NONE ? leased : leased + Math.max(0, until - began);
    }

    // ---- anyone

    public ConnectionStatus status() {
        long now = time.nanoTime();
        String by = (String) HOLDER.getAcquire(this);
        long since = (long) LEASE_BEGAN.getOpaque(this);
        return new ConnectionStatus(
                id,
                state(by),
                now - openedNanos,
                (long) REQUESTS.getOpaque(this),
                (long) ERRORS.getOpaque(this),
                (long) BYTES_IN.getOpaque(this),
                (long) BYTES_OUT.getOpaque(this),
                sinceConnect,
                lastSecond,
                backendPid,
                by == null ? Optional.empty() : Optional.of(new LeaseStatus(by, since == NONE ? 0 : now - since)));
    }

    private State state(@Nullable String by) {
        if (closing) {
            return State.CLOSING;
        }
        if (!ready) {
            return State.OPENING;
        }
        if ((long) REQUEST_BEGAN.getAcquire(this) != NONE) {
            return State.ACTIVE;
        }
        if (isWithinTransaction()) {
            return State.IDLE_IN_TRANSACTION;
        }
        return by == null ? State.IDLE : State.ACTIVE;
    }

    long requests() {
        return (long) REQUESTS.getOpaque(this);
    }

    long errors() {
        return (long) ERRORS.getOpaque(this);
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(ConnectionMeter.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
