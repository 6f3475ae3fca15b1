package dev.headgate.server.feed;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.spi.Window;
import java.time.Instant;

/**
 * Receives the engine's events on the feed's thread: one call at a time, in the order of events within one database. May take a
 * lock that is held for microseconds. Must not do I/O or wait. An exception is logged, and the listener loses that one call.
 */
public interface Listener {

    /** A window of one pool has ended; see {@link dev.headgate.engine.EngineListener#window}. */
    default void window(Pool pool, Instant end, Window window) {}

    /** A decision was taken or repeated; see {@link dev.headgate.engine.EngineListener#decided}. */
    default void decided(Decision decision) {}

    /** A governor's step failed; see {@link dev.headgate.engine.EngineListener#fault}. */
    default void fault(String database, Throwable fault) {}

    /**
     * The feed has handed over all there was; comes once per {@link FeedThread#PERIOD_MILLIS}.
     *
     * @param number grows by one with every turn
     */
    default void turn(long number, Instant now) {}
}
