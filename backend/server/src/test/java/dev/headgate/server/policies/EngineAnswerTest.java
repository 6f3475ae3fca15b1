package dev.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EngineAnswerTest {

    /** The engine has begun with it: it cannot be taken back, and ends when that is tried. */
    private static final class Begun extends CompletableFuture<String> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            complete("taken");
            return false;
        }
    }

    @Test
    void whatTheEngineDoesNotBeginWithIsTakenBack() {
        CompletableFuture<String> waiting = new CompletableFuture<>();
        assertThatThrownBy(() -> EngineAnswer.of(waiting, Duration.ZERO))
                .hasMessage("The engine did not take the policy set within 0 s; nothing was changed.");
        assertThat(waiting).isCancelled();
    }

    @Test
    void whatTheEngineHasBegunWithIsWaitedFor() {
        assertThat(EngineAnswer.of(new Begun(), Duration.ZERO)).isEqualTo("taken");
    }

    @Test
    void whatFailsSaysWhy() {
        CompletableFuture<String> failed =
                CompletableFuture.failedFuture(new IllegalStateException("the governor of main has stopped"));
        assertThatThrownBy(() -> EngineAnswer.of(failed, Duration.ofMinutes(1)))
                .hasMessage("The engine did not take the policy set: java.lang.IllegalStateException:"
                        + " the governor of main has stopped.");
    }
}
