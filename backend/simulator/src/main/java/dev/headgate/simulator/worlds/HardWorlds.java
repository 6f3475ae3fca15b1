package dev.headgate.simulator.worlds;

import dev.headgate.simulator.Callers;
import dev.headgate.simulator.Chance;
import dev.headgate.simulator.Load;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Trace;
import dev.headgate.simulator.Work;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Makes up worlds that are hard for a cap: service times with two modes or a heavy tail, work that shifts, a database that slows
 * down again and again, neighbours, a day's curve, callers in a closed loop. {@link dev.headgate.simulator.Chance} and its
 * neighbours name the sources of the models.
 *
 * <p>The cap can be <em>kept</em> in a world if its best fixed size, or a smaller one, is within 1.1 times the cap in 95 % of
 * windows: with a heavy tail chance alone may be over it more often, whatever the size.
 */
final class HardWorlds {

    private static final int DRAWS = 100_000;

    private static final Trace AUCTION = read("auction.trace");

    private HardWorlds() {}

    static World world(Kind kind, long seed) {
        SplittableRandom random = new SplittableRandom(31L * seed * 7919 + 17L * kind.number() + 5);
        return switch (kind) {
            case BIMODAL, EDGE -> bimodal(kind, seed, random);
            case PARETO ->
                steady(
                        kind,
                        seed,
                        random,
                        Chance.pareto(1.2),
                        "pareto(1.2)",
                        anyStatistic(random),
                        server(random, 5, 40));
            case PERCENTILE -> {
                double variation = random.nextDouble(0.2, 1.2);
                Statistic statistic = random.nextBoolean() ? Statistic.P95 : Statistic.P99;
                yield steady(
                        kind,
                        seed,
                        random,
                        Chance.logNormal(variation),
                        String.format(Locale.ROOT, "log-normal(%.2f)", variation),
                        statistic,
                        server(random, 40, 120));
            }
            case CALLERS -> callers(seed, random);
            case TRACE -> trace(seed, random);
            case SHIFT -> shift(seed, random);
            case SLOW_THRICE -> slowThrice(seed, random);
            case NEIGHBOUR -> neighbour(seed, random);
            case DAY -> day(seed, random);
            case CROWDED -> crowded(seed, random);
        };
    }

    private static Statistic anyStatistic(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> Statistic.MEAN;
            case 1 -> Statistic.P95;
            default -> Statistic.P99;
        };
    }

    /** A server and how it is called. */
    private record Named(ServiceTime serviceTime, double baseMs, String name) {}

    private static Named server(SplittableRandom random, double fromMs, double toMs) {
        double base = Math.exp(random.nextDouble(Math.log(fromMs), Math.log(toMs)));
        return switch (random.nextInt(3)) {
            case 0 -> {
                double slope = base * Math.exp(random.nextDouble(Math.log(0.02), Math.log(1)));
                yield new Named(
                        ServiceTime.linear(base, slope),
                        base,
                        String.format(Locale.ROOT, "linear(%.1f, %.2f)", base, slope));
            }
            case 1 -> {
                int cores = 1 + random.nextInt(8);
                yield new Named(
                        ServiceTime.cores(cores, base),
                        base,
                        String.format(Locale.ROOT, "cores(%d, %.1f)", cores, base));
            }
            default -> {
                double contention = random.nextDouble(0.02, 0.2);
                double coherence = random.nextDouble(0.0005, 0.01);
                yield new Named(
                        ServiceTime.usl(base, contention, coherence),
                        base,
                        String.format(Locale.ROOT, "usl(%.1f, %.3f, %.4f)", base, contention, coherence));
            }
        };
    }

    /** The statistic in multiples of the mean. */
    private static double factor(Chance chance, Statistic statistic) {
        return switch (statistic) {
            case MEAN -> 1;
            case P95 -> percentile(chance, 0.95);
            case P99 -> percentile(chance, 0.99);
        };
    }

    private static double percentile(Chance chance, double share) {
        SplittableRandom random = new SplittableRandom(1);
        double[] draws = new double[DRAWS];
        Arrays.setAll(draws, i -> chance.next(random));
        Arrays.sort(draws);
        return draws[(int) (share * DRAWS)];
    }

    /** The size of the greatest throughput whose mean is under a cap, with so many others under way; 0 for none. */
    private static int best(ServiceTime serviceTime, double meanCapNanos, int others) {
        int best = 0;
        double most = 0;
        for (int size = 1; size <= 200; size++) {
            double mean = serviceTime.meanNanos(size + others);
            if (mean <= meanCapNanos && size / mean > most * 1.0001) {
                best = size;
                most = size / mean;
            }
        }
        return best;
    }

    private static double perSecond(ServiceTime serviceTime, int size) {
        return size / serviceTime.meanNanos(size) * 1e9;
    }

    /** A mean between those of two sizes, and clear of an idle server's, which no size could keep. */
    private static double meanCap(Named server, int about, int others) {
        ServiceTime time = server.serviceTime;
        return Math.max(
                1.1 * time.meanNanos(1 + others),
                (time.meanNanos(about + others) + time.meanNanos(about + 1 + others)) / 2);
    }

    private static List<World.Stretch> minute(int bestSize) {
        return List.of(new World.Stretch(Duration.ofSeconds(10), Duration.ofSeconds(70), bestSize));
    }

    private static World steady(
            Kind kind,
            long seed,
            SplittableRandom random,
            Chance chance,
            String name,
            Statistic statistic,
            Named server) {
        double meanCap = meanCap(server, 2 + random.nextInt(20), 0);
        int best = best(server.serviceTime, meanCap, 0);
        return new World(
                kind,
                seed,
                server.name + " " + name,
                () -> new SimulatedServer(server.serviceTime, chance, seed),
                load(() -> Load.perSecond(1.5 * perSecond(server.serviceTime, best))),
                statistic,
                meanCap * factor(chance, statistic) / 1e6,
                kind == Kind.PERCENTILE
                        ? List.of(new World.Stretch(Duration.ofSeconds(20), Duration.ofSeconds(320), best))
                        : minute(best));
    }

    private static World.Opening load(Supplier<Load> load) {
        return (simulator, domain, policy) -> simulator.domain(domain, load.get(), policy);
    }

    private static World bimodal(Kind kind, long seed, SplittableRandom random) {
        Statistic statistic =
                kind == Kind.EDGE ? (random.nextBoolean() ? Statistic.P95 : Statistic.P99) : anyStatistic(random);
        double left = statistic == Statistic.P99 ? 0.01 : 0.05;
        double slow = kind == Kind.EDGE
                ? left * random.nextDouble(0.7, 1)
                : left * (random.nextBoolean() ? random.nextDouble(0.2, 0.6) : random.nextDouble(1.6, 3));
        double times = random.nextDouble(5, 30);
        double variation = random.nextDouble(0.1, 0.5);
        Chance chance = Chance.bimodal(slow, times, variation);
        Named server = server(random, 5, 40);
        String name = String.format(Locale.ROOT, "bimodal(%.4f, %.1f, %.2f)", slow, times, variation);
        return steady(kind, seed, random, chance, name, statistic, server);
    }

    private static World callers(long seed, SplittableRandom random) {
        double base = random.nextDouble(2, 8);
        double variation = random.nextDouble(0.2, 0.8);
        Statistic statistic = random.nextBoolean() ? Statistic.MEAN : Statistic.P95;
        Chance chance = Chance.logNormal(variation);
        Named server = twoCores(base);
        double meanCap = meanCap(server, 5 + random.nextInt(18), 0);
        int best = best(server.serviceTime, meanCap, 0);
        long wobble = random.nextLong();
        return thirtyCallers(
                Kind.CALLERS,
                seed,
                server.name + String.format(Locale.ROOT, " log-normal(%.2f)", variation),
                () -> wobbling(new SimulatedServer(server.serviceTime, chance, seed), wobble, 70),
                statistic,
                meanCap * factor(chance, statistic),
                best);
    }

    private static Named twoCores(double base) {
        return new Named(ServiceTime.cores(2, base), base, String.format(Locale.ROOT, "cores(2, %.1f)", base));
    }

    private static World thirtyCallers(
            Kind kind,
            long seed,
            String name,
            Supplier<SimulatedServer> server,
            Statistic statistic,
            double capNanos,
            int best) {
        return new World(
                kind,
                seed,
                name,
                server,
                (simulator, domain, policy) -> simulator.domain(domain, Callers.of(30), policy),
                statistic,
                capNanos / 1e6,
                minute(best));
    }

    /** Up to a tenth slower or faster for some tenths of a second at a time, as a machine is that does other things too. */
    private static SimulatedServer wobbling(SimulatedServer server, long seed, int seconds) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long at = 0; at < seconds * 1_000L; ) {
            long length = 200L + random.nextInt(1_000);
            server.slower(random.nextDouble(0.9, 1.1), Duration.ofMillis(at), Duration.ofMillis(length));
            at += length;
        }
        return server;
    }

    private static World crowded(long seed, SplittableRandom random) {
        double base = random.nextDouble(2, 8);
        double variation = random.nextDouble(0.2, 0.6);
        double share = random.nextDouble(0.02, 0.1);
        Statistic statistic = random.nextBoolean() ? Statistic.P95 : Statistic.P99;
        Chance chance = Chance.logNormal(variation);
        Named server = twoCores(base);
        double meanCap = meanCap(server, 5 + random.nextInt(18), 0);
        int best = best(server.serviceTime, meanCap, 0);
        // half as many begin in a moment in which all take twice as long
        double slow = share / 2 / (1 - share / 2);
        double factor = factor(Chance.bimodal(slow, 2, variation), statistic) * (1 + slow);
        long moments = random.nextLong();
        return thirtyCallers(
                Kind.CROWDED,
                seed,
                server.name + String.format(Locale.ROOT, " log-normal(%.2f) with one for %.3f", variation, share),
                () -> withMoments(new SimulatedServer(server.serviceTime, chance, seed), moments, share, 70),
                statistic,
                meanCap * factor,
                best);
    }

    /** Takes one of two cores for some hundredths of a second at a time, and for a share of all the time. */
    private static SimulatedServer withMoments(SimulatedServer server, long seed, double share, int seconds) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long at = 0; at < seconds * 1_000L; ) {
            long length = 20L + random.nextInt(180);
            at += (long) (-Math.log(1 - random.nextDouble()) * length * (1 - share) / share);
            server.slower(2, Duration.ofMillis(at), Duration.ofMillis(length));
            at += length;
        }
        return server;
    }

    private static World trace(long seed, SplittableRandom random) {
        Named server = server(random, 5, 40);
        Statistic statistic = anyStatistic(random);
        double[] heaviness = AUCTION.arrivals().stream()
                .mapToDouble(Trace.Arrival::heaviness)
                .sorted()
                .toArray();
        double meanCap = meanCap(server, 2 + random.nextInt(20), 0);
        int best = best(server.serviceTime, meanCap, 0);
        return new World(
                Kind.TRACE,
                seed,
                server.name + " auction",
                () -> new SimulatedServer(server.serviceTime, 0.1, seed),
                (simulator, domain, policy) ->
                        simulator.domain(domain, AUCTION.atRate(1.5 * perSecond(server.serviceTime, best)), policy),
                statistic,
                meanCap * factor(Chance.recorded(heaviness), statistic) / 1e6,
                minute(best));
    }

    private static Trace read(String name) {
        InputStream file = Objects.requireNonNull(HardWorlds.class.getResourceAsStream(name), name);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return Trace.read(lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static World shift(long seed, SplittableRandom random) {
        Named server = server(random, 5, 40);
        double variation = random.nextDouble(0.2, 1.2);
        Statistic statistic = anyStatistic(random);
        Chance chance = Chance.logNormal(variation);
        double heavier = Math.exp(random.nextDouble(-Math.log(2), Math.log(2)));
        int about = 4 + random.nextInt(17);
        double meanCap =
                Math.max(meanCap(server, about, 0), 1.1 * Math.max(1, heavier) * server.serviceTime.meanNanos(1));
        int first = best(server.serviceTime, meanCap, 0);
        int second = best(server.serviceTime, meanCap / heavier, 0);
        double perSecond =
                Math.max(perSecond(server.serviceTime, first), perSecond(server.serviceTime, second) / heavier);
        return new World(
                Kind.SHIFT,
                seed,
                server.name + String.format(Locale.ROOT, " log-normal(%.2f) heavier by %.2f", variation, heavier),
                () -> new SimulatedServer(server.serviceTime, chance, seed),
                load(() -> Load.perSecond(1.5 * perSecond)
                        .then(Duration.ofSeconds(60), Work.single().heavier(heavier))),
                statistic,
                meanCap * factor(chance, statistic) / 1e6,
                List.of(
                        new World.Stretch(Duration.ofSeconds(10), Duration.ofSeconds(60), first),
                        new World.Stretch(Duration.ofSeconds(70), Duration.ofSeconds(120), second)));
    }

    private static World slowThrice(long seed, SplittableRandom random) {
        Named server = server(random, 5, 40);
        double variation = random.nextDouble(0.2, 1.2);
        Statistic statistic = anyStatistic(random);
        Chance chance = Chance.logNormal(variation);
        double slower = random.nextDouble(2, 6);
        double meanCap = meanCap(server, 4 + random.nextInt(17), 0);
        int best = best(server.serviceTime, meanCap, 0);
        Duration length = Duration.ofSeconds(10);
        return new World(
                Kind.SLOW_THRICE,
                seed,
                server.name + String.format(Locale.ROOT, " log-normal(%.2f) slower by %.1f", variation, slower),
                () -> new SimulatedServer(server.serviceTime, chance, seed)
                        .slower(slower, Duration.ofSeconds(20), length)
                        .slower(slower, Duration.ofSeconds(50), length)
                        .slower(slower, Duration.ofSeconds(80), length),
                load(() -> Load.perSecond(1.5 * perSecond(server.serviceTime, best))),
                statistic,
                meanCap * factor(chance, statistic) / 1e6,
                List.of(
                        new World.Stretch(Duration.ofSeconds(10), Duration.ofSeconds(20), best),
                        new World.Stretch(Duration.ofSeconds(40), Duration.ofSeconds(50), best),
                        new World.Stretch(Duration.ofSeconds(70), Duration.ofSeconds(80), best),
                        new World.Stretch(Duration.ofSeconds(100), Duration.ofSeconds(130), best)));
    }

    private static World neighbour(long seed, SplittableRandom random) {
        Named server = server(random, 5, 40);
        double variation = random.nextDouble(0.2, 1.2);
        Statistic statistic = anyStatistic(random);
        Chance chance = Chance.logNormal(variation);
        int about = 4 + random.nextInt(17);
        int others = Math.max(1, (int) (about * random.nextDouble(0.2, 0.8)));
        double meanCap = meanCap(server, about, others);
        int best = best(server.serviceTime, meanCap, others);
        long visits = random.nextLong();
        return new World(
                Kind.NEIGHBOUR,
                seed,
                server.name + String.format(Locale.ROOT, " log-normal(%.2f) beside %d", variation, others),
                () -> {
                    SplittableRandom when = new SplittableRandom(visits);
                    SimulatedServer each = new SimulatedServer(server.serviceTime, chance, seed);
                    for (int at = 2 + when.nextInt(10); at < 130; ) {
                        int length = 5 + when.nextInt(16);
                        each.neighbour(others, Duration.ofSeconds(at), Duration.ofSeconds(length));
                        at += length + 10 + when.nextInt(21);
                    }
                    return each;
                },
                load(() -> Load.perSecond(1.5 * perSecond(server.serviceTime, best(server.serviceTime, meanCap, 0)))),
                statistic,
                meanCap * factor(chance, statistic) / 1e6,
                List.of(new World.Stretch(Duration.ofSeconds(10), Duration.ofSeconds(130), best)));
    }

    private static World day(long seed, SplittableRandom random) {
        Named server = server(random, 60, 200);
        double variation = random.nextDouble(0.2, 1.2);
        Statistic statistic = anyStatistic(random);
        Chance chance = Chance.logNormal(variation);
        double meanCap = meanCap(server, 2 + random.nextInt(12), 0);
        int best = best(server.serviceTime, meanCap, 0);
        double perSecond = perSecond(server.serviceTime, best);
        Duration length = Duration.ofHours(2);
        return new World(
                Kind.DAY,
                seed,
                server.name + String.format(Locale.ROOT, " log-normal(%.2f)", variation),
                () -> new SimulatedServer(server.serviceTime, chance, seed),
                load(() -> Load.tide(0.2 * perSecond, 1.3 * perSecond, length, length)),
                statistic,
                meanCap * factor(chance, statistic) / 1e6,
                List.of(new World.Stretch(Duration.ofSeconds(10), length, best)));
    }
}
