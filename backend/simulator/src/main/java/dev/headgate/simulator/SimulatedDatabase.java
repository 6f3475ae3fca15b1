package dev.headgate.simulator;

import dev.headgate.engine.governor.BudgetSource;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.GovernorListener;
import dev.headgate.engine.governor.PolicyRunner;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.time.Time;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The engine's own governor over simulated pools: steps when it is woken or due, and writes down what happens. */
final class SimulatedDatabase {

    /** A step of the governor follows the last one after so long at the earliest, as in production. */
    private static final long STEP_GAP_NANOS = 1_000_000;

    private final VirtualTime time;
    private final Witness witness;
    final Governor governor;
    final Map<String, Run> runs = new LinkedHashMap<>();
    final List<Decision> decisions = new ArrayList<>();
    private final Map<String, SimulatedPool> pools = new LinkedHashMap<>();
    private final Map<String, Window> ended = new LinkedHashMap<>();
    private Time.@Nullable Timer due;
    private long dueNanos;
    private long steppedNanos;

    /** One that keeps every window and every decision. */
    SimulatedDatabase(String name, VirtualTime time, int budget) {
        this(name, time, () -> budget, PolicyRunner.direct(), null);
    }

    /**
     * @param budget connections the governor may open on the database
     * @param runner runs the policies
     * @param witness null to keep every window and every decision
     */
    SimulatedDatabase(
            String name, VirtualTime time, BudgetSource budget, PolicyRunner runner, @Nullable Witness witness) {
        this.time = time;
        this.witness = witness == null ? keeping() : witness;
        this.governor = new Governor(
                name,
                "simulator",
                time,
                budget,
                runner,
                new GovernorListener() {
                    @Override
                    public void window(GovernedPool pool, Instant end, Window window) {
                        ended.put(pool.domain(), window);
                    }

                    @Override
                    public void decided(Decision decision) {
                        SimulatedDatabase.this.witness.decided(decision);
                    }
                },
                () -> stepIn(0));
        this.steppedNanos = time.nanoTime() - STEP_GAP_NANOS;
        stepIn(0);
    }

    private Witness keeping() {
        return new Witness() {
            @Override
            public void window(String domain, Run.Row row, Latency responses) {
                run(domain).add(row);
                run(domain).addResponses(responses);
            }

            @Override
            public void decided(Decision decision) {
                decisions.add(decision);
            }
        };
    }

    void open(String domain, Demand demand, PolicySet set) {
        open(domain, demand, set, () -> true);
    }

    /** @param reachable whether a connection can be opened now */
    void open(String domain, Demand demand, PolicySet set, BooleanSupplier reachable) {
        runs.put(domain, new Run());
        SimulatedPool pool = new SimulatedPool(domain, time, demand, reachable, governor::wake);
        pools.put(domain, pool);
        governor.add(pool, set);
    }

    /** What happened in a domain since the start. */
    Run run(String domain) {
        Run run = runs.get(domain);
        if (run == null) {
            throw new IllegalArgumentException("there is no domain " + domain);
        }
        return run;
    }

    SimulatedPool pool(String domain) {
        SimulatedPool pool = pools.get(domain);
        if (pool == null) {
            throw new IllegalArgumentException("there is no domain " + domain);
        }
        return pool;
    }

    private void stepIn(long delayNanos) {
        long earliest = Math.max(time.nanoTime() + delayNanos, steppedNanos + STEP_GAP_NANOS);
        if (due != null) {
            if (dueNanos <= earliest) {
                return;
            }
            due.cancel();
        }
        dueNanos = earliest;
        due = time.after(earliest - time.nanoTime(), this::step);
    }

    private void step() {
        due = null;
        steppedNanos = time.nanoTime();
        long left = governor.step();
        ended.forEach((domain, window) -> governor.status(domain)
                .ifPresent(status -> witness.window(
                        domain,
                        new Run.Row(time.sinceStartNanos(), window, status.limits(), status.target(), status.inUse()),
                        pool(domain).takeResponses())));
        ended.clear();
        witness.stepped();
        stepIn(left);
    }
}
