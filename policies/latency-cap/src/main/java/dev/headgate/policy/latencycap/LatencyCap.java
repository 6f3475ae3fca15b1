package dev.headgate.policy.latencycap;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.Optional;
import java.util.OptionalDouble;

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
 * Hope grows while nothing is tried, and counts the less the less throughput a connection promises: a server whose processors are busy
 * serves no more with another connection, so a trial there must be expected to hold.
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
 * episode ({@link LatencyModel} scales it). What the episode itself teaches is of another database: a shrink at the moment of
 * a slow-down looks like its cause, and slow requests among fast ones like a longer tail. So once the body is as short as it was
 * before, what was believed then is believed again, and the way back up is a matter of seconds. A body twice as long as before, at a
 * size that kept the cap, is an episode, too: the size has not changed, so it is not the cause, even where fewer connections would
 * help.
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

    private final int startAt;
    private final int atLeast;
    private final long patienceNanos;

    private final Forecast forecast;
    private final Measured measured;
    private final Prediction prediction;
    private final Ceiling ceiling;
    private final Trials trials;
    private final Reasons reasons;
    private final Growth growth;
    private final Shrinking shrinking;

    private boolean started;
    private Limits answer = Limits.unbounded();
    /** Whether what was said rests on what was measured, and until when that was. */
    private boolean judged;

    private long judgedUntilNanos;
    /** The reason of the answer. */
    private Reason said = Reason.of("");

    LatencyCap(double capNanos, Statistic statistic, int startAt, int atLeast, long patienceNanos) {
        this.startAt = startAt;
        this.atLeast = atLeast;
        this.patienceNanos = patienceNanos;
        this.forecast = new Forecast(statistic);
        this.measured = new Measured(capNanos, statistic);
        this.prediction = new Prediction(capNanos, statistic, forecast, measured);
        this.ceiling = new Ceiling(measured);
        this.trials = new Trials();
        this.reasons = new Reasons(statistic, measured, prediction, ceiling);
        this.growth = new Growth(measured, prediction, ceiling, trials, reasons);
        this.shrinking = new Shrinking(prediction, ceiling, trials, reasons);
    }

    /** Learns from what was measured, also of the time before the policy was first asked. */
    @Override
    public void observe(Window window) {
        measured.add(window, forecast);
    }

    @Override
    public Limits limits(PoolView pool) {
        long now = pool.nanoTime();
        Demand demand = Demand.of(pool, ceiling.size());
        int least = Math.max(atLeast, pool.lastLimits().effectiveFloor());
        if (!started) {
            start(Math.max(Math.max(startAt, least), pool.size()), now);
        }
        if (ceiling.size() < least) {
            ceiling.raiseTo(least);
            say(reasons.floor());
        }
        measured.forgetPast(now);
        Optional<Evidence.Measurement> fresh = measured.takeFresh();
        if (fresh.isPresent() && forecast.known()) {
            judged = true;
            judgedUntilNanos = measured.untilNanos();
            decide(fresh.get(), now, least, demand);
        } else if (judged && Measured.isPast(judgedUntilNanos, now)) {
            judged = false;
            shrinking.endAlarm();
            say(reasons.tooFewRequests());
        } else if (judged && saysThatItIsSlow() && !measured.wasSlowLately()) {
            shrinking.endAlarm();
            say(reasons.outlook(demand));
        } else if (judged && said.needsNobodyWaiting() && demand.waiting() > 0) {
            say(reasons.outlook(demand));
        }
        return answer;
    }

    private boolean saysThatItIsSlow() {
        return shrinking.alarm().isPresent() || said.judgedNanos().orElse(0) > prediction.capNanos();
    }

    @Override
    public OptionalDouble predictedNanos() {
        return forecast.known() ? OptionalDouble.of(prediction.at(ceiling.size())) : OptionalDouble.empty();
    }

    @Override
    public OptionalDouble judgedNanos() {
        return said.judgedNanos();
    }

    private void start(int size, long now) {
        started = true;
        ceiling.start(size, now);
        trials.start(now);
        say(reasons.start());
    }

    private void decide(Evidence.Measurement m, long now, int least, Demand demand) {
        comeBackFromAnEpisode(now);
        boolean tooHigh = prediction.isTooHigh();
        if (!tooHigh && (ceiling.knownGround() <= 0 || !forecast.hasKept())) {
            forecast.keep(measured.active());
        }
        ceiling.judge(tooHigh, now);
        if (!measured.wasSlowLately() || prediction.keepsCap()) {
            shrinking.endAlarm();
        }
        if (!tooHigh) {
            say(growth.isWanted(m, demand) ? growth.decide(now, least, demand) : reasons.outlook(demand));
        } else if (growth.hasFailedTrial() && ceiling.isRested(now) && ceiling.size() > least) {
            say(growth.takeTrialBack(now, demand));
        } else if (ceiling.overFor(now) < patienceNanos) {
            say(reasons.watching());
        } else {
            say(shrinking.decide(m, now, least, demand).orElse(said));
        }
    }

    /** Once the database is as fast as before, what was learned of it while it was slow says nothing any more. */
    private void comeBackFromAnEpisode(long now) {
        if (ceiling.mayComeBack(now) && prediction.isAsKept()) {
            forecast.restore();
        }
    }

    private void say(Reason reason) {
        said = reason;
        Limits limits = Limits.unbounded().withCeiling(ceiling.size()).because(reason.sentence());
        answer = shrinking.alarm().map(limits::withAlarm).orElse(limits);
    }
}
