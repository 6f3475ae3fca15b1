package dev.headgate.lab.web;

import static dev.headgate.lab.report.Numbers.rounded;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.load.LoadNotes;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Few and many open web connections to one server, under the same load: requests that arrive at random times, each for a row by its
 * key, and go round all connections. Both are open all the time and take turns in rounds, because a server and a machine change while
 * they run. Also what the server bears at rising rates over the many.
 */
public final class TenThousand implements Experiment {

    private static final int FEW = 100;
    private static final int TEN_THOUSAND = 10_000;
    private static final int CONTACTS = 20_000;
    private static final int HEAP_MEGABYTES = 512;
    private static final int MOST_THREADS = 64;

    /** Open files that must be left to the service that runs this. */
    private static final int FILES_LEFT = 500;

    private static final double[] SHARES = {0.25, 0.5, 0.75, 0.9};
    private static final double HALF = 0.5;
    private static final int WARM_UP_SECONDS = 4;
    private static final int ROUNDS = 5;
    private static final double BAR = 3;

    /** One rate over some connections. Its figures are medians of its rounds. */
    record Step(int connections, double share, double rate, List<HttpConnections.Load> rounds) {

        List<Double> samples(ToDoubleFunction<HttpConnections.Load> figure) {
            return rounds.stream().map(figure::applyAsDouble).toList();
        }

        double median(ToDoubleFunction<HttpConnections.Load> figure) {
            return Measure.medianOf(samples(figure));
        }

        double millisAt(double percentile) {
            return median(load -> load.millisAt(percentile));
        }

        double lateMillisAt(double percentile) {
            return median(load -> load.lateMicros().getValueAtPercentile(percentile) / 1e3);
        }

        int failed() {
            return rounds.stream().mapToInt(HttpConnections.Load::failed).sum();
        }
    }

    @Override
    public String name() {
        return "ten-thousand";
    }

    @Override
    public String question() {
        return "Does a server on few threads serve ten thousand open web connections as well as a hundred?";
    }

    @Override
    public String source() {
        return "Heath, ADBCJ (Brigham Young University), Fig 4.8 and 4.9";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count(
                        "connections", "Web connections that are open at once", "", 10_000, 10_000, 200, 50_000),
                Parameter.count("seconds", "Measured at each rate, in %d rounds".formatted(ROUNDS), "s", 4, 20, 1, 600),
                Parameter.count("databaseConnections", "To PostgreSQL", "", 20, 20, 1, 200));
    }

    @Override
    public Report run(Run run) throws Exception {
        int databaseConnections = run.count("databaseConnections");
        List<String> notes = new ArrayList<>();
        int many = possible(run.count("connections"), notes);
        run.at(0, "making the table");
        Target target = run.laboratory().database("web", databaseConnections + 2);
        try (Connection connection = Laboratory.connect(target);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE contacts (id int PRIMARY KEY, name text NOT NULL, phone text NOT NULL)");
            statement.execute("INSERT INTO contacts SELECT n, 'contact ' || n, '+1 555 ' || n FROM generate_series(1, "
                    + CONTACTS + ") n");
            statement.execute("VACUUM ANALYZE contacts");
        }
        try (WebProcess server = WebProcess.start(target, databaseConnections, HEAP_MEGABYTES)) {
            run.at(0.05, "finding the most that the server answers");
            double most = most(run, server);
            notes.add(
                    "The server is Java's own web server with virtual threads and Headgate's query engine on %d connections, in a process of its own. It answers at most %s requests a second over %d connections that each send the next one at once; the rates are shares of that."
                            .formatted(databaseConnections, rounded(most), FEW));
            notes.add(
                    "All %d connections are open from the first round to the last. %d and %d of them take turns, and each begins every other of %d rounds; figures are medians of the rounds."
                            .formatted(FEW + many, FEW, many, ROUNDS));
            notes.add("Server, database and load generator share this machine's %d processors."
                    .formatted(Runtime.getRuntime().availableProcessors()));
            run.at(0.2, "opening %d connections".formatted(FEW + many));
            try (HttpConnections few = new HttpConnections(server.port(), FEW, requests(run.seed()));
                    HttpConnections crowd = new HttpConnections(server.port(), many, requests(run.seed()))) {
                warmUp(run, few, FEW, most);
                warmUp(run, crowd, many, most);
                List<Step> ofFew = steps(FEW, most);
                List<Step> ofCrowd = steps(many, most);
                for (int round = 0; round < ROUNDS; round++) {
                    for (int i = 0; i < SHARES.length; i++) {
                        run.at(
                                0.4 + 0.6 * (round * SHARES.length + i) / (ROUNDS * SHARES.length),
                                "%s requests a second, round %d of %d"
                                        .formatted(rounded(SHARES[i] * most), round + 1, ROUNDS));
                        if (round % 2 == 0) {
                            measure(run, few, ofFew.get(i), round);
                            measure(run, crowd, ofCrowd.get(i), round);
                        } else {
                            measure(run, crowd, ofCrowd.get(i), round);
                            measure(run, few, ofFew.get(i), round);
                        }
                    }
                }
                notes.addAll(ofLoads(ofFew, ofCrowd));
                return report(ofFew, ofCrowd, server.threads(), server.residentKilobytes(), notes);
            }
        }
    }

    /** As many connections as this process may have open files. */
    private static int possible(int wanted, List<String> notes) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            long files = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount();
            if (files - FILES_LEFT - FEW < wanted) {
                int possible = (int) Math.max(FEW, files - FILES_LEFT - FEW);
                notes.add(
                        "%d connections were wanted; this process may open %d more files (ulimit -n), so there were %d."
                                .formatted(wanted, files, possible));
                return possible;
            }
        }
        return wanted;
    }

    private static double most(Run run, WebProcess server) throws Exception {
        try (HttpConnections connections = new HttpConnections(server.port(), FEW, requests(run.seed()))) {
            ensureAnswered(connections.saturate(WARM_UP_SECONDS));
            HttpConnections.Load load = connections.saturate(Math.max(2, run.count("seconds") / 2));
            ensureAnswered(load);
            return load.perSecond();
        }
    }

    /** Until each connection has carried a request. */
    private static void warmUp(Run run, HttpConnections connections, int count, double most)
            throws InterruptedException {
        double slow = SHARES[0] * most;
        ensureAnswered(connections.run(slow, Math.ceil(count / slow) + 1, run.seed() - 1));
    }

    private static List<Step> steps(int connections, double most) {
        return DoubleStream.of(SHARES)
                .mapToObj(share -> new Step(connections, share, share * most, new ArrayList<>()))
                .toList();
    }

    /** One round. Few and many get the same requests at the same times. */
    private static void measure(Run run, HttpConnections connections, Step step, int round)
            throws InterruptedException {
        step.rounds().add(connections.run(step.rate(), run.value("seconds") / ROUNDS, run.seed() + round));
    }

    private static void ensureAnswered(HttpConnections.Load load) {
        if (load.failed() > 0) {
            throw new IllegalStateException(load.failed() + " requests failed, the first: " + load.failure());
        }
    }

    private static Supplier<byte[]> requests(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return () -> ("GET /contact?" + (1 + random.nextInt(CONTACTS)) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static List<String> ofLoads(List<Step> few, List<Step> crowd) {
        LoadNotes notes = new LoadNotes();
        Stream.of(few, crowd)
                .flatMap(List::stream)
                .forEach(step -> notes.add(
                        "%d connections, %s requests a second".formatted(step.connections(), rounded(step.rate())),
                        step.lateMillisAt(90)));
        return notes.all();
    }

    private static Report report(
            List<Step> few, List<Step> crowd, OptionalLong threads, OptionalLong resident, List<String> notes) {
        List<Step> all = new ArrayList<>(few);
        all.addAll(crowd);
        int count = crowd.getFirst().connections();
        return new Report(
                List.of(answered(crowd), fewThreads(count, threads, resident), asFast(few, crowd)),
                List.of(
                        chart("Half of the answers come within", few, crowd, 50),
                        chart("99 of 100 answers come within", few, crowd, 99)),
                List.of(table(all)),
                List.of(measure(few), measure(crowd)),
                notes);
    }

    /** A claim about ten thousand connections cannot be decided with fewer. */
    private static Finding ofTenThousand(String claim, int connections, boolean holds, String here) {
        return connections < TEN_THOUSAND
                ? new Finding(
                        claim,
                        Finding.Verdict.UNDECIDED,
                        "This run had %d connections, not 10,000. %s".formatted(connections, here))
                : Finding.of(claim, holds, here);
    }

    private static Finding answered(List<Step> crowd) {
        int connections = crowd.getFirst().connections();
        long failed = crowd.stream().mapToLong(Step::failed).sum();
        long done = crowd.stream()
                .flatMap(step -> step.rounds().stream())
                .mapToLong(load -> load.micros().getTotalCount())
                .sum();
        return ofTenThousand(
                "Every request over ten thousand connections is answered",
                connections,
                failed == 0,
                "%d requests were answered, %d failed.".formatted(done, failed));
    }

    private static Finding fewThreads(int count, OptionalLong threads, OptionalLong resident) {
        String claim = "They need a small number of threads: fewer than " + MOST_THREADS;
        return threads.isEmpty()
                ? new Finding(claim, Finding.Verdict.UNDECIDED, "This system does not tell a process's threads.")
                : ofTenThousand(
                        claim,
                        count,
                        threads.getAsLong() < MOST_THREADS,
                        "%d threads of the operating system for %d connections; the process has %d MB in memory."
                                .formatted(threads.getAsLong(), count, resident.orElse(0) / 1024));
    }

    private static Step half(List<Step> steps) {
        return steps.stream().filter(step -> step.share() == HALF).findFirst().orElseThrow();
    }

    static Finding asFast(List<Step> few, List<Step> crowd) {
        Step one = half(few);
        Step other = half(crowd);
        double ratio = other.millisAt(99) / one.millisAt(99);
        String claim =
                "At half of what the server answers at most, the p99 over ten thousand connections is at most %s times that over a hundred"
                        .formatted(rounded(BAR));
        if (one.failed() + other.failed() > 0) {
            return new Finding(
                    claim,
                    Finding.Verdict.UNDECIDED,
                    "At %s requests a second %d failed over %d connections and %d over %d: the latency of the others tells nothing of them."
                            .formatted(
                                    rounded(one.rate()),
                                    one.failed(),
                                    one.connections(),
                                    other.failed(),
                                    other.connections()));
        }
        return ofTenThousand(
                claim,
                other.connections(),
                ratio <= BAR,
                "At %s requests a second: p50 %s and %s ms, p99 %s and %s ms, %s times (medians of %d rounds)."
                        .formatted(
                                rounded(one.rate()),
                                rounded(one.millisAt(50)),
                                rounded(other.millisAt(50)),
                                rounded(one.millisAt(99)),
                                rounded(other.millisAt(99)),
                                rounded(ratio),
                                one.rounds().size()));
    }

    private static Chart chart(String title, List<Step> few, List<Step> crowd, double percentile) {
        return new Chart(
                title,
                Chart.Axis.of("offered", "1/s"),
                Chart.Axis.logarithmic("latency from the schedule", "ms"),
                List.of(line(few, percentile), line(crowd, percentile)),
                "Over %d and over %d connections at rising rates."
                        .formatted(
                                few.getFirst().connections(), crowd.getFirst().connections()));
    }

    private static Chart.Line line(List<Step> steps, double percentile) {
        return new Chart.Line(
                steps.getFirst().connections() + " connections",
                Chart.Style.LINE,
                steps.stream().map(Step::rate).toList(),
                steps.stream()
                        .map(step -> Math.max(0.001, step.millisAt(percentile)))
                        .toList());
    }

    private static Table table(List<Step> steps) {
        return new Table(
                "Every rate",
                List.of(
                        "connections",
                        "offered, 1/s",
                        "answered, 1/s",
                        "p50, ms",
                        "p99, ms",
                        "failed",
                        "generator: p99 of its lateness, ms",
                        "generator: cores"),
                steps.stream()
                        .map(step -> List.of(
                                Integer.toString(step.connections()),
                                rounded(step.rate()),
                                rounded(step.median(HttpConnections.Load::perSecond)),
                                rounded(step.millisAt(50)),
                                rounded(step.millisAt(99)),
                                Integer.toString(step.failed()),
                                rounded(step.lateMillisAt(99)),
                                rounded(step.median(HttpConnections.Load::cores))))
                        .toList());
    }

    private static Measure measure(List<Step> steps) {
        return new Measure(
                steps.getFirst().connections() + " connections: p99 at half of the most",
                "ms",
                Better.LESS,
                half(steps).samples(load -> load.millisAt(99)));
    }
}
