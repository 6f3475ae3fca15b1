package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.Words;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceAlarmsTest {

    private record Switch(String code, StringBuilder text) implements Condition {
        Switch(String code) {
            this(code, new StringBuilder());
        }

        @Override
        public Finding look(Instant now) {
            return Finding.onAll(
                    text.isEmpty() ? Optional.empty() : Optional.of(Words.been(code, "it", text.toString(), "")));
        }
    }

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final Switch one = new Switch("one");
    private final Switch other = new Switch("other");
    private final ServiceAlarms alarms = new ServiceAlarms(() -> List.of(database), List.of(one, other));

    @Test
    void everyDomainAlarmsWhileAConditionHolds() {
        FakePool bank = database.add("bank");
        aSecond();
        assertThat(bank.raised).isEmpty();

        one.text.append("held");
        aSecond();
        FakePool added = database.add("added");
        aSecond();
        assertThat(bank.raised).containsOnlyKeys("one").containsEntry("one", Words.been("one", "it", "held", ""));
        assertThat(added.raised).isEqualTo(bank.raised);

        other.text.append("held too");
        one.text.setLength(0);
        aSecond();
        assertThat(bank.raised).containsOnlyKeys("other");
        assertThat(added.raised).containsOnlyKeys("other");
    }

    @Test
    void theServiceAlarmsAlsoWithoutADomain() {
        one.text.append("held");
        aSecond();
        assertThat(alarms.ofService()).singleElement().satisfies(alarm -> {
            assertThat(alarm.code()).isEqualTo("one");
            assertThat(alarm.reach()).isEqualTo(Reach.SERVICE);
            assertThat(alarm.words().sentence()).isEqualTo("it has been held");
        });
        one.text.setLength(0);
        aSecond();
        assertThat(alarms.ofService()).isEmpty();
    }

    @Test
    void anAlarmThatAnotherRaisedUnderTheCodeStaysWhereNoConditionHeld() {
        FakePool bank = database.add("bank");
        bank.raise("one", Severity.CRITICAL, Samples.words("by somebody else"));
        aSecond();
        assertThat(bank.raised).containsOnlyKeys("one");
    }

    private void aSecond() {
        for (int turn = 1; turn <= 20; turn++) {
            alarms.turn(turn, Samples.NOON);
        }
    }
}
