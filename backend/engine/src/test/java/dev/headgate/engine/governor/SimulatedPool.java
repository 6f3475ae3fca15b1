package dev.headgate.engine.governor;

import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** A pool in virtual time: its connections open a while after they are asked for and close at once. */
final class SimulatedPool implements GovernedPool {

    private static final long OPENING_NANOS = 5_000_000;

    private final String domain;
    private final VirtualTime time;
    private final Gate gate;
    private final Governor governor;
    private int wanted;
    private int open;
    private int opening;
    private Histogram latency = HdrLatency.newHistogram();
    private long drainedNanos;
    private int held;
    private long heldNanos;
    private long countedNanos;

    /** The server has stopped: requests under way do not end until it goes on. */
    private boolean frozen;

    private final List<Runnable> stuck = new ArrayList<>();

    int served;
    int refused;
    boolean reachable = true;
    Optional<Opener.Failure> failure = Optional.empty();
    final Map<String, Raised> raised = new HashMap<>();

    SimulatedPool(String domain, VirtualTime time, Governor governor) {
        this.domain = domain;
        this.time = time;
        this.drainedNanos = time.nanoTime();
        this.countedNanos = drainedNanos;
        this.governor = governor;
        this.gate = new Gate(
                time, new Rules(Rules.Passage.OPEN, WhenExhausted.queue(60_000, 100_000), false), governor::wake);
    }

    /** One request that holds its connection for so long once it has it. */
    void request(long holdNanos) {
        gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                count(1);
                time.after(holdNanos, () -> end(holdNanos));
            }

            @Override
            public void refused(Refusal refusal) {
                refused++;
            }
        });
    }

    private void end(long holdNanos) {
        if (frozen) {
            stuck.add(() -> end(holdNanos));
            return;
        }
        count(-1);
        latency.recordValue(holdNanos);
        served++;
        if (gate.payDebt()) {
            open--;
        } else {
            gate.release();
        }
    }

    private void count(int change) {
        heldNanos += held * (time.nanoTime() - countedNanos);
        countedNanos = time.nanoTime();
        held += change;
    }

    void freeze() {
        frozen = true;
    }

    void goOn() {
        frozen = false;
        List<Runnable> ending = List.copyOf(stuck);
        stuck.clear();
        ending.forEach(Runnable::run);
    }

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
        wanted = connections;
        tidy();
    }

    @Override
    public void tidy() {
        int held = gate.debt() + gate.inUse();
        while (open > Math.max(wanted, held)) {
            open--;
        }
        while (reachable && open + opening < wanted) {
            opening++;
            time.after(OPENING_NANOS, () -> {
                opening--;
                open++;
                governor.wake();
            });
        }
    }

    @Override
    public void replaceConnections() {}

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
        Histogram drained = latency;
        latency = HdrLatency.newHistogram();
        // every lease has a request under way as long as it lasts; what ended within the window counts for a part of it
        long busy = gate.inUse() * (nowNanos - drainedNanos);
        drainedNanos = nowNanos;
        count(0);
        long inUseNanos = heldNanos;
        heldNanos = 0;
        return new PoolMeter.Measured(HdrLatency.of(drained), busy, busy, inUseNanos, held, 0, List.of());
    }

    @Override
    public long requestsTotal() {
        return served;
    }

    @Override
    public long errorsTotal() {
        return 0;
    }

    @Override
    public Map<String, Raised> raised() {
        return raised;
    }

    @Override
    public Optional<Opener.Failure> failure() {
        return failure;
    }
}
