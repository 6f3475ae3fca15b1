package dev.headgate.simulator.worlds;

import dev.headgate.simulator.Run;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A database, what is asked of it, and a cap on the latency of its requests.
 *
 * @param name server and chance, for reading
 * @param server made anew for every run
 * @param capMs milliseconds
 * @param stretches what is judged, in order
 */
public record World(
        Kind kind,
        long seed,
        String name,
        Supplier<SimulatedServer> server,
        Opening opening,
        Statistic statistic,
        double capMs,
        List<Stretch> stretches) {

    private static final int BUDGET = 500;
    private static final String DOMAIN = "domain";
    /** What is tried for a size that keeps the cap, in shares of the best one. */
    private static final double[] SMALLER = {0.9, 0.75, 0.6, 0.45, 0.3, 0.15};

    /**
     * A part of a run that is judged.
     *
     * @param bestSize the best fixed size in it: the one of the greatest throughput among those that keep the cap on average,
     *     known from the world's own figures; 0 where no size does
     */
    public record Stretch(Duration from, Duration to, int bestSize) {}

    /** Opens the world's domain on a simulator, held by a policy. */
    @FunctionalInterface
    public interface Opening {
        void open(Simulator simulator, String domain, Policy policy);
    }

    /**
     * How a policy did over all stretches.
     *
     * @param within share of windows within 1.1 of the cap
     * @param throughput requests per second
     * @param changesPerMinute of the ceiling
     * @param shortestGapMillis between two changes; the world's length where there were fewer
     */
    public record Score(double within, double throughput, double changesPerMinute, long shortestGapMillis) {}

    /**
     * How pools of fixed size did.
     *
     * @param best the best fixed size; where it differs from stretch to stretch, each stretch's own
     * @param kept the largest size's that keeps the cap in 95 % of windows; empty where none does
     */
    public record FixedSizes(Score best, Optional<Score> kept) {

        /** The throughput that a policy is compared with, requests per second: of a size that keeps the cap, where one does. */
        public double throughput() {
            return Math.min(best.throughput, kept.orElse(best).throughput);
        }

        /** The share of windows that a policy should keep: 0.95, or the best fixed size's where no size keeps the cap so often. */
        public double within() {
            return kept.isPresent() ? 0.95 : best.within;
        }
    }

    public World {
        stretches = List.copyOf(stretches);
    }

    /** The world of a kind and a seed. */
    public static World of(Kind kind, long seed) {
        return HardWorlds.world(kind, seed);
    }

    public Duration length() {
        return stretches.getLast().to();
    }

    /** How long is judged. */
    double seconds() {
        return stretches.stream()
                .mapToDouble(stretch -> stretch.to.minus(stretch.from).toMillis() / 1e3)
                .sum();
    }

    /** Runs a policy in this world. */
    public Score score(Policy policy) {
        Scorer scorer = new Scorer(this);
        Simulator simulator = new Simulator(server.get(), () -> BUDGET, seed, scorer);
        opening.open(simulator, DOMAIN, policy);
        simulator.runFor(length());
        return scorer.score();
    }

    /** Runs a policy in this world and keeps every window: for reading. */
    public Run watch(Policy policy) {
        Simulator simulator = new Simulator(server.get(), BUDGET, seed);
        opening.open(simulator, DOMAIN, policy);
        return simulator.runFor(length()).run(DOMAIN);
    }

    /** Runs pools of fixed size in this world: the best one, and smaller ones until one keeps the cap. */
    public FixedSizes fixedSizes() {
        Score best = best();
        return new FixedSizes(best, best.within >= 0.95 ? Optional.of(best) : smaller());
    }

    private Score best() {
        double windows = 0;
        double throughput = 0;
        for (int size : stretches.stream().map(Stretch::bestSize).distinct().toList()) {
            World part = with(stretches.stream()
                    .filter(stretch -> stretch.bestSize == size)
                    .toList());
            Score score = part.score(fixed(size));
            double share = part.seconds() / seconds();
            windows += share * score.within;
            throughput += share * score.throughput;
        }
        return new Score(windows, throughput, 0, length().toMillis());
    }

    private Optional<Score> smaller() {
        if (stretches.stream().map(Stretch::bestSize).distinct().count() > 1) {
            return Optional.empty();
        }
        int best = stretches.getFirst().bestSize;
        return Arrays.stream(SMALLER)
                .mapToInt(share -> (int) Math.floor(share * best))
                .filter(size -> size >= 1)
                .distinct()
                .mapToObj(size -> score(fixed(size)))
                .filter(score -> score.within >= 0.95)
                .findFirst();
    }

    private static Policy fixed(int size) {
        return pool -> Limits.unbounded().withCeiling(size);
    }

    private World with(List<Stretch> judged) {
        return new World(kind, seed, name, server, opening, statistic, capMs, judged);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s seed %d %s, %s cap %.1f ms, best %s",
                kind.label(),
                seed,
                name,
                statistic.label(),
                capMs,
                stretches.stream().map(Stretch::bestSize).distinct().toList());
    }
}
