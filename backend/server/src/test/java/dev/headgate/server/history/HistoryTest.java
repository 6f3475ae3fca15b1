package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.limits.Holders;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private static final long MOST = 256 << 10;

    private final MemoryAccount account =
            new MemoryAccount(4 * MOST, List.of(new Portion(Holders.HISTORY, 0.1, 0.25, 0.25, 0.25)));
    private final FakeDatabase database = new FakeDatabase("main", 40);

    @Test
    void manyBusyDomainsStayWithinTheirShareAndKeepAboutAsMuchEach() {
        Instant[] now = {Samples.NOON};
        History history = new History(
                Clock.fixed(Samples.NOON.plusSeconds(1_800), ZoneOffset.UTC), account, List.of(), List.of());
        List<FakePool> pools = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            pools.add(database.add("domain-" + n));
        }
        FakePool quiet = database.add("quiet");
        for (int second = 0; second < 1_800; second++) {
            now[0] = Samples.NOON.plusSeconds(second).plusMillis(500);
            for (FakePool pool : pools) {
                history.window(pool, now[0], Samples.busy(0, second % 3, second % 7, 1_000_000 + 1_000L * second));
            }
            history.window(quiet, now[0], Samples.window(1_000_000));
            history.turn(second, now[0]);
            assertThat(account.reserved()).isLessThanOrEqualTo(MOST);
        }
        history.turn(1_800, Samples.NOON.plusSeconds(1_800));

        List<Integer> lengths = new ArrayList<>();
        for (FakePool pool : pools) {
            HistoryJson seen = history.of(pool.domain(), Duration.ofHours(1)).orElseThrow();
            assertThat(seen.time().getLast()).isEqualTo(Samples.NOON.plusSeconds(1_800));
            assertThat(seen.columns().inUse()).doesNotContainNull();
            lengths.add(seen.time().size());
        }
        assertThat(lengths)
                .as("of 1800 s")
                .allSatisfy(length -> assertThat(length).isBetween(Rows.BLOCK, 1_799));
        assertThat(account.lines().getFirst().refused()).isPositive();
        assertThat(history.of("quiet", Duration.ofHours(1)).orElseThrow().time())
                .as("who needs little loses nothing to those who need much")
                .hasSize(1_800);

        history.turn(1_801, now[0].plus(History.LENGTH).plusSeconds(1));
        assertThat(account.reserved()).as("all domains are forgotten").isZero();
    }

    /** Two domains may have one name, one after the other. */
    @Test
    void aDomainThatIsCreatedAgainDoesNotShowTheFiguresOfTheFormer() {
        List<Period> kept = new ArrayList<>();
        History history = new History(
                Clock.fixed(Samples.NOON.plusSeconds(10), ZoneOffset.UTC),
                account,
                List.of(),
                List.of((pool, second) -> kept.add(second)));
        history.window(database.add("bank"), Samples.NOON.plusMillis(100), Samples.window(1_000_000));
        history.turn(1, Samples.NOON.plusSeconds(1));
        FakePool again = database.add("bank");
        history.window(again, Samples.NOON.plusSeconds(5), Samples.window(2_000_000));
        history.turn(2, Samples.NOON.plusSeconds(6));

        assertThat(history.of("bank", Duration.ofHours(1)).orElseThrow().time())
                .containsExactly(Samples.NOON.plusSeconds(6));
        assertThat(kept)
                .extracting(Period::start)
                .containsExactly(Samples.NOON.getEpochSecond(), Samples.NOON.getEpochSecond() + 5);
    }
}
