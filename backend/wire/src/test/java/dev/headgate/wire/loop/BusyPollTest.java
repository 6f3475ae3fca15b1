package dev.headgate.wire.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BusyPollTest {

    private static final long MICRO = 1_000;

    private final BusyPoll poll = new BusyPoll();
    private long now = Long.MAX_VALUE - 5_000 * MICRO; // the clock may overflow

    private void waits(int times, long nanos) {
        for (int i = 0; i < times; i++) {
            poll.waited(nanos);
        }
    }

    private void looks(int times, boolean wanted) {
        for (int i = 0; i < times; i++) {
            now += 10 * MICRO;
            poll.looked(wanted, now);
        }
    }

    @Test
    void aLoopThatNobodyHasUsedYetSleeps() {
        assertThat(poll.isWorthIt(now)).isFalse();
    }

    @Test
    void aLoopWhoseMessagesComeWithinMicrosecondsLooks() {
        waits(30, 5 * MICRO);
        assertThat(poll.isWorthIt(now)).isTrue();
    }

    @Test
    void aLoopWhoseMessagesComeAsOftenAsOneClientSendsThemSleeps() {
        waits(1_000, 60 * MICRO);
        assertThat(poll.isWorthIt(now)).isFalse();
    }

    @Test
    void oneLongWaitEndsItAndAnHourAsSoonAsAMillisecond() {
        waits(30, 5 * MICRO);
        poll.waited(3_600_000_000_000L);
        poll.waited(3_600_000_000_000L);
        assertThat(poll.isWorthIt(now)).isFalse();
        waits(15, 5 * MICRO);
        assertThat(poll.isWorthIt(now)).as("busy again").isTrue();
    }

    @Test
    void onACoreThatOthersWantALoopSleepsAndTriesAgainLater() {
        waits(30, 5 * MICRO);
        looks(3, true);
        assertThat(poll.isWorthIt(now)).isFalse();
        assertThat(poll.isWorthIt(now + BusyPoll.PAUSE_NANOS - 1)).isFalse();
        now += BusyPoll.PAUSE_NANOS;
        assertThat(poll.isWorthIt(now)).isTrue();
        looks(1, true);
        assertThat(poll.isWorthIt(now)).as("it is still wanted").isFalse();
        now += BusyPoll.PAUSE_NANOS;
        looks(20, false);
        looks(2, true);
        assertThat(poll.isWorthIt(now)).as("it was free for long").isTrue();
    }

    @Test
    void whatRunsOnTheCoreNowAndThenChangesNothing() {
        waits(30, 5 * MICRO);
        for (int i = 0; i < 1_000; i++) {
            looks(9, false);
            looks(1, true);
            assertThat(poll.isWorthIt(now)).isTrue();
        }
    }
}
