package dev.headgate.policy.latencycap;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether a pool whose latency is not too high may have more connections, tries one more, or steps back from a size that only
 * costs throughput.
 *
 * <p>Growth is granted where the prediction says, as surely as it must, that the aim will hold with more. A trial needs only hope, and
 * is taken back where it fails. The less throughput a connection promises, the less hope counts: little is lost by waiting for better
 * news there, and a trial that fails costs windows over the cap and two changes.
 *
 * <p>Where throughput falls with every further connection (the retrograde side of Gunther's law, "A General Theory of Computational
 * Scalability Based on Rational Functions", 2008) the pool steps back. Not thread-safe.
 */
final class Growth {

    /** For so long after connections were taken away, growth close to the cap rests between its steps. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long BEFORE_STEP_BACK_NANOS = TimeUnit.SECONDS.toNanos(4);
    /** A size that has failed lately is granted again only where the prediction is so far below the cap. */
    private static final double CLEARLY_BELOW = 0.93;
    /**
     * From this share of the cap on, falling throughput keeps the pool from growing. Further below the operator has asked
     * for nothing but growth, and what looks like falling throughput is more often a neighbour's load.
     */
    private static final double NEAR_CAP = 0.2;
    /** How far below the best guess, in standard deviations, is still worth a trial of a connection that promises throughput. */
    private static final double HOPE = 1.5;
    /** A connection that promises this much throughput is worth all hope; one that promises less is worth less of it. */
    private static final double WORTH_A_TRIAL = 0.4;
    /** Hope counts so much where a connection promises no throughput at all: the belief that it does not may be wrong. */
    private static final double LEAST_WORTH = 0.1;
    /** Hope doubles in so many seconds in which nothing was tried: what was believed of other sizes is old by then. */
    private static final double HOPE_DOUBLES_SECONDS = 10;
    /** How sure it must be that a trial has failed, in standard deviations. */
    private static final double CARE_FOR_TRIAL = 0.25;
    /** Growth that promises this much throughput hardly costs latency, and may be as fast as far below the cap. */
    private static final double FLAT = 0.6;
    /** Further below the cap than this, changes may follow as fast as they are measured; closer to it they rest between. */
    private static final double IN_HASTE = 0.8;
    /**
     * Growth that promises less throughput than this is none: by how much of a percent one percent more connections would
     * raise it.
     */
    private static final double LEAST_GAIN = 0.03;
    /** Where throughput falls by more than this, likewise, the pool steps back; between the two it stays. */
    private static final double FALLING = -0.02;
    /** One step back from where throughput falls, as a share of the size. */
    private static final double STEP_BACK = 1 / 7.0;
    /**
     * A trial whose latency is over the cap is taken back before the operator's patience ends, unless it is over the cap by more
     * than so many times the share of the pool that was added: one connection does not do that, the database did.
     */
    private static final double MOST_OF_A_TRIAL = 3;
    /** Two more are a third more to fewer connections than these. */
    private static final int FEW = 6;
    /** A pool that was full for less of the last second has met a burst, not a load. */
    private static final double FULL_ENOUGH = 0.9;
    /** From this share of the cap on, a size must have been measured for a while before it is left for a larger one. */
    private static final double HALFWAY = 0.5;

    private final double capNanos;
    private final Measured measured;
    private final Prediction prediction;
    private final Ceiling ceiling;
    private final Trials trials;
    private final Reasons reasons;

    Growth(Measured measured, Prediction prediction, Ceiling ceiling, Trials trials, Reasons reasons) {
        this.capNanos = prediction.capNanos();
        this.measured = measured;
        this.prediction = prediction;
        this.ceiling = ceiling;
        this.trials = trials;
        this.reasons = reasons;
    }

    /** Whether growth is wanted: the pool was full with all that is granted, and more connections would be used at once. */
    boolean isWanted(Evidence.Measurement m, Demand demand) {
        return m.full() && m.size() > ceiling.size() - 0.5 && demand.more();
    }

    /**
     * Changes the ceiling, or leaves it.
     *
     * @return the reason
     */
    Reason decide(long now, int least, Demand demand) {
        double level = prediction.level();
        double gain = prediction.gain();
        if (!ceiling.isRested(now) && !mayHaste(level, gain, now)) {
            return reasons.outlook(demand);
        }
        if (level > HALFWAY * capNanos && !prediction.isPlainlyUnder()) {
            return reasons.outlook(demand);
        }
        boolean nearCap = level > NEAR_CAP * capNanos;
        if (nearCap && measured.fullness() < FULL_ENOUGH) {
            return reasons.outlook(demand); // a burst: what this size does when it is full has hardly been seen
        }
        boolean futile = nearCap && gain < LEAST_GAIN;
        if (trials.underWay()) {
            if (!ceiling.isRested(now)) {
                return reasons.outlook(
                        demand); // it was tried to see what it does: a belief from before must not end it
            }
            trials.end();
            if (futile) {
                return stepBack(now, least);
            }
            trials.held(now);
        }
        if (nearCap && ceiling.size() > least && gain < FALLING && ceiling.sinceChange(now) >= BEFORE_STEP_BACK_NANOS) {
            return stepBack(now, least);
        }
        int before = ceiling.size();
        int step = grantedStep(level, now);
        if (step > 0 && !futile) {
            ceiling.change(before + step, now);
            trials.forgive();
            return reasons.growth(before);
        }
        if (isWorthATrial(before + 1, level, now)) {
            trials.begin(now);
            ceiling.change(before + 1, now);
            return reasons.trial();
        }
        return futile ? reasons.futility() : reasons.outlook(demand);
    }

    /** Whether growth may follow the last change as soon as that is measured: far from the cap, or on the way back. */
    private boolean mayHaste(double level, double gain, long now) {
        long sinceShrunk = ceiling.sinceShrunk(now);
        return (sinceShrunk >= Ceiling.REST_NANOS && level < IN_HASTE * capNanos)
                || (sinceShrunk >= CALM_NANOS && gain > FLAT);
    }

    /** The largest step up that the prediction grants; 0 where it grants none. */
    private int grantedStep(double level, long now) {
        int size = ceiling.size();
        boolean twoAreMany = size < FEW && level > HALFWAY * capNanos;
        int step = Math.max(twoAreMany ? 1 : 2, size / 10);
        if (ceiling.knownGround() > 0) {
            step = Math.max(step, Math.min(ceiling.knownGround(), size)); // the way back may double
        }
        while (step > 0 && !isGranted(size + step, now)) {
            step--;
        }
        return step;
    }

    private boolean isGranted(int size, long now) {
        return prediction.carefully(size)
                <= (trials.failedLately(size, now) ? CLEARLY_BELOW : 1) * prediction.aim(size);
    }

    private boolean isWorthATrial(int size, double level, long now) {
        return level <= prediction.target()
                && trials.isDue(now)
                && !trials.failedLately(size, now)
                && prediction.hopefully(size, hope(now)) <= prediction.aim(size);
    }

    /** How far below the best guess, in standard deviations, is worth a trial now. On the way back all hope is. */
    private double hope(long now) {
        double worth = ceiling.knownGround() > 0 ? 1 : Math.clamp(prediction.gain() / WORTH_A_TRIAL, LEAST_WORTH, 1);
        return worth * HOPE * (1 + ceiling.sinceChange(now) / 1e9 / HOPE_DOUBLES_SECONDS);
    }

    /** Fewer connections would answer more requests. */
    private Reason stepBack(long now, int least) {
        int size = ceiling.size();
        int target = Math.max(least, size - Math.max(1, (int) (size * STEP_BACK)));
        if (target < size) {
            trials.putOff(now);
            ceiling.shrink(target, now);
        }
        return reasons.futility();
    }

    /** Whether the latency is over the cap because of a trial. */
    boolean hasFailedTrial() {
        return trials.underWay()
                && prediction.level() < (1 + MOST_OF_A_TRIAL / ceiling.size()) * capNanos
                && prediction.surely(CARE_FOR_TRIAL) > prediction.target();
    }

    /**
     * Takes the connection of a trial away again.
     *
     * @return the reason
     */
    Reason takeTrialBack(long now, Demand demand) {
        trials.end();
        trials.noteFailure(ceiling.size(), now);
        ceiling.shrink(ceiling.size() - 1, now);
        return reasons.outlook(demand);
    }
}
