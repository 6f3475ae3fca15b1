package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Window.ConnectionWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;
import org.HdrHistogram.IntCountsHistogram;

/**
 * The meters of one pool's physical connections, oldest first. Any thread adds and removes; the governor drains.
 *
 * <p>A meter is first live, then retired; after that only its totals are kept. It moves under the lock that also guards the
 * summing of totals, so a total never decreases. A reader that computes a rate would take a decrease for a restart.
 */
public final class PoolMeter {

    private static final int MOST_CLOSED = 500;
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final CopyOnWriteArrayList<ConnectionMeter> live = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<ConnectionMeter> retired = new CopyOnWriteArrayList<>();
    /** Those that were closed lately, oldest first; guarded by itself. */
    private final ArrayDeque<ClosedConnection> closed = new ArrayDeque<>();

    /** Takes the next window's latencies. Governor only. */
    private IntCountsHistogram next = HdrLatency.newWindow();

    private final Object moves = new Object();
    /** The totals of removed meters; guarded by {@link #moves}. */
    private long leasesOfGone;

    private long requestsOfGone;
    private long errorsOfGone;

    public void add(ConnectionMeter meter) {
        live.add(meter);
    }

    /** A connection that was established is closed: remembers it for an hour, and {@value #MOST_CLOSED} such at most. */
    public void closed(ConnectionMeter meter, Instant now, Ending why) {
        synchronized (closed) {
            forget(now);
            if (closed.size() == MOST_CLOSED) {
                closed.removeFirst();
            }
            closed.addLast(new ClosedConnection(meter.status(), now, why));
        }
    }

    /** The connections that were closed within the last hour, newest first. */
    public List<ClosedConnection> closed(Instant now) {
        synchronized (closed) {
            forget(now);
            return List.copyOf(closed).reversed();
        }
    }

    private void forget(Instant now) {
        while (!closed.isEmpty() && closed.getFirst().closed().isBefore(now.minus(REMEMBERED))) {
            closed.removeFirst();
        }
    }

    /** The meters of the open connections. */
    public List<ConnectionMeter> live() {
        return List.copyOf(live);
    }

    /** Whether any open connection got an answer within the given time. From any thread. */
    public boolean isAnyUsedWithin(long nanos) {
        return live.stream().anyMatch(meter -> meter.wasUsedWithin(nanos));
    }

    /** The connection is closed. Its measurements since the last window are still drained once. */
    public void retire(ConnectionMeter meter) {
        synchronized (moves) {
            if (live.remove(meter)) {
                retired.add(meter);
            }
        }
    }

    /**
     * Ends the window of every connection. Governor only.
     *
     * @return everything measured since the last call
     */
    public Measured drain(long nowNanos) {
        if (live.isEmpty() && retired.isEmpty()) {
            return Measured.NOTHING;
        }
        IntCountsHistogram sum = next;
        List<ConnectionWindow> windows = new ArrayList<>();
        long busyNanos = 0;
        long leasedNanos = 0;
        long heldNanos = 0;
        int held = 0;
        long errors = 0;
        List<ConnectionMeter> gone = List.copyOf(retired);
        for (List<ConnectionMeter> meters : List.of(live, gone)) {
            for (ConnectionMeter meter : meters) {
                ConnectionMeter.Drained drained = meter.drain(nowNanos, sum);
                windows.add(drained.window());
                busyNanos += drained.busyNanos();
                leasedNanos += drained.leasedNanos();
                heldNanos += drained.heldNanos();
                held += drained.held() ? 1 : 0;
                errors += drained.window().errors();
            }
        }
        synchronized (moves) {
            leasesOfGone += sum(gone, ConnectionMeter::leases);
            requestsOfGone += sum(gone, ConnectionMeter::requests);
            errorsOfGone += sum(gone, ConnectionMeter::errors);
            retired.removeAll(gone);
        }
        Latency latency = HdrLatency.of(sum);
        if (latency instanceof FewLatencies) {
            sum.reset();
        } else if (latency.count() > 0) {
            next = HdrLatency.newWindowLike(sum);
        }
        return new Measured(latency, busyNanos, leasedNanos, heldNanos, held, errors, windows);
    }

    /**
     * The measurements of a window.
     *
     * @param busyNanos the sum of the time that connections spent on requests
     * @param leasedNanos the sum of the time that they spent in leases, each from its first request to the end of its last
     * @param heldNanos the same, each from its first request to its return
     * @param held connections on a lease that has made a request: those whose time goes on
     */
    public record Measured(
            Latency latency,
            long busyNanos,
            long leasedNanos,
            long heldNanos,
            int held,
            long errors,
            List<ConnectionWindow> connections) {

        private static final Measured NOTHING = new Measured(HdrLatency.none(), 0, 0, 0, 0, 0, List.of());

        /** Whether there was no connection, and so nothing to measure. */
        public boolean isNothing() {
            return connections.isEmpty()
                    && latency.count() == 0
                    && busyNanos == 0
                    && leasedNanos == 0
                    && heldNanos == 0
                    && errors == 0;
        }
    }

    /** Connections that are established or being established. */
    public int open() {
        return live.size();
    }

    /** Connections that are established. */
    public int ready() {
        int count = 0;
        for (ConnectionMeter meter : live) {
            if (meter.isReady()) {
                count++;
            }
        }
        return count;
    }

    public List<ConnectionStatus> status() {
        List<ConnectionStatus> all = new ArrayList<>();
        for (ConnectionMeter meter : live) {
            all.add(meter.status());
        }
        return all;
    }

    /** Leases since the pool was opened, including those of closed connections. */
    public long leasesTotal() {
        synchronized (moves) {
            return leasesOfGone + sum(retired, ConnectionMeter::leases) + sum(live, ConnectionMeter::leases);
        }
    }

    /** Requests since the pool was opened, including those of closed connections. */
    public long requestsTotal() {
        synchronized (moves) {
            return requestsOfGone + sum(retired, ConnectionMeter::requests) + sum(live, ConnectionMeter::requests);
        }
    }

    /** Errors since the pool was opened, including those of closed connections. */
    public long errorsTotal() {
        synchronized (moves) {
            return errorsOfGone + sum(retired, ConnectionMeter::errors) + sum(live, ConnectionMeter::errors);
        }
    }

    private static long sum(List<ConnectionMeter> meters, ToLongFunction<ConnectionMeter> figure) {
        long sum = 0;
        for (ConnectionMeter meter : meters) {
            sum += figure.applyAsLong(meter);
        }
        return sum;
    }
}
