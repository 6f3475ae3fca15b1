package dev.headgate.lab.reasons;

import static dev.headgate.lab.reasons.Policies.pick;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PolicyCall;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.simulator.Witness;
import dev.headgate.simulator.Work;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.function.Function;

/**
 * One made-up database: its server, its budget, one to five domains under loads that come and go, random policies, and an
 * operator who cannot leave them alone. Some policies fail now and then, or take too long. The same seed gives the same world and the same decisions.
 */
final class World {

    private static final int SECONDS = 30;
    private static final int MOST_DOMAINS = 8;

    private final Random random;
    private final Policies policies;
    private final Simulator simulator;
    private final Oracle oracle;
    private final List<String> domains = new ArrayList<>();
    private int budget;
    private long steps;

    /** The call of a policy that runs takes too long. */
    private boolean late;

    /** @param told what contradicts itself */
    World(long seed, Oracle.Listener told) {
        this.random = new Random(seed);
        this.policies = new Policies(random);
        this.budget = 1 + random.nextInt(40);
        this.oracle = new Oracle(() -> budget, told);
        this.simulator = new Simulator(
                server(seed),
                () -> budget,
                seed,
                new Witness() {
                    @Override
                    public void window(String domain, Run.Row row, Latency responses) {
                        oracle.window(domain, row);
                    }

                    @Override
                    public void decided(Decision decision) {
                        oracle.decided(decision);
                    }

                    @Override
                    public void stepped() {
                        steps++;
                        oracle.stepped();
                    }
                },
                this::run);
        oracle.watch(simulator);
        for (int count = 1 + random.nextInt(5); count > 0; count--) {
            addDomain();
        }
        if (random.nextBoolean()) {
            swapOfDatabase();
        }
    }

    /** @return how many steps the governor took */
    long run() {
        for (int i = 0; i < 2 * SECONDS; i++) {
            simulator.runFor(Duration.ofMillis(500));
            if (random.nextInt(6) == 0) {
                interfere();
            }
        }
        return steps;
    }

    /** Every command of a governor; of a domain that was removed they are failures that nobody hears. */
    private void interfere() {
        String domain = domains.get(random.nextInt(domains.size()));
        var governor = simulator.governor();
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> governor.swap(domain, ofDomain());
            case 3, 4 -> swapOfDatabase();
            case 5 -> governor.pause(domain);
            case 6 -> governor.drain(domain);
            case 7 -> governor.flush(domain);
            case 8, 9 -> governor.shadow(domain, ofDomain());
            case 10 -> governor.unshadow(domain);
            case 11 -> budget = 1 + random.nextInt(40);
            case 12, 13 ->
                governor.tryOut(
                        domain,
                        1 + random.nextInt(12),
                        seconds(1 + random.nextInt(6)).toNanos());
            case 14 -> governor.endTrial(domain);
            case 15 -> governor.ask(domain, ofDomain()).thenAccept(answers -> oracle.planned(domain, answers));
            case 16 -> governor.ask(ofSum()).thenAccept(answers -> oracle.planned("", answers));
            case 17 -> governor.remove(domain);
            case 18 -> {
                if (domains.size() < MOST_DOMAINS) {
                    addDomain();
                }
            }
            default -> governor.resume(domain);
        }
    }

    private void addDomain() {
        String domain = "domain" + (char) ('A' + domains.size());
        domains.add(domain);
        oracle.added(domain);
        simulator.domain(domain, load(), ofDomain());
    }

    private void run(List<PolicyCall> calls) {
        for (PolicyCall call : calls) {
            late = false;
            call.run();
            if (late) {
                call.abandon();
            }
        }
    }

    private PolicySet ofDomain() {
        return overheard(
                policies.forDomain(), member -> random.nextInt(6) == 0 ? new Failing(member) : new Overheard(member));
    }

    /** For the database, to be asked and not put in force. */
    private PolicySet ofSum() {
        return overheard(policies.forDatabase(), Overheard::new);
    }

    private void swapOfDatabase() {
        PolicySet set = overheard(policies.forDatabase(), OfDatabase::new);
        oracle.swapped();
        simulator.governor().swap(set);
    }

    private static PolicySet overheard(PolicySet set, Function<PolicySet.Member, Policy> how) {
        List<PolicySet.Member> members = set.members().stream()
                .map(member -> new PolicySet.Member(member.plugin(), how.apply(member)))
                .toList();
        return new PolicySet(set.revision(), members, set.whenExhausted(), set.onRetired());
    }

    private SimulatedServer server(long seed) {
        ServiceTime serviceTime = switch (random.nextInt(3)) {
            case 0 -> ServiceTime.linear(pick(random, 0.3, 2.0, 8.0), pick(random, 0.05, 0.5, 2.0));
            case 1 -> ServiceTime.cores(1 + random.nextInt(8), pick(random, 0.5, 3.0, 10.0));
            default -> ServiceTime.usl(pick(random, 0.5, 4.0, 12.0), 0.05, pick(random, 0.0005, 0.01));
        };
        SimulatedServer server = new SimulatedServer(serviceTime, pick(random, 0.0, 0.3, 1.0), seed);
        if (random.nextBoolean()) {
            server.slower(pick(random, 1.5, 4.0, 20.0), someTime(), seconds(1 + random.nextInt(8)));
        }
        if (random.nextInt(3) == 0) {
            server.frozen(someTime(), seconds(1 + random.nextInt(5)));
        }
        if (random.nextInt(4) == 0) {
            server.unreachable(someTime(), seconds(1 + random.nextInt(5)));
        }
        if (random.nextInt(4) == 0) {
            server.failing(0.3, someTime(), seconds(3));
        }
        return server;
    }

    private Load load() {
        Load load = Load.perSecond(rate(), work());
        for (int i = random.nextInt(6); i > 0; i--) {
            load.then(someTime(), rate());
        }
        if (random.nextBoolean()) {
            load.then(someTime(), work());
        }
        return load;
    }

    private double rate() {
        return pick(random, 0.0, 2.0, 15.0, 60.0, 200.0, 500.0);
    }

    private Work work() {
        Work work = Work.transaction(1 + random.nextInt(3), Duration.ofMillis(random.nextInt(8)));
        return random.nextInt(4) == 0 ? work.heavier(pick(random, 0.3, 3.0, 10.0)) : work;
    }

    private Duration someTime() {
        return Duration.ofMillis(random.nextInt(1_000 * SECONDS));
    }

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }

    /** A policy whose answers the oracle is told. */
    private class Overheard implements Policy {

        final PolicySet.Member member;

        Overheard(PolicySet.Member member) {
            this.member = member;
        }

        @Override
        public Limits limits(PoolView pool) {
            Limits limits = member.policy().limits(pool);
            oracle.gave(this, limits);
            return limits;
        }

        @Override
        public OptionalDouble predictedNanos() {
            return member.policy().predictedNanos();
        }

        @Override
        public OptionalDouble judgedNanos() {
            return member.policy().judgedNanos();
        }

        @Override
        public void observe(Window window) {
            member.policy().observe(window);
        }

        @Override
        public void close() {
            member.policy().close();
        }
    }

    /** One that throws, says nothing or takes too long: from the start for a while, or now and then. */
    private final class Failing extends Overheard {

        /** Of 400 calls, one is late, some give no answer, and one throws. */
        private static final int THROWS = 10;

        private int silent = pick(random, 0, 0, 20, 2_000);

        Failing(PolicySet.Member member) {
            super(member);
        }

        @Override
        public Limits limits(PoolView pool) {
            int chance = silent-- > 0 ? THROWS : random.nextInt(400);
            if (chance > THROWS) {
                return super.limits(pool);
            }
            oracle.failed(this);
            late = chance == 0;
            if (chance == THROWS) {
                throw new IllegalStateException("not now");
            }
            return null;
        }

        @Override
        public void observe(Window window) {
            if (random.nextInt(100) == 0) {
                throw new IllegalStateException("not this one");
            }
            super.observe(window);
        }
    }

    /** One of the database: a domain's decisions do not carry its answers. */
    private final class OfDatabase extends Overheard {

        OfDatabase(PolicySet.Member member) {
            super(member);
        }

        @Override
        public Limits limits(PoolView pool) {
            Limits limits = super.limits(pool);
            oracle.answered(this, member.plugin(), limits, pool);
            return limits;
        }

        @Override
        public void close() {
            oracle.closed(this);
            super.close();
        }
    }
}
