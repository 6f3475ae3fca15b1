package dev.headgate.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.supervision.Failure;
import dev.headgate.engine.supervision.Supervisor;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemTimeTest {

    /** The JDK's timer keeps what a task throws for someone who asks for its result. */
    @Test
    void aTaskThatFailsIsToldOf() throws Exception {
        CompletableFuture<Failure> told = new CompletableFuture<>();
        try (SystemTime time = new SystemTime(new Supervisor(InstantSource.system(), told::complete))) {
            Time.Timer _ = time.after(0, () -> {
                throw new StackOverflowError("deep");
            });
            Failure failure = told.get(30, TimeUnit.SECONDS);
            assertThat(failure.task()).isEqualTo("headgate-timer");
            assertThat(failure.cause()).isInstanceOf(StackOverflowError.class);
        }
    }
}
