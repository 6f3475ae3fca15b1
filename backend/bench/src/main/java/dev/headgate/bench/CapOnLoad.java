package dev.headgate.bench;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.lab.Application;
import dev.headgate.lab.Workload;
import dev.headgate.lab.demo.Demo;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * latency-cap on a real PostgreSQL, with {@code bank} and {@code auction} under a load that rises and falls, beside pools
 * of fixed size under the same load. A flood on a pool of {@value #CALIBRATION_SIZE} calibrates the run: the cap is a third
 * above its latency, and the load's peak a fifth above its throughput, so that some requests must wait.
 */
final class CapOnLoad {

    private static final int CALIBRATION_SIZE = 4;
    private static final int[] SIZES = {3, 4, 6};
    /** The policy's runs. Each starts with a new policy without a past. */
    private static final int RUNS = 3;

    private static final double FLOOD = Workload.MAX_RATE;
    private static final double[] TIDE = {0.4, 0.7, 1, 1, 0.7, 0.4};
    private static final long EACH_SECONDS = 8;
    private static final int SETTLING_SECONDS = 10;

    private static final String BY_BEST = "throughput by that of the best fixed size that keeps the cap";

    private CapOnLoad() {}

    static void measure(Sheet sheet) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "60")
                .start()) {
            try (Connection connection = server.getPostgresDatabase().getConnection()) {
                Demo.setUp(connection, "postgres");
            }
            measure(sheet, server, "bank");
            measure(sheet, server, "auction");
        }
    }

    private static void measure(Sheet sheet, EmbeddedPostgres server, String name) throws Exception {
        run(server, name, fixed(CALIBRATION_SIZE), FLOOD, new double[] {1, 1}); // warms up
        Outcome calibration = run(server, name, fixed(CALIBRATION_SIZE), FLOOD, new double[] {1, 1, 1, 1});
        double cap = 1.33 * calibration.meanMs();
        double peak = 1.2 * calibration.perSecond();
        PolicyFactory factory = ServiceLoader.load(PolicyFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.id().equals("latency-cap"))
                .findFirst()
                .orElseThrow();
        List<Outcome> ours = new ArrayList<>();
        Sheet.Entry capped = sheet.entry(name, "latency-cap");
        capped.add("cap on the mean of requests, ms", "%.2f", cap);
        capped.add("transactions/s that arrive at most", "%.0f", peak);
        for (int run = 0; run < RUNS; run++) {
            Policy policy = factory.create(Parameters.of(Map.of("maxLatencyMs", cap)));
            ours.add(run(server, name, policy, peak, TIDE));
            ours.getLast().note(capped, cap);
        }
        sheet.print();
        double best = 0;
        for (int size : SIZES) {
            Outcome each = run(server, name, fixed(size), peak, TIDE);
            each.note(sheet.entry(name, "fixed size " + size), cap);
            sheet.print();
            if (each.within(cap) >= 0.95) {
                best = Math.max(best, each.perSecond());
            }
        }
        capped.add(
                "of seconds within 1.1 of the cap, mean, %",
                "%.0f",
                100
                        * ours.stream()
                                .mapToDouble(run -> run.within(cap))
                                .average()
                                .orElse(0));
        capped.bar("of seconds within 1.1 of the cap, mean, %", "at least 95");
        if (best == 0) {
            capped.never(BY_BEST);
        } else {
            double mean =
                    ours.stream().mapToDouble(Outcome::perSecond).average().orElse(0);
            capped.add(BY_BEST, "%.2f", mean / best);
        }
        capped.bar(BY_BEST, "at least 0.95");
    }

    private static Policy fixed(int size) {
        Limits limits = Limits.unbounded().withFloor(size).withCeiling(size).because("fixed for the measurement");
        return view -> limits;
    }

    /** After settling: the mean latency of each second with requests, and transactions per second over all. */
    private record Outcome(List<Double> meansMs, double meanMs, double perSecond, int mostSize) {

        double within(double capMs) {
            return meansMs.isEmpty()
                    ? 0
                    : meansMs.stream().filter(mean -> mean <= 1.1 * capMs).count() / (double) meansMs.size();
        }

        void note(Sheet.Entry entry, double capMs) {
            entry.add("mean, ms", "%.2f", meanMs);
            entry.add("of seconds within 1.1 of the cap, %", "%.0f", 100 * within(capMs));
            entry.add("transactions/s", "%.0f", perSecond);
            entry.add("most connections", "%.0f", mostSize);
        }
    }

    private static Outcome run(EmbeddedPostgres server, String name, Policy policy, double peak, double[] tide)
            throws Exception {
        Application application = Demo.applications().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        ConcurrentLinkedQueue<Window> windows = new ConcurrentLinkedQueue<>();
        EngineListener listener = new EngineListener() {
            @Override
            public void window(Pool pool, Instant end, Window window) {
                windows.add(window);
            }
        };
        try (Engine engine = Engine.start("bench", listener);
                SystemTime time = new SystemTime();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Database database =
                    engine.open(Target.of("main", "127.0.0.1", server.getPort(), "postgres", "postgres", "postgres", 40)
                            .withSslMode(Target.SslMode.DISABLE));
            Pool pool = database.open(
                    name, PolicySet.of(1, WhenExhausted.queue(2_000, 100), new PolicySet.Member("policy", policy)));
            Workload workload = new Workload(
                    application,
                    () -> Optional.of(pool),
                    time,
                    threads,
                    nanos -> Thread.sleep(Duration.ofNanos(nanos)),
                    1);
            workload.setVaries(false);
            workload.start();
            for (double share : tide) {
                workload.setRatePerSecond(Math.clamp(share * peak, Workload.MIN_RATE, Workload.MAX_RATE));
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(EACH_SECONDS));
            }
            workload.stopAndAwait(Duration.ofSeconds(5));
        }
        return outcome(List.copyOf(windows), tide.length == TIDE.length ? SETTLING_SECONDS : 1);
    }

    private static Outcome outcome(List<Window> windows, int skipSeconds) {
        List<Double> means = new ArrayList<>();
        double nanos = 0;
        long count = 0;
        long leases = 0;
        int most = 0;
        int seconds = 0;
        for (int at = 10 * skipSeconds; at + 10 <= windows.size(); at += 10) {
            double sum = 0;
            long requests = 0;
            for (Window window : windows.subList(at, at + 10)) {
                sum += window.latency().meanNanos() * window.latency().count();
                requests += window.latency().count();
                leases += window.leases();
                most = Math.max(most, window.size());
            }
            if (requests > 0) {
                means.add(sum / requests / 1e6);
            }
            nanos += sum;
            count += requests;
            seconds++;
        }
        return new Outcome(
                List.copyOf(means),
                count == 0 ? 0 : nanos / count / 1e6,
                seconds == 0 ? 0 : (double) leases / seconds,
                most);
    }
}
