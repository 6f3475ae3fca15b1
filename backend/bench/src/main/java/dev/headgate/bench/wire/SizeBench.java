package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code ./headgate bench size [--quick] [--rows bank,auction,user]}: the size that <i>Find my size</i> answers, beside the best of an
 * exhaustive sweep, on the demo's loads and on one of a user's.
 *
 * <p>The sweep holds every size for twelve seconds, from the largest to the smallest, and takes the last ten as the load itself
 * measured them: each arrival from its scheduled time to its end, so waiting counts. Best is the smallest size that serves 0.95
 * of what arrives and whose mean latency is at most 1.5 times the shortest. The full form sweeps three times, the quick form once;
 * what counts is a size's median. The search then runs with its defaults, from a pool of the largest size.
 */
public final class SizeBench {

    private static final int LARGEST = 8;
    private static final int HELD_MILLIS = 12_000;
    private static final int SETTLE_MILLIS = 3_000;
    private static final int DRAIN_SECONDS = 60;
    private static final int SEARCH_SECONDS = 300;
    private static final double THROUGHPUT = 0.95;
    private static final double LATENCY = 1.5;
    private static final double NOISE_MS = 0.1;
    private static final String SERVED = "served/s";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** A load, and how it begins. */
    private enum Row {
        BANK("bank", "PATCH", "{\"running\": true, \"varies\": false, \"ratePerSecond\": 150}"),
        AUCTION("auction", "PATCH", "{\"running\": true, \"varies\": false, \"ratePerSecond\": 150}"),
        /** Mostly waits, as for a lock or a disk, beside queries that need a processor. */
        USER("gallery", "PUT", """
                {"domain": "gallery", "ratePerSecond": 150, "varies": false, "seed": 7, "transactions": [
                  {"name": "waits", "weight": 9, "statements": ["SELECT pg_sleep(0.015)"]},
                  {"name": "counts", "weight": 1, "statements": ["SELECT count(*) FROM generate_series(1, 20000)"]}]}""");

        private final String domain;
        private final String method;
        private final String load;

        Row(String domain, String method, String load) {
            this.domain = domain;
            this.method = method;
            this.load = load;
        }

        /** Of the load: the demo's are named after their domains. */
        String workload() {
            return this == USER ? "bench-size" : domain;
        }
    }

    /** What a size gave. */
    private record Held(double perSecond, double offeredPerSecond, double meanMs) {
        boolean serves() {
            return perSecond >= THROUGHPUT * offeredPerSecond;
        }
    }

    private final Sheet sheet;
    private final Service service;

    private SizeBench(Sheet sheet, Service service) {
        this.sheet = sheet;
        this.service = service;
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Row> options = Options.parse(Row.class, arguments);
        try (Service service = Service.startDemo()) {
            SizeBench bench = new SizeBench(sheet, service);
            for (Row row : Row.values()) {
                bench.stop(row.domain);
            }
            for (Row row : options.rows()) {
                bench.compare(row, options.quick() ? 1 : 3);
            }
        }
    }

    private void stop(String workload) throws Exception {
        String _ = service.change("PATCH", "/api/v1/workloads/" + workload, "{\"running\": false}")
                .body();
    }

    private void compare(Row row, int rounds) throws Exception {
        String _ = service.change(row.method, "/api/v1/workloads/" + row.workload(), row.load)
                .body();
        NavigableMap<Integer, List<Held>> held = new TreeMap<>();
        for (int round = 0; round < rounds; round++) {
            for (int size = LARGEST; size >= 1; size--) {
                held.computeIfAbsent(size, _ -> new ArrayList<>()).add(hold(row, size));
            }
            drain(row);
        }
        Thread.sleep(SETTLE_MILLIS);
        held.forEach((size, all) -> all.forEach(each -> {
            Sheet.Entry entry = sheet.entry(row.workload(), connections(size));
            entry.add(SERVED, "%.1f", each.perSecond());
            entry.add("mean latency, ms", "%.2f", each.meanMs());
        }));
        int best = best(held);
        long began = System.nanoTime();
        JsonNode search = search(row);
        double seconds = (System.nanoTime() - began) / 1e9;
        for (JsonNode trial : search.path("trials")) {
            Sheet.Entry entry =
                    sheet.entry(row.workload(), connections(trial.path("size").asInt()) + ", tried");
            entry.add(SERVED, "%.1f", trial.path("perSecond").asDouble());
            entry.add("wait, ms", "%.2f", trial.path("waitMs").asDouble());
            entry.add("response, ms", "%.2f", trial.path("responseMs").asDouble());
            if (trial.hasNonNull("ruledOut")) {
                entry.answer("ruled out", trial.path("ruledOut").asString());
            }
        }
        sheet.entry(row.workload(), "the sweep").add("best size", "%.0f", best);
        Sheet.Entry found = sheet.entry(row.workload(), "Find my size");
        found.add(
                "best size",
                "%.0f",
                "within 1",
                search.path("answer").path("size").asInt(0));
        found.add("s to find it", "%.0f", "at most 180", seconds);
        found.answer(
                "says",
                search.path("answer").path("sentence").asString("")
                        + search.path("problem").asString(""));
        sheet.print();
        stop(row.workload());
    }

    private static String connections(int size) {
        return size == 1 ? "1 connection" : size + " connections";
    }

    private static int best(NavigableMap<Integer, List<Held>> held) {
        double shortest = held.values().stream()
                .mapToDouble(rows -> median(rows).meanMs())
                .min()
                .orElseThrow();
        return held.entrySet().stream()
                .filter(each -> median(each.getValue()).serves())
                .filter(each -> median(each.getValue()).meanMs() <= LATENCY * shortest + NOISE_MS)
                .mapToInt(each -> each.getKey())
                .min()
                .orElse(held.lastKey());
    }

    private static Held median(List<Held> rows) {
        return rows.stream()
                .sorted(Comparator.comparingDouble(Held::meanMs))
                .toList()
                .get(rows.size() / 2);
    }

    private Held hold(Row row, int size) throws Exception {
        setSize(row, size);
        Thread.sleep(HELD_MILLIS);
        JsonNode load = json("/api/v1/workloads/" + row.workload());
        return new Held(
                load.path("achievedPerSecond").asDouble(),
                load.path("offeredPerSecond").asDouble(),
                load.path("latency").path("meanMs").asDouble());
    }

    private void setSize(Row row, int size) throws Exception {
        String policies = "/api/v1/domains/" + row.domain + "/policies";
        String revision = json(policies).path("revision").asString();
        String _ = service.change("PUT", policies, """
                {"policies": [{"plugin": "min-max", "parameters": {"min": %1$d, "max": %1$d}}],
                 "whenExhausted": {"mode": "queue", "timeoutMs": 60000, "depth": 10000}}""".formatted(size), "If-Match", "\"" + revision + "\"")
                .body();
    }

    /** Serves those who still wait for a pool that was too small. */
    private void drain(Row row) throws Exception {
        setSize(row, LARGEST);
        Await.until(
                "nobody waits",
                DRAIN_SECONDS,
                () -> json("/api/v1/domains/" + row.domain + "/pool")
                                .path("waiting")
                                .asInt()
                        == 0);
    }

    private JsonNode search(Row row) throws Exception {
        String searches = "/api/v1/domains/" + row.domain + "/size-searches";
        String location = service.change("POST", searches, "{\"most\": " + LARGEST + "}")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        String path = location.substring(location.indexOf("/api/"));
        Await.until(
                "the search is done",
                SEARCH_SECONDS,
                () -> !json(path).path("state").asString().equals("running"));
        return json(path);
    }

    private JsonNode json(String path) throws IOException, InterruptedException {
        return JSON.readTree(service.get(path));
    }
}
