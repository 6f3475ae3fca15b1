package dev.headgate.simulator;

import java.time.Duration;

/**
 * What an application does with one lease: some requests on the server, one after the other, with a pause of its own
 * after each but the last.
 *
 * @param requests how many, at least 1
 * @param think how long the application takes between two of them
 * @param heaviness how many times as long as the server's mean they take
 */
public record Work(int requests, Duration think, double heaviness) {

    public Work {
        if (requests < 1 || think.isNegative() || !(heaviness > 0)) {
            throw new IllegalArgumentException("at least 1 request, no negative pause, a positive heaviness");
        }
    }

    /** One ordinary request. */
    public static Work single() {
        return new Work(1, Duration.ZERO, 1);
    }

    public static Work transaction(int statements, Duration think) {
        return new Work(statements, think, 1);
    }

    public Work heavier(double factor) {
        return new Work(requests, think, heaviness * factor);
    }
}
