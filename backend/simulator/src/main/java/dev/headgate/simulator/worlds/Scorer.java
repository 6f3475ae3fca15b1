package dev.headgate.simulator.worlds;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.Witness;
import dev.headgate.spi.Latency;
import java.util.List;

/**
 * Judges a run while it passes, in the stretches that count: the share of windows within a bound, requests, changes of the
 * ceiling. A window is a second, or as long as it takes for the statistic's standard error to come down to 5 %: shorter ones
 * would judge chance.
 */
final class Scorer implements Witness {

    private static final long SHORTEST_NANOS = 1_000_000_000L;
    private static final double STANDARD_ERROR = 0.05;

    private final World world;
    private final double samples;
    private int windows;
    private int within;
    private long requests;
    private int changes;
    private long shortestGapNanos;
    private int ceiling = -1;
    private long changedNanos = Long.MIN_VALUE / 2;

    private Latency collected = HdrLatency.none();
    private long nanos;

    Scorer(World world) {
        this.world = world;
        this.samples = Math.pow(world.statistic().spread() / STANDARD_ERROR, 2);
        this.shortestGapNanos = world.length().toNanos();
    }

    @Override
    public void window(String domain, Run.Row row, Latency responses) {
        boolean changed = ceiling >= 0 && row.limits().ceiling() != ceiling;
        ceiling = row.limits().ceiling();
        if (!counts(row.endNanos())) {
            collected = HdrLatency.none();
            nanos = 0;
            return;
        }
        if (changed) {
            changes++;
            shortestGapNanos = Math.min(shortestGapNanos, row.endNanos() - changedNanos);
            changedNanos = row.endNanos();
        }
        requests += row.window().latency().count();
        collected = HdrLatency.sum(List.of(collected, row.window().latency()));
        nanos += row.window().lengthNanos();
        if (nanos >= SHORTEST_NANOS && collected.count() >= samples) {
            windows++;
            within += world.statistic().nanos(collected) <= 1.1e6 * world.capMs() ? 1 : 0;
            collected = HdrLatency.none();
            nanos = 0;
        }
    }

    private boolean counts(long endNanos) {
        for (World.Stretch stretch : world.stretches()) {
            if (endNanos > stretch.from().toNanos() && endNanos <= stretch.to().toNanos()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void decided(Decision decision) {
        // windows tell enough
    }

    World.Score score() {
        double seconds = world.seconds();
        return new World.Score(
                windows == 0 ? 1 : within / (double) windows,
                requests / seconds,
                changes * 60.0 / seconds,
                Math.round(shortestGapNanos / 1e6));
    }
}
