package dev.headgate.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryAccountTest {

    private final MemoryAccount account = new MemoryAccount(1_000);

    @Test
    void aCallerHasAQuarterOfItAndADomainHalf() {
        List<MemoryAccount.Share> callers = new ArrayList<>();
        for (int n = 0; n < 3; n++) {
            callers.add(account.share("wire/bank"));
        }
        assertThat(callers.get(0).tryReserve(251)).isFalse();
        assertThat(callers.get(0).tryReserve(250)).isTrue();
        assertThat(callers.get(0).tryReserve(1)).isFalse();
        assertThat(callers.get(1).tryReserve(250)).isTrue();
        assertThat(callers.get(2).tryReserve(1)).as("the domain has half").isFalse();
        assertThat(account.share("wire/shop").tryReserve(250)).isTrue();

        assertThat(account.lines())
                .containsExactly(
                        new MemoryAccount.Line("wire/bank", 500, 500, 3),
                        new MemoryAccount.Line("wire/shop", 250, 500, 0));
        assertThat(account.reserved()).isEqualTo(750);
        assertThat(account.refused()).isEqualTo(3);
    }

    @Test
    void whatDoesNotFitIntoTheWholeLeavesNothingBehind() {
        for (String domain : new String[] {"a", "b", "c", "d"}) {
            assertThat(account.share(domain).tryReserve(240)).isTrue();
        }
        MemoryAccount.Share late = account.share("e");
        assertThat(late.tryReserve(41)).isFalse();
        assertThat(late.reserved()).isZero();
        assertThat(late.tryReserve(40)).isTrue();
        late.close();
        assertThat(account.reserved()).isEqualTo(960);
        late.close();
        assertThat(account.reserved()).as("closed twice").isEqualTo(960);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void manyThreadsNeverExceedItAndGiveAllOfItBack(long seed) throws InterruptedException {
        AtomicLong most = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            Random random = new Random(seed * 100 + n);
            MemoryAccount.Share share = account.share("domain-" + n % 3);
            threads.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < 2_000; i++) {
                    long bytes = random.nextInt(200);
                    if (share.tryReserve(bytes)) {
                        most.accumulateAndGet(account.reserved(), Math::max);
                        share.release(bytes);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(most.get()).isPositive().isLessThanOrEqualTo(1_000);
        assertThat(account.reserved()).isZero();
    }
}
