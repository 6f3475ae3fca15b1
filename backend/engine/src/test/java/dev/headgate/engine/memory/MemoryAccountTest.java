package dev.headgate.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.memory.MemoryAccount.Line;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.engine.memory.MemoryAccount.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryAccountTest {

    private final MemoryAccount account = new MemoryAccount(
            1_000, List.of(new Portion("wire", 0.2, 0.8, 0.5, 0.25), new Portion("http", 0.1, 0.3, 0.3, 0.15)));

    @Test
    void aClientCannotUseUpItsDomainsPart() {
        List<Share> clients = new ArrayList<>();
        for (int n = 0; n < 3; n++) {
            clients.add(account.share("wire", "bank"));
        }
        assertThat(clients.get(0).tryReserve(251)).isFalse();
        assertThat(clients.get(0).tryReserve(250)).isTrue();
        assertThat(clients.get(0).tryReserve(1)).isFalse();
        assertThat(clients.get(1).tryReserve(250)).isTrue();
        assertThat(clients.get(2).tryReserve(1)).as("the domain has half").isFalse();
        assertThat(account.share("wire", "shop").tryReserve(250)).isTrue();

        assertThat(account.lines()).containsExactly(new Line("wire", 750, 750, 800, 3), new Line("http", 0, 0, 300, 0));
        assertThat(account.reserved()).isEqualTo(750);
        clients.forEach(Share::close);
        assertThat(account.lines().getFirst()).isEqualTo(new Line("wire", 250, 750, 800, 3));
    }

    @Test
    void noHolderTakesWhatIsAnothersOwn() {
        for (String domain : new String[] {"a", "b", "c", "d"}) {
            assertThat(account.share("wire", domain).tryReserve(200)).isTrue();
        }
        assertThat(account.share("wire", "e").tryReserve(1)).as("its most").isFalse();

        Share request = account.share("http", "token");
        assertThat(request.tryReserve(150)).as("100 are its own, 100 are left").isTrue();
        Share other = account.share("http", "token");
        assertThat(other.tryReserve(51)).as("the whole account").isFalse();
        assertThat(other.tryReserve(50)).isTrue();
        assertThat(account.reserved()).isEqualTo(1_000);
    }

    @Test
    void aHoldersOwnIsThereAlsoWhenAnotherHoldsMoreThanItMay() {
        account.share("wire", "a").reserve(1_200);
        Share request = account.share("http", "token");
        assertThat(request.tryReserve(100)).isTrue();
        assertThat(request.tryReserve(1)).as("there is nothing to borrow").isFalse();
    }

    @Test
    void whatDoesNotFitIntoTheWholeLeavesNothingBehind() {
        for (String domain : new String[] {"a", "b", "c", "d"}) {
            assertThat(account.share("wire", domain).tryReserve(190)).isTrue();
        }
        Share request = account.share("http", "token");
        Share late = account.share("http", "token");
        assertThat(request.tryReserve(150)).isTrue();
        assertThat(late.tryReserve(91)).isFalse();
        assertThat(late.reserved()).isZero();
        assertThat(late.tryReserve(90)).isTrue();
        late.close();
        assertThat(account.reserved()).isEqualTo(910);
        late.close();
        assertThat(account.reserved()).as("closed twice").isEqualTo(910);
        assertThat(late.tryReserve(1)).as("closed").isFalse();
        late.reserve(1);
        assertThat(account.reserved()).isEqualTo(910);
    }

    @Test
    void waitsForWhatMayComeAndNotForWhatCannot() throws InterruptedException {
        Share held = account.share("http", "token");
        Share other = account.share("http", "token");
        assertThat(held.tryReserve(150)).isTrue();
        assertThat(other.tryReserve(150)).isTrue();
        Share late = account.share("http", "token");
        assertThat(late.tryReserve(151, Duration.ofDays(1)))
                .as("more than a share has")
                .isFalse();

        AtomicLong came = new AtomicLong();
        Thread waiting = Thread.startVirtualThread(() -> came.set(late.tryReserve(150, Duration.ofDays(1)) ? 1 : -1));
        held.close();
        waiting.join();
        assertThat(came).hasValue(1);
        assertThat(account.lines().getLast().refused()).isEqualTo(1);

        Share interrupted = account.share("http", "token");
        Thread given =
                Thread.startVirtualThread(() -> came.set(interrupted.tryReserve(150, Duration.ofDays(1)) ? 1 : -1));
        given.interrupt();
        given.join();
        assertThat(came).hasValue(-1);
    }

    @Test
    void aHolderThatIsNotThereIsAFault() {
        assertThatThrownBy(() -> account.share("lab", "x")).hasMessageContaining("[wire, http]");
        assertThatThrownBy(() -> new MemoryAccount(
                        1_000, List.of(new Portion("a", 0.6, 1, 1, 1), new Portion("b", 0.6, 1, 1, 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void manyThreadsNeverExceedItAndGiveAllOfItBack(long seed) throws InterruptedException {
        AtomicLong granted = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            Random random = new Random(seed * 100 + n);
            String holder = n % 3 == 0 ? "http" : "wire";
            String party = "party-" + n % 4;
            threads.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < 200; i++) {
                    try (Share share = account.share(holder, party)) {
                        for (int j = 0; j < 10; j++) {
                            long bytes = random.nextInt(200);
                            if (share.tryReserve(bytes)) {
                                granted.incrementAndGet();
                                if (random.nextBoolean()) {
                                    share.release(bytes);
                                }
                            }
                        }
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(granted.get()).isPositive();
        assertThat(account.lines()).allSatisfy(line -> {
            assertThat(line.highest()).isPositive().isLessThanOrEqualTo(line.most());
            assertThat(line.reserved()).isZero();
        });
        // nothing stayed borrowed: all of it can be had again
        for (String domain : new String[] {"a", "b", "c", "d"}) {
            assertThat(account.share("wire", domain).tryReserve(200)).isTrue();
        }
        assertThat(account.share("http", "token").tryReserve(150)).isTrue();
        assertThat(account.share("http", "token").tryReserve(50)).isTrue();
        assertThat(account.reserved()).isEqualTo(1_000);
    }
}
