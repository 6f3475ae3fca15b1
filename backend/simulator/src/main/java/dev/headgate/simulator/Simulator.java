package dev.headgate.simulator;

import dev.headgate.engine.governor.BudgetSource;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.PolicyRunner;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    private static final WhenExhausted QUEUE = WhenExhausted.queue(1_000, 200);

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom seeds;
    private final SimulatedServer server;
    private final SimulatedDatabase database;

    /** @param budget connections the governor may open on the database */
    public Simulator(SimulatedServer server, int budget, long seed) {
        this.server = server;
        this.seeds = new SplittableRandom(seed);
        this.database = new SimulatedDatabase("database", time, budget);
    }

    /**
     * One that keeps nothing: what happens is told as it happens.
     *
     * @param budget connections the governor may open on the database, asked for at every step
     */
    public Simulator(SimulatedServer server, BudgetSource budget, long seed, Witness witness) {
        this(server, budget, seed, witness, PolicyRunner.direct());
    }

    /**
     * The same.
     *
     * @param runner runs the policies; it may abandon calls, as if they had taken too long
     */
    public Simulator(SimulatedServer server, BudgetSource budget, long seed, Witness witness, PolicyRunner runner) {
        this.server = server;
        this.seeds = new SplittableRandom(seed);
        this.database = new SimulatedDatabase("database", time, budget, runner, witness);
    }

    /** Adds a domain under a load, held by policies; requests queue, up to 200 of them for up to a second. */
    public Simulator domain(String name, Load load, Policy... policies) {
        return domain(name, load, new PolicySet(1, members(policies), QUEUE, () -> {}));
    }

    /** Adds a domain under a load, held by a policy set. */
    public Simulator domain(String name, Load load, PolicySet set) {
        return open(name, new PoissonDemand(time, server, load, seeds.split()), set);
    }

    /** Adds a domain whose callers ask again and again, held by policies; requests queue as under a {@link Load}. */
    public Simulator domain(String name, Callers callers, Policy... policies) {
        return open(
                name,
                new CallersDemand(time, server, callers, seeds.split()),
                new PolicySet(1, members(policies), QUEUE, () -> {}));
    }

    /** Adds a domain whose clients give up and try again, held by a policy set. */
    public Simulator domain(String name, Clients clients, PolicySet set) {
        return open(name, new ClientsDemand(time, server, clients, seeds.split()), set);
    }

    /** Adds a domain under the arrivals and the work of a trace, held by policies; requests queue as under a {@link Load}. */
    public Simulator domain(String name, Trace trace, Policy... policies) {
        return open(name, new TraceDemand(time, server, trace), new PolicySet(1, members(policies), QUEUE, () -> {}));
    }

    private Simulator open(String name, Demand demand, PolicySet set) {
        database.open(name, demand, set, () -> server.isReachable(time.sinceStartNanos()));
        return this;
    }

    /** The governor at work: commands are given to it, and it tells how its pools stand. */
    public Governor governor() {
        return database.governor;
    }

    /** How long virtual time has run, in nanoseconds. */
    public long sinceStartNanos() {
        return time.sinceStartNanos();
    }

    /** Puts policies in force for one domain, in the place of those it has. */
    public Simulator swap(String domain, Policy... policies) {
        database.governor.swap(domain, new PolicySet(2, members(policies), QUEUE, () -> {}));
        return this;
    }

    /** Holds the sum of all domains by a policy; {@link #databaseRun()} tells what it did. */
    public Simulator database(Policy policy) {
        Run run = new Run();
        database.runs.put("", run);
        Watched watched = new Watched(policy, run);
        database.governor.swap(new PolicySet(1, members(watched), WhenExhausted.unbounded(), () -> {}));
        return this;
    }

    public Simulator runFor(Duration stretch) {
        time.runFor(stretch);
        return this;
    }

    /** What happened in a domain since the start. */
    public Run run(String domain) {
        return database.run(domain);
    }

    /** What happened to the sum of all domains since the database was given a policy. */
    public Run databaseRun() {
        return run("");
    }

    /** How many connections a domain's applications hold at this instant of virtual time. */
    public int inUse(String domain) {
        return database.pool(domain).gate().inUse();
    }

    /** How many of its requests wait for one at this instant. */
    public int waiting(String domain) {
        return database.pool(domain).gate().waiting();
    }

    /** Every decision the governor told, oldest first. */
    public List<Decision> decisions() {
        return List.copyOf(database.decisions);
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
                run.add(new Run.Row(time.sinceStartNanos(), window, limits, pool.size(), pool.inUse()));
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
