package dev.headgate.wire;

import java.time.Duration;

/**
 * The state of a loop of the wire port.
 *
 * @param turns since the port was opened
 * @param stalled for how long it has not turned; zero if it turns
 */
public record LoopStatus(String name, long turns, Duration stalled) {

    public boolean isStalled() {
        return stalled.isPositive();
    }
}
