package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.feed.Samples;
import dev.headgate.wire.LoopStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class StalledLoopsTest {

    private static final LoopStatus TURNS = new LoopStatus("wire-loop-0", 10, Duration.ZERO);
    private static final LoopStatus STALLED = new LoopStatus("wire-loop-1", 10, Duration.ofMillis(2_500));

    @Test
    void holdsWhileALoopDoesNotTurn() {
        assertThat(new StalledLoops(() -> List.of(TURNS, TURNS)).message(Samples.NOON))
                .isEmpty();
        assertThat(new StalledLoops(() -> List.of(TURNS, STALLED)).message(Samples.NOON))
                .contains("clients of the wire port get no answer: 1 of its 2 loops has not turned for 2 s");
    }
}
