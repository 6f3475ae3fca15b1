package dev.headgate.wire;

import java.time.Duration;
import java.time.Instant;

/** Told of loops that stand still, on a thread of {@link LoopWatch}'s clock; one call at a time. */
public interface LoopListener {

    /**
     * A loop has not turned for {@link LoopWatch#PATIENCE}: none of its clients is served. Told once, until it turns again.
     *
     * @param since when it was last seen to turn
     * @param threads what every thread does ({@link ThreadDump})
     */
    void stalled(Turning loop, Instant since, String threads);

    /** A loop that was told of turns again. */
    void turnsAgain(Turning loop, Duration stood);
}
