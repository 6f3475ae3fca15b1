package dev.headgate.wire;

import java.time.Duration;
import java.time.Instant;

/** Receives reports of stalled loops, on a thread of {@link LoopWatch}'s clock, one call at a time. */
public interface LoopListener {

    /**
     * A loop has not turned for {@link LoopWatch#PATIENCE}: its clients are not served. Reported once until it turns again.
     *
     * @param since when it was last seen turning
     * @param threads the state of every platform thread ({@link ThreadDump#ofPlatformThreads})
     */
    void stalled(Turning loop, Instant since, String threads);

    /** A stalled loop turns again. */
    void turnsAgain(Turning loop, Duration stood);
}
