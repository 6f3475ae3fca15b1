package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopWatchTest {

    private static final class Loop implements Turning {
        private final String name;
        private long turns;
        private boolean blocked;

        Loop(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void nudge() {
            if (!blocked) {
                turns++;
            }
        }

        @Override
        public long turns() {
            return turns;
        }

        @Override
        public Thread thread() {
            return Thread.currentThread();
        }

        void unblock() {
            blocked = false;
            turns++;
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final Loop first = new Loop("first");
    private final Loop second = new Loop("second");
    private final List<String> told = new ArrayList<>();
    private boolean fails;
    private final LoopWatch watch = new LoopWatch(
            List.of(first, second),
            time,
            new LoopListener() {
                @Override
                public void stalled(Turning loop, Instant since, String threads) {
                    told.add(loop.name() + " stalled since " + Duration.between(VirtualTime.EPOCH, since) + ", "
                            + threads);
                    if (fails) {
                        throw new IllegalStateException("of a test");
                    }
                }

                @Override
                public void turnsAgain(Turning loop, Duration stood) {
                    told.add(loop.name() + " turns after " + stood);
                }
            },
            () -> "threads");

    @Test
    void aLoopThatDoesNotTurnForASecondIsToldOfOnceAndOnceWhenItTurnsAgain() {
        time.runFor(Duration.ofSeconds(60));
        assertThat(told).as("an idle loop that is nudged turns").isEmpty();

        first.blocked = true;
        time.runFor(Duration.ofSeconds(1));
        assertThat(told).as("it turned after the last nudge").isEmpty();
        time.runFor(Duration.ofMillis(500));
        assertThat(told).containsExactly("first stalled since PT1M0.25S, threads");
        assertThat(watch.status().get(0).stalled()).isEqualTo(Duration.ofMillis(1_250));
        assertThat(watch.status().get(1).isStalled()).isFalse();

        time.runFor(Duration.ofSeconds(8));
        assertThat(told).hasSize(1);
        first.unblock();
        time.runFor(Duration.ofMillis(250));
        assertThat(told).hasSize(2).last().isEqualTo("first turns after PT9.5S");
        assertThat(watch.status().get(0).isStalled()).isFalse();
    }

    /** The service's clock runs its tasks under the supervisor, which then is told. */
    @Test
    void whatAListenerThrowsReachesTheClockAndKeepsNoLaterStallFromBeingTold() {
        fails = true;
        first.blocked = true;
        assertThatThrownBy(() -> time.runFor(Duration.ofSeconds(3))).hasMessage("of a test");
        fails = false;
        second.blocked = true;
        time.runFor(Duration.ofSeconds(3));
        assertThat(told).hasSize(2);
    }

    @Test
    void aMachineThatSleptIsNoLoopThatStandsStill() {
        first.blocked = true; // as it was asleep, it could not turn
        time.runFor(Duration.ofMillis(250));
        time.standStill(Duration.ofMinutes(5).toNanos());
        time.runFor(Duration.ofMillis(250));
        first.unblock();
        time.runFor(Duration.ofSeconds(5));
        assertThat(told).isEmpty();
    }

    @Test
    void nothingIsToldOnceItIsClosed() {
        watch.close();
        first.blocked = true;
        time.runFor(Duration.ofSeconds(5));
        assertThat(told).isEmpty();
        assertThat(time.pending()).isZero();
    }
}
