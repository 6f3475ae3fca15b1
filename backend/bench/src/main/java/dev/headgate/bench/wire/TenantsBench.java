package dev.headgate.bench.wire;

import dev.headgate.bench.Figures;
import java.io.IOException;
import java.util.List;

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

    private final Service service;
    private final ManyDomains many;

    private TenantsBench(Service service, boolean quick) {
        this.service = service;
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
    public static void measure(List<String> arguments) throws Exception {
        if (!arguments.isEmpty() && !arguments.equals(List.of("--quick"))) {
            throw new IllegalArgumentException("does not know " + String.join(" ", arguments) + "; allowed is --quick");
        }
        try (Service service = Service.start();
                Folder folder = Folder.create("tenants")) {
            new TenantsBench(service, !arguments.isEmpty()).run(folder);
        }
    }

    private void run(Folder folder) throws Exception {
        many.prepareServer();
        many.create();
        double start = service.restart();
        System.out.printf(
                "  %d domains on %d databases: started in %.1f s (bar 30)%n", many.domains(), many.databases(), start);
        try (ManyDomains.Load load = many.load(folder)) {
            Thread.sleep(WARM_UP_MILLIS);
            measureUnderLoad();
            load.check();
        }
    }

    private void measureUnderLoad() throws Exception {
        double[] millis = new double[PAGES];
        for (int i = 0; i < PAGES; i++) {
            long began = System.nanoTime();
            String page = service.get("/api/v1/domains?limit=100");
            millis[i] = (System.nanoTime() - began) / 1e6;
            if (page.isEmpty()) {
                throw new IOException("an empty page");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        System.out.println("  GET /domains?limit=100, ms: " + new Figures(millis).show("%.1f") + " (bar 100)");
        System.out.printf("  the governors' longest step: %.1f ms (bar 5)%n", longestStepMillis());
        System.out.printf(
                "  operating-system threads: %d (bar 200)%n",
                service.footprint().threads());
        System.out.printf(
                "  heap in use after collections: %.0f MB (bar 350)%n",
                service.footprint().heap() / 1024.0);
        System.out.printf("  resident: %.0f MB%n", service.footprint().resident() / 1024.0);
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
