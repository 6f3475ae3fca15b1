package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real threads: that a policy which blocks costs the others its deadline once and no more is the point. */
@Timeout(30)
class GuardedRunnerTest {

    private static PolicyCall asking(Policy policy) {
        return new PolicyCall(new PolicySet.Member("p", policy), p -> p.limits(null));
    }

    @Test
    void leavesABlockedPolicyBehindAndGoesOn() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        PolicyCall good = asking(view -> Limits.unbounded().withCeiling(1));
        PolicyCall stuck = asking(view -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return Limits.unbounded();
        });
        PolicyCall after = asking(view -> Limits.unbounded().withCeiling(2));
        try (GuardedRunner runner = new GuardedRunner("test")) {
            runner.run(List.of(good, stuck, after));
            assertThat(good.result()).isEqualTo(Limits.unbounded().withCeiling(1));
            assertThat(stuck.wasAbandoned()).isTrue();
            assertThat(after.result()).isEqualTo(Limits.unbounded().withCeiling(2));
            assertThat(after.wasAbandoned()).isFalse();
            assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** One that ends just when it is given up: either it has ended, or it is abandoned, and the next runs once. */
    @Test
    void runsEachPolicyOnceAlsoAtTheDeadline() {
        try (GuardedRunner runner = new GuardedRunner("test")) {
            for (int round = 0; round < 60; round++) {
                long slack = (round % 20 - 10) * 20_000L;
                PolicyCall late = asking(view -> {
                    LockSupport.parkNanos(GuardedRunner.DEADLINE_NANOS + slack);
                    return Limits.unbounded();
                });
                AtomicInteger ran = new AtomicInteger();
                PolicyCall next = asking(view -> {
                    ran.incrementAndGet();
                    return Limits.unbounded();
                });
                runner.run(List.of(late, next));
                assertThat(ran).hasValue(1);
                assertThat(next.wasAbandoned()).isFalse();
                assertThat(next.result()).isNotNull();
            }
        }
    }

    @Test
    void leavesAPolicyBehindThatComputesWithoutEnd() throws Exception {
        AtomicInteger stop = new AtomicInteger();
        PolicyCall spinning = asking(view -> {
            while (stop.get() == 0) {
                Thread.onSpinWait();
            }
            return Limits.unbounded();
        });
        try (GuardedRunner runner = new GuardedRunner("test")) {
            runner.run(List.of(spinning));
            assertThat(spinning.wasAbandoned()).isTrue();
        } finally {
            stop.set(1);
        }
    }

    @Test
    void keepsWhatAPolicyThrowsEvenAnError() throws Exception {
        PolicyCall failing = asking(view -> {
            throw new StackOverflowError("deep");
        });
        AtomicInteger ran = new AtomicInteger();
        PolicyCall after = asking(view -> {
            ran.incrementAndGet();
            return Limits.unbounded();
        });
        try (GuardedRunner runner = new GuardedRunner("test")) {
            runner.run(List.of(failing, after));
        }
        assertThat(failing.failure()).contains("StackOverflowError");
        assertThat(ran).hasValue(1);
    }

    @Test
    void forgetsWhatAPolicyLeftOnItsThread() {
        ThreadLocal<String> left = new ThreadLocal<>();
        PolicyCall leaving = asking(view -> {
            left.set("something of the plugin's");
            return Limits.unbounded();
        });
        PolicyCall looking = asking(view -> Limits.unbounded().withCeiling(left.get() == null ? 1 : 2));
        try (GuardedRunner runner = new GuardedRunner("test")) {
            runner.run(List.of(leaving));
            runner.run(List.of(looking));
            assertThat(looking.result())
                    .as("still there")
                    .isEqualTo(Limits.unbounded().withCeiling(2));

            runner.forget();
            runner.run(List.of(looking));
            assertThat(looking.result()).isEqualTo(Limits.unbounded().withCeiling(1));
        }
    }
}
