package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.store.StoreServer;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** On a real PostgreSQL, with the schema as it ships. */
class ConnectionArchiveTest {

    /** The begin of an hour. */
    private static final long NOON = Resolution.MINUTES.chunkStart(Samples.NOON.getEpochSecond());

    private static StoreServer server;
    private static JdbcTemplate jdbc;

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private FakePool bank = database.add("bank");
    private long now = NOON;
    private boolean away;
    private ConnectionHistory history = history(Map.of());
    private ConnectionArchive archive = archive(Map.of());

    @BeforeAll
    static void start() {
        server = StoreServer.start();
        jdbc = server.jdbc();
        jdbc.update("""
                insert into target (name, host, port, database, "user", password, ssl_mode, budget)
                values ('main', 'localhost', 5432, 'db', 'u', '', 'disable', 40)
                """);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        jdbc.execute("truncate history_series, history_chunk, history_open, history_kept, history_connections");
        jdbc.update("delete from domain");
        jdbc.update(
                "insert into domain (name, target, description, created_at) values ('bank', 'main', '', clock_timestamp())");
    }

    /** Whatever is stored or rolled up already, every measured second is in exactly one column. */
    @Test
    void everySecondIsReadOnceAtEveryStep() {
        for (int second = 0; second < 4_000; second++) {
            tell(second, 1_000_000);
            if (second % 7 == 0) {
                archive.turn();
            }
            if (second % 613 == 612 || second == 3_999) {
                for (int step : List.of(10, 60)) {
                    assertThat(busySeconds(ranges().reading("bank", NOON, NOON + 86_400, step)))
                            .as(second + " in steps of " + step)
                            .isEqualTo(second + 1);
                }
            }
        }
        assertThat(resolutions()).containsExactly(1, 10, 60);
        assertThat(read(NOON + 3_000, NOON + 3_300, 1).time()).hasSize(300);
        assertThat(history.lost()).isZero();
    }

    @Test
    void whatWasWrittenIsThereAfterARestartAndTheTimeBetweenIsNot() {
        for (int second = 0; second < 100; second++) {
            tell(second, 2_000_000);
        }
        stopAndStart();
        for (int second = 110; second < 130; second++) {
            tell(second, 4_000_000);
        }

        ConnectionHistoryJson found = read(NOON, NOON + 130, 1);
        assertThat(found.time()).hasSize(120).doesNotHaveDuplicates();
        assertThat(found.time())
                .contains(Instant.ofEpochSecond(NOON + 100))
                .doesNotContain(Instant.ofEpochSecond(NOON + 105));
        assertThat(found.connections().getFirst().p99Ms()).startsWith(2.0).endsWith(4.0);

        now = NOON + 700;
        archive.turn();
        assertThat(resolutions()).containsExactly(1, 10);
        assertThat(busySeconds(ranges().reading("bank", NOON, NOON + 600, 10))).isEqualTo(120);
    }

    @Test
    void whileTheStoreIsAwaySecondsWaitInMemoryAndWhatLeavesItIsCounted() {
        away = true;
        for (int second = 0; second < 400; second++) {
            tell(second, 1_000_000);
            archive.turn();
        }
        assertThat(history.lost()).isEqualTo(100);
        assertThat(read(NOON + 100, NOON + 400, 1).time()).hasSize(300);

        away = false;
        archive.turn();
        assertThat(busySeconds(ranges().reading("bank", NOON, NOON + 400, 1))).isEqualTo(300);
        assertThat(oldest(1)).isEqualTo(NOON + 100);
    }

    @Test
    void eachResolutionIsKeptForItsTime() {
        for (int second = 0; second < 7_200; second += 5) {
            tell(second, 1_000_000);
            archive.turn();
        }
        now = NOON + 7_260;
        archive.turn();

        retention(Map.of()).prune(Instant.ofEpochSecond(now));
        assertThat(oldest(1)).isEqualTo(NOON + 3_600);
        assertThat(oldest(10)).isEqualTo(NOON);

        retention(Map.of()).prune(Instant.ofEpochSecond(NOON + 7 * 3_600));
        assertThat(resolutions()).containsExactly(10, 60);
        assertThat(oldest(10)).isEqualTo(NOON + 3_600);
        ConnectionHistoryJson whole = read(NOON, NOON + 7_200, 10);
        assertThat(whole.stepMs()).as("as fine as the begin is kept").isEqualTo(60_000);
        assertThat(whole.time()).hasSize(120);
        assertThat(read(NOON + 3_600, NOON + 7_200, 10).stepMs()).isEqualTo(10_000);

        retention(Map.of("headgate.history.connections", "25h")).prune(Instant.ofEpochSecond(NOON + 25 * 3_600));
        assertThat(oldest(60)).isEqualTo(NOON);
        retention(Map.of()).prune(Instant.ofEpochSecond(NOON + 26 * 3_600));
        assertThat(resolutions()).isEmpty();
    }

    /** Rolling up does not hide that the seconds reach as far back as anything does. */
    @Test
    void aRangeFromBeforeADomainWasCreatedIsAsFineAsOneFromItsFirstSecond() {
        for (int second = 325; second < 4_000; second++) {
            tell(second, 1_000_000);
            archive.turn();
            if (second % 300 == 299) {
                assertThat(read(NOON - 200, NOON + 1_000, 1).stepMs())
                        .as("at " + second)
                        .isEqualTo(1_000);
            }
        }
        assertThat(resolutions()).containsExactly(1, 10, 60);
        assertThat(read(NOON - 200, NOON + 1_000, 1).time()).hasSize(675);
    }

    /** The limit counts both histories, and takes from the connections first. */
    @Test
    void whereTheDiskIsFullTheConnectionsGoFirst() {
        for (int second = 0; second < 7_200; second += 5) {
            tell(second, 1_000_000);
            archive.turn();
        }
        jdbc.update("""
                insert into history_chunk (series, resolution, start, bytes, body)
                select id, 1, to_timestamp(?), 5000, '' from history_series
                """, NOON);
        long all = bytes(0);
        long ofSeconds = bytes(1);
        long limit = 5_000 + all - ofSeconds / 3;
        Retention one = retention(Map.of("headgate.history.most", limit + "B"));

        one.prune(Instant.ofEpochSecond(NOON + 4_200));
        assertThat(one.bytes()).isBetween(limit - ofSeconds / 6, limit).isEqualTo(5_000 + bytes(0));
        assertThat(bytes(10) + bytes(60)).as("what is coarser").isEqualTo(all - ofSeconds);

        retention(Map.of("headgate.history.most", "5000B")).prune(Instant.ofEpochSecond(NOON + 10_800));
        assertThat(bytes(0)).isZero();
        assertThat(jdbc.queryForObject("select count(*) from history_chunk", Integer.class))
                .isOne();
    }

    @Test
    void whereItIsNotWantedNothingIsStored() {
        history = history(Map.of("headgate.history.connections", "0s"));
        archive = archive(Map.of("headgate.history.connections", "0s"));
        archive.start();
        for (int second = 0; second < 400; second++) {
            tell(second, 1_000_000);
        }
        archive.stop();

        assertThat(resolutions()).isEmpty();
        assertThat(history.lost()).isZero();
    }

    @Test
    void aDomainThatIsGoneKeepsItsHistoryAndOneOfItsNameHasItsOwn() {
        for (int second = 0; second < 60; second++) {
            tell(second, 1_000_000);
        }
        now += 10;
        archive.turn();
        jdbc.update("delete from domain");
        assertThat(busySeconds(ranges().reading("bank", NOON, NOON + 600, 1))).isEqualTo(60);

        jdbc.update(
                "insert into domain (name, target, description, created_at) values ('bank', 'main', '', clock_timestamp())");
        bank = database.add("bank");
        tell(100, 1_000_000);
        assertThat(busySeconds(ranges().reading("bank", NOON, NOON + 600, 1))).isOne();
    }

    @Test
    void oneConnectionCanBeAskedFor() {
        tell(0, 1_000_000, "bank-1", "bank-2");
        tell(1, 3_000_000, "bank-2");

        ConnectionHistoryJson found = ranges().of(ranges().reading("bank", NOON, NOON + 10, 1), "bank-1");
        assertThat(found.time()).hasSize(2);
        assertThat(found.connections()).hasSize(1);
        assertThat(found.connections().getFirst().meanMs()).containsExactly(1.0, null);
    }

    private void tell(int second, long nanos, String... ids) {
        now = NOON + second + 1;
        bank.show((ids.length == 0 ? List.of("bank-1") : List.of(ids))
                .stream().map(id -> open(id, nanos)).toList());
        history.second(bank, Samples.second((int) (NOON - Samples.NOON.getEpochSecond()) + second));
    }

    /** A connection with 100 requests of this length in its last second, busy for all of it. */
    private static ConnectionStatus open(String id, long nanos) {
        LatencySummary second = new LatencySummary(100 * nanos, 100, (double) nanos, nanos, nanos, nanos, nanos, nanos);
        return new ConnectionStatus(
                id, ConnectionStatus.State.IDLE, 0, 0, 0, 0, 0, LatencySummary.none(), second, 1, Optional.empty());
    }

    private void stopAndStart() {
        archive.start();
        archive.stop();
        history = history(Map.of());
        archive = archive(Map.of());
        bank = database.add("bank");
    }

    private ConnectionHistoryJson read(long from, long to, int step) {
        ConnectionRanges ranges = ranges();
        return ranges.of(ranges.reading("bank", from, to, step), null);
    }

    /** The seconds in which the connection was busy: all in which it was measured. */
    private long busySeconds(ConnectionRanges.Reading reading) {
        List<ConnectionPeriod> periods = new ArrayList<>(reading.inMemory());
        store().chunks(reading.heads())
                .forEach(each -> periods.addAll(each.chunk().periods()));
        return periods.stream()
                .flatMap(period -> period.cells().stream())
                .mapToLong(cell -> cell.busyMillis() / 1_000)
                .sum();
    }

    private static List<Integer> resolutions() {
        return jdbc.queryForList("select distinct resolution from history_connections order by 1", Integer.class);
    }

    private static long oldest(int resolution) {
        @Nullable
        Timestamp start = jdbc.queryForObject(
                "select min(start) from history_connections where resolution = ?", Timestamp.class, resolution);
        return Objects.requireNonNull(start).toInstant().getEpochSecond();
    }

    private static long bytes(int resolution) {
        Long bytes = jdbc.queryForObject(
                "select coalesce(sum(bytes), 0) from history_connections where resolution = ? or ? = 0",
                Long.class,
                resolution,
                resolution);
        return bytes == null ? 0 : bytes;
    }

    private static ConnectionHistory history(Map<String, String> settings) {
        return new ConnectionHistory(
                new MemoryAccount(1 << 20, List.of(new Portion(Holders.HISTORY, 1, 1, 1, 1))), properties(settings));
    }

    private ConnectionArchive archive(Map<String, String> settings) {
        return new ConnectionArchive(history, store(), properties(settings), clock(), Supervisor.silent());
    }

    private ConnectionRanges ranges() {
        return new ConnectionRanges(history, store(), series(), retention(Map.of()), clock());
    }

    private static Retention retention(Map<String, String> settings) {
        return new Retention(series(), new ConnectionChunkStore(jdbc, transactions()), properties(settings));
    }

    private static ChunkStore series() {
        return new ChunkStore(jdbc, transactions());
    }

    private ConnectionChunkStore store() {
        return new ConnectionChunkStore(jdbc, transactions()) {
            @Override
            void save(List<Stored> chunks) {
                if (away) {
                    throw new DataAccessResourceFailureException("the store is away");
                }
                super.save(chunks);
            }
        };
    }

    private static TransactionTemplate transactions() {
        return new TransactionTemplate(new JdbcTransactionManager(server.dataSource()));
    }

    private Clock clock() {
        InstantSource seconds = () -> Instant.ofEpochSecond(now);
        return seconds.withZone(ZoneOffset.UTC);
    }

    private static HeadgateProperties properties(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings))
                .bindOrCreate("headgate", Bindable.of(HeadgateProperties.class));
    }
}
