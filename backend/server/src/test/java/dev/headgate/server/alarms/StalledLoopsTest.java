package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Words;
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
        assertThat(new StalledLoops(() -> List.of(TURNS, TURNS)).words(Samples.NOON))
                .isEmpty();
        assertThat(new StalledLoops(() -> List.of(TURNS, STALLED)).words(Samples.NOON))
                .contains(Words.been(
                        "wire port stalled",
                        "The wire port",
                        "stalled",
                        "its clients get no answer: 1 of its 2 loops has not turned for 2 s"));
    }
}
