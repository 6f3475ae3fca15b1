package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * One client with one query: once for the frequent key, nine times for rare keys.
 *
 * @param folder for pgbench's log
 * @param frequent a script of pgbench
 * @param rare another, with the same text of the query
 */
record SkewedLoad(Folder folder, Path frequent, Path rare) {

    private static final int FREQUENT_SCRIPT = 0;
    private static final int RARE_SCRIPT = 1;

    /** In milliseconds. */
    record Latency(double mean, double p99) {

        static Latency of(double[] millis) {
            double[] sorted = millis.clone();
            Arrays.sort(sorted);
            return new Latency(
                    Arrays.stream(sorted).average().orElseThrow(), sorted[(int) Math.ceil(0.99 * sorted.length) - 1]);
        }
    }

    record Latencies(Latency frequent, Latency rare) {}

    /** @param protocol "extended" without names, or "prepared" */
    Latencies run(Side side, String protocol, int seconds) throws IOException, InterruptedException {
        side.rate(
                false,
                seconds,
                List.of(
                        "-M",
                        protocol,
                        "-c",
                        "1",
                        "-l",
                        "--log-prefix=" + folder.path().resolve("log"),
                        "-f",
                        frequent + "@1",
                        "-f",
                        rare + "@9"));
        Path log;
        try (Stream<Path> files = Files.list(folder.path())) {
            log = files.filter(each -> each.getFileName().toString().startsWith("log."))
                    .findFirst()
                    .orElseThrow();
        }
        List<String[]> lines = Files.readAllLines(log).stream()
                .map(line -> line.split(" ", -1))
                .toList();
        Files.delete(log);
        return new Latencies(latency(lines, FREQUENT_SCRIPT), latency(lines, RARE_SCRIPT));
    }

    /** A line of pgbench's log: client, transaction, microseconds, script, time. */
    private static Latency latency(List<String[]> lines, int script) {
        return Latency.of(lines.stream()
                .filter(line -> Integer.parseInt(line[3]) == script)
                .mapToDouble(line -> Long.parseLong(line[2]) / 1e3)
                .toArray());
    }
}
