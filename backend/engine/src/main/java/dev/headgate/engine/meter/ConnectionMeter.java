package dev.headgate.engine.meter;

import dev.headgate.engine.meter.ConnectionStatus.LeaseStatus;
import dev.headgate.engine.meter.ConnectionStatus.State;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window.ConnectionWindow;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.HdrHistogram.AbstractHistogram;
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

    private static final VarHandle LEASES = handle("leases", long.class);
    private static final VarHandle REQUESTS = handle("requests", long.class);
    private static final VarHandle ERRORS = handle("errors", long.class);
    private static final VarHandle BYTES_IN = handle("bytesIn", long.class);
    private static final VarHandle BYTES_OUT = handle("bytesOut", long.class);
    private static final VarHandle BUSY_NANOS = handle("busyNanos", long.class);
    private static final VarHandle LEASED_NANOS = handle("leasedNanos", long.class);
    private static final VarHandle HELD_NANOS = handle("heldNanos", long.class);
    private static final VarHandle HELD_SINCE = handle("heldSince", long.class);
    private static final VarHandle REQUEST_BEGAN = handle("requestBegan", long.class);
    private static final VarHandle REQUEST_ENDED = handle("requestEnded", long.class);
    private static final VarHandle TRANSACTION = handle("transaction", byte.class);
    private static final VarHandle HOLDER = handle("holder", Holder.class);
    private static final VarHandle LEASE_BEGAN = handle("leaseBegan", long.class);

    /** The value of an unset instant. */
    private static final long NONE = Long.MIN_VALUE;

    private static final long SECOND_NANOS = 1_000_000_000L;

    /** As long as HikariCP lends a connection after its return without asking for it. */
    private static final long SILENCE_NANOS = 1_000_000L;

    private final String id;
    private final Time time;
    private final long openedNanos;
    private final SingleWriterRecorder recorder =
            new SingleWriterRecorder(HdrLatency.LOWEST_NANOS, HdrLatency.HIGHEST_NANOS, HdrLatency.SIGNIFICANT_DIGITS);

    // Written by the thread that uses the connection, through the handles above.
    private long leases;
    private long requests;
    private long errors;
    private long bytesIn;
    private long bytesOut;
    private long busyNanos;
    private long leasedNanos;
    private long heldNanos;
    /** When the lease made its first request; the clock is not read before that. */
    private long heldSince = NONE;

    private long requestBegan = NONE;
    private long requestEnded = NONE;
    private byte transaction = 'I';
    private @Nullable Holder holder;
    private long leaseBegan = NONE;

    // Used only by the lease holder's thread.
    private long foundOpen;
    private boolean silent;
    private boolean noticed;
    private long busyBeforeLease;
    private long requestsBeforeLease;

    private final StatementText statement = new StatementText();
    private final PastLeases past = new PastLeases();

    private volatile boolean ready;
    private volatile boolean closing;
    private volatile int backendPid;
    private volatile @Nullable Ending ending;

    /** Tells of prepared statements; null if nobody keeps any. */
    private volatile @Nullable Supplier<Prepared> preparing;

    /** Somebody has asked for the distribution since the last full second. */
    private volatile boolean lifeIsWanted;

    private volatile Latency life = HdrLatency.none();

    // Used only by the governor.
    private @Nullable Histogram spare;
    private final Histogram second = HdrLatency.newSum();
    private final Histogram total = HdrLatency.newSum();
    private long secondBegan;
    private long seenBusyNanos;
    private long seenLeasedNanos;
    private long seenHeldNanos;
    private long seenErrors;
    private long seenBytesIn;
    private long seenBytesOut;
    private volatile LatencySummary lastSecond = LatencySummary.none();
    private volatile LatencySummary sinceConnect = LatencySummary.none();

    public ConnectionMeter(String id, Time time) {
        this.id = id;
        this.time = time;
        this.openedNanos = time.nanoTime();
        this.foundOpen = openedNanos;
        this.secondBegan = openedNanos;
    }

    public String id() {
        return id;
    }

    // ---- the connection's user

    /** The connection is established. Requests count from now on. */
    public void opened(int pid) {
        backendPid = pid;
        foundOpen = time.nanoTime();
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

    /** The connection is closed because of this. The first reason counts. */
    public void endsBy(Ending why) {
        if (ending == null) {
            ending = why;
        }
    }

    /** Why it is closed; null if nobody has said so. */
    public @Nullable Ending ending() {
        return ending;
    }

    /** The text that its holder executes or has executed last. */
    public StatementText statement() {
        return statement;
    }

    /** Whether the server has answered within the given time. From any thread. */
    public boolean wasUsedWithin(long nanos) {
        long ended = (long) REQUEST_ENDED.getOpaque(this);
        return ended != NONE && time.nanoTime() - ended < nanos;
    }

    /**
     * The socket was looked at, and the server has not ended it. By whoever has taken the connection.
     *
     * @return whether the server had been there within the given time before: it answered, or its socket was found open
     */
    public boolean foundOpen(long withinNanos) {
        long now = time.nanoTime();
        boolean was = now - foundOpen < withinNanos || (requestEnded != NONE && now - requestEnded < withinNanos);
        foundOpen = now;
        return was;
    }

    /**
     * Whether the lease that has ended brought no answer for a while: for a millisecond since its last one; or, if it made no request,
     * since a window ended. By whoever has ended it.
     */
    public boolean wasSilent() {
        return silent;
    }

    /** Whether the server has not answered everything, such as a COPY that was not brought to its end. */
    public boolean isRequestUnderWay() {
        return (long) REQUEST_BEGAN.getOpaque(this) != NONE;
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
        return holder() != null;
    }

    /** The present holder, if there is one. From any thread. */
    public @Nullable Holder holder() {
        return (Holder) HOLDER.getAcquire(this);
    }

    /** A lease began. The holder is written last, so that a reader that sees it sees a lease. */
    public void leased(Holder by) {
        busyBeforeLease = busyNanos;
        requestsBeforeLease = requests;
        REQUEST_BEGAN.setOpaque(this, NONE);
        LEASE_BEGAN.setOpaque(this, NONE);
        HELD_SINCE.setOpaque(this, NONE);
        LEASES.setOpaque(this, leases + 1);
        HOLDER.setRelease(this, by);
    }

    /**
     * Ends the holder's lease, unless it has ended: of several threads that try, one succeeds. If the lease made requests, it is
     * recorded: from the begin of the first to the end of the last.
     *
     * @param waitedNanos how long the holder had waited for it
     * @return whether this call ended it
     */
    public boolean returned(Holder by, long waitedNanos, LeaseRecorder leases) {
        long made = requests - requestsBeforeLease;
        long began = (long) LEASE_BEGAN.getOpaque(this);
        if (!HOLDER.compareAndSet(this, by, null)) {
            return false;
        }
        // of a lease without a request the clock is not read: that costs a sixth of it
        boolean isSilent = began != NONE;
        if (made > 0) {
            long now = time.nanoTime();
            isSilent = now - requestEnded >= SILENCE_NANOS;
            // after the holder, as below
            HELD_NANOS.setRelease(this, heldNanos + Math.max(0, now - heldSince));
        }
        if (isSilent != silent) {
            silent = isSilent;
        }
        if (made > 0 && began != NONE) {
            leases.lease(
                    began - waitedNanos, waitedNanos, requestEnded - began, busyNanos - busyBeforeLease, (int) made);
            // after the holder: a reader that sees this time also sees that the lease is over
            LEASED_NANOS.setRelease(this, leasedNanos + Math.max(0, requestEnded - began));
            past.add(by, began, Math.max(0, requestEnded - began), made, statement);
        }
        return true;
    }

    void requestBegan() {
        long now = time.nanoTime();
        REQUEST_BEGAN.setRelease(this, now);
        if (leaseBegan == NONE) {
            LEASE_BEGAN.setOpaque(this, now);
        }
        if (heldSince == NONE) {
            HELD_SINCE.setOpaque(this, now);
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

    void noticed() {
        noticed = true;
    }

    /** Whether a notice has come since this was asked last. To be asked by whoever holds the connection. */
    public boolean takeNotice() {
        boolean had = noticed;
        if (had) {
            noticed = false;
        }
        return had;
    }

    void read(int bytes) {
        BYTES_IN.setOpaque(this, bytesIn + bytes);
    }

    void written(int bytes) {
        BYTES_OUT.setOpaque(this, bytesOut + bytes);
    }

    // ---- the governor

    /**
     * Ends the connection's window: returns what was recorded since the last call. Governor only.
     *
     * @param sum the pool's histogram; the connection's is added to it
     */
    Drained drain(long nowNanos, AbstractHistogram sum) {
        if ((long) LEASE_BEGAN.getOpaque(this) == NONE && isLeased()) {
            LEASE_BEGAN.compareAndSet(this, NONE, nowNanos);
        }
        Histogram taken = recorder.getIntervalHistogram(spare);
        spare = taken;
        Latency latency = HdrLatency.copyOf(taken);
        HdrLatency.addTo(sum, latency);
        HdrLatency.addTo(second, latency);
        HdrLatency.addTo(total, latency);
        if (nowNanos - secondBegan >= SECOND_NANOS) {
            lastSecond = LatencySummary.of(HdrLatency.of(second), nowNanos - secondBegan);
            sinceConnect = LatencySummary.of(HdrLatency.of(total), 0);
            if (lifeIsWanted) {
                lifeIsWanted = false;
                life = HdrLatency.of(total.copy());
            }
            second.reset();
            secondBegan = nowNanos;
        }
        // a figure read while it changes may be slightly too high; then the next window has that much less
        long busyNow = Math.max(seenBusyNanos, busyNanosUntil(nowNanos));
        long leasedNow = Math.max(seenLeasedNanos, leasedNanosUntil(nowNanos));
        boolean held = hasMadeRequest();
        long heldNow = Math.max(seenHeldNanos, heldNanosUntil(nowNanos));
        long errorsNow = (long) ERRORS.getOpaque(this);
        long bytesInNow = (long) BYTES_IN.getOpaque(this);
        long bytesOutNow = (long) BYTES_OUT.getOpaque(this);
        ConnectionWindow window = new ConnectionWindow(
                id, latency, errorsNow - seenErrors, bytesInNow - seenBytesIn, bytesOutNow - seenBytesOut);
        long busyInWindow = busyNow - seenBusyNanos;
        long leasedInWindow = leasedNow - seenLeasedNanos;
        long heldInWindow = heldNow - seenHeldNanos;
        seenBusyNanos = busyNow;
        seenLeasedNanos = leasedNow;
        seenHeldNanos = heldNow;
        seenErrors = errorsNow;
        seenBytesIn = bytesInNow;
        seenBytesOut = bytesOutNow;
        return new Drained(window, busyInWindow, leasedInWindow, heldInWindow, held, latency.count());
    }

    /**
     * A connection's window.
     *
     * @param busyNanos the time with a request in progress
     * @param leasedNanos the time that a lease was used
     * @param heldNanos the time that a lease was held, from its first request to its return
     * @param held whether it is on a lease that has made a request
     * @param requests requests that ended in the window
     */
    record Drained(
            ConnectionWindow window, long busyNanos, long leasedNanos, long heldNanos, boolean held, long requests) {}

    private long busyNanosUntil(long nowNanos) {
        long began = (long) REQUEST_BEGAN.getAcquire(this);
        long busy = (long) BUSY_NANOS.getOpaque(this);
        return ready && began != NONE ? busy + Math.max(0, nowNanos - began) : busy;
    }

    /** The used time of the current lease: to the end of its last request, or to now if one is in progress. */
    private long leasedNanosUntil(long nowNanos) {
        long leased = (long) LEASED_NANOS.getAcquire(this);
        if (!isLeased()) {
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

    private boolean hasMadeRequest() {
        return isLeased() && (long) HELD_SINCE.getOpaque(this) != NONE;
    }

    /** The time in leases, each from its first request to its return, and of the current one to now. */
    private long heldNanosUntil(long nowNanos) {
        // first: a lease that ends meanwhile counts once, or in the next window
        long held = (long) HELD_NANOS.getAcquire(this);
        long since = (long) HELD_SINCE.getOpaque(this);
        return isLeased() && since != NONE ? held + Math.max(0, nowNanos - since) : held;
    }

    // ---- any thread

    /** Its last leases that made requests, newest first. */
    public List<PastLease> pastLeases() {
        return past.list(time.nanoTime());
    }

    /**
     * The latencies since connect, as they were when somebody asked before; the next second brings newer ones. So nothing is copied
     * while nobody asks.
     */
    public Latency life() {
        lifeIsWanted = true;
        return life;
    }

    /** The statements that relays keep prepared; null for none. */
    public @Nullable Prepared prepared() {
        Supplier<Prepared> present = preparing;
        return present == null ? null : present.get();
    }

    /** Sets who tells of the prepared statements, from any thread; null for nobody. */
    public void prepares(@Nullable Supplier<Prepared> teller) {
        preparing = teller;
    }

    public long ageNanos() {
        return time.nanoTime() - openedNanos;
    }

    /** When it began to be opened. */
    public long openedNanos() {
        return openedNanos;
    }

    /** The server's process behind it; 0 before it is established. */
    public int backendPid() {
        return backendPid;
    }

    public ConnectionStatus status() {
        long now = time.nanoTime();
        Holder by = holder();
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
                by == null
                        ? Optional.empty()
                        : Optional.of(new LeaseStatus(by.holder(), since == NONE ? 0 : now - since)));
    }

    private State state(@Nullable Holder by) {
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

    long leases() {
        return (long) LEASES.getOpaque(this);
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
