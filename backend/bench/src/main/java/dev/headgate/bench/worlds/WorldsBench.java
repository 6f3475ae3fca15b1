package dev.headgate.bench.worlds;

import dev.headgate.bench.Sheet;
import dev.headgate.bench.worlds.RetryStorm.Guard;
import dev.headgate.bench.worlds.RetryStorm.Outcome;
import dev.headgate.bench.worlds.RetryStorm.Storm;
import dev.headgate.bench.worlds.WorldsOptions.Row;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.worlds.Kind;
import dev.headgate.simulator.worlds.World;
import dev.headgate.simulator.worlds.World.FixedSizes;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
    public static void measure(Sheet sheet, List<String> arguments) {
        WorldsOptions options = WorldsOptions.parse(arguments);
        if (options.seeds() < WorldsOptions.ALL_SEEDS) {
            sheet.markQuick();
        }
        for (Row row : options.rows()) {
            if (row == Row.STORM) {
                continue;
            }
            Kind kind = Kind.valueOf(row.name());
            List<List<Verdict>> worlds = LongStream.range(options.first(), options.first() + options.seeds())
                    .parallel()
                    .mapToObj(seed -> judge(World.of(kind, seed), options.contenders()))
                    .toList();
            for (Contender contender : options.contenders()) {
                note(
                        sheet.entry(kind.label(), contender.label()),
                        options.first(),
                        worlds.stream().map(verdicts -> of(contender, verdicts)).toList());
            }
            sheet.print();
            if (options.missed()) {
                worlds.stream()
                        .map(verdicts -> of(Contender.LATENCY_CAP, verdicts))
                        .filter(verdict -> !verdict.holds())
                        .forEach(verdict -> System.out.println("  missed: " + verdict));
            }
            if (options.watch()) {
                worlds.stream()
                        .map(verdicts -> of(Contender.LATENCY_CAP, verdicts).world())
                        .forEach(WorldsBench::watch);
            }
        }
        if (options.rows().contains(Row.STORM)) {
            storms(sheet, options);
        }
    }

    /** A verdict for each contender, in their order. */
    static List<Verdict> judge(World world, Set<Contender> contenders) {
        FixedSizes fixed = world.fixedSizes();
        return contenders.stream()
                .map(contender -> new Verdict(
                        world, contender, world.score(contender.policy(world.capMs(), world.statistic())), fixed))
                .toList();
    }

    private static Verdict of(Contender contender, List<Verdict> verdicts) {
        return verdicts.stream()
                .filter(verdict -> verdict.contender() == contender)
                .findFirst()
                .orElseThrow();
    }

    private static void note(Sheet.Entry entry, long first, List<Verdict> verdicts) {
        double[] throughput = sorted(verdicts, Verdict::throughput);
        double[] changes = sorted(verdicts, verdict -> verdict.score().changesPerMinute());
        entry.add("first seed", "%.0f", first);
        entry.add("seeds", "%.0f", verdicts.size());
        entry.add("cap can be kept", "%.0f", count(verdicts.stream().filter(Verdict::keepable)));
        entry.add(
                "windows within 1.1 of the cap, mean",
                "%.3f",
                average(verdicts, verdict -> verdict.score().within()));
        entry.add(
                "the same, best fixed size",
                "%.3f",
                average(verdicts, verdict -> verdict.fixed().best().within()));
        entry.add("keep the cap", "%.0f", count(verdicts.stream().filter(Verdict::keepsTheCap)));
        entry.add("throughput by the best fixed size's, median", "%.2f", share(throughput, 0.5));
        entry.add("p5", "%.2f", share(throughput, 0.05));
        entry.add("p95", "%.2f", share(throughput, 0.95));
        entry.add("at least 0.95", "%.0f", count(verdicts.stream().filter(Verdict::isFast)));
        entry.add("changes a minute, median", "%.1f", share(changes, 0.5));
        entry.add("changes a minute, p95", "%.1f", share(changes, 0.95));
        if (verdicts.getFirst().world().kind().isSteady()) {
            entry.add("at most 6", "%.0f", count(verdicts.stream().filter(Verdict::rests)));
        }
        entry.add("meet all bars", "%.0f", count(verdicts.stream().filter(Verdict::holds)));
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

    private static void storms(Sheet sheet, WorldsOptions options) {
        for (Guard guard : Guard.values()) {
            List<Outcome> outcomes = LongStream.range(options.first(), options.first() + options.seeds())
                    .parallel()
                    .mapToObj(seed -> RetryStorm.run(Storm.of(seed), guard))
                    .toList();
            double[] back = sorted(outcomes, Outcome::backSeconds);
            Sheet.Entry entry = sheet.entry("storm", guard.label());
            entry.add("first seed", "%.0f", options.first());
            entry.add("seeds", "%.0f", outcomes.size());
            entry.add("back within 10 s", "%.0f", count(outcomes.stream().filter(Outcome::isBack)));
            entry.add("goodput during the slowdown", "%.2f", average(outcomes, Outcome::kept));
            entry.add("from 10 s after it on, mean", "%.2f", average(outcomes, Outcome::recovered));
            entry.add("least", "%.2f", sorted(outcomes, Outcome::recovered)[0]);
            seconds(entry, "back after, s, median", share(back, 0.5));
            seconds(entry, "back after, s, most", back[back.length - 1]);
            sheet.print();
            if (options.missed()) {
                for (int i = 0; i < outcomes.size(); i++) {
                    if (!outcomes.get(i).isBack()) {
                        System.out.println("  missed: seed " + (options.first() + i) + ": " + outcomes.get(i));
                    }
                }
            }
        }
    }

    private static void seconds(Sheet.Entry entry, String measure, double value) {
        if (Double.isInfinite(value)) {
            entry.never(measure);
        } else {
            entry.add(measure, "%.0f", value);
        }
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
