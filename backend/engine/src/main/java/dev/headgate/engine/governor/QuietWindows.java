package dev.headgate.engine.governor;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Window;
import java.util.List;

/**
 * The windows of pools that nobody used. Those that end at the same time are alike, so one object serves all of them: they are kept for
 * seconds, and with thousands of idle domains they were most of what a garbage collection had to copy. Governor only.
 */
final class QuietWindows {

    private Window last = Windows.NOTHING_YET;

    /** A window without requests and without connections. */
    Window of(long beganNanos, long lengthNanos, int waiting, int size) {
        if (last.startNanos() != beganNanos
                || last.lengthNanos() != lengthNanos
                || last.waiting() != waiting
                || last.size() != size) {
            last = new Window(
                    beganNanos,
                    lengthNanos,
                    HdrLatency.none(),
                    HdrLatency.none(),
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    size,
                    waiting,
                    List.of());
        }
        return last;
    }
}
