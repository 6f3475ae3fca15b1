package dev.headgate.engine.gate;

import java.util.Comparator;

/**
 * A waiter's place in the order of arrival, which distinguishes it from others that wait or have waited. Written as
 * "1c2f-7a": both numbers in hexadecimal digits.
 *
 * @param arrivedNanos of the gate's clock
 * @param distinction of those that arrived at one instant
 */
public record WaiterId(long arrivedNanos, int distinction) implements Comparable<WaiterId> {

    private static final Comparator<WaiterId> BY_ARRIVAL =
            Comparator.comparingLong(WaiterId::arrivedNanos).thenComparingInt(WaiterId::distinction);

    /** @throws IllegalArgumentException if it is no waiter's id */
    public static WaiterId of(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new IllegalArgumentException("no waiter's id");
        }
        return new WaiterId(
                Long.parseUnsignedLong(text.substring(0, dash), 16),
                Integer.parseUnsignedInt(text.substring(dash + 1), 16));
    }

    /** The id before this one in the order, which need not be anybody's. */
    public WaiterId before() {
        return distinction > Integer.MIN_VALUE
                ? new WaiterId(arrivedNanos, distinction - 1)
                : new WaiterId(arrivedNanos - 1, Integer.MAX_VALUE);
    }

    @Override
    public int compareTo(WaiterId other) {
        return BY_ARRIVAL.compare(this, other);
    }

    @Override
    public String toString() {
        return Long.toHexString(arrivedNanos) + '-' + Integer.toHexString(distinction);
    }
}
