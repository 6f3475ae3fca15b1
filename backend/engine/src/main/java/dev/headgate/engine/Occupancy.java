package dev.headgate.engine;

import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.WaiterId;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.PastLease;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.meter.Prepared;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Latency;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a pool's connections, who waits for them, and who was turned away; and what an operator may end. All of it is gathered
 * when somebody asks. For any thread.
 */
public final class Occupancy {

    private final Gate gate;
    private final PoolMeter meters;
    private final Refusals refusals;
    private final Time time;

    Occupancy(Gate gate, PoolMeter meters, Refusals refusals, Time time) {
        this.gate = gate;
        this.meters = meters;
        this.refusals = refusals;
        this.time = time;
    }

    /** The current leases, by the age of their connections, oldest first. */
    public List<LeaseStatus> leases() {
        List<LeaseStatus> all = new ArrayList<>();
        for (ConnectionMeter meter : meters.live()) {
            status(meter).ifPresent(all::add);
        }
        return all;
    }

    private static Optional<LeaseStatus> status(ConnectionMeter meter) {
        return meter.holder() instanceof PooledLease lease
                ? Optional.of(new LeaseStatus(
                        lease.id(),
                        meter.status(),
                        Who.of(lease.request()),
                        lease.threadName(),
                        lease.waitedNanos(),
                        meter.statement().of(lease)))
                : Optional.empty();
    }

    /** What became of an operator's wish. */
    public enum Outcome {
        DONE,
        /** There is no such lease, and perhaps there never was one. */
        OVER,
        /** It is a lease, and nothing runs on it. */
        NOTHING_RUNS
    }

    /** A lease, as long as it lasts. */
    public Optional<LeaseStatus> lease(String id) {
        return find(id).flatMap(lease ->
                status(lease.meter()).filter(status -> status.id().equals(id)));
    }

    private Optional<PooledLease> find(String id) {
        for (ConnectionMeter meter : meters.live()) {
            if (meter.holder() instanceof PooledLease lease && lease.id().equals(id)) {
                return Optional.of(lease);
            }
        }
        return Optional.empty();
    }

    /**
     * Asks PostgreSQL to cancel what runs on a lease. Never hits a later lease of the same connection. Blocks for a connect to the
     * database, if the lease belongs to code in this process.
     *
     * @throws SQLException if the database cannot be told
     */
    public Outcome cancel(String id) throws SQLException {
        Optional<PooledLease> found = find(id);
        if (found.isEmpty()) {
            return Outcome.OVER;
        }
        if (found.get().meter().status().state() != ConnectionStatus.State.ACTIVE) {
            return Outcome.NOTHING_RUNS;
        }
        return found.get().cancel() ? Outcome.DONE : Outcome.OVER;
    }

    /**
     * Ends a lease and its connection, and cancels what runs. Blocks as {@link #cancel}.
     *
     * @param why what its program is told, if it can be told
     */
    public Outcome end(String id, String why) {
        return find(id).filter(lease -> lease.end(why)).isPresent() ? Outcome.DONE : Outcome.OVER;
    }

    /**
     * A request that waits for a lease.
     *
     * @param position from 1, the next to be served
     * @param thread the name of the thread that is blocked; empty for none
     * @param leftNanos until its deadline
     */
    public record WaiterStatus(WaiterId id, int position, Who who, String thread, long waitedNanos, long leftNanos) {}

    /** How many requests wait. */
    public int waiting() {
        return gate.waiting();
    }

    /**
     * The requests that wait, the oldest first.
     *
     * @param after those that arrived after this one; null for all
     * @param most so many at most
     */
    public List<WaiterStatus> waiters(@Nullable WaiterId after, int most) {
        return gate.queue(after, most).stream()
                .map(each -> new WaiterStatus(
                        each.id(),
                        each.position(),
                        who(each.by()),
                        each.thread() == null ? "" : each.thread().getName(),
                        each.waitedNanos(),
                        each.leftNanos()))
                .toList();
    }

    private static Who who(Object by) {
        return by instanceof LeaseRequest request ? Who.of(request) : Who.of(LeaseRequest.by(""));
    }

    /** Refuses a waiter: it fails as if its deadline had passed, with SQLSTATE 57014. @return who waited; empty if nobody does */
    public Optional<Who> endWaiter(WaiterId id) {
        return Optional.ofNullable(gate.end(id)).map(Occupancy::who);
    }

    /** Who was turned away within the last ten minutes, the most frequent first. */
    public List<TurnedAway> turnedAway() {
        return refusals.list();
    }

    /** The number of requests that were turned away within the last ten minutes. Cheap. */
    public long turnedAwayTotal() {
        return refusals.total();
    }

    /** The connections that were closed within the last hour, newest first. */
    public List<ClosedConnection> closed() {
        return meters.closed(time.now());
    }

    /**
     * One open connection.
     *
     * @param life its latencies since connect; may be a second old, and empty when asked for the first time
     * @param leases its last leases that made requests, newest first
     * @param prepared the statements that relays keep prepared on it; null if none has used it
     */
    public record ConnectionReport(
            ConnectionStatus status,
            Latency life,
            Optional<LeaseStatus> lease,
            List<PastLease> leases,
            @Nullable Prepared prepared) {}

    /** One open connection; empty if there is none of that id. */
    public Optional<ConnectionReport> connection(String id) {
        for (ConnectionMeter meter : meters.live()) {
            if (meter.id().equals(id)) {
                return Optional.of(new ConnectionReport(
                        meter.status(), meter.life(), status(meter), meter.pastLeases(), meter.prepared()));
            }
        }
        return Optional.empty();
    }
}
