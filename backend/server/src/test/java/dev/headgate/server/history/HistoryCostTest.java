package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.limits.Holders;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What writing the history costs: the processor time of an hour of 20 domains with 500 connections, which are told and written in
 * virtual time on a real PostgreSQL. The process also shows the seconds and collects garbage, so the figure is an upper bound.
 */
class HistoryCostTest {

    private static final int DOMAINS = 20;
    private static final int CONNECTIONS = 25;

    /** Requests in a second of each domain, on average: together 2,000. */
    private static final double PER_SECOND = 100;

    /** In seconds: until the code is compiled. */
    private static final int WARM_UP = 1_200;

    /** In seconds. In an hour at least one chunk of every kind ends but the longest, which lasts ten. */
    private static final int MEASURED = 3_600;

    /** Seconds that differ. They are made before. */
    private static final int DIFFERENT = 600;

    private static final long BEGIN = Resolution.TEN_MINUTES.chunkStart(Samples.NOON.getEpochSecond());

    private final HeadgateProperties defaults =
            new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("headgate", HeadgateProperties.class);

    private long now = BEGIN;

    /** Processor time so far, in nanoseconds. */
    private record Spent(long process, long server) {}

    /** {@code -Dhistory.cost=true} */
    @Test
    @EnabledIfSystemProperty(named = "history.cost", matches = "true")
    void writingItTakesLessThanTwoPercentOfACore() throws IOException {
        List<MergedWindow> seconds = seconds();
        List<List<ConnectionStatus>> connections = connections();
        FakeDatabase database = new FakeDatabase("main", DOMAINS * CONNECTIONS);
        List<FakePool> pools = IntStream.range(0, DOMAINS)
                .mapToObj(n -> database.add("domain-" + n))
                .toList();
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setPGStartupWait(Duration.ofMinutes(1))
                        .start();
                HikariDataSource source = source(server)) {
            JdbcTemplate jdbc = new JdbcTemplate(source);
            create(jdbc, pools);
            TransactionTemplate transactions = new TransactionTemplate(new JdbcTransactionManager(source));
            ChunkStore chunks = new ChunkStore(jdbc, transactions);
            ConnectionChunkStore ofConnections = new ConnectionChunkStore(jdbc, transactions);
            Archive archive = new Archive(
                    chunks, new Retention(chunks, ofConnections, defaults), defaults, clock(), Supervisor.silent());
            MemoryAccount account = new MemoryAccount(16 << 20, List.of(new Portion(Holders.HISTORY, 1, 1, 1, 1)));
            ConnectionHistory history = new ConnectionHistory(account, defaults);
            ConnectionArchive connectionArchive =
                    new ConnectionArchive(history, ofConnections, defaults, clock(), Supervisor.silent());

            Spent begun = new Spent(0, 0);
            for (int second = 0; second < WARM_UP + MEASURED; second++) {
                if (second == WARM_UP) {
                    begun = spent(jdbc);
                }
                now = BEGIN + second + 1;
                for (int n = 0; n < DOMAINS; n++) {
                    int place = (second + 31 * n) % DIFFERENT;
                    FakePool pool = pools.get(n);
                    Second over = Periods.second(BEGIN + second, seconds.get(place));
                    archive.second(pool, Period.of(over, seconds.get(place)));
                    pool.show(connections.get(place));
                    history.second(pool, over);
                }
                archive.turn();
                if (second % 5 == 0) {
                    connectionArchive.turn();
                }
            }
            Spent ended = spent(jdbc);
            double process = (ended.process() - begun.process()) / (MEASURED * 1e7);
            double postgres = (ended.server() - begun.server()) / (MEASURED * 1e7);
            System.out.printf(
                    "writing the history of %d domains and %d connections: %.2f %% of a core, and %.2f %% in PostgreSQL%n",
                    DOMAINS, DOMAINS * CONNECTIONS, process, postgres);
            assertThat(archive.lost() + history.lost()).isZero();
            assertThat(jdbc.queryForObject(
                            "select count(*) from history_chunk where resolution = 1 and start >= ?",
                            Long.class,
                            Timestamp.from(Instant.ofEpochSecond(BEGIN + WARM_UP))))
                    .as("an hour of chunks but the last ones")
                    .isGreaterThanOrEqualTo(59 * DOMAINS);
            assertThat(process + postgres).isLessThan(2);
        }
    }

    private static List<MergedWindow> seconds() {
        Periods generated = new Periods(16, PER_SECOND);
        return Stream.generate(generated::measured).limit(DIFFERENT).toList();
    }

    private static List<List<ConnectionStatus>> connections() {
        CellsOfConnections generated = new CellsOfConnections(3, CONNECTIONS, PER_SECOND / CONNECTIONS);
        List<List<ConnectionStatus>> seconds = new ArrayList<>();
        for (int second = 0; second < DIFFERENT; second++) {
            seconds.add(generated.second(second).cells().stream()
                    .map(HistoryCostTest::status)
                    .toList());
        }
        return seconds;
    }

    private static ConnectionStatus status(ConnectionPeriod.Cell cell) {
        long p99 = 1_000 * cell.p99Micros();
        double mean = cell.requests() == 0 ? 0 : 1e3 * cell.micros() / cell.requests();
        LatencySummary second = new LatencySummary(1_000_000_000, cell.requests(), mean, p99, p99, p99, p99, p99);
        return new ConnectionStatus(
                cell.id(),
                ConnectionStatus.State.IDLE,
                0,
                0,
                0,
                0,
                0,
                LatencySummary.none(),
                second,
                1,
                Optional.empty());
    }

    private static HikariDataSource source(EmbeddedPostgres server) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.getPostgresDatabase());
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }

    private static void create(JdbcTemplate jdbc, List<FakePool> pools) {
        Flyway.configure()
                .dataSource(jdbc.getDataSource())
                .locations("classpath:db/migration")
                .load()
                .migrate();
        jdbc.update("""
                insert into target (name, host, port, database, "user", password, ssl_mode, budget)
                values ('main', 'localhost', 5432, 'db', 'u', '', 'disable', 500)
                """);
        pools.forEach(pool -> jdbc.update(
                "insert into domain (name, target, description, created_at) values (?, 'main', '', clock_timestamp())",
                pool.domain()));
    }

    private static Spent spent(JdbcTemplate jdbc) throws IOException {
        return new Spent(
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime(), ofServer(jdbc));
    }

    /** Of the postmaster, its processes, and those that have ended. */
    private static long ofServer(JdbcTemplate jdbc) throws IOException {
        String data = Objects.requireNonNull(jdbc.queryForObject("show data_directory", String.class));
        String postmaster =
                Files.readAllLines(Path.of(data, "postmaster.pid")).getFirst().strip();
        long ticks = ticks(postmaster, 4);
        for (ProcessHandle child : ProcessHandle.of(Long.parseLong(postmaster))
                .orElseThrow()
                .children()
                .toList()) {
            ticks += ticks(String.valueOf(child.pid()), 2);
        }
        return ticks * 10_000_000;
    }

    /** @param fields of utime, stime, cutime and cstime the first so many, in hundredths of a second */
    private static long ticks(String pid, int fields) throws IOException {
        String stat = Files.readString(Path.of("/proc", pid, "stat"));
        String[] after = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Stream.of(after)
                .skip(11)
                .limit(fields)
                .mapToLong(Long::parseLong)
                .sum();
    }

    private Clock clock() {
        InstantSource seconds = () -> Instant.ofEpochSecond(now);
        return seconds.withZone(ZoneOffset.UTC);
    }
}
