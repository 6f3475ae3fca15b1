package dev.headgate.lab;

import dev.headgate.lab.pacing.Plan;
import java.time.Duration;
import java.util.Optional;

/**
 * How often a load arrives: at a rate that can be steered, or as planned.
 *
 * @param ratePerSecond that it starts with, on average, {@value Workload#MIN_RATE}..{@value Workload#MAX_RATE}; 0 if it is planned
 * @param varies whether the rate rises and falls over minutes
 * @param planned empty for a rate that can be steered
 */
public record Pace(double ratePerSecond, boolean varies, Optional<Planned> planned) {

    /** The level of a single phase that never ends. */
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * @param plan of arrivals a second, or of users
     * @param think the mean time that a user thinks; empty for an open loop, which has no users
     */
    public record Planned(Plan plan, Optional<Duration> think) {

        boolean isEndless() {
            return plan.endNanos() == Long.MAX_VALUE;
        }
    }

    public Pace(double ratePerSecond, boolean varies) {
        this(ratePerSecond, varies, Optional.empty());
    }

    /** An open loop in phases. */
    public static Pace ofRates(Plan plan) {
        return new Pace(0, false, Optional.of(new Planned(plan, Optional.empty())));
    }

    /** A closed loop in phases. */
    public static Pace ofUsers(Plan plan, Duration think) {
        return new Pace(0, false, Optional.of(new Planned(plan, Optional.of(think))));
    }

    /** A closed loop that never ends. */
    public static Pace ofUsers(int users, Duration think) {
        return ofUsers(Plan.of(users, Duration.ZERO, FOR_EVER), think);
    }
}
