package dev.headgate.wire.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PasswordChecksTest {

    @Test
    void soManyRunAtOnceAndMoreAreToldSo() throws Exception {
        PasswordChecks checks = new PasswordChecks(1, Duration.ZERO);
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                first.complete(checks.passes(() -> {
                    runs.countDown();
                    return awaits(end);
                }));
            } catch (PasswordChecks.Busy e) {
                first.completeExceptionally(e);
            }
        });
        runs.await();
        assertThatThrownBy(() -> checks.passes(() -> true)).isInstanceOf(PasswordChecks.Busy.class);
        end.countDown();
        assertThat(first.get()).isTrue();
    }

    @Test
    void aCheckThatFailsGivesItsPlaceBack() throws Exception {
        PasswordChecks checks = new PasswordChecks(1, Duration.ZERO);
        BooleanSupplier fails = () -> {
            throw new IllegalStateException("for the test");
        };
        assertThatThrownBy(() -> checks.passes(fails)).isInstanceOf(IllegalStateException.class);
        assertThat(checks.passes(() -> false)).isFalse();
        assertThat(checks.passes(() -> true)).isTrue();
    }

    private static boolean awaits(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
