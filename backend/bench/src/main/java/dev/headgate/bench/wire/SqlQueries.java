package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.link.DelayedLink;
import dev.headgate.lab.queries.EngineWay;
import dev.headgate.lab.queries.JdbcWay;
import dev.headgate.lab.queries.Way;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Fifty queries of one caller, with an added round trip to PostgreSQL: one after another, by ten threads, and pipelined by
 * Vert.x's client, by the R2DBC driver and by Headgate, in this process and over HTTP. All ways take turns on the same PostgreSQL, through the same link.
 */
record SqlQueries(Sheet sheet, Service service, boolean quick) {

    private static final int QUERIES = 50;
    private static final int WIDTH = 10;
    private static final int KEYS = 500_000;

    private static final String MILLIS = "ms for " + QUERIES + " queries";

    /** The least time of a run of one way. Short ones repeat their queries. */
    private static final Duration RUN = Duration.ofMillis(300);

    /** Runs without a delay until the JVMs have compiled what they need. The other delays use the same code. */
    private static final int WARM_UPS = 25;

    /** @param bar how many times as fast as one after another ours must be */
    private record Delay(Duration roundTrip, double bar) {}

    private static final Delay[] DELAYS = {
        new Delay(Duration.ZERO, 3),
        new Delay(Duration.ofNanos(200_000), 8),
        new Delay(Duration.ofMillis(1), 20),
        new Delay(Duration.ofMillis(78), 30)
    };

    private enum Kind {
        SEQUENTIAL("JDBC, one after another"),
        THREADS("JDBC, 10 threads"),
        VERTX("Vert.x, 1 connection"),
        VERTX_POOL("Vert.x, 10 connections"),
        R2DBC("R2DBC, 1 connection"),
        R2DBC_TEN("R2DBC, 10 connections"),
        ENGINE("ours in process"),
        HTTP("ours over HTTP");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    private static final Set<Kind> OURS = EnumSet.of(Kind.ENGINE, Kind.HTTP);

    void measure() throws Exception {
        for (Delay delay : DELAYS) {
            if (delay.roundTrip().isZero()) {
                measure(delay, service.server.port());
            } else {
                try (DelayedLink link = DelayedLink.to(service.server.port(), delay.roundTrip())) {
                    sheet.entry("queries: the link", millis(delay.roundTrip()) + " ms")
                            .add("added to a round trip as calibrated, ms", "%.3f", millis(link.added()));
                    measure(delay, link.port());
                }
            }
        }
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }

    private void measure(Delay delay, int port) throws Exception {
        String domain = "queries-" + delay.roundTrip().toNanos() / 1_000;
        service.createDomain(domain, port, PostgresServer.DATABASE, 1, WIDTH);
        Map<Kind, Way> ways = new EnumMap<>(Kind.class);
        try {
            for (Kind kind : Kind.values()) {
                ways.put(kind, open(kind, port, domain));
            }
            measure(delay, ways);
        } finally {
            for (Way way : ways.values()) {
                way.close();
            }
            service.deleteDomain(domain);
        }
    }

    private Target target(int port) {
        return Target.of(
                        "main",
                        "127.0.0.1",
                        port,
                        PostgresServer.DATABASE,
                        PostgresServer.USER,
                        service.server.password(),
                        WIDTH)
                .withSslMode(Target.SslMode.DISABLE);
    }

    private Way open(Kind kind, int port, String domain) throws Exception {
        String password = service.server.password();
        return switch (kind) {
            case SEQUENTIAL -> new JdbcWay(target(port), 1);
            case THREADS -> new JdbcWay(target(port), WIDTH);
            case VERTX -> new VertxWay(port, password, 1);
            case VERTX_POOL -> new VertxWay(port, password, WIDTH);
            case R2DBC -> new R2dbcWay(port, password, 1);
            case R2DBC_TEN -> new R2dbcWay(port, password, WIDTH);
            case ENGINE -> new EngineWay(target(port), WIDTH, Supervisor.silent());
            case HTTP -> new HttpWay(service, domain);
        };
    }

    private void measure(Delay delay, Map<Kind, Way> ways) throws Exception {
        Random random = new Random(16);
        int warmUps = !delay.roundTrip().isZero() ? 1 : quick ? WARM_UPS / 3 : WARM_UPS;
        int runs = quick ? 3 : 15;
        for (int run = -warmUps; run < runs; run++) {
            for (Map.Entry<Kind, Way> each : ways.entrySet()) {
                double one = run(each.getValue(), random, run < 0 || !quick ? RUN : RUN.dividedBy(3));
                if (run >= 0) {
                    entry(delay, each.getKey()).add(MILLIS, "%.2f", one);
                }
            }
        }
        compare(delay);
    }

    /** Executes the queries until so much time has passed. Returns the mean milliseconds. */
    private static double run(Way way, Random random, Duration atLeast) throws Exception {
        long nanos = 0;
        int times = 0;
        while (nanos < atLeast.toNanos()) {
            int[] keys = random.ints(QUERIES, 1, KEYS + 1).toArray();
            long began = System.nanoTime();
            long sum = way.run(keys);
            nanos += System.nanoTime() - began;
            times++;
            if (sum != Arrays.stream(keys).asLongStream().sum()) {
                throw new IllegalStateException("other rows were returned than were asked for");
            }
        }
        return nanos / 1e6 / times;
    }

    /** How many times as long each takes as ours: one after another has a bar, and the faster of the two ways of each client. */
    private void compare(Delay delay) {
        Map<Kind, String> bars = new EnumMap<>(Kind.class);
        bars.put(Kind.SEQUENTIAL, "at least %.0f".formatted(delay.bar()));
        bars.put(faster(delay, Kind.VERTX, Kind.VERTX_POOL), "at least 1.00");
        bars.put(faster(delay, Kind.R2DBC, Kind.R2DBC_TEN), "at least 1.00");
        for (Kind ours : OURS) {
            for (Kind other : EnumSet.complementOf(EnumSet.copyOf(OURS))) {
                String bar = bars.get(other);
                if (bar == null) {
                    entry(delay, other).timesRunByRun(entry(delay, ours), MILLIS);
                } else {
                    entry(delay, other).timesRunByRun(entry(delay, ours), MILLIS, bar);
                }
            }
        }
        sheet.print();
    }

    private Kind faster(Delay delay, Kind one, Kind other) {
        return entry(delay, one).median(MILLIS) <= entry(delay, other).median(MILLIS) ? one : other;
    }

    private Sheet.Entry entry(Delay delay, Kind kind) {
        return sheet.entry("queries, %s ms more".formatted(millis(delay.roundTrip())), kind.label);
    }
}
