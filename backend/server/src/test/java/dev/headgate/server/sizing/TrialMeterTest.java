package dev.headgate.server.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.MergedWindow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TrialMeterTest {

    /** The governor was woken by those who waited, and saw 4 connections in use; at even intervals 2 were. */
    @Test
    void howLongALeaseIsHeldFollowsFromWhatIsInUseAtEvenIntervals() {
        MergedWindow window = new MergedWindow(
                TimeUnit.SECONDS.toNanos(1), HdrLatency.none(), HdrLatency.none(), 100, 100, 0, 0, 4, 0, 4);
        assertThat(new TrialMeter.Sums(window).trial(4, 2, "").responseMs()).isCloseTo(20, within(0.001));
    }
}
