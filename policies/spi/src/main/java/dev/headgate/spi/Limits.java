package dev.headgate.spi;

import java.util.Comparator;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A policy's answer. The limits of several policies combine with {@link #and}, which is associative, commutative and
 * idempotent: the order of policies never changes the outcome, and in each part the most restrictive answer wins. (They
 * form a meet-semilattice with {@link #unbounded()} as its top.)
 *
 * @param floor connections kept open even when idle; the larger wins, and the ceiling caps the result (see
 *     {@link #effectiveFloor()})
 * @param ceiling connections the pool may hold at most; the smaller wins
 * @param guaranteed connections owed to this pool on demand by a shared database, lent to others while idle; the smaller
 *     wins, {@link #UNSPECIFIED} where the policy does not say
 * @param weight the pool's share in what is left after floors and guarantees; the smaller wins, positive infinity where
 *     the policy does not say
 * @param rate leases per second; the smaller wins, positive infinity where unbounded
 * @param burst leases that may be given at once before {@code rate} paces them; the smaller wins, {@link #UNSPECIFIED} where the
 *     policy does not say (a tenth of a second's worth, then). Without a rate it means nothing
 * @param idleTimeoutNanos a connection above the floor that was not needed for so long is closed; the shorter wins
 * @param tier the domain's standing, shown to its siblings; the lower wins
 * @param whenExhausted what becomes of requests that find nothing free
 * @param alarms what a person should look at; the union, of which the first {@value #MOST_ALARMS} are kept
 * @param reason why the ceiling is what it is, in words an operator understands, with figures; the reason of the
 *     binding (smaller) ceiling travels with it. Empty where the policy has nothing to say; one of more
 *     than {@value #LONGEST_REASON} characters is cut
 */
public record Limits(
        int floor,
        int ceiling,
        int guaranteed,
        double weight,
        double rate,
        int burst,
        long idleTimeoutNanos,
        Tier tier,
        WhenExhausted whenExhausted,
        SortedSet<Alarm> alarms,
        String reason) {

    /** The value of {@code ceiling}, {@code guaranteed} and {@code burst} where a policy does not say. */
    public static final int UNSPECIFIED = Integer.MAX_VALUE;

    public static final int MOST_ALARMS = 20;
    public static final int LONGEST_REASON = 1_000;

    private static final SortedSet<Alarm> NO_ALARMS = java.util.Collections.unmodifiableSortedSet(new TreeSet<>());

    private static final Limits UNBOUNDED = new Limits(
            0,
            UNSPECIFIED,
            UNSPECIFIED,
            Double.POSITIVE_INFINITY,
            Double.POSITIVE_INFINITY,
            UNSPECIFIED,
            Long.MAX_VALUE,
            Tier.NONE,
            WhenExhausted.unbounded(),
            NO_ALARMS,
            "");

    /** An empty reason says nothing, so any other stands before it; among others the order is only there to be total. */
    private static final Comparator<String> REASONS =
            Comparator.comparing(String::isEmpty).thenComparing(Comparator.naturalOrder());

    public Limits {
        require(floor >= 0, "floor", "must not be negative", floor);
        require(ceiling >= 0, "ceiling", "must not be negative", ceiling);
        require(guaranteed >= 0, "guaranteed", "must not be negative", guaranteed);
        require(weight > 0, "weight", "must be positive", weight);
        require(rate > 0, "rate", "must be positive", rate);
        require(burst >= 1, "burst", "must be at least 1", burst);
        require(idleTimeoutNanos >= 0, "idleTimeoutNanos", "must not be negative", idleTimeoutNanos);
        alarms = first(alarms);
        java.util.Objects.requireNonNull(tier, "tier");
        java.util.Objects.requireNonNull(whenExhausted, "whenExhausted");
        java.util.Objects.requireNonNull(reason, "reason");
        reason = Texts.cut(reason, LONGEST_REASON);
    }

    private static SortedSet<Alarm> first(SortedSet<Alarm> alarms) {
        if (alarms.isEmpty()) {
            return NO_ALARMS;
        }
        TreeSet<Alarm> kept = new TreeSet<>();
        alarms.stream().sorted().limit(MOST_ALARMS).forEach(kept::add);
        return java.util.Collections.unmodifiableSortedSet(kept);
    }

    /** Limits that leave the burst unspecified: the parts that there were before it. */
    public Limits(
            int floor,
            int ceiling,
            int guaranteed,
            double weight,
            double rate,
            long idleTimeoutNanos,
            Tier tier,
            WhenExhausted whenExhausted,
            SortedSet<Alarm> alarms,
            String reason) {
        this(
                floor,
                ceiling,
                guaranteed,
                weight,
                rate,
                UNSPECIFIED,
                idleTimeoutNanos,
                tier,
                whenExhausted,
                alarms,
                reason);
    }

    /** The neutral element of {@link #and}: restricts nothing. */
    public static Limits unbounded() {
        return UNBOUNDED;
    }

    /** Both answers at once: the most restrictive of each part. */
    public Limits and(Limits other) {
        return new Limits(
                Math.max(floor, other.floor),
                Math.min(ceiling, other.ceiling),
                Math.min(guaranteed, other.guaranteed),
                Math.min(weight, other.weight),
                Math.min(rate, other.rate),
                Math.min(burst, other.burst),
                Math.min(idleTimeoutNanos, other.idleTimeoutNanos),
                tier.compareTo(other.tier) <= 0 ? tier : other.tier,
                whenExhausted.and(other.whenExhausted),
                union(alarms, other.alarms),
                binding(other));
    }

    private static SortedSet<Alarm> union(SortedSet<Alarm> some, SortedSet<Alarm> others) {
        if (some.isEmpty() || others.isEmpty()) {
            return some.isEmpty() ? others : some; // as nearly always: most policies raise none
        }
        SortedSet<Alarm> all = new TreeSet<>(some);
        all.addAll(others);
        return all;
    }

    private String binding(Limits other) {
        if (ceiling != other.ceiling) {
            return ceiling < other.ceiling ? reason : other.reason;
        }
        return REASONS.compare(reason, other.reason) <= 0 ? reason : other.reason;
    }

    /** The floor as far as the ceiling allows it. */
    public int effectiveFloor() {
        return Math.min(floor, ceiling);
    }

    public Limits withFloor(int value) {
        return new Limits(
                value, ceiling, guaranteed, weight, rate, burst, idleTimeoutNanos, tier, whenExhausted, alarms, reason);
    }

    public Limits withCeiling(int value) {
        return new Limits(
                floor, value, guaranteed, weight, rate, burst, idleTimeoutNanos, tier, whenExhausted, alarms, reason);
    }

    public Limits withGuaranteed(int value) {
        return new Limits(
                floor, ceiling, value, weight, rate, burst, idleTimeoutNanos, tier, whenExhausted, alarms, reason);
    }

    public Limits withWeight(double value) {
        return new Limits(
                floor, ceiling, guaranteed, value, rate, burst, idleTimeoutNanos, tier, whenExhausted, alarms, reason);
    }

    public Limits withRate(double leasesPerSecond) {
        return new Limits(
                floor,
                ceiling,
                guaranteed,
                weight,
                leasesPerSecond,
                burst,
                idleTimeoutNanos,
                tier,
                whenExhausted,
                alarms,
                reason);
    }

    /** So many leases at once before the rate paces them, at least 1. */
    public Limits withBurst(int leases) {
        return new Limits(
                floor,
                ceiling,
                guaranteed,
                weight,
                rate,
                leases,
                idleTimeoutNanos,
                tier,
                whenExhausted,
                alarms,
                reason);
    }

    public Limits withIdleTimeoutNanos(long value) {
        return new Limits(floor, ceiling, guaranteed, weight, rate, burst, value, tier, whenExhausted, alarms, reason);
    }

    public Limits withTier(Tier value) {
        return new Limits(
                floor,
                ceiling,
                guaranteed,
                weight,
                rate,
                burst,
                idleTimeoutNanos,
                value,
                whenExhausted,
                alarms,
                reason);
    }

    public Limits withWhenExhausted(WhenExhausted value) {
        return new Limits(
                floor, ceiling, guaranteed, weight, rate, burst, idleTimeoutNanos, tier, value, alarms, reason);
    }

    public Limits withAlarm(Alarm alarm) {
        SortedSet<Alarm> more = new TreeSet<>(alarms);
        more.add(alarm);
        return new Limits(
                floor, ceiling, guaranteed, weight, rate, burst, idleTimeoutNanos, tier, whenExhausted, more, reason);
    }

    public Limits withoutAlarms() {
        return new Limits(
                floor,
                ceiling,
                guaranteed,
                weight,
                rate,
                burst,
                idleTimeoutNanos,
                tier,
                whenExhausted,
                new TreeSet<>(Set.of()),
                reason);
    }

    public Limits because(String why) {
        return new Limits(
                floor, ceiling, guaranteed, weight, rate, burst, idleTimeoutNanos, tier, whenExhausted, alarms, why);
    }

    private static void require(boolean holds, String part, String rule, Object value) {
        if (!holds) {
            throw new IllegalArgumentException(part + " " + rule + ", was " + value);
        }
    }
}
