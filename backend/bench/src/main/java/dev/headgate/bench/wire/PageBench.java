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
 * {@code ./headgate bench page [--quick] [--rows first,open,restart]}: what the dashboard costs a browser. 20 domains on 4 databases
 * with 25 connections each, 20 queries a second to each domain. The browser is Chromium, driven by {@code frontend/dev/watch.mjs};
 * service, load and browser share the machine. {@code first} is also measured without the load, whose part of the processor a browser
 * elsewhere would not miss.
 */
public final class PageBench {

    private static final int DATABASES = 4;
    private static final int DOMAINS = 20;
    private static final int CONNECTIONS = 25;
    private static final int PER_SECOND = 20;
    private static final int FIRST_TIMES = 7;
    private static final int OPEN_MINUTES = 30;
    private static final int SETTLE_MILLIS = 10_000;
    private static final double MB = 1e6;

    private final Sheet sheet;
    private final Service service;
    private final Options<Row> options;
    private final ManyDomains domains;

    private enum Row {
        FIRST,
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
            load.check();
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
