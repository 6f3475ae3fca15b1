package dev.headgate.engine.gate;

import dev.headgate.spi.WhenExhausted;

/**
 * The governor's rules for a gate. They are replaced as a whole.
 *
 * @param passage whether permits are handed out at all
 * @param whenExhausted what happens to a request that finds no permit
 * @param exhausted true while the governor would not add a permit for one more waiter. Only then do the modes fail and
 *     reject refuse a request; else it waits for the connection that may be opened for it
 */
public record Rules(Passage passage, WhenExhausted whenExhausted, boolean exhausted) {

    /** Whether requests may pass. */
    public enum Passage {
        OPEN,
        /** New requests wait, and their deadlines keep running. */
        PAUSED,
        /** New requests are refused. */
        CLOSED
    }

    public Rules with(Passage other) {
        return new Rules(other, whenExhausted, exhausted);
    }
}
