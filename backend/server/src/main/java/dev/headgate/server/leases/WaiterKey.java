package dev.headgate.server.leases;

import java.util.Comparator;

/** The place of a waiter in the queue, as its id says it: its arrival, and what distinguishes those of one instant. */
record WaiterKey(long arrived, int distinction) implements Comparable<WaiterKey> {

    private static final Comparator<WaiterKey> BY_ARRIVAL =
            Comparator.comparingLong(WaiterKey::arrived).thenComparingInt(WaiterKey::distinction);

    /** @throws IllegalArgumentException if it is no waiter's id */
    static WaiterKey of(String id) {
        int dash = id.indexOf('-');
        if (dash < 0) {
            throw new IllegalArgumentException("no waiter's id");
        }
        return new WaiterKey(
                Long.parseUnsignedLong(id.substring(0, dash), 16),
                Integer.parseUnsignedInt(id.substring(dash + 1), 16));
    }

    @Override
    public int compareTo(WaiterKey other) {
        return BY_ARRIVAL.compare(this, other);
    }

    @Override
    public String toString() {
        return Long.toHexString(arrived) + '-' + Integer.toHexString(distinction);
    }
}
