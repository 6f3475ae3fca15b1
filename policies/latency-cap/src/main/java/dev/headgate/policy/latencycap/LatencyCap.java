package dev.headgate.policy.latencycap;

import dev.headgate.spi.Alarm;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the latency of requests under a cap by finding how many connections the database bears.
 *
 * <h2>What it answers</h2>
 *
 * A ceiling and its reason; never a floor. The ceiling moves only on evidence:
 *
 * <ul>
 *   <li><b>Up</b>, when the pool is full, someone is waiting, and the {@linkplain LatencyModel model} predicts that the
 *       cap will hold with more. One or two connections at a time (a tenth, for large pools), then it measures again: a
 *       ceiling is never further than that beyond what was seen. It follows that the ceiling stays close to what the
 *       load has needed so far, which is deliberate. A ceiling of 200 over a pool that never held more than 6 would say
 *       nothing, and would let a burst try 200.
 *   <li><b>Down</b>, when the measured latency has stayed above the cap for longer than the operator's patience: to the
 *       largest size that the model predicts to keep the cap, but by half at most.
 *   <li><b>Never for want of load.</b> A quiet night teaches nothing about a full pool, so the ceiling stays. The belief
 *       behind it fades with time, and is refreshed as soon as there is load.
 * </ul>
 *
 * <h2>Trials</h2>
 *
 * Where the model is not sure enough to grow but hopeful, one more connection is tried. If the cap does not hold, the trial
 * is taken back, and repeated after 15, 30, 60 and then every 120 s. Without trials a pool
 * would stay small for ever because of a few unlucky windows; with more of them the latency would be over the cap too often.
 * Hope grows while nothing is tried.
 *
 * <p>The less a connection promises (near saturation throughput does not rise any more, only latency does) the surer the
 * model must be, and the further below the cap it aims. Where throughput falls with every further connection (the
 * retrograde side of Gunther's law) the pool steps back, unless the latency is far below the cap.
 * At the floor there is nothing to step back from: there the next trial corrects a wrong belief.
 *
 * <h2>Rest</h2>
 *
 * Close to the cap two changes are at least two seconds apart, so that each is measured before the next. Further below, and where
 * growth hardly costs latency, they may follow as fast as they are measured. Where it is not sure that fewer connections would help
 * (the model sees hardly any effect of load, or the percentile stands at a step between two modes) the pool waits for twice the usual
 * evidence and then gives up a tenth at a time. After a time in which no size kept the cap, the way back to the former size may
 * double at each step.
 *
 * <h2>Too many connections, or a slow database?</h2>
 *
 * Both show as a latency above the cap. The difference is what fewer connections do about it. If the model says that the
 * cap would not even hold at the floor, or the pool is at its floor and it does not hold, the cap is <em>unattainable</em>:
 * an alarm says so, and the pool is held at its floor, neither below it nor swinging. The floor is the greater of
 * {@code atLeast} and the floor that is in force for the pool. The way down takes some steps of at most a half, two
 * seconds apart, each a measurement of whether fewer connections help. What was learned of the latency's shape outlives the
 * episode ({@link LatencyModel} scales it), so when the database recovers, the way back up is a matter of seconds.
 *
 * <h2>The cap of a window, not of an hour</h2>
 *
 * Whoever sets a cap looks at seconds. With a heavy tail a figure that is at the cap in the long run is far over it in many seconds, by
 * chance. So the policy aims as far below the cap as chance moves the figure of a window ({@link Tail#chance}), as far as load is to
 * blame: where it is not, fewer connections would not help. Beside a step between two modes no size helps, and the cap itself is
 * the aim.
 *
 * <h2>Few requests</h2>
 *
 * Windows are summed until they hold enough requests for the statistic ({@link Evidence}); a decision needs the model's
 * own doubt to be smaller than the distance from the cap. With two requests a second it waits.
 *
 * <h2>For a whole database</h2>
 *
 * Nothing here knows whether the view is of one pool or of the sum of a database's domains. There the ceiling bounds what
 * the allocator divides, whatever the domains' own policies say.
 *
 * <h2>Sources</h2>
 *
 * Jordan, TR-2006-151 (pools sized by a linear model of latency, fitted online); Little, "A Proof for the Queuing Formula
 * L = &lambda;W" (1961); Gunther, "A General Theory of Computational Scalability Based on Rational Functions" (2008);
 * Kalman, "A New Approach to Linear Filtering and Prediction Problems" (1960); Page, "Continuous Inspection Schemes"
 * (1954). That gradient-based limits cannot tell a slow dependency from too much concurrency, which this policy was made
 * to do, is seen in Netflix's and Envoy's adaptive limiters.
 */
final class LatencyCap implements Policy {

    /** The alarm raised where not even the least number of connections keeps the cap. */
    static final String UNATTAINABLE = "cap-unattainable";

    private static final long AFTER_CHANGE_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** For so long after connections were taken away, growth close to the cap rests between its steps. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long BEFORE_STEP_BACK_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long SHORTEST_SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(120);
    /** What was measured longer ago is not told as the present, nor does its alarm stand. {@link Evidence} sums windows up for as long. */
    private static final long PRESENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A size that has failed lately is granted again only where the prediction is so far below the cap. */
    private static final double CLEARLY_BELOW = 0.93;
    /**
     * From this share of the cap on, falling throughput keeps the pool from growing. Further below the operator has asked
     * for nothing but growth, and what looks like falling throughput is more often a neighbour's load.
     */
    private static final double NEAR_CAP = 0.2;
    /** How far below the best guess, in standard deviations, is still worth a trial. */
    private static final double HOPE = 1.5;
    /** How sure growth must be, in standard deviations: with none of the latency due to load, and per share of it. */
    private static final double LEAST_CARE = 0.3;

    private static final double CARE_PER_LOAD_SHARE = 1.2;
    /** How sure it must be that a trial has failed, likewise. */
    private static final double CARE_FOR_TRIAL = 0.25;
    /** How sure it must be that no size keeps the cap, in standard deviations. */
    private static final double SURELY_HOPELESS = 2;
    /** How sure shrinking must be, likewise. */
    private static final double CARE_TO_SHRINK = 0.5;
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
     * How far below the cap to stay where all of the latency is due to load; in proportion to the square of that share. The
     * last connections bring latency there and next to no throughput.
     */
    private static final double MARGIN = 0.05;
    /** A window counts as over the cap when its statistic is over the cap by more than this. */
    private static final double MOST_OVER = 1.1;
    /** So many standard deviations are exceeded by chance once in twenty times. */
    private static final double ONE_IN_TWENTY = 1.65;
    /**
     * The least target, as a share of the cap. Where it would have to be lower, as at a step between two modes, no size keeps
     * chance away, and the cap itself is the target.
     */
    private static final double LEAST_TARGET = 0.6;
    /** Hope doubles in so many seconds in which nothing was tried: what was believed of other sizes is old by then. */
    private static final double HOPE_DOUBLES_SECONDS = 10;
    /**
     * A trial whose latency is over the cap is taken back before the operator's patience ends, unless it is over the cap by more
     * than so many times the share of the pool that was added: one connection does not do that, the database did.
     */
    private static final double MOST_OF_A_TRIAL = 3;
    /** A first shrink after so long believes that load is to blame for all of the latency, so that it takes few. */
    private static final long MILD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(8);

    /** How fast the number of active connections per pooled one is followed. */
    private static final double ACTIVITY_MEMORY = 0.1;

    private static final double RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double RECENT_ENOUGH = 0.6;
    private static final double PLAINLY_OVER = 1.1;
    /** Two more are a third more to fewer connections than these. */
    private static final int FEW = 6;
    /** A pool that was full for less of the last second has met a burst, not a load. */
    private static final double FULL_ENOUGH = 0.9;
    /** From this share of the cap on, a size must have been measured for a while before it is left for a larger one. */
    private static final double HALFWAY = 0.5;

    private static final String ENOUGH = " been more than enough so far.";
    private static final String WHEN_NEEDED = " will be granted when they are needed.";

    private final double capNanos;
    private final Statistic statistic;
    private final int startAt;
    private final int atLeast;
    private final long patienceNanos;

    private final Evidence evidence;
    private final Forecast forecast;

    private boolean started;
    private int ceiling;
    private Optional<Alarm> alarm = Optional.empty();
    private Limits answer = Limits.unbounded();
    /** Whether what was said rests on what was measured, and until when that was. */
    private boolean judged;

    private long judgedNanos;
    /** Whether what was said is true only as long as nobody waits for more. */
    private boolean saidNobodyWaits;

    private int waiting;
    /** Whether the pool has all that it is allowed. */
    private boolean full;

    // what was measured last
    private Optional<Evidence.Measurement> fresh = Optional.empty();
    private long measuredNanos;
    private double lastBodyNanos;
    /** When the statistic was measured over the cap last. */
    private long slowNanos;

    private boolean everSlow;
    /** What counts of about the last second since the last change: how long it was, and its latency times that. */
    private double recentNanos;

    private double recentSumNanos;

    /** The share of about the last second in which the pool was full; negative until something was measured. */
    private double fullness = -1;
    /** Active connections that the last measurement counts for; in a full pool they follow from its size. */
    private double active;
    /** Active connections per connection of a full pool; below 1 where the application pauses within a lease. */
    private double activity = 1;

    private boolean activityKnown;

    /** Windows that began earlier still hold requests of before the last change. */
    private long settledNanos;

    private long changedNanos;

    private boolean over;
    private long overSinceNanos;
    private boolean everShrunk;
    private long shrunkNanos;

    /** The size before the database became too slow for any; 0 where it is not. */
    private int heldSize;

    private int failedSize = Integer.MAX_VALUE;
    private long failedUntilNanos;
    private long failedRetryNanos = FIRST_RETRY_NANOS;
    private boolean trying;
    private long nextTrialNanos;
    private long trialRetryNanos = FIRST_RETRY_NANOS;

    LatencyCap(double capNanos, Statistic statistic, int startAt, int atLeast, long patienceNanos) {
        this.capNanos = capNanos;
        this.statistic = statistic;
        this.startAt = startAt;
        this.atLeast = atLeast;
        this.patienceNanos = patienceNanos;
        this.evidence = new Evidence(Statistic.MEAN.enough());
        this.forecast = new Forecast(statistic);
    }

    /** Learns from what was measured, also of the time before the policy was first asked. */
    @Override
    public void observe(Window window) {
        if (started && window.startNanos() - settledNanos < 0) {
            return;
        }
        evidence.add(window).ifPresent(measurement -> {
            fresh = Optional.of(measurement);
            measuredNanos = window.startNanos() + window.lengthNanos();
            if (statistic.nanos(measurement.latency()) > capNanos) {
                slowNanos = measuredNanos;
                everSlow = true;
            }
            Sample sample = new Sample(measurement.latency());
            lastBodyNanos = sample.bodyNanos();
            active = Math.max(1, activeOf(measurement));
            forecast.learn(measuredNanos, active, sample, measurement.full());
            remember(measurement, lastBodyNanos);
        });
    }

    /**
     * In a full pool the number of active connections follows from the pool's size, which chance does not move; the
     * number that was measured moves with every slow request.
     */
    private double activeOf(Evidence.Measurement measurement) {
        if (!measurement.full() || measurement.size() <= 0) {
            return measurement.active();
        }
        double seen = Math.clamp(measurement.active() / measurement.size(), 0.02, 1);
        activity = activityKnown ? activity + ACTIVITY_MEMORY * (seen - activity) : seen;
        activityKnown = true;
        return activity * measurement.size();
    }

    private void remember(Evidence.Measurement measurement, double bodyNanos) {
        double length = measurement.nanos();
        double kept = Math.exp(-length / RECENT_NANOS);
        double full = measurement.full() ? 1 : 0;
        fullness = fullness < 0 ? full : full + kept * (fullness - full);
        recentNanos = kept * recentNanos + length;
        recentSumNanos = kept * recentSumNanos + length * bodyNanos;
    }

    /**
     * What the statistic was in about the last second since the last change, at least: the body as it was measured, times what is
     * surely known of the tail; 0 until there is a second of it.
     */
    private double recentNanos() {
        return recentNanos < RECENT_ENOUGH * RECENT_NANOS ? 0 : forecast.atBody(recentSumNanos / recentNanos);
    }

    @Override
    public Limits limits(PoolView pool) {
        long now = pool.nanoTime();
        waiting = pool.waiting();
        full = pool.size() >= ceiling;
        int least = Math.max(atLeast, pool.lastLimits().effectiveFloor());
        if (!started) {
            start(pool, now, least);
        }
        if (ceiling < least) {
            ceiling = least;
            say("The pool's floor is " + Wording.connections(least) + ".");
        }
        Optional<Evidence.Measurement> measured = fresh;
        fresh = Optional.empty();
        if (measured.isPresent() && forecast.known()) {
            judged = true;
            judgedNanos = measuredNanos;
            decide(pool, measured.get(), now, least);
        } else if (judged && now - judgedNanos > PRESENT_NANOS) {
            judged = false;
            alarm = Optional.empty();
            say("Too few requests lately to judge by; holds " + Wording.connections(ceiling) + ".");
        } else if (judged && saidNobodyWaits && waiting > 0) {
            say(outlook(forecast.at(active)));
        }
        return answer;
    }

    @Override
    public OptionalDouble predictedNanos() {
        return forecast.known() ? OptionalDouble.of(predicted(ceiling)) : OptionalDouble.empty();
    }

    private void start(PoolView pool, long now, int least) {
        started = true;
        ceiling = Math.max(Math.max(startAt, least), pool.size());
        settledNanos = now;
        changedNanos = now;
        nextTrialNanos = now;
        say("Starts with %s and grows while the %s stays under the cap of %s."
                .formatted(Wording.connections(ceiling), statistic.label(), Wording.ms(capNanos)));
    }

    private void decide(PoolView pool, Evidence.Measurement m, long now, int least) {
        double level = forecast.at(active);
        boolean above =
                wasSlowLately(now) && (forecast.surely(active, CARE_TO_SHRINK) > targetNanos() || isPlainlyOver());
        if (above && !over) {
            overSinceNanos = now;
        }
        over = above;
        if (forecast.above(active, CARE_TO_SHRINK) <= capNanos) {
            alarm = Optional.empty();
        }
        if (!over) {
            if (wantsMore(pool, m)) {
                grow(now, level, least);
            } else {
                say(outlook(level));
            }
        } else if (hasFailedTrial(level) && isRested(now) && ceiling > least) {
            takeTrialBack(now, level);
        } else if (now - overSinceNanos < patienceNanos) {
            say("The %s is %s with %s, %s; watching whether it stays there."
                    .formatted(statistic.label(), present(level), Wording.connections(ceiling), tooHigh(level)));
        } else {
            shrink(m, now, level, least);
        }
    }

    // ---- up

    /** The model learns with care; what is over the cap for a second is over it, whatever was expected. */
    private boolean isPlainlyOver() {
        return recentNanos() > PLAINLY_OVER * capNanos;
    }

    /** What was never measured over the cap is not over it, whatever the model believes of a size that it hardly knows. */
    private boolean wasSlowLately(long now) {
        return everSlow && now - slowNanos <= PRESENT_NANOS;
    }

    /** Whether the present size itself, not only the model, has kept the cap for a while. */
    private boolean isPlainlyUnder() {
        return recentNanos() > 0 && recentNanos() <= capNanos;
    }

    /** Whether growth may follow the last change as soon as that is measured: far from the cap, or on the way back. */
    private boolean mayHaste(double level, double gain, long now) {
        long sinceShrunk = everShrunk ? now - shrunkNanos : Long.MAX_VALUE;
        return (sinceShrunk >= AFTER_CHANGE_NANOS && level < IN_HASTE * capNanos)
                || (sinceShrunk >= CALM_NANOS && gain > FLAT);
    }

    /** Whether the last change is long enough ago for another one close to the cap. */
    private boolean isRested(long now) {
        return now - changedNanos >= AFTER_CHANGE_NANOS;
    }

    private boolean wantsMore(PoolView pool, Evidence.Measurement m) {
        return m.full()
                && m.size() > ceiling - 0.5
                && (pool.waiting() > 0 || pool.window().refused() > 0 || pool.inUse() >= pool.size());
    }

    private void grow(long now, double level, int least) {
        double gain = gain();
        if (!isRested(now) && !mayHaste(level, gain, now)) {
            say(outlook(level));
            return;
        }
        if (level > HALFWAY * capNanos && !isPlainlyUnder()) {
            say(outlook(level));
            return;
        }
        if (level > NEAR_CAP * capNanos && fullness < FULL_ENOUGH) {
            say(outlook(level)); // a burst: what this size does when it is full has hardly been seen
            return;
        }
        boolean nearCap = level > NEAR_CAP * capNanos;
        boolean futile = nearCap && gain < LEAST_GAIN;
        if (trying && !isRested(now)) {
            say(outlook(level)); // it was tried to see what it does: a belief from before must not end it
            return;
        }
        if (trying) {
            trying = false;
            if (futile) {
                stepBack(now, level, least);
                return;
            }
            // the last trial has been measured, and the cap held
            trialRetryNanos = FIRST_RETRY_NANOS;
            nextTrialNanos = now + AFTER_CHANGE_NANOS;
        }
        if (nearCap && ceiling > least && gain < FALLING && now - changedNanos >= BEFORE_STEP_BACK_NANOS) {
            stepBack(now, level, least);
            return;
        }
        boolean twoAreMany = ceiling < FEW && level > HALFWAY * capNanos;
        int step = Math.max(twoAreMany ? 1 : 2, ceiling / 10);
        if (ceiling < heldSize) {
            step = Math.max(step, Math.min(heldSize - ceiling, ceiling)); // known ground: the way back may double
        }
        while (step > 0 && !isGranted(ceiling + step, now)) {
            step--;
        }
        if (step > 0 && !futile) {
            int before = ceiling;
            change(ceiling + step, now);
            trialRetryNanos = FIRST_RETRY_NANOS;
            say("The %s is %s with %s and should be %s with %d, under the cap of %s."
                    .formatted(
                            statistic.label(),
                            Wording.ms(level),
                            Wording.connections(before),
                            Wording.ms(predicted(ceiling), capNanos),
                            ceiling,
                            Wording.ms(capNanos)));
        } else if (isWorthATrial(ceiling + 1, level, now)) {
            nextTrialNanos = now + trialRetryNanos;
            trialRetryNanos = Math.min(2 * trialRetryNanos, LAST_RETRY_NANOS);
            change(ceiling + 1, now);
            trying = true;
            say("Tries %s: the %s should be about %s then, with the cap at %s."
                    .formatted(
                            Wording.connections(ceiling),
                            statistic.label(),
                            Wording.ms(predicted(ceiling)),
                            Wording.ms(capNanos)));
        } else {
            say(futile ? futility(level) : outlook(level));
        }
    }

    /**
     * By how much of a percent the throughput would rise with one percent more connections. Where applications pause within a
     * lease, requests that slow each other down lengthen only part of it.
     */
    private double gain() {
        return 1 - activity * (1 - forecast.gainAt(active));
    }

    private boolean hasFailedTrial(double level) {
        return trying
                && level < (1 + MOST_OF_A_TRIAL / ceiling) * capNanos
                && forecast.surely(active, CARE_FOR_TRIAL) > targetNanos();
    }

    private void takeTrialBack(long now, double level) {
        trying = false;
        noteFailure(ceiling, now);
        everShrunk = true;
        shrunkNanos = now;
        change(ceiling - 1, now);
        say(outlook(level));
    }

    /** A size that did not keep the cap is not granted again for a while, the longer the more often it fails. */
    private void noteFailure(int size, long now) {
        failedRetryNanos =
                Math.abs(size - failedSize) <= 1 ? Math.min(2 * failedRetryNanos, LAST_RETRY_NANOS) : FIRST_RETRY_NANOS;
        failedSize = size;
        failedUntilNanos = now + failedRetryNanos;
    }

    /** Fewer connections would answer more requests. */
    private void stepBack(long now, double level, int least) {
        int target = Math.max(least, ceiling - Math.max(1, (int) (ceiling * STEP_BACK)));
        if (target < ceiling) {
            everShrunk = true;
            shrunkNanos = now;
            nextTrialNanos = now + trialRetryNanos;
            trialRetryNanos = Math.min(2 * trialRetryNanos, LAST_RETRY_NANOS);
            change(target, now);
        }
        say(futility(level));
    }

    private String futility(double level) {
        return Wording.article(ceiling + 1) + " connection would add no throughput: with "
                + Wording.connections(ceiling) + " requests slow each other down (the " + statistic.label() + " is "
                + Wording.ms(level) + ").";
    }

    private boolean isGranted(int size, long now) {
        double there = activity * size;
        double care = LEAST_CARE + CARE_PER_LOAD_SHARE * Math.clamp(forecast.loadShareAt(there), 0, 1);
        return forecast.above(there, care) <= (failedLately(size, now) ? CLEARLY_BELOW : 1) * aim(there);
    }

    private boolean isWorthATrial(int size, double level, long now) {
        return level <= targetNanos()
                && now - nextTrialNanos >= 0
                && !failedLately(size, now)
                && forecast.below(activity * size, hope(now)) <= aim(activity * size);
    }

    private double hope(long now) {
        return HOPE * (1 + (now - changedNanos) / 1e9 / HOPE_DOUBLES_SECONDS);
    }

    /** The latency to stay under: the cap, or a little less where further connections bring hardly any throughput. */
    private double aim(double there) {
        double share = Math.clamp(forecast.loadShareAt(there), 0, 1);
        return (1 - MARGIN * share * share) * targetNanos();
    }

    /**
     * The latency at which nineteen of twenty windows are within 1.1 of the cap. The statistic of a window strays from what it is on
     * average, the further the fewer requests there are and the heavier their tail is: a mean that is at the cap in the long run is
     * far over it in many seconds. In proportion to the share of the latency that load is responsible for, since where it is not,
     * fewer connections would not make windows stray less.
     */
    private double targetNanos() {
        double share = Math.clamp(forecast.loadShareAt(active), 0, 1);
        double target = Math.min(1, MOST_OVER / forecast.chance(statistic.perWindow(), ONE_IN_TWENTY));
        return target < LEAST_TARGET ? capNanos : (1 - share * (1 - target)) * capNanos;
    }

    private boolean failedLately(int size, long now) {
        return size >= failedSize && now - failedUntilNanos < 0;
    }

    // ---- down

    private void shrink(Evidence.Measurement m, long now, double level, int least) {
        int used = Math.min(ceiling, m.full() ? (int) Math.rint(m.size()) : (int) Math.ceil(m.inUse()) + 1);
        boolean hopeless = forecast.surely(activity * least, SURELY_HOPELESS) > capNanos;
        if (used <= least && presentNanos(level) <= capNanos) {
            say(outlook(level)); // no size has it less often over the cap by chance
            return;
        }
        if (used <= least) {
            alarm = Optional.of(new Alarm(
                    UNATTAINABLE,
                    "Even with %s the %s is %s, over the cap of %s: the database itself is too slow for it."
                            .formatted(
                                    Wording.connections(used),
                                    statistic.label(),
                                    present(level),
                                    Wording.ms(capNanos))));
            if (m.full() && ceiling > least) {
                change(least, now);
            }
            say(alarm.get().message());
            return;
        }
        if (!isRested(now)) {
            return;
        }
        boolean helps = predicted(least) <= capNanos;
        if (!hopeless && !helps && forecast.surely(active, SURELY_HOPELESS) <= targetNanos()) {
            say(outlook(level));
            return;
        }
        if (hopeless) {
            heldSize = Math.max(heldSize, ceiling);
            alarm = Optional.of(new Alarm(
                    UNATTAINABLE,
                    "The %s is %s with %s and would still be %s with %d, over the cap of %s: the database itself is too slow for it."
                            .formatted(
                                    statistic.label(),
                                    present(level),
                                    Wording.connections(used),
                                    Wording.ms(predicted(least), capNanos),
                                    least,
                                    Wording.ms(capNanos))));
        } else if (!helps) {
            heldSize = Math.max(heldSize, ceiling); // likely the database; not this size has failed
        } else {
            heldSize = 0;
            noteFailure(used, now);
        }
        String present = present(level); // a change of the size begins to measure anew
        String tooHigh = tooHigh(level);
        int lowest = Math.max(least, used / 2);
        int target = used - 1;
        while (target > lowest && predicted(target) > aim(activity * target)) {
            target--;
        }
        if (!hopeless && !helps) {
            target = used - Math.max(1, used / 10); // fewer would hardly help, and it is not sure that they are needed
        } else if (!hopeless && (!everShrunk || now - shrunkNanos > MILD_AFTER_NANOS)) {
            int mild = Math.min(used - 1, (int) (used * aim(activity * used) / level));
            target = Math.max(target, mild);
        }
        trying = false;
        everShrunk = true;
        shrunkNanos = now;
        change(target, now);
        say("The %s stayed at %s with %s, %s; %d should bring it to %s."
                .formatted(
                        statistic.label(),
                        present,
                        Wording.connections(used),
                        tooHigh,
                        target,
                        Wording.ms(predicted(target))));
    }

    // ---- both

    private double predicted(int size) {
        return forecast.at(activity * size);
    }

    private void change(int size, long now) {
        ceiling = size;
        heldSize = ceiling >= heldSize ? 0 : heldSize;
        changedNanos = now;
        over = false;
        recentNanos = 0;
        recentSumNanos = 0;
        evidence.clear();
        settledNanos = now + Math.clamp((long) lastBodyNanos, SHORTEST_SETTLE_NANOS, LONGEST_SETTLE_NANOS);
    }

    /**
     * The latency at present, as it is told: what the model believes, or the mean of the last second where that is over the cap
     * and the model does not believe it yet. A decision that rests on the one must not show the other.
     */
    private double presentNanos(double level) {
        return Math.max(level, recentNanos());
    }

    private String present(double level) {
        return Wording.ms(presentNanos(level), capNanos);
    }

    /** What is wrong with the latency at present: it is over the cap, or closer to it than chance allows. */
    private String tooHigh(double level) {
        return presentNanos(level) > capNanos ? "over the cap of " + Wording.ms(capNanos) : tooClose();
    }

    private String tooClose() {
        return "so close to the cap of " + Wording.ms(capNanos) + " that chance often takes it over";
    }

    private String outlook(double level) {
        boolean over = presentNanos(level) > capNanos;
        String cap = Wording.ms(capNanos);
        if (!over && isMoreThanEnough()) {
            return "The " + statistic.label() + " is " + present(level) + ", under the cap of " + cap + "; "
                    + Wording.connections(ceiling) + (ceiling == 1 ? " has" : " have") + ENOUGH;
        }
        double next = predicted(ceiling + 1);
        if (next > capNanos || (!over && next > targetNanos())) {
            return Wording.article(ceiling + 1) + " connection would bring the " + statistic.label() + " to "
                    + Wording.ms(next, capNanos) + ", " + (next > capNanos ? "over the cap of " + cap : tooClose())
                    + ".";
        }
        String is = "The " + statistic.label() + " is " + present(level);
        String connections = Wording.connections(ceiling);
        if (over) {
            return is + ", but not surely over the cap of " + cap + "; holds " + connections + ".";
        }
        return waiting > 0 && full
                ? is + ", under the cap of " + cap + "; watches " + connections + " before it grants more."
                : is + ", under the cap of " + cap + "; more than " + connections + WHEN_NEEDED;
    }

    private boolean isMoreThanEnough() {
        return waiting == 0 && 2 * active < activity * ceiling;
    }

    private void say(String reason) {
        saidNobodyWaits = reason.endsWith(ENOUGH) || reason.endsWith(WHEN_NEEDED);
        Limits limits = Limits.unbounded().withCeiling(ceiling).because(reason);
        answer = alarm.map(limits::withAlarm).orElse(limits);
    }
}
