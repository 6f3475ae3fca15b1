package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Words;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.feed.Samples;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailedThreadsTest {

    private static final Instant NOW = Samples.NOON;

    private final Supervisor supervisor = new Supervisor(() -> NOW, failure -> {});
    private final FailedThreads condition = new FailedThreads(supervisor);

    @Test
    void holdsForAMinuteAfterAFailure() {
        assertThat(supervisor.run("headgate-decisions", () -> {})).isTrue();
        assertThat(condition.words(NOW)).isEmpty();

        supervisor.failed("headgate-feed", new StackOverflowError("deep"));
        supervisor.failed("headgate-feed", new IllegalStateException("broken"));
        assertThat(condition.words(NOW))
                .contains(Words.been(
                        "part failed",
                        "A part of Headgate",
                        "failing",
                        "headgate-feed failed and goes on, 2 times since the start; "
                                + "last on java.lang.IllegalStateException: broken"));
        assertThat(condition.words(NOW.plus(Supervisor.QUIET).plusSeconds(1))).isEmpty();
    }
}
