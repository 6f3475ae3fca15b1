package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import dev.headgate.bench.Sheet;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * {@code ./headgate bench tenants [--quick]}: many domains in one service with a heap of 512 MB. 2,000 domains on 20
 * databases; a client of pgbench sends five queries a second to each of 100 of them. Measures the start with these domains,
 * and under the load the heap, the threads, a page of the list of domains and the governors' steps.
 */
public final class TenantsBench {

    private static final int CONNECTIONS_PER_DATABASE = 10;
    private static final int PAGES = 100;
    private static final int WARM_UP_MILLIS = 10_000;
    private static final int PAUSE_MILLIS = 200;

    private static final String ROW = "many domains";
    private static final String PAGE = "GET /domains?limit=100, ms";

    private final Service service;
    private final Sheet.Entry headgate;
    private final ManyDomains many;

    private TenantsBench(Sheet sheet, Service service, boolean quick) {
        this.service = service;
        this.headgate = sheet.entry(ROW, "Headgate");
        this.many = new ManyDomains(
                service,
                "tenant",
                quick ? 4 : 20,
                CONNECTIONS_PER_DATABASE,
                quick ? 200 : 2_000,
                quick ? 10 : 100,
                ManyDomains.Pool.LIGHT);
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        if (!arguments.isEmpty() && !arguments.equals(List.of("--quick"))) {
            throw new IllegalArgumentException("does not know " + String.join(" ", arguments) + "; allowed is --quick");
        }
        try (Service service = Service.start(Map.of("HEADGATE_LIMITS_DOMAINS", "2001")); // with the service's own
                Folder folder = Folder.create("tenants")) {
            new TenantsBench(sheet, service, !arguments.isEmpty()).run(folder);
        }
    }

    private void run(Folder folder) throws Exception {
        many.prepareServer();
        many.create();
        double start = service.restart();
        headgate.add("domains", "%,.0f", many.domains());
        headgate.add("databases", "%.0f", many.databases());
        headgate.add("busy domains", "%.0f", many.busy());
        headgate.add("start, s", "%.1f", "at most 30", start);
        try (ManyDomains.Load load = many.load(folder)) {
            Thread.sleep(WARM_UP_MILLIS);
            measureUnderLoad();
            load.check();
        }
    }

    private void measureUnderLoad() throws Exception {
        for (int i = 0; i < PAGES; i++) {
            long began = System.nanoTime();
            String page = service.get("/api/v1/domains?limit=100");
            headgate.addMillis(PAGE, System.nanoTime() - began);
            if (page.isEmpty()) {
                throw new IOException("an empty page");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        headgate.bar(PAGE, "at most 100");
        headgate.add("the governors' longest step, ms", "%.1f", "at most 5", longestStepMillis());
        headgate.add(
                "operating-system threads",
                "%.0f",
                "at most 200",
                service.footprint().threads());
        headgate.add(
                "heap in use after collections, MB",
                "%.0f",
                "at most 350",
                service.footprint().heap() / 1024.0);
        headgate.add("resident, MB", "%.0f", service.footprint().resident() / 1024.0);
    }

    /** Of all databases, within the last ten to twenty seconds. */
    private double longestStepMillis() throws IOException, InterruptedException {
        return service.get("/actuator/prometheus")
                .lines()
                .filter(line -> line.startsWith("headgate_governor_step_longest_seconds{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)) * 1_000)
                .max()
                .orElseThrow();
    }
}
