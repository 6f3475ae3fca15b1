package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Service;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the history takes on disk, and how long an answer takes. */
class HistorySizeTest {

    private static final int DOMAINS = 20;

    /** Requests in a second of each domain, on average: together 2,000. */
    private static final double PER_SECOND = 100;

    private static final int HOURS = 10;

    private final HeadgateProperties.History defaults = new Binder(new MapConfigurationPropertySource(Map.of()))
            .bindOrCreate("headgate", HeadgateProperties.class)
            .history();

    /** The defaults are chosen so that the limit on disk takes nothing from 20 domains. */
    @Test
    void thirtyDaysOf20DomainsTakeLessThanTheLimit() {
        Map<Resolution, List<Chunk>> chunks = chunks(PER_SECOND);
        double bytes = 0;
        for (Resolution resolution : Resolution.values()) {
            double each = chunks.get(resolution).stream()
                            .mapToLong(chunk -> chunk.body().length + ChunkStore.ROW_BYTES)
                            .sum()
                    / (double) Duration.ofHours(HOURS).toMillis();
            double its = each * kept(resolution).toMillis() * DOMAINS;
            System.out.printf("%s: %.0f MB%n", resolution, its / 1e6);
            bytes += its;
        }
        System.out.printf("together: %.0f MB%n", bytes / 1e6);
        assertThat(bytes).isLessThan((double) defaults.most().toBytes());
    }

    /** 25 connections in each domain that are replaced every half hour, each with as many requests as fits 20 busy domains. */
    @Test
    void aDayOf500ConnectionsLeavesTheDomainsTheirRoom() {
        double bytes = 0;
        for (Resolution resolution : List.of(Resolution.SECONDS, Resolution.TENS, Resolution.MINUTES)) {
            double its = DOMAINS
                    * (double) ofConnections(resolution)
                    * (double) (resolution == Resolution.SECONDS ? 1 : resolution == Resolution.TENS ? 6 : 24);
            System.out.printf("connections, %s: %.1f MB%n", resolution, its / 1e6);
            bytes += its;
        }
        System.out.printf("connections, together: %.1f MB%n", bytes / 1e6);
        assertThat(bytes).isLessThan(0.1 * (double) defaults.most().toBytes());
    }

    /** Of an hour of a domain. */
    private static long ofConnections(Resolution resolution) {
        CellsOfConnections generated = new CellsOfConnections(3, 25, PER_SECOND / 25);
        List<ConnectionPeriod> periods = new ArrayList<>();
        for (long second = 0; second < 3_600; second++) {
            periods.add(generated.second(second));
        }
        List<ConnectionPeriod> rolled =
                resolution == Resolution.SECONDS ? periods : ConnectionPeriod.roll(periods, resolution);
        long bytes = 0;
        for (int from = 0; from < rolled.size(); from += Chunk.ROWS) {
            List<ConnectionPeriod> its = rolled.subList(from, from + Chunk.ROWS);
            bytes += ConnectionChunk.of(
                                    resolution,
                                    its.getFirst().start(),
                                    its.getLast().start(),
                                    its)
                            .body()
                            .length
                    + ChunkStore.ROW_BYTES;
        }
        return bytes;
    }

    /** Fills a month and asks for ranges of it: {@code -Dhistory.fill=true}. The median of twelve answers counts. */
    @Test
    @EnabledIfSystemProperty(named = "history.fill", matches = "true")
    void anyRangeIsAnsweredWithin300Milliseconds(@TempDir Path data) throws Exception {
        Map<Resolution, List<Chunk>> chunks = chunks(PER_SECOND);
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            JdbcTemplate jdbc = service.bean(JdbcTemplate.class);
            Instant now = Instant.now();
            for (int domain = 0; domain < DOMAINS; domain++) {
                service.domain("domain-" + domain, "[]");
                fill(jdbc, "domain-" + domain, chunks, now);
            }
            jdbc.execute("analyze");
            for (String size : List.of("history_chunk", "history_open")) {
                System.out.printf(
                        "%s: %d rows, %.0f MB on disk, %.0f MB by our count%n",
                        size,
                        jdbc.queryForObject("select count(*) from " + size, Long.class),
                        jdbc.queryForObject("select pg_total_relation_size('" + size + "')", Long.class) / 1e6,
                        size.equals("history_chunk")
                                ? jdbc.queryForObject("select sum(bytes) from history_chunk", Long.class) / 1e6
                                : 0);
            }
            for (Duration length : List.of(
                    Duration.ofMinutes(5),
                    Duration.ofHours(1),
                    Duration.ofHours(3),
                    Duration.ofHours(6),
                    Duration.ofDays(1),
                    Duration.ofDays(3),
                    Duration.ofDays(4),
                    Duration.ofDays(7),
                    Duration.ofDays(30))) {
                for (Duration ago : List.of(Duration.ZERO, Duration.ofHours(30), Duration.ofDays(10))) {
                    ask(service, now.minus(ago), length);
                }
            }
        }
    }

    private static void ask(Service service, Instant to, Duration length) {
        List<Long> millis = new ArrayList<>();
        Service.Answer answer = null;
        for (int n = 0; n < 12; n++) {
            long begun = System.nanoTime();
            answer = service.get("/domains/domain-" + n % DOMAINS + "/history?from=" + to.minus(length) + "&to=" + to)
                    .expect(200);
            millis.add((System.nanoTime() - begun) / 1_000_000);
        }
        System.out.printf(
                "%s until %s: step %d ms, %d rows, %d requests, %d kB; first %d ms, median %d ms, most %d ms%n",
                length,
                to,
                answer.json().get("stepMs").asLong(),
                answer.json().get("time").size(),
                answer.json().get("total").get("requests").asLong(),
                answer.text().length() / 1_000,
                millis.getFirst(),
                millis.stream().sorted().toList().get(6),
                millis.stream().mapToLong(Long::longValue).max().orElseThrow());
        assertThat(millis.stream().sorted().toList().get(6)).isLessThan(300);
    }

    private void fill(JdbcTemplate jdbc, String domain, Map<Resolution, List<Chunk>> chunks, Instant now) {
        Integer series = jdbc.queryForObject("""
                insert into history_series (node, domain, created_at) select 'filled', name, created_at from domain where name = ?
                returning id
                """, Integer.class, domain);
        chunks.forEach((resolution, some) -> {
            long end = resolution.chunkStart(now.getEpochSecond());
            long begin = resolution.chunkStart(now.minus(kept(resolution)).getEpochSecond());
            List<Object[]> rows = LongStream.iterate(
                            begin, start -> start < end, start -> start + resolution.chunkSeconds())
                    .mapToObj(start -> {
                        Chunk chunk = some.get((int) (start / resolution.chunkSeconds() % some.size()));
                        return new Object[] {
                            series,
                            resolution.seconds(),
                            Timestamp.from(Instant.ofEpochSecond(start)),
                            chunk.body().length + ChunkStore.ROW_BYTES,
                            chunk.body()
                        };
                    })
                    .toList();
            jdbc.batchUpdate(
                    "insert into history_chunk (series, resolution, start, bytes, body) values (?, ?, ?, ?, ?)", rows);
        });
    }

    private Duration kept(Resolution resolution) {
        return switch (resolution) {
            case SECONDS -> defaults.seconds();
            case TENS -> defaults.tens();
            case MINUTES -> defaults.minutes();
            case TEN_MINUTES -> defaults.tenMinutes();
        };
    }

    /** Ten hours of a domain in every resolution. A body does not know when it was. */
    private static Map<Resolution, List<Chunk>> chunks(double perSecond) {
        Periods generated = new Periods(16, perSecond);
        List<Period> periods = new ArrayList<>();
        for (long second = 0; second < HOURS * 3_600; second++) {
            periods.add(generated.second(second));
        }
        Map<Resolution, List<Chunk>> chunks = new EnumMap<>(Resolution.class);
        for (Resolution resolution : Resolution.values()) {
            List<Period> rolled = resolution == Resolution.SECONDS ? periods : Sum.roll(periods, resolution);
            List<Chunk> its = new ArrayList<>();
            for (int from = 0; from < rolled.size(); from += Chunk.ROWS) {
                its.add(Chunk.of(resolution, rolled.get(from).start(), rolled.subList(from, from + Chunk.ROWS)));
            }
            chunks.put(resolution, its);
        }
        return chunks;
    }
}
