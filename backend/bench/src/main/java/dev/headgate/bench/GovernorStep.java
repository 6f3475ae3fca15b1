package dev.headgate.bench;

import com.sun.management.ThreadMXBean;
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
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * One step of a governor, with its policies called through the guarded runner as in production. Pools are stand-ins with random
 * leases and latencies. The clock is virtual; the measured duration is real. Before every step, connections are borrowed and
 * returned in some of the domains. Every hundredth millisecond ends a window, which makes the step more expensive.
 *
 * <p>In one row all of fifty domains are busy under three policies each, in the other most of a hundred domains are idle.
 */
final class GovernorStep {

    private static final int STEPS = 50_000;

    /** As many as a governor takes in its first 100 s. After 300 windows, the compiler was still at work on what ends them. */
    private static final int WARM_UP = 100_000;

    private static final long MS = 1_000_000;
    private static final String MEDIAN = "median, microseconds";
    private static final String P99 = "p99, microseconds";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Sheet sheet;
    private final String row;
    private final SplittableRandom random = new SplittableRandom(1);
    private final VirtualTime time = new VirtualTime();
    private final List<StandIn> pools = new ArrayList<>();

    private GovernorStep(Sheet sheet, String row) {
        this.sheet = sheet;
        this.row = row;
    }

    static void measure(Sheet sheet) {
        Map<String, PolicyFactory> plugins = new HashMap<>();
        ServiceLoader.load(PolicyFactory.class).forEach(factory -> plugins.put(factory.id(), factory));
        Sheet.Entry busy = new GovernorStep(sheet, "a step, 50 domains with three policies each, budget 200")
                .run(200, 50, 50, 10, () -> threePolicies(plugins));
        busy.bar(MEDIAN, "at most 1,000");
        busy.bar(P99, "at most 3,000");
        Sheet.Entry _ = new GovernorStep(sheet, "a step, 5 busy domains among 100 with one policy each, budget 10")
                .run(10, 100, 5, 1, () -> onePolicy(plugins));
    }

    /**
     * @param busy domains of which some are used before every step
     * @param uses before every step
     */
    private Sheet.Entry run(int budget, int domains, int busy, int uses, Supplier<PolicySet> set) {
        GuardedRunner runner = new GuardedRunner("bench");
        Governor governor = new Governor("main", "bench", time, () -> budget, runner, GovernorListener.NONE, () -> {});
        for (int i = 0; i < domains; i++) {
            StandIn pool = new StandIn("domain-" + i, time, random.split());
            pools.add(pool);
            governor.add(pool, set.get());
        }
        Steps unmeasured = new Steps();
        Steps ordinary = new Steps();
        Steps windows = new Steps();
        for (int step = 0; step < WARM_UP + STEPS; step++) {
            for (int k = 0; k < uses; k++) {
                pools.get(random.nextInt(busy)).bustle();
            }
            time.advance(MS);
            Steps kind = step % 100 == 99 ? windows : ordinary;
            (step < WARM_UP ? unmeasured : kind).measure(governor);
        }
        runner.close();
        ordinary.note(sheet.entry(row, "between windows"));
        Sheet.Entry ending = sheet.entry(row, "ending a window");
        windows.note(ending);
        return ending;
    }

    /** Steps of one kind. */
    private static final class Steps {
        private final Histogram nanos = new Histogram(3);
        private long allocated;

        void measure(Governor governor) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            long began = System.nanoTime();
            governor.step();
            nanos.recordValue(System.nanoTime() - began);
            allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
        }

        void note(Sheet.Entry entry) {
            entry.add(MEDIAN, "%,.0f", nanos.getValueAtPercentile(50) / 1e3);
            entry.add(P99, "%,.0f", nanos.getValueAtPercentile(99) / 1e3);
            entry.add("longest, microseconds", "%,.0f", nanos.getMaxValue() / 1e3);
            entry.add("allocated, kB", "%,.0f", allocated / 1e3 / nanos.getTotalCount());
            entry.add("steps", "%,.0f", (double) nanos.getTotalCount());
        }
    }

    private static PolicySet onePolicy(Map<String, PolicyFactory> plugins) {
        return PolicySet.of(1, WhenExhausted.queue(1_000, 200), member(plugins, "min-max", Map.of("min", 0, "max", 2)));
    }

    private static PolicySet threePolicies(Map<String, PolicyFactory> plugins) {
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
            if (latency.getTotalCount() == 0) {
                return new PoolMeter.Measured(HdrLatency.none(), 0, 0, 0, 0, 0, List.of());
            }
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
