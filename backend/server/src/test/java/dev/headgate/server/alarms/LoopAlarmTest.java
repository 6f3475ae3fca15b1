package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.wire.LoopStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopAlarmTest {

    private static final LoopStatus TURNS = new LoopStatus("wire-loop-0", 10, Duration.ZERO);
    private static final LoopStatus STALLED = new LoopStatus("wire-loop-1", 10, Duration.ofMillis(2_500));

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private List<LoopStatus> loops = List.of(TURNS, TURNS);
    private final LoopAlarm alarm = new LoopAlarm(() -> List.of(database), () -> loops);

    @Test
    void everyDomainAlarmsWhileALoopStandsStill() {
        FakePool bank = database.add("bank");
        aSecond();
        assertThat(bank.raised).isEmpty();

        loops = List.of(TURNS, STALLED);
        aSecond();
        FakePool added = database.add("added");
        aSecond();
        assertThat(bank.raised)
                .containsEntry(
                        "wire-stalled",
                        "clients of the wire port get no answer: 1 of its 2 loops has not turned for 2 s")
                .isEqualTo(added.raised);

        loops = List.of(TURNS, TURNS);
        aSecond();
        assertThat(bank.raised).isEmpty();
        assertThat(added.raised).isEmpty();
    }

    private void aSecond() {
        for (int turn = 1; turn <= 20; turn++) {
            alarm.turn(turn, Samples.NOON);
        }
    }
}
