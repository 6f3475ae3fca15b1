package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureAlarmTest {

    private Instant now = Samples.NOON;
    private final Supervisor supervisor = new Supervisor(() -> now, failure -> {});
    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final FailureAlarm alarm = new FailureAlarm(() -> List.of(database), supervisor::tasks);

    @Test
    void everyDomainAlarmsForAMinuteAfterAThreadHasFailed() {
        FakePool bank = database.add("bank");
        assertThat(supervisor.run("headgate-decisions", () -> {})).isTrue();
        aSecond();
        assertThat(bank.raised).isEmpty();

        supervisor.failed("headgate-feed", new StackOverflowError("deep"));
        supervisor.failed("headgate-feed", new IllegalStateException("broken"));
        aSecond();
        FakePool added = database.add("added");
        aSecond();
        assertThat(bank.raised)
                .containsEntry(
                        "thread-failed",
                        "headgate-feed of Headgate failed and goes on, 2 times since the start; "
                                + "last on java.lang.IllegalStateException: broken")
                .isEqualTo(added.raised);

        now = now.plus(Supervisor.QUIET).plus(Duration.ofSeconds(1));
        aSecond();
        assertThat(bank.raised).isEmpty();
        assertThat(added.raised).isEmpty();
    }

    private void aSecond() {
        for (int turn = 1; turn <= 20; turn++) {
            alarm.turn(turn, now);
        }
    }
}
