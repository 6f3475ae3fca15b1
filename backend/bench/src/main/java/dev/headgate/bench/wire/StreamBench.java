package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code ./headgate bench stream [--quick] [--rows alone,overviews,pages,stalled]}: the stream of 500 domains on 50 databases, 50 of
 * them under a light load, the others idle. First what one page costs on the wire, with permessage-deflate and without; then the
 * service with 200 subscribers, and with 50 more that do not read.
 */
public final class StreamBench {

    private static final int CONNECTIONS_PER_DATABASE = 6;
    private static final int SETTLE_MILLIS = 3_000;
    private static final int FED_SECONDS = 120;
    private static final int ROWS_ON_SCREEN = 30;

    private static final String OVERVIEW = """
            {"type":"subscribe","domains":[],"rateHz":4,"summary":"figures","events":["*"],"seconds":[%s]}""";
    private static final String DOMAIN = """
            {"type":"subscribe","domains":["%s"],"rateHz":4,"connections":["%s"],"summary":"health","events":["%s"]}""";
    private static final String EVERYTHING = """
            {"type":"subscribe","domains":["*"],"rateHz":4}""";

    private enum Row {
        ALONE,
        OVERVIEWS,
        PAGES,
        STALLED
    }

    private final Sheet sheet;
    private final Service service;
    private final Options<Row> options;
    private final ManyDomains domains;
    private final int subscribers;
    private final int stalled;
    private final int seconds;

    /** What the service takes without a subscriber, in cores. */
    private double nobody;

    private StreamBench(Sheet sheet, Service service, Options<Row> options) {
        boolean quick = options.quick();
        this.options = options;
        this.sheet = sheet;
        this.service = service;
        this.domains = new ManyDomains(
                service,
                "streamed",
                quick ? 5 : 50,
                CONNECTIONS_PER_DATABASE,
                quick ? 50 : 500,
                quick ? 5 : 50,
                ManyDomains.Pool.LIGHT);
        this.subscribers = quick ? 20 : 200;
        this.stalled = quick ? 5 : 50;
        this.seconds = quick ? 5 : 12;
    }

    /** @throws IllegalArgumentException for an unknown option or row */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Row> options = Options.parse(Row.class, arguments);
        try (Service service = Service.start();
                Folder folder = Folder.create("stream")) {
            new StreamBench(sheet, service, options).run(folder);
        }
    }

    private void run(Folder folder) throws Exception {
        domains.prepareServer();
        domains.create();
        try (ManyDomains.Load load = domains.load(folder)) {
            Thread.sleep(SETTLE_MILLIS);
            Sheet.Entry idle = sheet.entry("nobody", "Headgate");
            idle.add("domains", "%.0f", domains.domains());
            idle.add("databases", "%.0f", domains.databases());
            idle.add("domains with 5 queries/s", "%.0f", domains.busy());
            if (options.has(Row.ALONE)) {
                for (boolean deflate : new boolean[] {true, false}) {
                    alone("an overview", overview(), deflate, "at most 40");
                    alone("a domain's page", page(0), deflate, "at most 25");
                    alone("everything, as before", EVERYTHING, deflate, "");
                }
            }
            nobody = cores();
            idle.add("% of a core", "%.1f", 100 * nobody);
            if (options.has(Row.OVERVIEWS)) {
                many("many overviews", true, 0, true);
                many("many overviews", true, 0, false);
            }
            if (options.has(Row.PAGES)) {
                many("many domain pages", false, 0, true);
                many("many domain pages", false, 0, false);
            }
            if (options.has(Row.STALLED)) {
                many("many domain pages beside stalled clients", false, stalled, true);
            }
            load.check();
        }
    }

    /** The rows on a screen: the first of them are busy. */
    private String overview() {
        return OVERVIEW.formatted(IntStream.range(0, ROWS_ON_SCREEN)
                .mapToObj(i -> "\"" + domains.domain(i) + "\"")
                .collect(Collectors.joining(",")));
    }

    private String page(int number) {
        String name = domains.domain(number % domains.busy());
        return DOMAIN.formatted(name, name, name);
    }

    /** What one page costs on the wire. @param bar in kB/s; empty if there is none */
    private void alone(String name, String subscription, boolean deflate, String bar) throws Exception {
        Ages ages = new Ages();
        try (StreamClient client = new StreamClient(service, deflate, false, ages)) {
            Thread reader = Thread.startVirtualThread(client::read);
            client.subscribe(subscription);
            Await.until("the page has its snapshot", FED_SECONDS, client::isFed);
            client.measure(true);
            long began = System.nanoTime();
            Thread.sleep(seconds * 1_000L);
            double elapsed = (System.nanoTime() - began) / 1e9;
            client.check();
            Sheet.Entry entry = sheet.entry(name, form(deflate));
            entry.add("on the wire, kB/s", "%.1f", client.wireBytes() / 1e3 / elapsed);
            if (!bar.isEmpty()) {
                entry.bar("on the wire, kB/s", bar);
            }
            entry.add("JSON, kB/s", "%.1f", client.textBytes() / 1e3 / elapsed);
            entry.add("frames/s", "%.1f", client.frames() / elapsed);
            sheet.print();
            client.close();
            reader.join();
        }
    }

    /** The service's processor time with many subscribers, and the age of their frames. */
    private void many(String name, boolean overviews, int stalledClients, boolean deflate) throws Exception {
        Ages ages = new Ages();
        List<StreamClient> clients = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        try {
            for (int i = 0; i < stalledClients; i++) {
                StreamClient stuck = new StreamClient(service, deflate, true, ages);
                clients.add(stuck);
                stuck.subscribe(EVERYTHING);
            }
            for (int i = 0; i < subscribers; i++) {
                StreamClient client = new StreamClient(service, deflate, false, ages);
                clients.add(client);
                readers.add(Thread.startVirtualThread(client::read));
                client.subscribe(overviews ? overview() : page(i));
            }
            List<StreamClient> reading = clients.subList(stalledClients, clients.size());
            Await.until(
                    "all have their snapshots",
                    FED_SECONDS,
                    () -> reading.stream().allMatch(StreamClient::isFed));
            clients.forEach(client -> client.measure(true));
            double cores = cores();
            clients.forEach(client -> client.measure(false));
            reading.forEach(StreamClient::check);
            Sheet.Entry entry = sheet.entry(name, form(deflate));
            entry.add("subscribers", "%.0f", subscribers);
            entry.add("stalled clients", "%.0f", stalledClients);
            entry.add("% of a core", "%.1f", 100 * cores);
            entry.add("% of a core each, beyond nobody's", "%.2f", "at most 0.5", 100 * (cores - nobody) / subscribers);
            ages.note(entry);
            sheet.print();
        } finally {
            for (StreamClient client : clients) {
                client.close();
            }
        }
        for (Thread reader : readers) {
            reader.join();
        }
    }

    private static String form(boolean deflate) {
        return deflate ? "deflated" : "plain";
    }

    /** The processor time of the service over some seconds, in cores. */
    private double cores() throws InterruptedException {
        long before = cpuNanos();
        long began = System.nanoTime();
        Thread.sleep(seconds * 1_000L);
        return (cpuNanos() - before) / (double) (System.nanoTime() - began);
    }

    private long cpuNanos() {
        return service.footprint()
                .process()
                .info()
                .totalCpuDuration()
                .orElseThrow()
                .toNanos();
    }
}
