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

    /** Waits, each with a look before it where that is worth it. Returns the number of looks. */
    private int lives(int times, long asleep, long looking) {
        int looks = 0;
        for (int i = 0; i < times; i++) {
            now += asleep;
            boolean looked = poll.isWorthIt(now);
            poll.waited(looked ? looking : asleep);
            if (looked) {
                poll.looked(false, now);
                looks++;
            }
        }
        return looks;
    }

    @Test
    void oneClientThatGetsItsAnswersSoonerFromALoopThatLooksIsLookedFor() {
        lives(30, 60 * MICRO, 25 * MICRO);
        assertThat(lives(10_000, 60 * MICRO, 25 * MICRO)).isEqualTo(10_000);
    }

    @Test
    void messagesThatComeWhenTheyPleaseAreTriedNowAndThen() {
        lives(30 + BusyPoll.TRIAL, 60 * MICRO, 55 * MICRO);
        assertThat(lives(10 * BusyPoll.NEXT_TRIAL, 60 * MICRO, 55 * MICRO))
                .isBetween(9 * BusyPoll.TRIAL, 10 * BusyPoll.TRIAL);
    }

    @Test
    void aTrialThatFailedDoesNotKeepABusyLoopFromLooking() {
        lives(30 + BusyPoll.TRIAL, 60 * MICRO, 55 * MICRO);
        assertThat(poll.isWorthIt(now)).isFalse();
        waits(30, 5 * MICRO);
        assertThat(poll.isWorthIt(now)).isTrue();
    }

    @Test
    void aLoopWhoseMessagesAreFarApartSleeps() {
        assertThat(lives(10_000, 150 * MICRO, 130 * MICRO)).isZero();
    }

    @Test
    void aFewLongWaitsEndItAndHoursAsSoonAsMilliseconds() {
        waits(30, 5 * MICRO);
        waits(6, 3_600_000_000_000L);
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
