package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.supervision.Supervisor;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HousekeepingTest {

    @Test
    void aPeriodicTaskGoesOnAfterItFailedAndItsFailuresAreCounted() throws Exception {
        Supervisor supervisor = new Supervisor(InstantSource.system(), failure -> {});
        CountDownLatch wentOn = new CountDownLatch(2);
        try (Housekeeping housekeeping = new Housekeeping(supervisor)) {
            var _ = housekeeping.scheduleWithFixedDelay(
                    () -> {
                        wentOn.countDown();
                        throw new IllegalStateException("broken");
                    },
                    0,
                    1,
                    TimeUnit.MILLISECONDS);
            wentOn.await();
        }
        assertThat(supervisor.tasks()).singleElement().satisfies(task -> {
            assertThat(task.name()).isEqualTo("headgate-housekeeping");
            assertThat(task.failures()).isGreaterThanOrEqualTo(2);
        });
    }
}
