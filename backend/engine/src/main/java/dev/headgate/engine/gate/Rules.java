package dev.headgate.engine.gate;

import dev.headgate.spi.WhenExhausted;

/**
 * What the governor tells the gate, replaced whole.
 *
 * @param passage whether permits are handed out at all
 * @param whenExhausted what becomes of a request that finds no permit
 * @param exhausted true while the governor would add no permit even if one more request waited; only then do the modes
 *     fail and reject refuse, else the request waits for the connection that may be opened for it
 */
public record Rules(Passage passage, WhenExhausted whenExhausted, boolean exhausted) {

    /** Whether requests may pass. */
    public enum Passage {
        OPEN,
        /** New requests wait, their deadlines running. */
        PAUSED,
        /** New requests are refused. */
        CLOSED
    }

    public Rules with(Passage other) {
        return new Rules(other, whenExhausted, exhausted);
    }
}
