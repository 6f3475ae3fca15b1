package dev.headgate.policy.latencycap;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Databases made up from seeds, each saturated, and how the policy does on them beside the best pool of fixed size. Run
 * {@link #main} for a report over many ({@code headgate.worlds}, 200 if not given, from seed {@code headgate.worlds.first}
 * on).
 *
 * <p>A world is judged by two bars, after 10 s to settle. The statistic is within 1.1 times the cap in 95 % of windows (or
 * as often as with the best fixed size, where chance alone makes that less), and throughput is at least 0.95 of the best
 * fixed size's. A window is a second, or as long as it takes for the statistic's standard error to come down to 5 %:
 * shorter ones would judge chance.
 */
final class Worlds {

    static final Duration SETTLED = Duration.ofSeconds(10);

    private static final double P95 = 1.645;
    private static final double P99 = 2.326;
    private static final int BUDGET = 500;

    private Worlds() {}

    /** @param bestSize the fixed size of the greatest throughput among those that keep the cap on average */
    record World(
            long seed,
            String name,
            ServiceTime serviceTime,
            double variation,
            Statistic statistic,
            double capMs,
            int bestSize,
            double leasesPerSecond) {}

    /** How a run did: the share of windows within 1.1 of the cap, and requests per second. */
    record Score(double within, double throughput) {}

    record Verdict(World world, Score policy, Score fixed, int changes) {
        boolean keepsTheCap() {
            return policy.within >= Math.min(0.95, fixed.within);
        }

        double relativeThroughput() {
            return policy.throughput / fixed.throughput;
        }

        boolean isFastEnough() {
            return relativeThroughput() >= 0.95;
        }

        boolean keepsBoth() {
            return keepsTheCap() && isFastEnough();
        }

        /** The kind of server and the statistic: "usl p99". */
        String kind() {
            return world.name.substring(0, world.name.indexOf('(')) + " " + world.statistic.label();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "seed %d %s variation %.2f, %s cap %.1f ms, best size %d: within %.3f (fixed %.3f), throughput %.3f, %d changes",
                    world.seed,
                    world.name,
                    world.variation,
                    world.statistic.label(),
                    world.capMs,
                    world.bestSize,
                    policy.within,
                    fixed.within,
                    relativeThroughput(),
                    changes);
        }
    }

    static World world(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 7919 + 13);
        double base = Math.exp(random.nextDouble(Math.log(5), Math.log(40)));
        ServiceTime serviceTime;
        String name;
        switch (random.nextInt(3)) {
            case 0 -> {
                double slope = base * Math.exp(random.nextDouble(Math.log(0.02), Math.log(1)));
                serviceTime = ServiceTime.linear(base, slope);
                name = String.format(Locale.ROOT, "linear(%.1f, %.2f)", base, slope);
            }
            case 1 -> {
                int cores = 1 + random.nextInt(16);
                serviceTime = ServiceTime.cores(cores, base);
                name = String.format(Locale.ROOT, "cores(%d, %.1f)", cores, base);
            }
            default -> {
                double contention = random.nextDouble(0.02, 0.2);
                double coherence = random.nextDouble(0.0005, 0.01);
                serviceTime = ServiceTime.usl(base, contention, coherence);
                name = String.format(Locale.ROOT, "usl(%.1f, %.3f, %.4f)", base, contention, coherence);
            }
        }
        int about = 2 + random.nextInt(30);
        double variation = random.nextDouble(0.2, 1.2);
        Statistic statistic = switch (random.nextInt(4)) {
            case 0, 1 -> Statistic.MEAN;
            case 2 -> Statistic.P95;
            default -> Statistic.P99;
        };
        double factor = switch (statistic) {
            case MEAN -> 1;
            case P95 -> percentileFactor(variation, P95);
            case P99 -> percentileFactor(variation, P99);
        };
        // between two sizes, and clear of an idle server's latency, which no size could keep
        double meanCap = Math.max(1.1e6 * base, (serviceTime.meanNanos(about) + serviceTime.meanNanos(about + 1)) / 2);
        int best = 1;
        double most = 0;
        for (int size = 1; size <= 200; size++) {
            double mean = serviceTime.meanNanos(size);
            if (mean <= meanCap && size / mean > most * 1.0001) {
                best = size;
                most = size / mean;
            }
        }
        return new World(seed, name, serviceTime, variation, statistic, meanCap * factor / 1e6, best, most * 1e9 * 1.5);
    }

    /** What the percentile of a log-normal distribution is in multiples of its mean. */
    private static double percentileFactor(double variation, double normalQuantile) {
        double sigma = Math.sqrt(Math.log(1 + variation * variation));
        return Math.exp(sigma * normalQuantile - sigma * sigma / 2);
    }

    static Verdict judge(World world, Duration length) {
        Run fixed = simulate(world, pool -> Limits.unbounded().withCeiling(world.bestSize), length);
        double throughput = fixed.throughput(SETTLED, length);
        Duration window = window(world.statistic, throughput);
        Run run = simulate(
                world,
                new LatencyCap(
                        world.capMs * 1e6,
                        world.statistic,
                        4,
                        1,
                        Duration.ofSeconds(1).toNanos()),
                length);
        return new Verdict(
                world,
                score(world, run, window, length),
                score(world, fixed, window, length),
                run.changes(SETTLED, length).size());
    }

    private static Score score(World world, Run run, Duration window, Duration length) {
        return new Score(
                run.shareWithin(SETTLED, length, window, world.statistic::nanos, 1.1e6 * world.capMs),
                run.throughput(SETTLED, length));
    }

    static Duration window(Statistic statistic, double perSecond) {
        double samples = Math.pow(statistic.spread() / 0.05, 2);
        return Duration.ofMillis(Math.max(1_000, 100 * (long) Math.ceil(10 * samples / perSecond)));
    }

    private static Run simulate(World world, Policy policy, Duration length) {
        SimulatedServer server = new SimulatedServer(world.serviceTime, world.variation, world.seed);
        return new Simulator(server, BUDGET, world.seed)
                .domain("domain", Load.perSecond(world.leasesPerSecond), policy)
                .runFor(length)
                .run("domain");
    }

    /** Prints the worlds that miss a bar, how many keep both, and where the others are. */
    public static void main(String[] arguments) {
        long first = Long.getLong("headgate.worlds.first", 0);
        int count = Integer.getInteger("headgate.worlds", 200);
        if (Boolean.getBoolean("headgate.worlds.watch")) {
            World world = world(first);
            System.out.println(judge(world, Duration.ofSeconds(60)));
            System.out.println(simulate(
                            world,
                            new LatencyCap(world.capMs * 1e6, world.statistic, 4, 1, 1_000_000_000L),
                            Duration.ofSeconds(60))
                    .perSecond());
            return;
        }
        List<Verdict> verdicts = LongStream.range(first, first + count)
                .parallel()
                .mapToObj(seed -> judge(world(seed), Duration.ofSeconds(60)))
                .toList();
        verdicts.stream().filter(verdict -> !verdict.keepsBoth()).forEach(System.out::println);
        Map<String, List<Verdict>> kinds =
                verdicts.stream().collect(Collectors.groupingBy(Verdict::kind, TreeMap::new, Collectors.toList()));
        kinds.forEach((kind, those) -> System.out.println(summary(kind, those)));
        System.out.println(summary("seeds %d to %d".formatted(first, first + count - 1), verdicts));
    }

    private static String summary(String of, List<Verdict> verdicts) {
        double[] ratios = verdicts.stream()
                .mapToDouble(Verdict::relativeThroughput)
                .sorted()
                .toArray();
        return String.format(
                Locale.ROOT,
                "%-18s %4d worlds: %4d keep the cap, %4d are fast enough, %4d both; of all windows %.3f within (fixed %.3f);"
                        + " throughput mean %.3f, median %.3f, lowest twentieth %.3f, least %.3f",
                of,
                verdicts.size(),
                verdicts.stream().filter(Verdict::keepsTheCap).count(),
                verdicts.stream().filter(Verdict::isFastEnough).count(),
                verdicts.stream().filter(Verdict::keepsBoth).count(),
                verdicts.stream().mapToDouble(v -> v.policy.within).average().orElse(0),
                verdicts.stream().mapToDouble(v -> v.fixed.within).average().orElse(0),
                Arrays.stream(ratios).average().orElse(0),
                ratios[ratios.length / 2],
                ratios[ratios.length / 20],
                ratios[0]);
    }
}
