package dev.headgate.wire;

import java.time.Duration;

/**
 * How a loop of the wire port is doing.
 *
 * @param turns since the port was opened
 * @param stalled for how long it has not turned; zero where it turns
 */
public record LoopStatus(String name, long turns, Duration stalled) {

    public boolean isStalled() {
        return stalled.isPositive();
    }
}
