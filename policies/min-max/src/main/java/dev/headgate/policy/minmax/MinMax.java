package dev.headgate.policy.minmax;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import java.util.Locale;

/**
 * The pool properties of JDBC 3.0 as a policy: {@code initialPoolSize}, {@code minPoolSize}, {@code maxPoolSize} and
 * {@code maxIdleTime} (JDBC 3.0 Specification, chapter 11; taken up for policy-driven pools in Jordan,
 * TR-2006-151).
 *
 * <p>A policy cannot open connections, it can only say how many are to be kept. So {@code initial} is the floor from the
 * start until the pool holds so many for the first time; from then on {@code min} is, and what is above it closes as its
 * idle timeout runs out. Where the pool never gets so far, because another policy's ceiling or the budget stands before
 * it, {@code initial} simply goes on being asked for, and costs nothing: every floor is cut at the ceiling.
 */
final class MinMax implements Policy {

    private final int initial;
    private final int max;
    private final Limits starting;
    private final Limits settled;
    private boolean filled;

    MinMax(int initial, int min, int max, long idleTimeoutNanos) {
        this.initial = initial;
        this.max = max;
        this.settled = Limits.unbounded()
                .withFloor(min)
                .withCeiling(max)
                .withIdleTimeoutNanos(idleTimeoutNanos)
                .because(reason(min == 0 ? "none kept when idle" : min + " kept when idle (min)", idleTimeoutNanos));
        this.starting = initial == min
                ? settled
                : settled.withFloor(initial)
                        .because(reason(initial + " kept from the start (initial)", idleTimeoutNanos));
    }

    @Override
    public Limits limits(PoolView pool) {
        filled |= pool.size() >= initial;
        return filled ? settled : starting;
    }

    private String reason(String least, long idleTimeoutNanos) {
        String most = "At most %d %s (max)".formatted(max, max == 1 ? "connection" : "connections");
        return idleTimeoutNanos == Long.MAX_VALUE
                ? most + ", and none closed for being idle."
                : String.format(
                        Locale.ROOT, "%s, %s, the others closed after %s s.", most, least, seconds(idleTimeoutNanos));
    }

    private static String seconds(long nanos) {
        double seconds = nanos / 1e9;
        return seconds == Math.rint(seconds)
                ? Long.toString((long) seconds)
                : String.format(Locale.ROOT, "%.3f", seconds);
    }
}
