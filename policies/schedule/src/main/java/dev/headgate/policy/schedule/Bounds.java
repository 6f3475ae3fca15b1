package dev.headgate.policy.schedule;

/** Connections kept when idle, and connections at most. */
record Bounds(int min, int max) {

    @Override
    public String toString() {
        return min == 0 ? "at most %d %s".formatted(max, connections(max)) : "%d to %d connections".formatted(min, max);
    }

    private static String connections(int count) {
        return count == 1 ? "connection" : "connections";
    }
}
