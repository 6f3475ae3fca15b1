package dev.headgate.testkit;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.GovernorListener;
import dev.headgate.engine.governor.PolicyRunner;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.time.Time;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A database and its domains in virtual time. Applications and the server are simulated; the gates, the governor and the
 * allocator are the engine's own, so that what is decided here is what would be decided there. The same seed gives the
 * same run.
 *
 * <pre>{@code
 * Simulator simulator = new Simulator(new SimulatedServer(ServiceTime.linear(5, 0.5), 0.5, seed), 40, seed);
 * simulator.domain("bank", Load.perSecond(400), policy);
 * simulator.runFor(Duration.ofSeconds(60));
 * simulator.run("bank").perSecond();
 * }</pre>
 */
public final class Simulator {

    /** A step of the governor follows the last one after so long at the earliest, as in production. */
    private static final long STEP_GAP_NANOS = 1_000_000;

    private static final WhenExhausted QUEUE = WhenExhausted.queue(1_000, 200);

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom seeds;
    private final SimulatedServer server;
    private final Governor governor;
    private final Map<String, Run> runs = new LinkedHashMap<>();
    private final Map<String, SimulatedPool> pools = new LinkedHashMap<>();
    private final Map<String, Window> ended = new LinkedHashMap<>();
    private final List<Decision> decisions = new ArrayList<>();
    private Time.@Nullable Timer due;
    private long dueNanos;
    private long steppedNanos;

    /** @param budget connections the governor may open on the database */
    public Simulator(SimulatedServer server, int budget, long seed) {
        this.server = server;
        this.seeds = new SplittableRandom(seed);
        this.governor = new Governor(
                "database",
                "simulator",
                time,
                () -> budget,
                PolicyRunner.direct(),
                new GovernorListener() {
                    @Override
                    public void window(GovernedPool pool, Instant end, Window window) {
                        ended.put(pool.domain(), window);
                    }

                    @Override
                    public void decided(Decision decision) {
                        decisions.add(decision);
                    }
                },
                () -> stepIn(0));
        this.steppedNanos = time.nanoTime() - STEP_GAP_NANOS;
        stepIn(0);
    }

    /** Adds a domain under a load, held by policies; requests queue, up to 200 of them for up to a second. */
    public Simulator domain(String name, Load load, Policy... policies) {
        runs.put(name, new Run());
        SimulatedPool pool = new SimulatedPool(name, time, server, load, seeds.split(), governor::wake);
        pools.put(name, pool);
        governor.add(pool, new PolicySet(1, members(policies), QUEUE, () -> {}));
        return this;
    }

    /** Puts policies in force for one domain, in the place of those it has. */
    public Simulator swap(String domain, Policy... policies) {
        governor.swap(domain, new PolicySet(2, members(policies), QUEUE, () -> {}));
        return this;
    }

    /** Holds the sum of all domains by a policy; {@link #databaseRun()} tells what it did. */
    public Simulator database(Policy policy) {
        Run run = new Run();
        runs.put("", run);
        Watched watched = new Watched(policy, run);
        governor.swap(new PolicySet(1, members(watched), WhenExhausted.unbounded(), () -> {}));
        return this;
    }

    public Simulator runFor(Duration stretch) {
        time.runFor(stretch);
        return this;
    }

    /** What happened in a domain since the start. */
    public Run run(String domain) {
        Run run = runs.get(domain);
        if (run == null) {
            throw new IllegalArgumentException("there is no domain " + domain);
        }
        return run;
    }

    /** What happened to the sum of all domains since the database was given a policy. */
    public Run databaseRun() {
        return run("");
    }

    /** How many connections a domain's applications hold at this instant of virtual time. */
    public int inUse(String domain) {
        return pool(domain).gate().inUse();
    }

    /** How many of its requests wait for one at this instant. */
    public int waiting(String domain) {
        return pool(domain).gate().waiting();
    }

    private SimulatedPool pool(String domain) {
        SimulatedPool pool = pools.get(domain);
        if (pool == null) {
            throw new IllegalArgumentException("there is no domain " + domain);
        }
        return pool;
    }

    /** Every decision the governor told, oldest first. */
    public List<Decision> decisions() {
        return List.copyOf(decisions);
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
                .ifPresent(status -> run(domain)
                        .add(time.sinceStartNanos(), window, status.limits(), status.target(), status.inUse())));
        ended.keySet().forEach(domain -> {
            SimulatedPool pool = pools.get(domain);
            if (pool != null) {
                run(domain).addResponses(pool.takeResponses());
            }
        });
        ended.clear();
        stepIn(left);
    }

    private static List<PolicySet.Member> members(Policy... policies) {
        List<PolicySet.Member> members = new ArrayList<>();
        for (Policy policy : policies) {
            members.add(new PolicySet.Member("policy-" + members.size(), policy));
        }
        return members;
    }

    /** Writes down what a policy of the database sees and says. */
    private final class Watched implements Policy {

        private final Policy watched;
        private final Run run;
        private @Nullable Window window;

        Watched(Policy watched, Run run) {
            this.watched = watched;
            this.run = run;
        }

        @Override
        public void observe(Window ending) {
            window = ending;
            watched.observe(ending);
        }

        @Override
        public Limits limits(PoolView pool) {
            Limits limits = watched.limits(pool);
            if (window != null) {
                run.add(time.sinceStartNanos(), window, limits, pool.size(), pool.inUse());
                window = null;
            }
            return limits;
        }

        @Override
        public void close() {
            watched.close();
        }
    }
}
