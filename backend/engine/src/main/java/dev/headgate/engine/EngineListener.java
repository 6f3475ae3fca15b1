package dev.headgate.engine;

import dev.headgate.engine.governor.Decision;
import dev.headgate.spi.Window;
import java.time.Instant;

/**
 * Told what happens in the engine, which itself logs nothing. Every method is called on a governor thread and must not
 * block or throw: hand over and return.
 */
public interface EngineListener {

    /** A listener that does not listen. */
    EngineListener NONE = new EngineListener() {};

    /**
     * A window of one pool has ended; about every 100 ms per pool.
     *
     * @param end its end on the wall clock
     */
    default void window(Pool pool, Instant end, Window window) {}

    /** A decision was taken, or one already told was repeated (same id, larger count). */
    default void decided(Decision decision) {}

    /** A governor's step failed, which is a defect of ours; the next one runs all the same. */
    default void fault(String database, Throwable fault) {}

    /** Several listeners as one. */
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
