package dev.headgate.bench.worlds;

import dev.headgate.bench.worlds.RetryStorm.Guard;
import dev.headgate.bench.worlds.RetryStorm.Outcome;
import dev.headgate.bench.worlds.RetryStorm.Storm;
import dev.headgate.bench.worlds.WorldsOptions.Row;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.worlds.Kind;
import dev.headgate.simulator.worlds.World;
import dev.headgate.simulator.worlds.World.FixedSizes;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * How latency-cap, Vegas and Gradient2 do in hard worlds, beside the best pool of fixed size in the same world and seed. All of it
 * runs in virtual time: a seed gives the same figures on every machine.
 *
 * <p>The bars: 95 % of windows within 1.1 times the cap after settling, where any size keeps it so often (elsewhere as many as the
 * best fixed size); throughput at least 0.95 of the best fixed size's; at most 6 changes a minute where the world is steady; after a
 * retry storm 0.95 of the former goodput within 10 s.
 */
public final class WorldsBench {

    private WorldsBench() {}

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(List<String> arguments) {
        WorldsOptions options = WorldsOptions.parse(arguments);
        System.out.printf(
                Locale.ROOT,
                "seeds %d to %d of each world; in virtual time%n",
                options.first(),
                options.first() + options.seeds() - 1);
        System.out.println(
                "| world | policy | seeds (cap can be kept) | windows within 1.1 of the cap, mean (best fixed size) |"
                        + " keep the cap | throughput by the best fixed size's, median (p5 … p95) | at least 0.95 |"
                        + " changes a minute, median (p95) | at most 6 | meet all bars |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (Row row : options.rows()) {
            if (row == Row.STORM) {
                continue;
            }
            Kind kind = Kind.valueOf(row.name());
            List<List<Verdict>> worlds = LongStream.range(options.first(), options.first() + options.seeds())
                    .parallel()
                    .mapToObj(seed -> judge(World.of(kind, seed)))
                    .toList();
            for (Contender contender : Contender.values()) {
                System.out.println(line(
                        kind.label(),
                        worlds.stream()
                                .map(verdicts -> verdicts.get(contender.ordinal()))
                                .toList()));
            }
            if (options.missed()) {
                worlds.stream()
                        .map(verdicts -> verdicts.get(Contender.LATENCY_CAP.ordinal()))
                        .filter(verdict -> !verdict.holds())
                        .forEach(verdict -> System.out.println("  missed: " + verdict));
            }
            if (options.watch()) {
                worlds.stream()
                        .map(verdicts ->
                                verdicts.get(Contender.LATENCY_CAP.ordinal()).world())
                        .forEach(WorldsBench::watch);
            }
        }
        if (options.rows().contains(Row.STORM)) {
            storms(options);
        }
    }

    /** A verdict for each contender, in their order. */
    static List<Verdict> judge(World world) {
        FixedSizes fixed = world.fixedSizes();
        return Arrays.stream(Contender.values())
                .map(contender -> new Verdict(
                        world, contender, world.score(contender.policy(world.capMs(), world.statistic())), fixed))
                .toList();
    }

    static String line(String world, List<Verdict> verdicts) {
        double[] throughput = sorted(verdicts, Verdict::throughput);
        double[] changes = sorted(verdicts, verdict -> verdict.score().changesPerMinute());
        boolean steady = verdicts.getFirst().world().kind().isSteady();
        return String.format(
                Locale.ROOT,
                "| %s | %s | %d (%d) | %.3f (%.3f) | %d | %.2f (%.2f … %.2f) | %d | %.1f (%.1f) | %s | %d |",
                world,
                verdicts.getFirst().contender().label(),
                verdicts.size(),
                count(verdicts.stream().filter(Verdict::keepable)),
                average(verdicts, verdict -> verdict.score().within()),
                average(verdicts, verdict -> verdict.fixed().best().within()),
                count(verdicts.stream().filter(Verdict::keepsTheCap)),
                share(throughput, 0.5),
                share(throughput, 0.05),
                share(throughput, 0.95),
                count(verdicts.stream().filter(Verdict::isFast)),
                share(changes, 0.5),
                share(changes, 0.95),
                steady ? count(verdicts.stream().filter(Verdict::rests)) : "not steady",
                count(verdicts.stream().filter(Verdict::holds)));
    }

    private static void watch(World world) {
        Run run = world.watch(Contender.LATENCY_CAP.policy(world.capMs(), world.statistic()));
        System.out.println(world);
        for (Run.Change change : run.changes()) {
            System.out.printf(
                    Locale.ROOT,
                    "%6.1f s %d to %d: %s%n",
                    change.atNanos() / 1e9,
                    change.from(),
                    change.to(),
                    change.reason());
        }
        System.out.println(run.perSecond());
    }

    private static void storms(WorldsOptions options) {
        System.out.println("\n| retry storm, policies | back within 10 s | goodput during the slowdown |"
                + " from 10 s after it on, mean (least) | back after, s, median (most) |");
        System.out.println("| --- | --- | --- | --- | --- |");
        for (Guard guard : Guard.values()) {
            List<Outcome> outcomes = LongStream.range(options.first(), options.first() + options.seeds())
                    .parallel()
                    .mapToObj(seed -> RetryStorm.run(Storm.of(seed), guard))
                    .toList();
            double[] back = sorted(outcomes, Outcome::backSeconds);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d of %d | %.2f | %.2f (%.2f) | %s (%s) |%n",
                    guard.label(),
                    count(outcomes.stream().filter(Outcome::isBack)),
                    outcomes.size(),
                    average(outcomes, Outcome::kept),
                    average(outcomes, Outcome::recovered),
                    sorted(outcomes, Outcome::recovered)[0],
                    seconds(share(back, 0.5)),
                    seconds(back[back.length - 1]));
            if (options.missed()) {
                for (int i = 0; i < outcomes.size(); i++) {
                    if (!outcomes.get(i).isBack()) {
                        System.out.println("  missed: seed " + (options.first() + i) + ": " + outcomes.get(i));
                    }
                }
            }
        }
    }

    private static String seconds(double value) {
        return Double.isInfinite(value) ? "never" : String.format(Locale.ROOT, "%.0f", value);
    }

    private static long count(Stream<?> all) {
        return all.count();
    }

    private static <T> double[] sorted(List<T> all, ToDoubleFunction<T> figure) {
        return all.stream().mapToDouble(figure).sorted().toArray();
    }

    /** The value that a share of the sorted ones lies below. */
    private static double share(double[] sorted, double share) {
        return sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
    }

    private static <T> double average(List<T> all, ToDoubleFunction<T> figure) {
        return all.stream().mapToDouble(figure).average().orElse(0);
    }
}
