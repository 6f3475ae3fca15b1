package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.Second;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.store.StoreServer;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** On a real PostgreSQL, with the schema as it ships. */
class ArchiveTest {

    /** The begin of a chunk of every resolution. */
    private static final long NOON = Resolution.TEN_MINUTES.chunkStart(Samples.NOON.getEpochSecond());

    private static StoreServer server;
    private static JdbcTemplate jdbc;

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final FakePool bank = database.add("bank");
    private final Periods generated = new Periods(1, 30);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long now = NOON;
    private boolean away;
    private final InstantSource seconds = () -> Instant.ofEpochSecond(now);
    private final Clock clock = seconds.withZone(ZoneOffset.UTC);
    private Archive archive = archive();

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
        create("bank");
        lines.start();
        logger().addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger().detachAppender(lines);
    }

    /** Whatever is written already, every second is in exactly one period of what is read, at every resolution. */
    @ParameterizedTest
    @EnumSource(Resolution.class)
    void everySecondIsReadOnce(Resolution resolution) {
        List<Period> seconds = new ArrayList<>();
        for (int minute = 0; minute < 75; minute++) {
            for (int second = 0; second < 60; second += 7) {
                seconds.add(tell(bank, NOON + 60 * minute + second));
                if (second % 21 == 0) {
                    archive.turn();
                }
            }
            if (minute % 11 == 0 || minute > 72) {
                assertThat(total(read("bank", resolution))).isEqualTo(total(seconds));
            }
        }
        archive = archive();
        now += 1;
        tell(bank, now);
        archive.turn();
        assertThat(total(read("bank", resolution)).latency().size())
                .as("after a restart")
                .isPositive();
    }

    @Test
    void whatIsRolledUpAndStoredIsWhatTheSecondsSay() {
        List<Period> seconds = new ArrayList<>();
        for (int second = 0; second < 3 * 3_600; second += 3) {
            seconds.add(tell(bank, NOON + second));
            if (second % 600 == 0) {
                archive.turn();
            }
        }
        now += 11 * 3_600;
        archive.turn();

        for (Resolution resolution : Resolution.values()) {
            assertThat(read("bank", resolution)).isEqualTo(Sum.roll(seconds, resolution));
        }
        assertThat(jdbc.queryForObject("select count(*) from history_open", Integer.class))
                .isZero();
    }

    /** Stopped or killed, the next process goes on with the chunks that were open. A gap stays one. */
    @ParameterizedTest
    @EnumSource(Resolution.class)
    void aRestartLosesNothingThatWasWritten(Resolution resolution) {
        List<Period> seconds = new ArrayList<>();
        for (int second = 0; second < 1_000; second++) {
            seconds.add(tell(bank, NOON + second));
            if (second % 100 == 0) {
                archive.turn();
            }
        }
        now += 15;
        archive.turn();
        now += 200;
        archive = archive();
        FakePool again = database.add("bank");
        for (int second = 1_200; second < 1_300; second++) {
            seconds.add(tell(again, NOON + second));
        }
        archive.turn();

        List<Period> read = read("bank", resolution);
        assertThat(total(read)).isEqualTo(total(seconds));
        assertThat(read).extracting(Period::start).isSorted().doesNotHaveDuplicates();
        if (resolution == Resolution.SECONDS) {
            assertThat(read).isEqualTo(seconds);
        }
    }

    @Test
    void stoppingWritesWhatIsOpen() {
        archive.start();
        Period first = tell(bank, NOON);
        archive.stop();

        archive = archive();
        tell(bank, NOON + 1);
        archive.turn();
        assertThat(read("bank", Resolution.SECONDS)).hasSize(2).first().isEqualTo(first);
    }

    @Test
    void whileTheStoreIsAwaySecondsWaitAndAreWrittenAfterwards() {
        tell(bank, NOON);
        archive.turn();
        away = true;
        List<Period> meanwhile = new ArrayList<>();
        for (int second = 1; second < 1_800; second++) {
            meanwhile.add(tell(bank, NOON + second));
            if (second % 30 == 0) {
                archive.turn();
            }
        }
        away = false;
        archive.turn();

        assertThat(read("bank", Resolution.SECONDS))
                .endsWith(meanwhile.getLast())
                .hasSize(1_800);
        assertThat(archive.lost()).isZero();
        assertThat(logged())
                .hasSize(2)
                .satisfiesExactly(
                        line -> assertThat(line).contains("cannot be stored"),
                        line -> assertThat(line).contains("stored again"));
    }

    /** Memory is bounded. What does not fit is counted, and is a gap of seconds; the coarser periods are complete. */
    @Test
    void ofAnAbsenceThatIsTooLongTheOldestSecondsAreGivenUp() {
        FakePool busy = database.add("busy");
        create("busy");
        Periods heavy = new Periods(4, 3_000);
        Period one = heavy.second(NOON);
        archive.second(busy, one);
        archive.turn();
        away = true;
        long seconds = 0;
        long most = 0;
        while (archive.lost() == 0) {
            seconds++;
            now = NOON + seconds;
            archive.second(busy, at(seconds % 2 == 0 ? one : heavy.second(NOON), NOON + seconds));
            if (seconds % 60 == 0) {
                archive.turn();
                most = Math.max(most, archive.waitingBytes());
            }
        }
        away = false;
        archive.turn();

        assertThat(most).isBetween(Archive.MOST_CLOSED_BYTES / 2, Archive.MOST_CLOSED_BYTES);
        assertThat(archive.lost()).isBetween(60L, 600L);
        assertThat(read("busy", Resolution.SECONDS)).hasSize((int) (seconds + 1 - archive.lost()));
        assertThat(read("busy", Resolution.MINUTES).getFirst().start()).isEqualTo(NOON);
    }

    @Test
    void aDomainThatIsCreatedAgainHasAHistoryOfItsOwn() {
        List<Period> former = new ArrayList<>();
        for (int second = 0; second < 200; second++) {
            former.add(tell(bank, NOON + second));
        }
        archive.turn();
        jdbc.update("delete from domain");
        archive.on(new DomainsChanged(Instant.EPOCH, "bank"));
        archive.turn();
        assertThat(read("bank", Resolution.SECONDS)).as("of the deleted one").isEqualTo(former);
        assertThat(total(read("bank", Resolution.TEN_MINUTES))).isEqualTo(total(former));

        create("bank");
        FakePool again = database.add("bank");
        List<Period> its = new ArrayList<>();
        for (int second = 210; second < 300; second++) {
            its.add(tell(again, NOON + second));
        }
        tell(bank, NOON + 300);
        archive.turn();

        assertThat(read("bank", Resolution.SECONDS)).isEqualTo(its);
        assertThat(total(read("bank", Resolution.TEN_MINUTES))).isEqualTo(total(its));
    }

    /** A range may end within a period. That is left out, as it is once its chunk is closed. */
    @Test
    void aPeriodThatReachesPastTheRangeIsNotInIt() {
        for (int second = 0; second < 400; second++) {
            tell(bank, NOON + second);
        }
        archive.turn();
        assertThat(until(Resolution.SECONDS, 65)).hasSize(65);
        for (Resolution resolution : List.of(Resolution.TENS, Resolution.MINUTES, Resolution.TEN_MINUTES)) {
            assertThat(until(resolution, 65)).hasSize(6).isEqualTo(until(resolution, 60));
        }
    }

    private List<Period> until(Resolution resolution, int second) {
        List<Period> read = new ArrayList<>();
        archive.read("bank", store().created("bank").orElseThrow(), resolution, NOON, NOON + second, read::add);
        return read;
    }

    /** It was made and deleted between two looks at the store, and its name was taken again. */
    @Test
    void aDomainOfLessThanASecondLeavesNothingInTheNextOne() {
        FakePool brief = database.add("brief");
        tell(brief, NOON);
        database.remove("brief");
        create("brief");
        FakePool next = database.add("brief");
        Period its = tell(next, NOON + 1);
        archive.turn();
        assertThat(read("brief", Resolution.SECONDS)).containsExactly(its);
    }

    @Test
    void whatADomainThatWasDeletedMeanwhileLeftOpenIsClosed() {
        Period left = tell(bank, NOON);
        archive.turn();
        jdbc.update("delete from domain");
        now += 3_600;
        archive = archive();
        archive.turn();

        assertThat(jdbc.queryForObject("select count(*) from history_open", Integer.class))
                .isZero();
        for (Resolution resolution : Resolution.values()) {
            assertThat(total(read("bank", resolution))).isEqualTo(total(List.of(left)));
        }
    }

    @Test
    void eachResolutionIsKeptForItsTimeAndASeriesAsLongAsItHasSomething() {
        for (int minute = 0; minute < 180; minute++) {
            tell(bank, NOON + 60 * minute);
        }
        now += 11 * 3_600;
        archive.turn();
        Retention retention = retention("1h", "2h", "20h", "1GB");
        long evening = NOON + 3 * 3_600 + 60;
        retention.prune(Instant.ofEpochSecond(evening));

        assertThat(read("bank", Resolution.SECONDS).getFirst().start()).isEqualTo(evening - 3_600);
        assertThat(read("bank", Resolution.TENS).getFirst().start()).isBetween(evening - 7_200 - 600, evening - 7_200);
        assertThat(read("bank", Resolution.MINUTES).getFirst().start()).isEqualTo(NOON);
        assertThat(retention.since(Instant.ofEpochSecond(evening)).get(Resolution.SECONDS))
                .isEqualTo(evening - 3_600);
        assertThat(retention("24h", "7d", "30d", "1GB")
                        .since(Instant.ofEpochSecond(evening))
                        .get(Resolution.SECONDS))
                .as("what is deleted stays so, whatever the setting becomes")
                .isEqualTo(evening - 3_600);

        jdbc.update("delete from domain");
        retention.prune(Instant.ofEpochSecond(evening + 100 * 3_600));
        assertThat(jdbc.queryForObject("select count(*) from history_series", Integer.class))
                .isZero();
    }

    /** "Why?" is asked of an instant, also of one whose second is not kept any more. */
    @Test
    void anInstantIsToldByTheShortestRowThatIsKeptOfIt() {
        List<Period> told = new ArrayList<>();
        for (int minute = 0; minute < 180; minute++) {
            told.add(tell(bank, NOON + 60 * minute));
        }
        now = NOON + 180 * 60;
        archive.turn();
        Retention retention = retention("1h", "2h", "20h", "1GB");
        retention.prune(clock.instant());
        Ranges ranges = new Ranges(archive, store(), retention, null, clock);

        assertThat(ranges.at("bank", Instant.ofEpochSecond(NOON + 179 * 60))).contains(second(told.get(179), 1));
        assertThat(ranges.at("bank", Instant.ofEpochSecond(NOON + 179 * 60 + 1)))
                .as("nothing was measured in that second")
                .isEmpty();
        assertThat(ranges.at("bank", Instant.ofEpochSecond(NOON + 100 * 60 + 9)))
                .contains(second(told.get(100), 10));
        assertThat(ranges.at("bank", Instant.ofEpochSecond(NOON + 30 * 60 + 59)))
                .contains(second(told.get(30), 60));
        assertThat(ranges.at("bank", Instant.ofEpochSecond(NOON - 86_400))).isEmpty();
        assertThat(ranges.at("nobody", clock.instant())).isEmpty();
    }

    private static Second second(Period period, int length) {
        Sum sum = new Sum();
        sum.add(period);
        return sum.toSecond(Instant.ofEpochSecond(period.start() + length));
    }

    @Test
    void whereTheDiskIsFullTheOldestOfTheFinestGoFirst() {
        for (int second = 0; second < 3_600; second += 2) {
            tell(bank, NOON + second);
            if (second % 600 == 0) {
                archive.turn();
            }
        }
        now += 11 * 3_600;
        archive.turn();
        long all = bytes(0);
        long ofSeconds = bytes(1);
        Instant later = Instant.ofEpochSecond(NOON + 3_600);

        retention("24h", "7d", "30d", all - ofSeconds / 3 + "B").prune(later);
        assertThat(bytes(0)).isLessThanOrEqualTo(all - ofSeconds / 3).isGreaterThan(all - ofSeconds / 2);
        assertThat(read("bank", Resolution.SECONDS).getFirst().start())
                .isEqualTo(retention("24h", "7d", "30d", "1GB").since(later).get(Resolution.SECONDS))
                .isGreaterThan(NOON + 1_000);
        assertThat(read("bank", Resolution.TENS)).hasSize(360);

        retention("24h", "7d", "30d", all - ofSeconds - 1 + "B").prune(later);
        assertThat(bytes(1)).isZero();
        assertThat(read("bank", Resolution.TENS)).hasSizeBetween(240, 300);
        assertThat(read("bank", Resolution.MINUTES)).hasSize(60);
    }

    @Test
    void aChunkThatCannotBeReadIsAGap() {
        for (int second = 0; second < 180; second++) {
            tell(bank, NOON + second);
        }
        now += 100;
        archive.turn();
        jdbc.update(
                "update history_chunk set body = '\\x07' where resolution = 1 and start = ?",
                java.sql.Timestamp.from(Instant.ofEpochSecond(NOON + 60)));

        assertThat(read("bank", Resolution.SECONDS)).hasSize(120);
        assertThat(logged()).singleElement().asString().contains("cannot be read");
    }

    private Period tell(FakePool pool, long second) {
        now = Math.max(now, second + 1);
        Period period = generated.second(second);
        archive.second(pool, period);
        return period;
    }

    private static Period at(Period of, long start) {
        return new Period(
                start,
                of.micros(),
                of.inUseMillis(),
                of.size(),
                of.floor(),
                of.ceiling(),
                of.mostWaiting(),
                of.arrivals(),
                of.leases(),
                of.refused(),
                of.errors(),
                of.latency(),
                of.waits());
    }

    private List<Period> read(String domain, Resolution resolution) {
        List<Period> read = new ArrayList<>();
        store().created(domain)
                .ifPresent(created ->
                        archive.read(domain, created, resolution, NOON - 86_400, NOON + 30 * 86_400, read::add));
        return read;
    }

    private static Period total(List<Period> periods) {
        Sum sum = new Sum();
        periods.forEach(sum::add);
        return sum.toPeriod(0);
    }

    private static long bytes(int resolution) {
        Long bytes = jdbc.queryForObject(
                "select coalesce(sum(bytes), 0) from history_chunk where resolution = ? or ? = 0",
                Long.class,
                resolution,
                resolution);
        return bytes == null ? 0 : bytes;
    }

    private static void create(String domain) {
        jdbc.update(
                "insert into domain (name, target, description, created_at) values (?, 'main', '', clock_timestamp())",
                domain);
    }

    private Archive archive() {
        return new Archive(
                store(), retention("24h", "7d", "30d", "1GB"), properties(Map.of()), clock, Supervisor.silent());
    }

    private ChunkStore store() {
        return new ChunkStore(jdbc, new TransactionTemplate(new JdbcTransactionManager(server.dataSource()))) {
            @Override
            void save(List<Series.Changes> changes) {
                if (away) {
                    throw new DataAccessResourceFailureException("the store is away");
                }
                super.save(changes);
            }
        };
    }

    private Retention retention(String seconds, String tens, String rest, String most) {
        return new Retention(
                store(),
                new ConnectionChunkStore(
                        jdbc, new TransactionTemplate(new JdbcTransactionManager(server.dataSource()))),
                properties(Map.of(
                        "headgate.history.seconds", seconds,
                        "headgate.history.tens", tens,
                        "headgate.history.minutes", rest,
                        "headgate.history.ten-minutes", rest,
                        "headgate.history.most", most)));
    }

    private static HeadgateProperties properties(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings))
                .bindOrCreate("headgate", Bindable.of(HeadgateProperties.class));
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Archive.class);
    }

    private List<String> logged() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
