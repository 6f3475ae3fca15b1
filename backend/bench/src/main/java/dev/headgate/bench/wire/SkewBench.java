package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * {@code ./headgate bench skew [--quick]}: whether plans are worse for skewed data when an unnamed statement is answered
 * from the cache. A table of 200,000 rows in which one key has 90 % of the rows and every other key one; pgbench
 * queries frequent and rare keys by the extended protocol, in turn through a domain with {@code unnamedStatements} set to
 * {@code auto}, through one with {@code off}, and without a pooler; without a pooler also by a prepared statement, as the cache
 * uses it.
 *
 * <p>A cached statement is planned for each key at first (custom), and later once for all keys (generic) if PostgreSQL
 * expects that to cost no more. A worse plan shows as a longer latency of {@code auto} than of {@code off}. Headgate notices it by
 * measuring ({@link dev.headgate.protocol.PlanChoice}), so the statement runs for {@value #LEARNING} seconds first.
 */
public final class SkewBench {

    private static final List<String> TABLES = List.of(
            "create table skewed (id int primary key, key int not null, other int not null, line text not null)",
            "create table others (id int primary key, line text not null)",
            "insert into others select i, 'other ' || i from generate_series(1, 50000) i",
            """
            insert into skewed select i, case when i % 10 = 0 then i else 0 end, 1 + i % 50000, repeat('x', 80)
            from generate_series(1, 200000) i""",
            "create index on skewed (key)",
            "vacuum analyze skewed",
            "vacuum analyze others");

    /** By name. */
    private static final Map<String, String> QUERIES = Map.of(
            "count", "select count(*) from skewed where key = :key",
            "one row", "select line from skewed where key = :key limit 1",
            "join", "select count(o.line) from skewed s join others o on o.id = s.other where s.key = :key");

    private static final String FREQUENT_KEY = "\\set key 0\n";
    private static final String RARE_KEY = "\\set key 10 * random(1, 20000)\n";

    /** In seconds. */
    static final int LEARNING = 30;

    private static final String OFF = "off";

    /**
     * One side of the comparison.
     *
     * @param protocol by which pgbench asks
     */
    private record Subject(String name, Side side, String protocol) {}

    private SkewBench() {}

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<?> options = Options.parse(arguments);
        try (Service service = Service.start();
                Folder folder = Folder.create("skew")) {
            for (String statement : TABLES) {
                service.server.direct().sql(statement);
            }
            service.createDomain(OFF, service.server.port(), PostgresServer.DATABASE, 1, Service.CONNECTIONS);
            service.createClient(OFF);
            service.change("PATCH", "/api/v1/domains/" + OFF, "{\"wire\": {\"unnamedStatements\": \"off\"}}");
            service.pin();
            List<Subject> subjects = List.of(
                    new Subject("direct", service.server.direct(), "extended"),
                    new Subject("direct, prepared", service.server.direct(), "prepared"),
                    new Subject("off", service.side(OFF), "extended"),
                    new Subject("auto", service.side(), "extended"));
            for (String name : List.of("count", "one row", "join")) {
                Path frequent = folder.write("frequent.sql", FREQUENT_KEY + QUERIES.get(name) + ";\n");
                Path rare = folder.write("rare.sql", RARE_KEY + QUERIES.get(name) + ";\n");
                SkewedLoad load = new SkewedLoad(folder, frequent, rare);
                load.run(subjects.getLast().side(), "extended", LEARNING);
                compare(sheet, name, subjects, load, options);
            }
        }
    }

    private static void compare(Sheet sheet, String name, List<Subject> subjects, SkewedLoad load, Options<?> options)
            throws Exception {
        for (int run = -1; run < options.runs(); run++) { // the first run warms up
            for (Subject subject : subjects) {
                SkewedLoad.Latencies latencies = load.run(subject.side(), subject.protocol(), 2 * options.seconds());
                if (run >= 0) {
                    Sheet.Entry entry = sheet.entry(name, subject.name());
                    entry.add(
                            "frequent key: mean, ms",
                            "%.3f",
                            latencies.frequent().mean());
                    entry.add(
                            "frequent key: p99, ms",
                            "%.3f",
                            latencies.frequent().p99());
                    entry.add("rare key: mean, ms", "%.3f", latencies.rare().mean());
                    entry.add("rare key: p99, ms", "%.3f", latencies.rare().p99());
                }
            }
        }
        sheet.print();
    }
}
