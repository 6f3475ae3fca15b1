package dev.headgate.simulator;

import dev.headgate.engine.connect.Opener.Failure;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Latency;
import dev.headgate.spi.WhenExhausted;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One domain's pool in virtual time: the real {@link Gate} in front, simulated connections behind. Connections are opened
 * one after the other, each taking a while, as HikariCP opens them.
 */
final class SimulatedPool implements GovernedPool {

    private static final long OPEN_NANOS = Duration.ofMillis(20).toNanos();

    private final String domain;
    private final VirtualTime time;
    private final Gate gate;
    private final BooleanSupplier reachable;

    private int target;
    private int open;
    private int free;
    private int opening;
    private final ArrayDeque<Admitted> admitted = new ArrayDeque<>();

    private final DurationMeter latency = new DurationMeter();
    private long busyNanos;
    private int held;
    private long heldNanos;
    private long heldCountedNanos;
    private final Set<Request> underWay = new HashSet<>();
    private @Nullable Failure failure;
    private long requests;
    private long errors;
    private long errorsOfWindow;
    private final DurationMeter responses = new DurationMeter();

    SimulatedPool(String domain, VirtualTime time, Demand demand, BooleanSupplier reachable, Runnable wake) {
        this.domain = domain;
        this.time = time;
        this.reachable = reachable;
        this.heldCountedNanos = time.nanoTime();
        this.gate = new Gate(time, new Rules(Rules.Passage.OPEN, WhenExhausted.unbounded(), false), wake);
        demand.begin(this::arrive);
    }

    // ---- the application

    private void arrive(Demand.Task task) {
        long arrived = time.nanoTime();
        gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                admitted.add(new Admitted(task, arrived));
                lend();
            }

            @Override
            public void refused(Refusal refusal) {
                task.refused(); // counted by the gate
            }
        });
    }

    /** Gives free connections to those who hold a permit already. */
    private void lend() {
        while (free > 0 && !admitted.isEmpty()) {
            free--;
            Admitted next = admitted.remove();
            countHeld(1);
            next.task().begin(new Held(next.arrivedNanos()));
        }
    }

    /** Sums up the time in leases until now; then there are so many more or fewer of them. */
    private void countHeld(int change) {
        long now = time.nanoTime();
        heldNanos += held * (now - heldCountedNanos);
        heldCountedNanos = now;
        held += change;
    }

    /** Someone who holds a permit, and when they asked for it. */
    private record Admitted(Demand.Task task, long arrivedNanos) {}

    /** A lease of this pool. */
    private final class Held implements Demand.Lease {

        private final long arrivedNanos;

        Held(long arrivedNanos) {
            this.arrivedNanos = arrivedNanos;
        }

        @Override
        public void request(long nanos, boolean fails, Runnable then) {
            Request request = new Request(time.nanoTime());
            underWay.add(request);
            time.after(nanos, () -> {
                underWay.remove(request);
                latency.record(nanos);
                busyNanos += time.nanoTime() - request.countedNanos;
                requests++;
                if (fails) {
                    errors++;
                    errorsOfWindow++;
                }
                then.run();
            });
        }

        @Override
        public void giveBack() {
            countHeld(-1);
            responses.record(time.nanoTime() - arrivedNanos);
            if (gate.payDebt()) {
                open--;
                fill();
                return;
            }
            free++;
            lend();
            gate.release();
        }
    }

    /** A request under way; busy time up to {@code countedNanos} is in an earlier window already. */
    private static final class Request {
        private long countedNanos;

        Request(long beganNanos) {
            this.countedNanos = beganNanos;
        }
    }

    // ---- for the governor

    @Override
    public String domain() {
        return domain;
    }

    @Override
    public Gate gate() {
        return gate;
    }

    @Override
    public void resize(int connections) {
        target = connections;
        while (free > 0 && open > target) {
            free--;
            open--;
        }
        fill();
    }

    @Override
    public void tidy() {
        resize(target);
    }

    private void fill() {
        if (opening == 0 && open < target) {
            opening = 1;
            time.after(OPEN_NANOS, () -> {
                opening = 0;
                if (!reachable.getAsBoolean()) {
                    int times = failure == null ? 1 : failure.times() + 1;
                    failure = new Failure(new SQLException("connection refused"), time.now(), times);
                    return; // tried again at the end of the window
                }
                failure = null;
                open++;
                free++;
                lend();
                resize(target);
            });
        }
    }

    @Override
    public void replaceConnections() {
        open -= free;
        free = 0;
        fill();
    }

    @Override
    public int open() {
        return open;
    }

    @Override
    public int opening() {
        return opening;
    }

    @Override
    public PoolMeter.Measured drain(long nowNanos) {
        long busy = busyNanos;
        busyNanos = 0;
        for (Request request : underWay) {
            busy += nowNanos - request.countedNanos;
            request.countedNanos = nowNanos;
        }
        countHeld(0);
        long inUse = heldNanos;
        heldNanos = 0;
        long failed = errorsOfWindow;
        errorsOfWindow = 0;
        return new PoolMeter.Measured(latency.take(), busy, busy, inUse, held, failed, List.of());
    }

    /** From asking for a lease to giving it back, of those given back since the last call. */
    Latency takeResponses() {
        return responses.take();
    }

    @Override
    public long requestsTotal() {
        return requests;
    }

    @Override
    public long errorsTotal() {
        return errors;
    }

    @Override
    public Optional<Failure> failure() {
        return Optional.ofNullable(failure);
    }
}
