package dev.headgate.bench;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.lab.load.Action;
import dev.headgate.lab.load.ClosedLoop;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToDoubleFunction;
import javax.sql.DataSource;

/**
 * latency-cap on a real PostgreSQL under {@value #CALLERS} callers who come again at once, each for a query that is bound by the
 * processor, beside pools of every fixed size: whether it keeps a cap on the mean and one on the 95th percentile, at what throughput,
 * and whether it rests. A second is judged from {@value #SETTLING_SECONDS} s on.
 */
final class CapUnderCallers {

    private static final String DOMAIN = "callers";
    private static final int CALLERS = 30;
    private static final int SETTLING_SECONDS = 20;
    /** A fixed size needs no search, only open connections. */
    private static final int FIXED_SETTLING_SECONDS = 2;

    private static final int WINDOWS = 10; // a second
    private static final int MOST_SIZE = 12;

    /** Some milliseconds of a processor's time. */
    private static final String QUERY = "SELECT count(*) FROM generate_series(1, 60000) AS n WHERE n % 7 = 3";

    private CapUnderCallers() {}

    /** @param lengthSeconds of a run with the policy, and of one with a fixed size */
    private record Lengths(int policySeconds, int fixedSeconds) {}

    static void measure(Sheet sheet, List<String> options) throws Exception {
        boolean quick = options.contains("--quick");
        if (options.size() > (quick ? 1 : 0)) {
            throw new IllegalArgumentException("takes --quick alone, was given " + String.join(" ", options));
        }
        Lengths lengths = quick ? new Lengths(60, 6) : new Lengths(320, 20);
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            List<Outcome> fixed = new ArrayList<>();
            run(server, fixed(4), 5); // warms up
            for (int size = 1; size <= MOST_SIZE; size++) {
                fixed.add(run(server, fixed(size), FIXED_SETTLING_SECONDS + lengths.fixedSeconds));
            }
            measure(sheet, server, fixed, "mean", 20, Latency::meanNanos, lengths);
            measure(sheet, server, fixed, "p95", 40, latency -> latency.percentileNanos(95), lengths);
        }
    }

    private static void measure(
            Sheet sheet,
            EmbeddedPostgres server,
            List<Outcome> fixed,
            String statistic,
            double capMs,
            ToDoubleFunction<Latency> nanos,
            Lengths lengths)
            throws Exception {
        PolicyFactory factory = ServiceLoader.load(PolicyFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.id().equals("latency-cap"))
                .findFirst()
                .orElseThrow();
        Policy policy = factory.create(Parameters.of(Map.of("maxLatencyMs", capMs, "statistic", statistic)));
        Outcome ours = run(server, policy, lengths.policySeconds).after(SETTLING_SECONDS);
        String row = "%d callers, cap of %.0f ms on the %s".formatted(CALLERS, capMs, statistic);
        Sheet.Entry capped = sheet.entry(row, "latency-cap");
        capped.add("seconds within 1.1 of the cap, %", "%.0f", "at least 95", 100 * ours.within(nanos, capMs));
        capped.add("queries/s", "%.0f", ours.perSecond());
        capped.add("changes a minute", "%.1f", "at most 6", ours.changesPerMinute());
        capped.add("shortest time between two changes, s", "%.1f", ours.shortestGapSeconds());
        capped.add("connections at the end", "%.0f", ours.lastSize());
        int best = -1;
        for (int i = 0; i < fixed.size(); i++) {
            Outcome each = fixed.get(i).after(FIXED_SETTLING_SECONDS);
            boolean keeps = each.within(nanos, capMs) >= 0.95;
            if (keeps
                    && (best < 0
                            || each.perSecond()
                                    > fixed.get(best)
                                            .after(FIXED_SETTLING_SECONDS)
                                            .perSecond())) {
                best = i;
            }
        }
        if (best < 0) {
            capped.never("throughput by that of the best fixed size");
        } else {
            Outcome bestFixed = fixed.get(best).after(FIXED_SETTLING_SECONDS);
            Sheet.Entry entry = sheet.entry(row, "best fixed size");
            entry.add("seconds within 1.1 of the cap, %", "%.0f", 100 * bestFixed.within(nanos, capMs));
            entry.add("queries/s", "%.0f", bestFixed.perSecond());
            entry.add("connections at the end", "%.0f", best + 1);
            capped.add("throughput by that of the best fixed size", "%.2f", ours.perSecond() / bestFixed.perSecond());
        }
        capped.bar("throughput by that of the best fixed size", "at least 0.95");
        sheet.print();
    }

    private static Policy fixed(int size) {
        Limits limits = Limits.unbounded().withFloor(size).withCeiling(size).because("fixed for the measurement");
        return view -> limits;
    }

    /** A run: what was measured in each second, and when the ceiling moved, in seconds since the begin. */
    private record Outcome(List<Latency> seconds, List<Double> changes, int lastSize) {

        /** The part from then on. */
        Outcome after(int second) {
            return new Outcome(
                    seconds.subList(Math.min(second, seconds.size()), seconds.size()),
                    changes.stream().filter(at -> at >= second).toList(),
                    lastSize);
        }

        double within(ToDoubleFunction<Latency> nanos, double capMs) {
            return seconds.stream()
                    .mapToDouble(each -> nanos.applyAsDouble(each) <= 1.1e6 * capMs ? 1 : 0)
                    .average()
                    .orElse(0);
        }

        double perSecond() {
            return seconds.stream().mapToLong(Latency::count).average().orElse(0);
        }

        double changesPerMinute() {
            return seconds.isEmpty() ? 0 : changes.size() * 60.0 / seconds.size();
        }

        /** The length of the run where there were fewer than two. */
        double shortestGapSeconds() {
            double shortest = seconds.size();
            for (int i = 1; i < changes.size(); i++) {
                shortest = Math.min(shortest, changes.get(i) - changes.get(i - 1));
            }
            return shortest;
        }
    }

    private static Outcome run(EmbeddedPostgres server, Policy policy, int seconds) throws Exception {
        ConcurrentLinkedQueue<Window> windows = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Double> changes = new ConcurrentLinkedQueue<>();
        long begun = System.nanoTime();
        EngineListener listener = new EngineListener() {
            @Override
            public void window(Pool pool, Instant end, Window window) {
                windows.add(window);
            }

            private int ceiling = -1; // on the governor's thread

            /**
             * Several decisions may tell of one move: that the limits moved, and that the pool shrank for it. A decision that is told
             * again has the ceiling of its first time.
             */
            @Override
            public void decided(Decision decision) {
                int next = decision.after().ceiling();
                if (decision.count() == 1
                        && next != ceiling
                        && decision.domain().equals(DOMAIN)) {
                    ceiling = next;
                    changes.add((System.nanoTime() - begun) / 1e9);
                }
            }
        };
        try (Engine engine = Engine.start("bench", listener)) {
            Database database =
                    engine.open(Target.of("main", "127.0.0.1", server.getPort(), "postgres", "postgres", "postgres", 40)
                            .withSslMode(Target.SslMode.DISABLE));
            Pool pool = database.open(
                    DOMAIN, PolicySet.of(1, WhenExhausted.queue(30_000, 100), new PolicySet.Member("policy", policy)));
            DataSource source = pool.dataSource(DOMAIN);
            new ClosedLoop(CALLERS, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(seconds))
                    .run(
                            client -> {
                                try (Connection connection = source.getConnection();
                                        Statement statement = connection.createStatement()) {
                                    statement.execute(QUERY);
                                    return Action.Answer.DONE;
                                }
                            },
                            1);
        }
        List<Window> all = List.copyOf(windows);
        List<Latency> perSecond = new ArrayList<>();
        for (int at = 0; at + WINDOWS <= all.size(); at += WINDOWS) {
            perSecond.add(HdrLatency.sum(
                    all.subList(at, at + WINDOWS).stream().map(Window::latency).toList()));
        }
        return new Outcome(
                List.copyOf(perSecond),
                List.copyOf(changes),
                all.isEmpty() ? 0 : all.getLast().size());
    }
}
