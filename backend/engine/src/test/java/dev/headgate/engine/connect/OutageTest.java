package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Await;
import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutageTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final Outage outage = new Outage(time);
    private int living;

    /** A pool that fails for ever: it waits, fails, and waits again. */
    private final class Pool {
        private final AtomicInteger attempts = new AtomicInteger();
        private final Thread thread;

        Pool(Outage.Kind kind) throws Exception {
            thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (true) {
                        outage.awaitNextAttempt(this, kind, () -> false);
                        attempts.incrementAndGet();
                    }
                } catch (InterruptedException e) {
                    // the test ends it
                }
            });
            living++;
            settle();
        }

        int attempts() {
            return attempts.get();
        }

        void end() throws Exception {
            thread.interrupt();
            thread.join();
            living--;
            settle();
        }
    }

    /** Waits until every pool waits. */
    private void settle() throws Exception {
        Await.until("all wait", SOON, () -> outage.waiting() == living);
    }

    /** Lets time pass in steps; nothing else may use the clock while it moves. */
    private void pass(Duration stretch, Duration step) throws Exception {
        for (long steps = stretch.dividedBy(step); steps > 0; steps--) {
            time.runFor(step);
            settle();
        }
    }

    @Test
    void theScoutTriesAgainAfterAFiftiethOfTheOutage() throws Exception {
        Pool scout = new Pool(Outage.Kind.UNREACHABLE);
        pass(Duration.ofMillis(500), Duration.ofMillis(10));
        assertThat(scout.attempts()).as("10 ms each").isEqualTo(50);

        pass(Duration.ofSeconds(60), Duration.ofMillis(250));
        int before = scout.attempts();
        pass(Duration.ofSeconds(1), Duration.ofMillis(10));
        assertThat(scout.attempts() - before).as("250 ms each after a minute").isEqualTo(4);
        scout.end();
    }

    @Test
    void theOthersWaitForTheScoutAndTryAtOnceWhenItIsThrough() throws Exception {
        Pool scout = new Pool(Outage.Kind.UNREACHABLE);
        Pool other = new Pool(Outage.Kind.UNREACHABLE);
        Pool third = new Pool(Outage.Kind.UNREACHABLE);
        pass(Duration.ofSeconds(2), Duration.ofMillis(10));
        assertThat(scout.attempts()).isGreaterThan(50);
        assertThat(other.attempts()).isZero();
        assertThat(third.attempts()).isZero();

        outage.end();
        settle();
        assertThat(other.attempts()).isEqualTo(1);
        assertThat(third.attempts()).isEqualTo(1);
        scout.end();
        other.end();
        third.end();
    }

    @Test
    void anotherPoolTakesOverFromAScoutThatIsClosed() throws Exception {
        Pool scout = new Pool(Outage.Kind.UNREACHABLE);
        Pool other = new Pool(Outage.Kind.UNREACHABLE);
        scout.end();
        assertThat(other.attempts()).isEqualTo(1);
        pass(Duration.ofMillis(50), Duration.ofMillis(10));
        assertThat(other.attempts()).isEqualTo(6);
        other.end();
    }

    @Test
    void everyPoolTriesByItselfAfterFiveSeconds() throws Exception {
        Pool scout = new Pool(Outage.Kind.UNREACHABLE);
        Pool other = new Pool(Outage.Kind.UNREACHABLE);
        time.runFor(Duration.ofMillis(4_990));
        settle();
        assertThat(other.attempts()).isZero();
        time.runFor(Duration.ofMillis(10));
        settle();
        assertThat(other.attempts()).isEqualTo(1);
        scout.end();
        other.end();
    }

    @Test
    void aServerThatRefusesIsAskedRarely() throws Exception {
        Pool refused = new Pool(Outage.Kind.of("28P01"));
        pass(Duration.ofMinutes(1), Duration.ofMillis(10)); // no longer than the shortest pause: one attempt in a step
        assertThat(refused.attempts()).as("within a minute").isBetween(25, 29); // growing by half up to 5 s
        refused.end();
    }

    @Test
    void whatTheServerSaysTellsWhetherItWillBeBackByItself() {
        assertThat(Outage.Kind.of(null)).isEqualTo(Outage.Kind.UNREACHABLE);
        assertThat(Outage.Kind.of("08001")).isEqualTo(Outage.Kind.UNREACHABLE);
        assertThat(Outage.Kind.of("57P03")).isEqualTo(Outage.Kind.UNREACHABLE);
        assertThat(Outage.Kind.of("28P01")).isEqualTo(Outage.Kind.REFUSED);
        assertThat(Outage.Kind.of("3D000")).isEqualTo(Outage.Kind.REFUSED);
        assertThat(Outage.Kind.of("53300")).isEqualTo(Outage.Kind.REFUSED);
    }
}
