package dev.headgate.simulator;

import java.time.Duration;

/**
 * A closed loop: so many callers, each of whom asks for a lease, does its work, pauses, and asks again. Threads of a batch, or
 * a benchmark's clients. A caller that is refused pauses for at least {@value #SHORTEST_PAUSE_MILLIS} ms.
 *
 * @param count how many, at least 1
 * @param think how long each pauses on average; pauses vary exponentially
 */
public record Callers(int count, Duration think, Work work) {

    static final int SHORTEST_PAUSE_MILLIS = 10;

    public Callers {
        if (count < 1 || think.isNegative()) {
            throw new IllegalArgumentException("at least 1 caller, no negative pause");
        }
    }

    /** Callers that do not pause, with one ordinary request per lease. */
    public static Callers of(int count) {
        return new Callers(count, Duration.ZERO, Work.single());
    }
}
