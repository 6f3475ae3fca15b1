package dev.headgate.bench.worlds;

import dev.headgate.simulator.worlds.World;
import dev.headgate.simulator.worlds.World.FixedSizes;
import dev.headgate.simulator.worlds.World.Score;
import java.util.Locale;

/** How one policy did in one world, beside pools of fixed size. */
record Verdict(World world, Contender contender, Score score, FixedSizes fixed) {

    static final double FAST = 0.95;
    static final double RESTING = 6;

    /** Whether the cap can be kept by any size: 95 % of windows within 1.1 times the cap. */
    boolean keepable() {
        return fixed.kept().isPresent();
    }

    boolean keepsTheCap() {
        return score.within() >= fixed.within();
    }

    /** Throughput in multiples of the best fixed size's. */
    double throughput() {
        return score.throughput() / fixed.throughput();
    }

    boolean isFast() {
        return throughput() >= FAST;
    }

    /** Always where the world itself does not rest. */
    boolean rests() {
        return !world.kind().isSteady() || score.changesPerMinute() <= RESTING;
    }

    boolean holds() {
        return keepsTheCap() && isFast() && rests();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: %s within %.3f (fixed %.3f%s), throughput %.3f, %.1f changes a minute, %d ms apart",
                contender.label(),
                world,
                score.within(),
                fixed.best().within(),
                keepable() ? "" : ", cannot be kept",
                throughput(),
                score.changesPerMinute(),
                score.shortestGapMillis());
    }
}
