package dev.headgate.lab.policies;

import static dev.headgate.lab.report.Numbers.percent;
import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PolicySet.Member;
import dev.headgate.lab.Application;
import dev.headgate.lab.demo.Auction;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.load.ClosedLoop;
import dev.headgate.lab.load.LoadNotes;
import dev.headgate.lab.load.LoadResult;
import dev.headgate.lab.load.SideBySide;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Two domains with the same load on one database. First nobody is capped, then one domain is, then the database is for both. A cap on
 * one domain makes that domain give way to its neighbour; a cap of the database holds both.
 */
public final class PolicyDomains implements Experiment {

    private static final Application APPLICATION = new Auction();
    private static final String FIRST = "first";
    private static final String SECOND = "second";
    private static final int CALIBRATION_SIZE = 4;
    private static final double CAP_OVER_CALIBRATION = 1.33;
    private static final WhenExhausted QUEUE = WhenExhausted.queue(30_000, 10_000);

    /** Seconds in which policies settle. */
    private static final int SETTLING = 5;

    enum Part {
        NONE("no cap"),
        ONE("cap on the first domain"),
        BOTH("cap on the database");

        private final String title;

        Part(String title) {
            this.title = title;
        }
    }

    record Measured(Part part, Seconds first, Seconds second) {

        double together() {
            double requests =
                    first.all().stream().mapToLong(Seconds.Second::requests).sum();
            double others =
                    second.all().stream().mapToLong(Seconds.Second::requests).sum();
            return requests + others == 0
                    ? 0
                    : (first.meanMs() * requests + second.meanMs() * others) / (requests + others);
        }

        double connections() {
            return first.meanSize() + second.meanSize();
        }
    }

    @Override
    public String name() {
        return "policy-domains";
    }

    @Override
    public String question() {
        return "Two applications share a database: what does a latency cap on one of them do, and what does a cap of the database do?";
    }

    @Override
    public String source() {
        return "Jordan, Sun Labs TR-2006-151, Fig 8 and 9";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("users", "Of each domain, without thinking", "", 12, 24, 2, 500),
                Parameter.count("connections", "The largest pool of each domain", "", 8, 12, 4, 50),
                Parameter.count("seconds", "Of each part, after 5 s of settling", "s", Seconds.LEAST, 40, 2, 300));
    }

    @Override
    public Report run(Run run) throws Exception {
        int most = run.count("connections");
        run.at(0, "making the tables");
        Target target = MeasuredPools.prepare(run.laboratory(), "domains", 2 * most + 2, List.of(APPLICATION));
        run.at(0.05, "finding a cap");
        double cap = cap(run, target);
        List<Measured> parts = new ArrayList<>();
        LoadNotes notes = new LoadNotes();
        for (Part part : Part.values()) {
            run.at(0.15 + 0.85 * parts.size() / Part.values().length, part.title);
            parts.add(measure(run, target, part, cap, most, notes));
        }
        return report(parts, cap, notes.all());
    }

    private static double cap(Run run, Target target) throws Exception {
        try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
            Pool pool = pools.open(FIRST, QUEUE, MeasuredPools.between(CALIBRATION_SIZE, CALIBRATION_SIZE));
            load(run, pool, 2 * CALIBRATION_SIZE, Duration.ofMillis(1_500));
            pools.forget();
            load(run, pool, 2 * CALIBRATION_SIZE, MeasuredPools.filling(2));
            return CAP_OVER_CALIBRATION * pools.seconds(FIRST).meanMs();
        }
    }

    private static LoadResult load(Run run, Pool pool, int users, Duration length) throws InterruptedException {
        return new ClosedLoop(users, Duration.ZERO, Duration.ZERO, length)
                .runSessions(
                        new Pages(APPLICATION, pool, false, 0),
                        run.seed() + pool.domain().hashCode());
    }

    private static Measured measure(Run run, Target target, Part part, double cap, int most, LoadNotes notes)
            throws Exception {
        Duration length = MeasuredPools.filling(SETTLING + run.count("seconds"));
        try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
            Pool first = part == Part.ONE
                    ? pools.open(FIRST, QUEUE, MeasuredPools.between(1, most), latencyCap(run, cap))
                    : pools.open(FIRST, QUEUE, MeasuredPools.between(1, most));
            Pool second = pools.open(SECOND, QUEUE, MeasuredPools.between(1, most));
            if (part == Part.BOTH) {
                pools.database()
                        .swap(PolicySet.of(1, WhenExhausted.unbounded(), latencyCap(run, cap)))
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
            }
            int users = run.count("users");
            SideBySide loads =
                    SideBySide.of(() -> load(run, first, users, length), () -> load(run, second, users, length));
            notes.add(part.title + ", " + FIRST, loads.first());
            notes.add(part.title + ", " + SECOND, loads.second());
            return new Measured(
                    part,
                    pools.seconds(FIRST).after(SETTLING),
                    pools.seconds(SECOND).after(SETTLING));
        }
    }

    private static Member latencyCap(Run run, double cap) {
        return new Member("latency-cap", run.laboratory().policy("latency-cap", Map.of("maxLatencyMs", cap)));
    }

    private static Report report(List<Measured> parts, double cap, List<String> notes) {
        List<Measure> measures = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (Measured part : parts) {
            row(part, FIRST, part.first(), cap, rows, measures);
            row(part, SECOND, part.second(), cap, rows, measures);
        }
        return new Report(
                findings(parts, cap),
                List.of(
                        chart("Latency of two domains", "mean latency of a request", "ms", parts, true, cap),
                        chart("Connections of two domains", "connections", "", parts, false, 0)),
                List.of(new Table(
                        "Two domains",
                        List.of(
                                "part",
                                "domain",
                                "connections",
                                "request, ms",
                                "transactions/s",
                                "seconds within 1.1 of the cap"),
                        rows)),
                measures,
                notes);
    }

    /** @param parts without a cap, with one on the first domain, with one on the database */
    static List<Finding> findings(List<Measured> parts, double cap) {
        Measured none = parts.get(0);
        Measured one = parts.get(1);
        Measured both = parts.get(2);
        Seconds capped = Seconds.atOnce(List.of(both.first(), both.second()));
        return List.of(
                Finding.of(
                        "A cap on one domain cannot hold what its neighbour causes: it gives way, the neighbour takes the room",
                        one.first().meanSize() < one.second().meanSize()
                                && one.second().leasesPerSecond()
                                        > none.second().leasesPerSecond(),
                        "Under the cap of %s ms the first domain had %s connections and %s requests/s at %s ms, its uncapped neighbour %s connections and %s/s at %s ms (%s/s before)."
                                .formatted(
                                        rounded(cap),
                                        rounded(one.first().meanSize()),
                                        rounded(one.first().leasesPerSecond()),
                                        rounded(one.first().meanMs()),
                                        rounded(one.second().meanSize()),
                                        rounded(one.second().leasesPerSecond()),
                                        rounded(one.second().meanMs()),
                                        rounded(none.second().leasesPerSecond()))),
                capped.finding(
                        "A cap of the database holds both domains",
                        capped.within(cap) >= 0.95,
                        "The cap was kept within 1.1 in %s %% of seconds, with %s connections in all (%s without a cap) and a mean of %s ms (%s)."
                                .formatted(
                                        percent(capped.within(cap), 0.95),
                                        rounded(both.connections()),
                                        rounded(none.connections()),
                                        rounded(both.together()),
                                        rounded(none.together()))),
                Finding.of(
                        "It divides what there is between equals evenly, to within one connection",
                        ratio(both.first().leasesPerSecond(), both.second().leasesPerSecond()) <= 1.25
                                || Math.abs(both.first().meanSize()
                                                - both.second().meanSize())
                                        <= 1,
                        "%s and %s transactions/s with %s and %s connections."
                                .formatted(
                                        rounded(both.first().leasesPerSecond()),
                                        rounded(both.second().leasesPerSecond()),
                                        rounded(both.first().meanSize()),
                                        rounded(both.second().meanSize()))));
    }

    private static double ratio(double one, double other) {
        return Math.min(one, other) == 0 ? Double.MAX_VALUE : Math.max(one, other) / Math.min(one, other);
    }

    private static void row(
            Measured part,
            String domain,
            Seconds seconds,
            double cap,
            List<List<String>> rows,
            List<Measure> measures) {
        rows.add(List.of(
                part.part().title,
                domain,
                rounded(seconds.meanSize()),
                rounded(seconds.meanMs()),
                rounded(seconds.leasesPerSecond()),
                Math.round(100 * seconds.within(cap)) + " %"));
        if (!seconds.meansMs().isEmpty()) {
            measures.add(new Measure(
                    part.part().title + ": request of the " + domain, "ms", Better.LESS, seconds.meansMs()));
            measures.add(new Measure(
                    part.part().title + ": transactions of the " + domain, "1/s", Better.MORE, seconds.leases()));
        }
    }

    /** The parts one after the other on one axis of seconds. */
    private static Chart chart(
            String title, String axis, String unit, List<Measured> parts, boolean latency, double cap) {
        List<Chart.Line> lines = new ArrayList<>();
        for (String domain : List.of(FIRST, SECOND)) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            int second = 0;
            for (Measured part : parts) {
                for (Seconds.Second each : (domain.equals(FIRST) ? part.first() : part.second()).all()) {
                    x.add((double) ++second);
                    y.add(latency ? each.meanMs() : each.size());
                }
            }
            lines.add(new Chart.Line(domain, latency ? Chart.Style.LINE : Chart.Style.STEPS, x, y));
        }
        if (cap > 0) {
            double end =
                    lines.getFirst().x().isEmpty() ? 1 : lines.getFirst().x().getLast();
            lines.add(new Chart.Line("cap", Chart.Style.DASHED, List.of(1.0, end), List.of(cap, cap)));
        }
        return new Chart(
                title,
                Chart.Axis.of("measured time, first without a cap, then one, then both", "s"),
                Chart.Axis.of(axis, unit),
                lines,
                "Three parts of %d s: no cap, a cap on the first domain, a cap on the database."
                        .formatted(parts.getFirst().first().all().size()));
    }
}
