package dev.headgate.policy.latencycap;

import dev.headgate.spi.Alarm;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Decides how many connections to take away when the latency has stayed too high, and tells too many connections from a database that
 * is slow itself.
 *
 * <p>The pool falls to the largest size that the prediction says will hold the aim, but by half at most. Where the cap would not even
 * hold at the floor it raises an alarm, which stands until the cap surely holds, fewer connections are expected to help, or the
 * measurement is long past. Where it is not sure that fewer connections would help, it waits for more evidence and takes a tenth. Not
 * thread-safe.
 */
final class Shrinking {

    /** How sure it must be that no size keeps the cap, in standard deviations. */
    private static final double SURELY_HOPELESS = 2;
    /** A first shrink after so long believes that load is to blame for all of the latency, so that it takes few. */
    private static final long MILD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final double capNanos;
    private final Prediction prediction;
    private final Ceiling ceiling;
    private final Trials trials;
    private final Reasons reasons;

    private Optional<Alarm> alarm = Optional.empty();

    Shrinking(Prediction prediction, Ceiling ceiling, Trials trials, Reasons reasons) {
        this.capNanos = prediction.capNanos();
        this.prediction = prediction;
        this.ceiling = ceiling;
        this.trials = trials;
        this.reasons = reasons;
    }

    /** Says that no size keeps the cap, while that is so. */
    Optional<Alarm> alarm() {
        return alarm;
    }

    void endAlarm() {
        alarm = Optional.empty();
    }

    /**
     * Changes the ceiling, or leaves it.
     *
     * @return the reason; none where the last change has not been measured yet, so that nothing new can be said
     */
    Optional<Reason> decide(Evidence.Measurement m, long now, int least, Demand demand) {
        int size = ceiling.size();
        int used = Math.min(size, m.full() ? (int) Math.rint(m.size()) : (int) Math.ceil(m.inUse()) + 1);
        if (used <= least && prediction.present() <= capNanos) {
            return Optional.of(reasons.outlook(demand)); // no size has it less often over the cap by chance
        }
        if (used <= least) {
            Reason reason = raise(reasons.unattainable(used));
            if (m.full() && size > least) {
                ceiling.change(least, now);
            }
            return Optional.of(reason);
        }
        boolean hopeless = prediction.surelyAt(least, SURELY_HOPELESS) > capNanos;
        boolean helps = prediction.at(least) <= capNanos;
        boolean rested = ceiling.isRested(now);
        if (helps) {
            endAlarm();
        } else if (alarm.isPresent() || (hopeless && rested)) {
            raise(reasons.hopeless(used, least)); // also again, with the figures of now
        }
        if (!rested) {
            return Optional.empty();
        }
        if (!hopeless && !helps && prediction.surely(SURELY_HOPELESS) <= prediction.target()) {
            return Optional.of(reasons.outlook(demand));
        }
        if (hopeless || !helps || isEpisode(now)) {
            ceiling.holdGround(now);
        } else {
            ceiling.loseGround();
            trials.noteFailure(used, now);
        }
        int target = target(used, least, hopeless, helps, now);
        Reason reason = reasons.shrinking(used, target);
        trials.end();
        ceiling.shrink(target, now);
        return Optional.of(reason);
    }

    /** Whether the database, and not the size, has changed. */
    private boolean isEpisode(long now) {
        return ceiling.knownGround() > 0 ? ceiling.isInEpisode(now) : prediction.isFarFromKept();
    }

    private Reason raise(Reason reason) {
        alarm = Optional.of(new Alarm(LatencyCap.UNATTAINABLE, reason.sentence()));
        return reason;
    }

    private int target(int used, int least, boolean hopeless, boolean helps, long now) {
        if (!hopeless && !helps) {
            return used - Math.max(1, used / 10); // fewer would hardly help, and it is not sure that they are needed
        }
        int lowest = Math.max(least, used / 2);
        int target = used - 1;
        while (target > lowest && prediction.at(target) > prediction.aim(target)) {
            target--;
        }
        if (!hopeless && ceiling.sinceShrunk(now) > MILD_AFTER_NANOS) {
            int mild = Math.min(used - 1, (int) (used * prediction.aim(used) / prediction.level()));
            target = Math.max(target, mild);
        }
        return target;
    }
}
