package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.Words;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.alarms.LoggedAlarm.Acknowledged;
import dev.headgate.server.alarms.LoggedAlarm.Silenced;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.store.StoreServer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** On a real PostgreSQL, with the schema as it ships. The feed's turns and the clock are the test's. */
class AlarmLogTest {

    private static final AlarmFilter ALL = new AlarmFilter(null, null, null, null, null, null);

    private static StoreServer server;
    private static JdbcTemplate jdbc;

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final FakePool bank = database.add("bank");
    private final FakePool shop = database.add("shop");
    private final List<RaisedAlarm> ofService = new ArrayList<>();
    private final List<Object> published = new ArrayList<>();
    private Instant now = Samples.NOON;
    private final InstantSource instants = () -> now;
    private final Clock clock = instants.withZone(ZoneOffset.UTC);
    private final List<AlarmLog> started = new ArrayList<>();
    private AlarmStore store;
    private AlarmLog log;
    private long turn;

    @BeforeAll
    static void startServer() {
        server = StoreServer.start();
        jdbc = server.jdbc();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void begin() {
        jdbc.update("delete from alarm");
        log = run(Map.of());
    }

    @AfterEach
    void end() {
        started.forEach(AlarmLog::stop);
    }

    private AlarmLog run(Map<String, String> settings) {
        HeadgateProperties properties = new Binder(new MapConfigurationPropertySource(settings))
                .bindOrCreate("headgate", Bindable.of(HeadgateProperties.class));
        store = new AlarmStore(jdbc, properties, clock);
        AlarmLog made = new AlarmLog(
                () -> List.of(database),
                () -> ofService,
                store,
                properties,
                clock,
                Supervisor.silent(),
                published::add);
        made.start();
        started.add(made);
        return made;
    }

    /** The former run has ended, with all its pools; another begins. */
    private void restart() {
        log.stop();
        show(bank);
        show(shop);
        log = run(Map.of());
    }

    private void seconds(int number) {
        for (int n = 0; n < number * 20; n++) {
            now = now.plusMillis(50);
            log.turn(++turn, now);
        }
    }

    private List<LoggedAlarm> all() {
        log.write();
        return store.find(ALL, null, 100);
    }

    private LoggedAlarm one() {
        List<LoggedAlarm> all = all();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private static void show(FakePool pool, RaisedAlarm... alarms) {
        pool.show(Samples.status(pool.domain(), "main", 5, alarms));
    }

    private RaisedAlarm alarm(String code, Reach reach, int times, @Nullable Instant clearing) {
        return new RaisedAlarm(
                code,
                words("seen as number " + times),
                Samples.NOON,
                Severity.WARNING,
                reach,
                times,
                Optional.ofNullable(clearing));
    }

    private static Words words(String state) {
        return Words.been("at cap", "bank", state, "no detail");
    }

    private RaisedAlarm ceiling(int times) {
        return alarm("at-ceiling", Reach.DOMAIN, times, null);
    }

    private Instant at(int second) {
        return Samples.NOON.plusSeconds(second);
    }

    @Test
    void anAlarmIsOneRowFromItsRaiseToItsEnd() {
        show(bank, ceiling(1));
        seconds(1);
        assertThat(one())
                .satisfies(it -> assertThat(it.cleared()).isNull())
                .extracting(LoggedAlarm::domain, LoggedAlarm::database, LoggedAlarm::times, LoggedAlarm::since)
                .containsExactly("bank", "main", 1, Samples.NOON);

        show(bank, ceiling(2));
        seconds(1);
        show(bank, alarm("at-ceiling", Reach.DOMAIN, 2, at(2)));
        seconds(8);
        assertThat(one().times()).isEqualTo(2);
        assertThat(one().message()).isEqualTo("bank has been seen as number 2 again and again");
        assertThat(one().detail()).isEqualTo("no detail");
        assertThat(one().clearing()).isEqualTo(at(2));

        show(bank);
        seconds(1);
        assertThat(one().cleared()).isEqualTo(at(11));
        assertThat(one().lastSeen()).isEqualTo(at(2));
        assertThat(one().cutOff()).isFalse();
        assertThat(one().message()).isEqualTo("bank was seen as number 2 again and again");

        show(bank, ceiling(1));
        seconds(1);
        assertThat(all()).extracting(LoggedAlarm::times).containsExactly(1, 2);
    }

    /** Whoever reads the service's log at night must find what is broken, and once. */
    @Test
    void whatIsCriticalStandsInTheServicesLog() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(AlarmLog.class);
        logger.addAppender(lines);
        lines.start();
        try {
            Words away = Words.been("unreachable", "main", "unreachable", "FATAL: no\n  Detail: room");
            RaisedAlarm unreachable = new RaisedAlarm(
                    "unreachable", away, Samples.NOON, Severity.CRITICAL, Reach.DATABASE, 1, Optional.empty());
            show(bank, unreachable, ceiling(1));
            show(shop, unreachable);
            seconds(3);
            show(bank, ceiling(1));
            show(shop);
            seconds(2);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
                .containsExactly(
                        "WARN Alarm: main has been unreachable: FATAL: no Detail: room",
                        "INFO The alarm is over: main was unreachable, for 3 s");
    }

    @Test
    void aDatabaseThatIsAwayIsOneAlarmForAllItsDomains() {
        show(bank, alarm("unreachable", Reach.DATABASE, 1, at(-1)));
        show(shop, alarm("unreachable", Reach.DATABASE, 3, null), alarm("heap-full", Reach.SERVICE, 1, null));
        seconds(1);
        assertThat(all())
                .extracting(LoggedAlarm::code, LoggedAlarm::database, LoggedAlarm::domain, LoggedAlarm::times)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("unreachable", "main", null, 3),
                        org.assertj.core.groups.Tuple.tuple("heap-full", null, null, 1));
        assertThat(all()).allMatch(it -> it.clearing() == null);

        show(shop);
        seconds(1);
        assertThat(all())
                .filteredOn(it -> it.cleared() == null)
                .as("bank still shows it")
                .extracting(LoggedAlarm::code)
                .containsExactly("unreachable");
    }

    @Test
    void aDatabaseThatIsAwayIsAnAlarmAlsoWhereNoDomainNeedsIt() {
        database.show(alarm("unreachable", Reach.DATABASE, 1, null));
        seconds(1);
        assertThat(one())
                .extracting(LoggedAlarm::reach, LoggedAlarm::database, LoggedAlarm::domain, LoggedAlarm::code)
                .containsExactly("database", "main", null, "unreachable");
        assertThat(store.unattended()).isEqualTo(1);

        show(bank, alarm("unreachable", Reach.DATABASE, 2, null));
        seconds(1);
        assertThat(one().times()).as("the same alarm").isEqualTo(2);

        show(bank);
        database.show();
        seconds(1);
        assertThat(one().cleared()).isEqualTo(at(3));
    }

    /** A convoy: one alarm, of two domains and then of a third, too. */
    @Test
    void anAlarmOfTheServiceThatStandsOnSomeDomainsConcernsThem() {
        show(bank, alarm("convoy", Reach.SERVICE, 1, null));
        seconds(1);
        assertThat(one().domains()).containsExactly("bank");
        show(shop, alarm("convoy", Reach.SERVICE, 2, null));
        show(bank);
        seconds(1);
        assertThat(one().domains()).containsExactly("bank", "shop");
        assertThat(codes(new AlarmFilter(null, "bank", "main", null, null, null)))
                .containsExactly("convoy");
        assertThat(codes(new AlarmFilter(null, "gallery", "main", null, null, null)))
                .isEmpty();

        restart();
        seconds(1);
        assertThat(one().domains()).containsExactly("bank", "shop");
    }

    @Test
    void anAlarmOfTheServiceIsKeptAlsoWhereNoDomainShowsIt() {
        ofService.add(alarm("thread-failed", Reach.SERVICE, 1, null));
        seconds(1);
        show(bank, alarm("thread-failed", Reach.SERVICE, 1, null));
        seconds(1);
        assertThat(one())
                .extracting(LoggedAlarm::code, LoggedAlarm::database, LoggedAlarm::domain, LoggedAlarm::cleared)
                .containsExactly("thread-failed", null, null, null);
        assertThat(one().domains()).as("of all domains").isEmpty();

        ofService.clear();
        show(bank);
        seconds(1);
        assertThat(one().cleared()).isNotNull();
    }

    @Test
    void anAlarmThatIsOverNeedsNobody() {
        show(bank, ceiling(1));
        seconds(1);
        assertThat(one().severity()).isEqualTo("warning");
        assertThat(store.unattended()).isEqualTo(1);

        show(bank, alarm("at-ceiling", Reach.DOMAIN, 1, at(1)));
        seconds(2);
        assertThat(one().severity()).isEqualTo("notice");
        assertThat(one().message()).isEqualTo("bank was seen as number 1");
        assertThat(store.unattended()).isZero();

        show(bank, alarm("at-ceiling", Reach.DOMAIN, 2, at(4)));
        seconds(2);
        assertThat(one().severity()).as("it comes and goes").isEqualTo("warning");
        assertThat(store.unattended()).isEqualTo(1);

        restart();
        seconds(62);
        assertThat(one().cutOff()).isTrue();
        assertThat(one().severity()).as("the worst").isEqualTo("warning");
        assertThat(one().message()).isEqualTo("bank was seen as number 2 again and again");
    }

    private static RaisedAlarm paused(Severity severity) {
        return new RaisedAlarm("paused", words("paused"), Samples.NOON, severity, Reach.DOMAIN, 1, Optional.empty());
    }

    @Test
    void anOpenAlarmIsAsBadAsItIsNowAndAPastOneAsItWasAtWorst() {
        show(bank, paused(Severity.NOTICE));
        seconds(1);
        assertThat(one().severity()).isEqualTo("notice");
        assertThat(store.unattended()).as("nobody needs to look").isZero();

        show(bank, paused(Severity.WARNING));
        seconds(1);
        assertThat(one().severity()).isEqualTo("warning");
        assertThat(store.unattended()).isEqualTo(1);
        assertThat(published).as("both are news").hasSize(2);

        show(bank, paused(Severity.NOTICE));
        seconds(1);
        assertThat(one().severity()).isEqualTo("notice");
        restart();
        show(bank, paused(Severity.NOTICE));
        seconds(1);
        show(bank);
        seconds(1);
        assertThat(one().severity()).isEqualTo("warning");
    }

    @Test
    void readersAreToldOfNewsAndNotOfEverySecond() {
        show(bank, ceiling(1));
        seconds(60);
        show(bank);
        seconds(60);
        assertThat(published).hasSize(2).allMatch(AlarmsChanged.class::isInstance);
    }

    @Test
    void anAlarmGoesOnWhereTheNextRunFindsItAgain() {
        show(bank, ceiling(3));
        seconds(1);
        String id = one().id();
        store.acknowledge(UUID.fromString(id), new Acknowledged(at(1), "admin", "it is known"));
        restart();
        assertThat(one().cleared()).isNull();

        seconds(30);
        show(bank, ceiling(1));
        seconds(60);
        assertThat(one().id()).isEqualTo(id);
        assertThat(one().times()).isEqualTo(4);
        assertThat(one().acknowledged()).isEqualTo(new Acknowledged(at(1), "admin", "it is known"));
        assertThat(one().cleared()).isNull();
    }

    @Test
    void anAlarmThatTheNextRunDoesNotFindEndedWhenItWasLastSeen() {
        show(bank, ceiling(1));
        seconds(11);
        restart();
        seconds(59);
        assertThat(one().cleared()).isNull();
        seconds(2);
        assertThat(one().cleared()).isEqualTo(at(10));
        assertThat(one().cutOff()).isTrue();
    }

    @Test
    void aSilenceHoldsForTheSameAlarmAgainAndForNoOther() {
        show(bank, ceiling(1));
        show(shop, ceiling(1));
        seconds(1);
        LoggedAlarm first = all().stream()
                .filter(it -> "bank".equals(it.domain()))
                .findFirst()
                .orElseThrow();
        store.silence(UUID.fromString(first.id()), new Silenced(at(3_600), "admin", "a load test"));
        assertThat(store.unattended()).isEqualTo(1);

        show(bank);
        show(shop);
        seconds(5);
        show(
                bank,
                new RaisedAlarm(
                        "at-ceiling", words("held again"), at(6), Severity.WARNING, Reach.DOMAIN, 1, Optional.empty()));
        show(
                shop,
                new RaisedAlarm(
                        "at-ceiling", words("held again"), at(6), Severity.WARNING, Reach.DOMAIN, 1, Optional.empty()));
        seconds(1);
        log.write();
        assertThat(store.unattended()).isEqualTo(1);
        assertThat(all().subList(0, 2))
                .allMatch(it -> it.cleared() == null)
                .allMatch(it -> "bank".equals(it.domain()) == (it.silenced() != null));

        now = at(3_601);
        assertThat(store.unattended()).as("the silence is over").isEqualTo(2);
    }

    @Test
    void aStoreThatIsAwayLosesNothingThatFitsInMemory() {
        jdbc.execute("alter table alarm rename to alarm_gone");
        try {
            show(bank, ceiling(1));
            seconds(1);
            assertThatThrownBy(log::write).isInstanceOf(DataAccessException.class);
            show(bank, ceiling(2));
            seconds(1);
            show(bank);
            seconds(1);
        } finally {
            jdbc.execute("alter table alarm_gone rename to alarm");
        }
        assertThat(one().times()).isEqualTo(2);
        assertThat(one().cleared()).isEqualTo(at(3));
        assertThat(log.lost()).isZero();
    }

    @Test
    void whatDoesNotFitInMemoryIsCounted() {
        RaisedAlarm[] many = new RaisedAlarm[AlarmLog.MOST_PENDING + 5];
        for (int n = 0; n < many.length; n++) {
            many[n] = alarm("code-" + n, Reach.DOMAIN, 1, null);
        }
        jdbc.execute("alter table alarm rename to alarm_gone");
        try {
            show(bank, many);
            seconds(1);
            assertThatThrownBy(log::write).isInstanceOf(DataAccessException.class);
            assertThat(log.lost()).isEqualTo(5);
        } finally {
            jdbc.execute("alter table alarm_gone rename to alarm");
        }
    }

    @Test
    void whateverAPolicySaysIsKept() {
        show(
                bank,
                new RaisedAlarm(
                        "no\0code",
                        new Words("no", "no\0message", "no\0past", "no\0detail"),
                        Samples.NOON,
                        Severity.CRITICAL,
                        Reach.DOMAIN,
                        1,
                        Optional.empty()));
        seconds(1);
        assertThat(one().code()).isEqualTo("no\uFFFDcode");
        assertThat(one().message()).isEqualTo("no\uFFFDmessage");
        assertThat(one().detail()).isEqualTo("no\uFFFDdetail");
    }

    @Test
    void pastAlarmsAreKeptForSomeTimeAndOpenOnesAlways() {
        for (int n = 0; n < 5; n++) {
            show(bank, alarm("code-" + n, Reach.DOMAIN, 1, null));
            seconds(1);
        }
        log.write();
        assertThat(store.prune(Samples.NOON, 2)).isEqualTo(2);
        assertThat(all()).extracting(LoggedAlarm::cleared).hasSize(3).startsWith((Instant) null);
        assertThat(store.prune(now.plus(Duration.ofDays(1)), 100)).isEqualTo(2);
        assertThat(one().code()).isEqualTo("code-4");
    }

    @Test
    void theFilterHoldsInEveryPart() {
        show(bank, ceiling(1));
        show(shop, alarm("at-rate", Reach.DOMAIN, 1, null), alarm("unreachable", Reach.DATABASE, 1, null));
        seconds(1);
        show(bank, alarm("heap-full", Reach.SERVICE, 1, null));
        seconds(9);
        log.write();

        assertThat(codes(new AlarmFilter(true, null, null, null, null, null)))
                .containsExactlyInAnyOrder("at-rate", "unreachable", "heap-full");
        assertThat(codes(new AlarmFilter(false, null, null, null, null, null))).containsExactly("at-ceiling");
        assertThat(codes(new AlarmFilter(null, "bank", "main", null, null, null)))
                .containsExactlyInAnyOrder("at-ceiling", "unreachable", "heap-full");
        assertThat(codes(new AlarmFilter(null, "bank", "other", null, null, null)))
                .containsExactlyInAnyOrder("at-ceiling", "heap-full");
        assertThat(codes(new AlarmFilter(null, null, null, "at-rate", null, null)))
                .containsExactly("at-rate");
        assertThat(codes(new AlarmFilter(null, null, null, "at-ceiling", at(3), null)))
                .isEmpty();
        assertThat(codes(new AlarmFilter(null, null, null, null, null, Samples.NOON)))
                .isEmpty();
    }

    private List<String> codes(AlarmFilter filter) {
        return store.find(filter, null, 100).stream().map(LoggedAlarm::code).toList();
    }
}
