package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.ConnectionJson;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.limits.Holders;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ConnectionHistoryTest {

    private static final long ROOM = 100_000;

    private final MemoryAccount account = new MemoryAccount(ROOM, List.of(new Portion(Holders.HISTORY, 1, 1, 1, 1)));
    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final FakePool bank = database.add("bank");
    private final ConnectionHistory history = new ConnectionHistory(
            account,
            new Binder(new MapConfigurationPropertySource(Map.of()))
                    .bindOrCreate("headgate", HeadgateProperties.class));

    @Test
    void everyConnectionHasItsFiguresWhileItIsOpen() {
        second(0, open("bank-1", 2_000_000));
        second(1, open("bank-1", 0), open("bank-2", 4_000_000));
        second(3, open("bank-2", 1_000_000));

        ConnectionHistoryJson found = history.of("bank");

        assertThat(found.time())
                .containsExactly(Samples.NOON.plusSeconds(1), Samples.NOON.plusSeconds(2), Samples.NOON.plusSeconds(4));
        assertThat(found.connections())
                .extracting(ConnectionHistoryJson.Row::id)
                .containsExactly("bank-1", "bank-2");
        assertThat(found.connections().getFirst().p99Ms()).containsExactly(2.0, 0.0, null);
        assertThat(found.connections().getFirst().busy()).containsExactly(0.2, 0.0, null);
        assertThat(found.connections().getLast().meanMs()).containsExactly(null, 4.0, 1.0);
        assertThat(found.connections().getFirst().requests()).containsExactly(100L, 0L, null);
    }

    /** It is one record of the engine's, in three shapes. */
    @Test
    void aSecondIsTheSameInTheHistoryInTheStreamAndInTheList() {
        LatencySummary second = new LatencySummary(
                1_000_000_000L, 37, 4_321_000, 900_000, 31_000_000, 3_000_000, 9_000_000, 30_500_000);
        ConnectionStatus connection = open("bank-1", second);
        second(0, connection);

        ConnectionHistoryJson.Row kept = history.of("bank").connections().getFirst();
        ConnectionColumns streamed = ConnectionColumns.of(List.of(connection));
        ConnectionJson.Second listed = ConnectionJson.of(connection).second();
        assertThat(kept.requests()).isEqualTo(streamed.secondCount()).containsExactly(listed.count());
        assertThat(kept.meanMs()).isEqualTo(streamed.secondMeanMs()).containsExactly(listed.meanMs());
        assertThat(kept.p99Ms()).isEqualTo(streamed.secondP99Ms()).containsExactly(listed.p99Ms());
        assertThat(kept.busy()).isEqualTo(streamed.secondBusy()).containsExactly(0.16);
    }

    @Test
    void fiveMinutesAreKept() {
        IntStream.range(0, 400).forEach(second -> second(second, open("bank-1", second)));

        ConnectionHistoryJson found = history.of("bank");
        assertThat(found.time()).hasSize(ConnectionHistory.SECONDS);
        assertThat(found.time().getLast()).isEqualTo(Samples.NOON.plusSeconds(400));
    }

    @Test
    void withoutRoomTheOldestGo() {
        ConnectionStatus[] many = IntStream.range(0, 100)
                .mapToObj(number -> open("bank-" + number, 1_000))
                .toArray(ConnectionStatus[]::new);
        IntStream.range(0, 200).forEach(second -> second(second, many));

        assertThat(history.of("bank").time()).hasSizeBetween(10, 100).last().isEqualTo(Samples.NOON.plusSeconds(200));
        assertThat(account.reserved()).isLessThanOrEqualTo(ROOM);
        assertThat(history.lost())
                .as("what was not stored before it went")
                .isEqualTo(200 - history.of("bank").time().size());
    }

    @Test
    void aDomainThatIsGoneIsForgottenAndOneOfItsNameBeginsAnew() {
        second(0, open("bank-1", 1_000));
        FakePool again = database.add("bank");
        again.show(List.of(open("bank-1", 2_000)));
        history.second(again, Samples.second(1));
        assertThat(history.of("bank").time()).containsExactly(Samples.NOON.plusSeconds(2));

        FakePool shop = database.add("shop");
        IntStream.range(0, 700).forEach(second -> history.second(shop, Samples.second(second)));
        assertThat(history.of("bank").time()).isEmpty();
        assertThat(history.of("bank").connections()).isEmpty();
    }

    private void second(int number, ConnectionStatus... open) {
        bank.show(Stream.of(open).toList());
        history.second(bank, Samples.second(number));
    }

    /** A connection with 100 requests of this length in its last second; none if it is 0. */
    private static ConnectionStatus open(String id, long nanos) {
        LatencySummary second = nanos == 0
                ? LatencySummary.none()
                : new LatencySummary(1_000_000_000L, 100, nanos, nanos, nanos, nanos, nanos, nanos);
        return open(id, second);
    }

    private static ConnectionStatus open(String id, LatencySummary second) {
        return new ConnectionStatus(
                id, ConnectionStatus.State.IDLE, 0, 0, 0, 0, 0, LatencySummary.none(), second, 1, Optional.empty());
    }
}
