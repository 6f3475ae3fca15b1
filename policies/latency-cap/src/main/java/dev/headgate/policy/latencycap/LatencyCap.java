package dev.headgate.policy.latencycap;

import dev.headgate.spi.Alarm;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Being written. */
final class LatencyCap implements Policy {

    /** The alarm raised where not even the least number of connections keeps the cap. */
    static final String UNATTAINABLE = "cap-unattainable";

    private static final long AFTER_SHRINK_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long LONGEST_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long ALARM_MEMORY_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** How far below the cap the prediction must be for a size that has failed lately. */
    private static final double CLEARLY_BELOW = 0.93;
    /** How far above its best guess the model may be, in standard deviations, for a trial to be worth it. */
    private static final double HOPE = 1.5;

    static final boolean DEBUG = Boolean.getBoolean("dbg");
    private final double capNanos;
    private final Statistic statistic;
    private final int startAt;
    private final int atLeast;
    private final long patienceNanos;

    private final Evidence evidence;
    private final LatencyModel model;

    private int ceiling;
    private boolean started;
    private long settledNanos;
    private long shrunkNanos;
    private boolean everShrunk;

    private Optional<Evidence.Measurement> measured = Optional.empty();
    private boolean fresh;
    private double active;
    private long measuredNanos;
    /** Active connections per connection in the pool, when it is full. */
    private double activity = 1;

    private boolean activityKnown;

    private boolean over;
    private long overNanos;

    private int failedSize = Integer.MAX_VALUE;
    private long failedUntilNanos;
    private long failedRetryNanos = FIRST_RETRY_NANOS;
    private long trialNanos;
    private boolean trying;
    private long trialRetryNanos = FIRST_RETRY_NANOS;

    private Optional<Alarm> alarm = Optional.empty();
    private Limits answer = Limits.unbounded();

    LatencyCap(double capNanos, Statistic statistic, int startAt, int atLeast, long patienceNanos) {
        this.capNanos = capNanos;
        this.statistic = statistic;
        this.startAt = startAt;
        this.atLeast = atLeast;
        this.patienceNanos = patienceNanos;
        this.evidence = new Evidence(statistic.enough());
        this.model = new LatencyModel(statistic.spread());
    }

    @Override
    public void observe(Window window) {
        if (!started || window.startNanos() - settledNanos < 0) {
            return;
        }
        Optional<Evidence.Measurement> complete = evidence.add(window);
        if (complete.isEmpty()) {
            return;
        }
        Evidence.Measurement measurement = complete.get();
        measured = complete;
        measuredNanos = window.startNanos() + window.lengthNanos();
        fresh = true;
        if (measurement.full() && measurement.size() > 0) {
            double seen = Math.clamp(measurement.active() / measurement.size(), 0.02, 1);
            activity = activityKnown ? activity + 0.1 * (seen - activity) : seen;
            activityKnown = true;
        }
        active = measurement.full() ? activity * measurement.size() : measurement.active();
        model.learn(
                measuredNanos,
                active,
                Math.max(1, statistic.nanos(measurement.latency())),
                measurement.latency().count(),
                measurement.full());
    }

    @Override
    public Limits limits(PoolView pool) {
        long now = pool.nanoTime();
        int least = Math.max(atLeast, pool.lastLimits().effectiveFloor());
        if (!started) {
            started = true;
            ceiling = Math.max(Math.max(startAt, least), pool.size());
            settledNanos = now;
            trialNanos = now;
            answer("Nothing measured yet: starts with " + Wording.connections(ceiling) + " and grows while the "
                    + statistic.label() + " stays under the cap of " + Wording.ms(capNanos) + ".");
        }
        if (ceiling < least) {
            ceiling = least;
            answer("The pool's floor is " + least + ".");
        }
        if (fresh && measured.isPresent()) {
            fresh = false;
            decide(pool, measured.get(), now, least);
        } else if (alarm.isPresent() && now - measuredNanos > ALARM_MEMORY_NANOS) {
            alarm = Optional.empty();
            answer("No requests lately; holds " + Wording.connections(ceiling) + ".");
        }
        return answer;
    }

    private void decide(PoolView pool, Evidence.Measurement m, long now, int least) {
        if (DEBUG) System.out.printf("%.1f C %d N %.1f n %d L %.1f full %b -> level %.1f +- %.1f share %.2f base %.1f+-%.1f%n", (now/1e9+3600), ceiling, active, m.latency().count(), statistic.nanos(m.latency())/1e6, m.full(), model.at(active)/1e6, model.deviationAt(active)/1e6, model.loadShareAt(active), model.at(0)/1e6, model.deviationAt(0)/1e6);
        double level = model.at(active);
        boolean above = level - Math.min(0.5, care(active)) * model.deviationAt(active) > capNanos;
        if (above && !over) {
            overNanos = now;
        }
        over = above;
        if (level <= capNanos) {
            alarm = Optional.empty();
        }
        if (over) {
            if (now - overNanos >= patienceNanos) {
                shrink(m, level, now, least);
            } else {
                answer("The " + statistic.label() + " is " + Wording.ms(level) + " with " + Wording.connections(ceiling)
                        + ", over the cap of " + Wording.ms(capNanos) + "; waiting whether it stays there.");
            }
        } else if (wantsMore(pool, m)) {
            grow(m, now, level);
        } else {
            answer(outlook(level));
        }
    }

    private void shrink(Evidence.Measurement m, double level, long now, int least) {
        int used = m.full() ? Math.min(ceiling, (int) Math.rint(m.size())) : Math.min(ceiling, (int) Math.ceil(m.inUse()) + 1);
        if (used <= least) {
            Alarm raised = new Alarm(
                    UNATTAINABLE,
                    "Even with " + Wording.connections(Math.max(1, used)) + " the " + statistic.label() + " is "
                            + Wording.ms(level) + ", over the cap of " + Wording.ms(capNanos)
                            + ": the database itself is too slow for it.");
            alarm = Optional.of(raised);
            if (m.full() && ceiling > least) {
                change(least, now);
            }
            answer(raised.message() + " Holds " + Wording.connections(ceiling) + ".");
            return;
        }
        if (everShrunk && now - shrunkNanos < AFTER_SHRINK_NANOS) {
            return;
        }
        int lowest = Math.max(least, used / 2);
        int target = used - 1;
        while (target > lowest && predicted(target) > capNanos) {
            target--;
        }
        target = Math.max(target, lowest);
        if (predicted(least) <= capNanos) {
            failedRetryNanos = Math.abs(used - failedSize) <= 1
                    ? Math.min(2 * failedRetryNanos, LAST_RETRY_NANOS)
                    : FIRST_RETRY_NANOS;
            failedSize = used;
            failedUntilNanos = now + failedRetryNanos;
        }
        double expected = predicted(target);
        trying = false;
        change(target, now);
        everShrunk = true;
        shrunkNanos = now;
        answer("The " + statistic.label() + " stayed at " + Wording.ms(level) + " with " + Wording.connections(used)
                + ", over the cap of " + Wording.ms(capNanos) + "; " + target + " should bring it to "
                + Wording.ms(expected) + ".");
    }

    private static boolean wantsMore(PoolView pool, Evidence.Measurement m) {
        return m.full() && (pool.waiting() > 0 || pool.window().refused() > 0 || pool.inUse() >= pool.size());
    }

    private void grow(Evidence.Measurement m, long now, double level) {
        if (m.size() < ceiling - 0.5) {
            answer(outlook(level));
            return;
        }
        if (everShrunk && now - shrunkNanos < AFTER_SHRINK_NANOS) {
            answer(outlook(level));
            return;
        }
        if (trying) {
            trying = false;
            trialRetryNanos = FIRST_RETRY_NANOS;
            trialNanos = now;
        }
        if (model.retrogradeAt(active)) {
            answer("retrograde");
            return;
        }
        int step = Math.max(2, ceiling / 10);
        while (step > 0 && !granted(ceiling + step, now)) {
            step--;
        }
        if (step > 0) {
            String before = Wording.ms(level) + " with " + Wording.connections(ceiling);
            change(ceiling + step, now);
            trialRetryNanos = FIRST_RETRY_NANOS;
            answer("Grows to " + ceiling + ": the " + statistic.label() + " is " + before + " and should be "
                    + Wording.ms(predicted(ceiling)) + " then, under the cap of " + Wording.ms(capNanos) + ".");
            return;
        }
        int next = ceiling + 1;
        boolean failedLately = next >= failedSize && now - failedUntilNanos < 0;
        boolean hopeful = predicted(next) - HOPE * model.deviationAt(activity * next) <= capNanos;
        if (hopeful && !failedLately && level <= capNanos && now - trialNanos >= 0) {
            trialNanos = now + trialRetryNanos;
            trialRetryNanos = Math.min(2 * trialRetryNanos, LAST_RETRY_NANOS);
            double guess = predicted(next);
            change(next, now);
            trying = true;
            answer("Tries " + next + " to learn: the " + statistic.label() + " might be " + Wording.ms(guess)
                    + " then, with the cap at " + Wording.ms(capNanos) + ".");
            return;
        }
        answer(outlook(level));
    }

    private boolean granted(int size, long now) {
        double expected = predicted(size) + care(activity * size) * model.deviationAt(activity * size);
        if (size >= failedSize && now - failedUntilNanos < 0) {
            return expected <= CLEARLY_BELOW * capNanos;
        }
        return expected <= capNanos;
    }

    private double care(double active) {
        return C0 + C1 * Math.clamp(model.loadShareAt(active), 0, 1);
    }

    static double C0 = Double.parseDouble(System.getProperty("c0", "0.3"));
    static double C1 = Double.parseDouble(System.getProperty("c1", "1.2"));

    private double predicted(int size) {
        return model.at(activity * size);
    }

    private void change(int size, long now) {
        ceiling = size;
        over = false;
        evidence.clear();
        long drain = measured.map(m -> (long) m.latency().meanNanos()).orElse(0L);
        settledNanos = now + Math.clamp(drain, SHORTEST_SETTLE_NANOS, LONGEST_SETTLE_NANOS);
    }

    private String outlook(double level) {
        double next = predicted(ceiling + 1);
        String head = Wording.article(ceiling + 1) + " connection would bring the " + statistic.label() + " to "
                + Wording.ms(next);
        return next > capNanos
                ? head + ", over the cap of " + Wording.ms(capNanos) + "."
                : "The " + statistic.label() + " is " + Wording.ms(level) + ", under the cap of " + Wording.ms(capNanos)
                        + "; " + Wording.connections(ceiling) + " are granted, and more when they are needed.";
    }

    private void answer(String reason) {
        Limits limits = Limits.unbounded().withCeiling(ceiling).because(reason);
        answer = alarm.map(limits::withAlarm).orElse(limits);
    }
}
