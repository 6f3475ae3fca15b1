package dev.headgate.bench;

import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.GovernorListener;
import dev.headgate.engine.governor.GuardedRunner;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * One step of a governor with fifty domains on its database, each under min-max, tiers and latency-cap, called through the
 * guarded runner as in production. Pools are stand-ins with random leases and latencies. The clock is virtual; the
 * measured duration is real. Before every step, connections are borrowed and returned in ten of the domains. Every
 * hundredth millisecond ends a window, which makes the step more expensive.
 */
final class GovernorStep {

    private static final int DOMAINS = 50;
    private static final int BUDGET = 200;
    private static final int STEPS = 50_000;

    /** As many as a governor takes in its first 100 s. After 300 windows, the compiler was still at work on what ends them. */
    private static final int WARM_UP = 100_000;

    private static final long MS = 1_000_000;
    private static final String ROW = "a step, 50 domains with three policies each, budget 200";
    private static final String MEDIAN = "median, microseconds";
    private static final String P99 = "p99, microseconds";

    private GovernorStep() {}

    static void measure(Sheet sheet) {
        Map<String, PolicyFactory> plugins = new HashMap<>();
        ServiceLoader.load(PolicyFactory.class).forEach(factory -> plugins.put(factory.id(), factory));
        SplittableRandom random = new SplittableRandom(1);
        VirtualTime time = new VirtualTime();
        GuardedRunner runner = new GuardedRunner("bench");
        Governor governor = new Governor("main", "bench", time, () -> BUDGET, runner, GovernorListener.NONE, () -> {});
        List<StandIn> pools = new ArrayList<>();
        for (int i = 0; i < DOMAINS; i++) {
            StandIn pool = new StandIn("domain-" + i, time, random.split());
            pools.add(pool);
            governor.add(pool, set(plugins));
        }
        Histogram ordinary = new Histogram(3);
        Histogram windows = new Histogram(3);
        for (int step = 0; step < WARM_UP + STEPS; step++) {
            for (int k = 0; k < 10; k++) {
                pools.get(random.nextInt(DOMAINS)).bustle();
            }
            time.advance(MS);
            boolean endsWindow = step % 100 == 99;
            long began = System.nanoTime();
            governor.step();
            long took = System.nanoTime() - began;
            if (step >= WARM_UP) {
                (endsWindow ? windows : ordinary).recordValue(took);
            }
        }
        runner.close();
        note(sheet.entry(ROW, "between windows"), ordinary);
        Sheet.Entry ending = sheet.entry(ROW, "ending a window");
        note(ending, windows);
        ending.bar(MEDIAN, "at most 1,000");
        ending.bar(P99, "at most 3,000");
    }

    private static void note(Sheet.Entry entry, Histogram steps) {
        entry.add(MEDIAN, "%,.0f", steps.getValueAtPercentile(50) / 1e3);
        entry.add(P99, "%,.0f", steps.getValueAtPercentile(99) / 1e3);
        entry.add("longest, microseconds", "%,.0f", steps.getMaxValue() / 1e3);
        entry.add("steps", "%,.0f", steps.getTotalCount());
    }

    private static PolicySet set(Map<String, PolicyFactory> plugins) {
        return PolicySet.of(
                1,
                WhenExhausted.queue(1_000, 200),
                member(plugins, "min-max", Map.of("min", 1, "max", 20)),
                member(plugins, "tiers", Map.of("tier", "silver", "guaranteed", 2)),
                member(plugins, "latency-cap", Map.of("maxLatencyMs", 20)));
    }

    private static PolicySet.Member member(
            Map<String, PolicyFactory> plugins, String id, Map<String, Object> parameters) {
        PolicyFactory factory = plugins.get(id);
        if (factory == null) {
            throw new IllegalStateException("the plugin " + id + " is not on the class path");
        }
        return new PolicySet.Member(id, factory.create(Parameters.of(parameters)));
    }

    /** A pool whose connections open at once; {@link #bustle} moves its leases. */
    private static final class StandIn implements GovernedPool {

        private final String domain;
        private final SplittableRandom random;
        private final Gate gate;
        private int held;
        private int open;
        private long requests;
        private IntCountsHistogram latency = HdrLatency.newWindow();

        StandIn(String domain, VirtualTime time, SplittableRandom random) {
            this.domain = domain;
            this.random = random;
            this.gate = new Gate(time, new Rules(Rules.Passage.OPEN, WhenExhausted.unbounded(), false), () -> {});
        }

        void bustle() {
            if (held > 0 && random.nextBoolean()) {
                held--;
                if (!gate.payDebt()) {
                    gate.release();
                }
            } else {
                gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
                    @Override
                    public void admitted(long waitedNanos) {
                        held++;
                    }

                    @Override
                    public void refused(Refusal refusal) {}
                });
            }
            latency.recordValue(MS + random.nextInt(30) * MS);
            requests++;
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
            open = connections;
        }

        @Override
        public void tidy() {}

        @Override
        public void replaceConnections() {}

        @Override
        public int open() {
            return open;
        }

        @Override
        public int opening() {
            return 0;
        }

        @Override
        public PoolMeter.Measured drain(long nowNanos) {
            Latency taken = HdrLatency.of(latency);
            latency = HdrLatency.newWindowLike(latency);
            long busyNanos = taken.count() * 15 * MS;
            return new PoolMeter.Measured(taken, busyNanos, busyNanos, busyNanos, gate.inUse(), 0, List.of());
        }

        @Override
        public long requestsTotal() {
            return requests;
        }

        @Override
        public long errorsTotal() {
            return 0;
        }

        @Override
        public Optional<Opener.Failure> failure() {
            return Optional.empty();
        }
    }
}
