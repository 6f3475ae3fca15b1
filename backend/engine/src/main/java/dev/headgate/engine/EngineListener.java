package dev.headgate.engine;

import dev.headgate.engine.governor.Decision;
import dev.headgate.spi.Window;
import java.time.Instant;

/**
 * Receives the engine's events; the engine itself logs nothing. Every method is called on a governor thread and must not
 * block or throw: hand the event over and return.
 */
public interface EngineListener {

    /** A listener that ignores every event. */
    EngineListener NONE = new EngineListener() {};

    /**
     * A window of one pool has ended; about every 100 ms per pool.
     *
     * @param end its end on the wall clock
     */
    default void window(Pool pool, Instant end, Window window) {}

    /** A decision was taken, or an earlier one was repeated (same id, larger count). */
    default void decided(Decision decision) {}

    /** A governor's step failed, which is a defect in Headgate. The next step runs anyway. */
    default void fault(String database, Throwable fault) {}

    /** Combines several listeners into one. */
    static EngineListener all(EngineListener... listeners) {
        return new EngineListener() {
            @Override
            public void window(Pool pool, Instant end, Window window) {
                for (EngineListener listener : listeners) {
                    listener.window(pool, end, window);
                }
            }

            @Override
            public void decided(Decision decision) {
                for (EngineListener listener : listeners) {
                    listener.decided(decision);
                }
            }

            @Override
            public void fault(String database, Throwable fault) {
                for (EngineListener listener : listeners) {
                    listener.fault(database, fault);
                }
            }
        };
    }
}
