package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * {@code ./headgate bench page [--quick] [--rows first,ranges,open,restart]}: what the dashboard costs a browser. 20 domains on 4 databases
 * with 25 connections each, 20 queries a second to each domain. The browser is Chromium, driven by {@code frontend/dev/watch.mjs};
 * service, load and browser share the machine. {@code first} is also measured without the load, whose part of the processor a browser
 * elsewhere would not miss. {@code ranges} clicks each range of a page while the store has 30 days of every domain, without the load.
 */
public final class PageBench {

    private static final int DATABASES = 4;
    private static final int DOMAINS = 20;
    private static final int CONNECTIONS = 25;
    private static final int PER_SECOND = 20;
    private static final int FIRST_TIMES = 7;
    private static final int RANGE_TIMES = 12;
    private static final int OPEN_MINUTES = 30;
    private static final int SETTLE_MILLIS = 10_000;

    /** After so long, each domain has a minute of seconds in the store that is complete. */
    private static final int WHOLE_CHUNK_MILLIS = 150_000;

    private static final double MB = 1e6;

    /** The database of the control store. */
    private static final String STORE = "headgate_control";

    private final Sheet sheet;
    private final Service service;
    private final Options<Row> options;
    private final ManyDomains domains;

    private enum Row {
        FIRST,
        RANGES,
        OPEN,
        RESTART
    }

    private PageBench(Sheet sheet, Service service, Options<Row> options) {
        this.sheet = sheet;
        this.service = service;
        this.options = options;
        this.domains = new ManyDomains(
                service,
                "paged",
                DATABASES,
                CONNECTIONS * DOMAINS / DATABASES,
                DOMAINS,
                DOMAINS,
                new ManyDomains.Pool(CONNECTIONS, CONNECTIONS, CONNECTIONS, PER_SECOND));
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Row> options = Options.parse(Row.class, arguments);
        try (Service service = Service.start();
                Folder folder = Folder.create("page")) {
            new PageBench(sheet, service, options).run(folder);
        }
    }

    private void run(Folder folder) throws Exception {
        domains.prepareServer();
        domains.create();
        System.out.printf("  %d domains with %d connections and %d queries/s each%n", DOMAINS, CONNECTIONS, PER_SECOND);
        if (options.has(Row.FIRST)) {
            Thread.sleep(SETTLE_MILLIS);
            first("first load of the overview, the domains at rest");
        }
        try (ManyDomains.Load load = domains.load(folder)) {
            Thread.sleep(SETTLE_MILLIS);
            if (options.has(Row.FIRST)) {
                first("first load of the overview, under load");
            }
            if (options.has(Row.OPEN)) {
                open(options.quick() ? 1 : OPEN_MINUTES);
            }
            if (options.has(Row.RANGES)) {
                Thread.sleep(WHOLE_CHUNK_MILLIS);
            }
            load.check();
        }
        if (options.has(Row.RANGES)) {
            fillHistory();
            ranges(options.quick() ? 3 : RANGE_TIMES);
        }
        if (options.has(Row.RESTART)) {
            restart();
        }
    }

    private void first(String subject) throws Exception {
        try (Watch watch = new Watch("first", FIRST_TIMES)) {
            sheet.entry("first", subject)
                    .add(
                            "ms until a key works",
                            "%.0f",
                            "at most 1,500",
                            watch.read().get("millis"));
            sheet.print();
        }
    }

    /**
     * Copies each domain's last complete chunk to all others of the default retention (a chunk does not know when it was): 60 periods
     * of a second, of 10 s, a minute and 10 minutes.
     */
    private void fillHistory() throws Exception {
        Side store = service.server.direct(STORE);
        store.sql("""
                set search_path = headgate;
                insert into history_chunk (series, resolution, start, bytes, body)
                select chunk.series, each.seconds, moment, chunk.bytes, chunk.body
                from (select distinct on (series) * from history_chunk where resolution = 1 order by series, start desc) chunk,
                     (values (1, interval '24h'), (10, interval '3d'), (60, interval '14d'), (600, interval '30d')) each (seconds, kept),
                     generate_series(
                         to_timestamp(floor(extract(epoch from now() - each.kept) / (60 * each.seconds)) * 60 * each.seconds),
                         now() - make_interval(secs => 60 * each.seconds),
                         make_interval(secs => 60 * each.seconds)) moment
                on conflict do nothing""");
        store.sql("analyze headgate.history_chunk");
    }

    private void ranges(int times) throws Exception {
        try (Watch watch = new Watch("ranges", times)) {
            Map<String, double[]> seen = watch.read();
            for (String range : List.of("5m", "15m", "1h", "6h", "24h", "7d", "30d")) {
                sheet.entry("ranges", range)
                        .add("ms from the click until it is drawn", "%.0f", "at most 300", seen.get(range));
            }
            sheet.print();
        }
    }

    private void open(int minutes) throws Exception {
        try (Watch watch = new Watch("open", minutes)) {
            Map<String, double[]> seen = watch.read();
            double[] heaps =
                    DoubleStream.of(seen.get("heaps")).map(each -> each / MB).toArray();
            Sheet.Entry page = sheet.entry("open", "a domain's page");
            page.add("minutes", "%.0f", minutes);
            page.add("main thread, % of a core", "%.1f", "at most 20", 100 * seen.get("processor")[0]);
            page.add("its tasks with their waits for a core, %", "%.1f", 100 * seen.get("mainThread")[0]);
            page.add("longest task, ms", "%.0f", seen.get("longest")[0]);
            page.add("tasks over 100 ms", "%.0f", "0", seen.get("over")[0]);
            page.add("heap, MB", "%.1f", "flat", heaps);
            page.add("heap at first, MB", "%.1f", heaps[0]);
            page.add("heap at the end, MB", "%.1f", heaps[heaps.length - 1]);
            sheet.print();
        }
    }

    /** Without the load, which would end with the service. */
    private void restart() throws Exception {
        try (Watch watch = new Watch("restart", 0)) {
            Map<String, double[]> _ = watch.read();
            double seconds = service.restart();
            watch.tell("ready");
            Map<String, double[]> seen = watch.read();
            Sheet.Entry restart = sheet.entry("restart", "restart of the service");
            restart.add("s to restart", "%.1f", seconds);
            restart.add("then s until the page is live", "%.1f", seen.get("connected")[0] / 1e3);
            restart.add("s until it draws", "%.1f", "at most 3", seen.get("drawn")[0] / 1e3);
            sheet.print();
        }
    }

    /** The browser's process. */
    private final class Watch implements AutoCloseable {

        private final Process process;
        private final BufferedReader output;

        Watch(String what, int amount) throws IOException {
            Path frontend = Path.of(System.getProperty("headgate.checkout", "."), "frontend");
            ProcessBuilder builder = new ProcessBuilder(
                            "node", "dev/watch.mjs", what, domains.domain(0), Integer.toString(amount))
                    .directory(frontend.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().put("HEADGATE_URL", service.address());
            builder.environment().put("HEADGATE_TOKEN", service.token());
            process = builder.start();
            output = process.inputReader();
        }

        /** The next result: numbers by name. Blocks until there is one. */
        Map<String, double[]> read() throws IOException {
            Map<String, double[]> result = new HashMap<>();
            for (String line = output.readLine(); ; line = output.readLine()) {
                if (line == null) {
                    throw new IOException("the browser's script ended; its message stands above");
                }
                if (line.isEmpty()) {
                    return result;
                }
                String[] words = line.split(" ");
                result.put(
                        words[0],
                        Stream.of(words)
                                .skip(1)
                                .mapToDouble(Double::parseDouble)
                                .toArray());
            }
        }

        void tell(String line) throws IOException {
            process.outputWriter().append(line).append('\n').flush();
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            process.waitFor();
        }
    }
}
