package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.Paging;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.store.LogSearches;
import dev.headgate.server.store.StoreServer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
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
import tools.jackson.databind.json.JsonMapper;

/** On a real PostgreSQL, with the schema as it ships. */
class DecisionLogTest {

    private static StoreServer server;
    private static JdbcTemplate jdbc;

    private final DecisionLog log = log(Samples.NOON, "7d", "200000");

    @BeforeAll
    static void start() {
        server = StoreServer.start();
        jdbc = server.jdbc();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void empty() {
        jdbc.update("delete from decision");
        lines.start();
        logger().addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger().detachAppender(lines);
    }

    /** However often somebody waited since. */
    @Test
    void theLatestOfAKindIsFoundBehindManyOthers() {
        log.decided(Samples.decision(1, "bank", Decision.Kind.LIMITS, 1));
        log.decided(Samples.decision(2, "", Decision.Kind.LIMITS, 1));
        log.decided(Samples.decision(3, "shop", Decision.Kind.LIMITS, 1));
        for (int i = 4; i < 304; i++) {
            log.decided(Samples.decision(i, "bank", Decision.Kind.HELD, 1));
        }
        Instant later = Samples.NOON.plusSeconds(10_000);
        assertThat(log.latestOfDomain("bank", List.of("limits", "grew"), later)
                        .orElseThrow()
                        .domain())
                .isEqualTo("bank");
        assertThat(log.latestOfDatabase("main", List.of("limits"), later)
                        .orElseThrow()
                        .domain())
                .isNull();
        assertThat(log.latestOfDomain("bank", List.of("limits"), Instant.EPOCH)).isEmpty();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(DecisionLog.class);
    }

    private List<String> logged() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aDecisionComesBackAsItWas() {
        Decision decision = Samples.decision(1, "bank", Decision.Kind.HELD, 1);
        log.decided(decision);

        assertThat(log.page(DecisionFilter.ALL, first(50)))
                .isEqualTo(new DecisionPage(List.of(DecisionJson.of(decision)), null, 0));
    }

    @Test
    void aRepetitionUpdatesTheCountAndAnOlderTellingDoesNotUndoIt() {
        log.decided(Samples.decision(1, "bank", Decision.Kind.HELD, 1));
        log.write();
        log.decided(Samples.decision(1, "bank", Decision.Kind.HELD, 31));
        log.write();
        log.decided(Samples.decision(1, "bank", Decision.Kind.HELD, 30));

        List<DecisionJson> items = log.page(DecisionFilter.ALL, first(50)).items();
        assertThat(items).singleElement().satisfies(it -> assertThat(it.count()).isEqualTo(31));
    }

    @Test
    void pagesShowEveryDecisionOnceNewestFirstWhateverIsAddedMeanwhile() {
        Random random = new Random(5);
        for (int n = 0; n < 230; n++) {
            log.decided(Samples.decision(random.nextInt(1_000) * 1_000 + n, "bank", Decision.Kind.GREW, 1));
        }
        List<DecisionJson> seen = new ArrayList<>();
        String cursor = null;
        int later = 2_000_000;
        do {
            DecisionPage page = log.page(DecisionFilter.ALL, DecisionKey.CURSORS.paging(50, cursor));
            seen.addAll(page.items());
            cursor = page.nextCursor();
            log.decided(Samples.decision(++later, "bank", Decision.Kind.GREW, 1));
        } while (cursor != null);

        assertThat(seen)
                .hasSize(230)
                .doesNotHaveDuplicates()
                .isSortedAccordingTo((a, b) -> b.time().compareTo(a.time()));
    }

    @Test
    void theFilterHoldsInEveryPart() {
        log.decided(Samples.decision(1_000, "bank", Decision.Kind.GREW, 1));
        log.decided(Samples.decision(2_000, "gallery", Decision.Kind.GREW, 1));
        log.decided(Samples.decision(3_000, "bank", Decision.Kind.HELD, 1));
        log.decided(Samples.decision(4_000, "", Decision.Kind.UNREACHABLE, 1));

        assertThat(ids("bank", null, null, null, null)).containsExactly("test-3000", "test-1000");
        assertThat(ids(null, "grew", null, null, null)).containsExactly("test-2000", "test-1000");
        assertThat(ids(null, null, "tiers", null, null)).isEmpty();
        assertThat(ids(null, null, null, Samples.NOON.plusSeconds(2), Samples.NOON.plusSeconds(4)))
                .containsExactly("test-3000", "test-2000");
        assertThat(ids(null, "unreachable", null, null, null)).containsExactly("test-4000");
    }

    @Test
    void aPolicyIsFoundInTheSetOfADatabaseToo() {
        log.decided(Samples.decision(1_000, "bank", Decision.Kind.GREW, 1));
        log.decided(by("database/latency-cap", Samples.decision(2_000, "bank", Decision.Kind.GREW, 1)));
        log.decided(by("tiers", Samples.decision(3_000, "bank", Decision.Kind.GREW, 1)));

        assertThat(ids(null, null, "latency-cap", null, null)).containsExactly("test-2000", "test-1000");
        assertThat(ids(null, null, "database/latency-cap", null, null)).containsExactly("test-2000");
    }

    /** Behind any number of others. */
    @Test
    void aTextIsFoundInTheMessageAndInNames() {
        log.decided(saying("100% of bank's budget is in use", Samples.decision(0, "bank", Decision.Kind.HELD, 1)));
        for (int n = 1; n < 300; n++) {
            log.decided(Samples.decision(n, "shop", Decision.Kind.GREW, 1));
        }
        assertThat(containing("BUDGET is")).containsExactly("test-0");
        assertThat(containing("0%")).containsExactly("test-0");
        assertThat(containing("held")).containsExactly("test-0");
        assertThat(containing("_")).isEmpty();
        assertThat(containing("main")).hasSize(50);
    }

    @Test
    void aCursorThatWasMadeUpIsRefused() {
        for (String cursor : List.of("x", "!!", "MTIzNA", "fHw")) {
            assertThatThrownBy(() -> DecisionKey.CURSORS.paging(50, cursor)).isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void whatIsPastItsRetentionIsDeleted() {
        for (int day = 0; day < 10; day++) {
            log.decided(Samples.decision(day * 86_400_000, "bank", Decision.Kind.GREW, 1));
        }
        log.write();
        log(Samples.NOON.plus(Duration.ofDays(9)), "72h", "200000").writeAndPrune();
        assertThat(ids(null, null, null, null, null)).hasSize(4);

        log(Samples.NOON.plus(Duration.ofDays(9)), "72h", "2").writeAndPrune();
        assertThat(ids(null, null, null, null, null)).containsExactly("test-777600000", "test-691200000");
    }

    @Test
    void aStoreThatFailsLosesNothingThatFitsInMemory() {
        DecisionLog broken = new DecisionLog(
                new DecisionStore(jdbc, new LogSearches(server.dataSource()), JsonMapper.shared()),
                properties("7d", "200000"),
                Clock.systemUTC(),
                Supervisor.silent());
        jdbc.execute("alter table decision rename to decision_gone");
        try {
            for (int n = 0; n < DecisionLog.MOST_PENDING + 5; n++) {
                broken.decided(Samples.decision(n, "bank", Decision.Kind.GREW, 1));
            }
            assertThatThrownBy(broken::write).isInstanceOf(DataAccessException.class);
            broken.decided(Samples.decision(DecisionLog.MOST_PENDING + 4, "bank", Decision.Kind.GREW, 2));
            assertThat(broken.lost()).isEqualTo(5);
        } finally {
            jdbc.execute("alter table decision_gone rename to decision");
        }
        broken.write();
        assertThat(jdbc.queryForObject("select count(*) from decision", Integer.class))
                .isEqualTo(DecisionLog.MOST_PENDING);
        assertThat(jdbc.queryForObject("select max(count) from decision", Integer.class))
                .isEqualTo(2);
    }

    @Test
    void aDecisionThatPostgresqlRefusesIsKeptWithoutItsDetailsAndTheOthersWhole() {
        String nul = "a reason that ends in \0";
        for (int n = 0; n < 450; n++) {
            Decision decision = Samples.decision(n, "bank", Decision.Kind.GREW, 1);
            log.decided(n == 300 ? saying(nul, decision) : decision);
        }
        log.writeAndPrune();

        assertThat(jdbc.queryForObject("select count(*) from decision", Integer.class))
                .isEqualTo(450);
        assertThat(log.page(new DecisionFilter("bank", null, null, null, null, null, null), first(500))
                        .items())
                .hasSize(450)
                .filteredOn(decision -> decision.message().contains("could not be kept"))
                .extracting(DecisionJson::id)
                .containsExactly("test-300");
        assertThat(log.lost()).isZero();

        log.decided(saying(nul, Samples.decision(300, "bank", Decision.Kind.GREW, 2)));
        log.decided(Samples.decision(1_000, "bank", Decision.Kind.GREW, 1));
        log.writeAndPrune();
        assertThat(ids("bank", null, null, null, null)).startsWith("test-1000");
        assertThat(logged())
                .as("told of once")
                .filteredOn(line -> line.startsWith("The store refuses decision test-300"))
                .hasSize(1);
    }

    @Test
    void aDecisionThatCannotBeKeptAtAllIsCountedWhereTheLogIsRead() {
        log.decided(Samples.decision(1, "no\0domain", Decision.Kind.GREW, 1));
        log.decided(Samples.decision(2, "bank", Decision.Kind.GREW, 1));
        log.writeAndPrune();
        log.decided(Samples.decision(3, "bank", Decision.Kind.GREW, 1));

        DecisionPage page = log.page(DecisionFilter.ALL, first(50));
        assertThat(page.items()).extracting(DecisionJson::id).containsExactly("test-3", "test-2");
        assertThat(page.lost()).isEqualTo(1);
        assertThat(logged()).singleElement().asString().contains("The store refuses decision test-1", "it is lost");
    }

    /** Whatever fails on the way to the store, the decisions are still there. */
    @Test
    void aFailureThatIsNotTheStoresLosesNothing() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        DecisionLog interrupted = new DecisionLog(
                new DecisionStore(jdbc, new LogSearches(server.dataSource()), JsonMapper.shared()) {
                    @Override
                    void save(Collection<DecisionJson> decisions) {
                        if (isBroken.get()) {
                            throw new StackOverflowError("on purpose");
                        }
                        super.save(decisions);
                    }
                },
                properties("7d", "200000"),
                Clock.systemUTC(),
                Supervisor.silent());
        interrupted.decided(Samples.decision(1, "bank", Decision.Kind.GREW, 1));
        assertThatThrownBy(interrupted::write).isInstanceOf(StackOverflowError.class);

        isBroken.set(false);
        interrupted.write();
        assertThat(ids("bank", null, null, null, null)).containsExactly("test-1");
    }

    private static Decision saying(String message, Decision of) {
        return copy(of, of.policy(), message);
    }

    private static Decision by(String policy, Decision of) {
        return copy(of, policy, of.message());
    }

    private static Decision copy(Decision of, String policy, String message) {
        return new Decision(
                of.id(),
                of.time(),
                of.lastTime(),
                of.count(),
                of.node(),
                of.database(),
                of.domain(),
                of.revision(),
                of.kind(),
                policy,
                message,
                of.inputs(),
                of.before(),
                of.after(),
                of.answers(),
                of.combined());
    }

    private static Paging<DecisionKey> first(int limit) {
        return DecisionKey.CURSORS.paging(limit, null);
    }

    private List<String> ids(String domain, String kind, String policy, Instant from, Instant to) {
        return ids(new DecisionFilter(domain, null, kind, policy, null, from, to));
    }

    private List<String> containing(String q) {
        return ids(new DecisionFilter(null, null, null, null, q, null, null));
    }

    private List<String> ids(DecisionFilter filter) {
        return log.page(filter, first(50)).items().stream()
                .map(DecisionJson::id)
                .toList();
    }

    private static DecisionLog log(Instant now, String retention, String limit) {
        return new DecisionLog(
                new DecisionStore(jdbc, new LogSearches(server.dataSource()), JsonMapper.shared()),
                properties(retention, limit),
                Clock.fixed(now, ZoneOffset.UTC),
                Supervisor.silent());
    }

    private static HeadgateProperties properties(String retention, String limit) {
        MapConfigurationPropertySource source = new MapConfigurationPropertySource();
        source.put("headgate.history.decision-retention", retention);
        source.put("headgate.history.decision-limit", limit);
        return new Binder(source).bindOrCreate("headgate", Bindable.of(HeadgateProperties.class));
    }
}
