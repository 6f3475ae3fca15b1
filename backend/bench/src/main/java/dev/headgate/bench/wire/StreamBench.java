package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code ./headgate bench stream [--quick]}: the stream of 500 domains on 50 databases, 50 of them under a light load, the others
 * idle. First what one page costs on the wire, with permessage-deflate and without; then the service with 200 subscribers, and with
 * 50 more that do not read.
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

    private final Service service;
    private final ManyDomains domains;
    private final int subscribers;
    private final int stalled;
    private final int seconds;

    /** What the service takes without a subscriber, in cores. */
    private double nobody;

    private StreamBench(Service service, boolean quick) {
        this.service = service;
        this.domains = new ManyDomains(
                service, "streamed", quick ? 5 : 50, CONNECTIONS_PER_DATABASE, quick ? 50 : 500, quick ? 5 : 50);
        this.subscribers = quick ? 20 : 200;
        this.stalled = quick ? 5 : 50;
        this.seconds = quick ? 5 : 12;
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(List<String> arguments) throws Exception {
        boolean quick = Options.parse(arguments).quick();
        try (Service service = Service.start();
                Folder folder = Folder.create("stream")) {
            new StreamBench(service, quick).run(folder);
        }
    }

    private void run(Folder folder) throws Exception {
        domains.prepareServer();
        domains.create();
        try (ManyDomains.Load load = domains.load(folder)) {
            Thread.sleep(SETTLE_MILLIS);
            System.out.printf(
                    "  %d domains on %d databases, %d of them with 5 queries/s%n",
                    domains.domains(), domains.databases(), domains.busy());
            for (boolean deflate : new boolean[] {true, false}) {
                alone("overview", overview(), deflate, 40);
                alone("a domain's page", page(0), deflate, 25);
                alone("everything, as before", EVERYTHING, deflate, 0);
            }
            nobody = cores();
            System.out.printf("  nobody: %.1f %% of a core%n", 100 * nobody);
            many("overviews", true, 0, true);
            many("overviews", true, 0, false);
            many("domain pages", false, 0, true);
            many("domain pages", false, 0, false);
            many("domain pages", false, stalled, true);
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

    /** What one page costs on the wire. @param bar in kB/s; 0 if there is none */
    private void alone(String name, String subscription, boolean deflate, int bar) throws Exception {
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
            System.out.printf(
                    "  %s, %s: %.1f kB/s on the wire%s, %.1f kB/s of JSON, %.1f frames/s%n",
                    name,
                    deflate ? "deflated" : "plain",
                    client.wireBytes() / 1e3 / elapsed,
                    bar == 0 ? "" : " (bar " + bar + ")",
                    client.textBytes() / 1e3 / elapsed,
                    client.frames() / elapsed);
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
            System.out.printf(
                    "  %d %s, %s%s: %.1f %% of a core, %.2f %% each beyond nobody's (bar 0.5); age %s (bar 500)%n",
                    subscribers,
                    name,
                    deflate ? "deflated" : "plain",
                    stalledClients == 0 ? "" : " and " + stalledClients + " stalled",
                    100 * cores,
                    100 * (cores - nobody) / subscribers,
                    ages.show());
        } finally {
            for (StreamClient client : clients) {
                client.close();
            }
        }
        for (Thread reader : readers) {
            reader.join();
        }
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
