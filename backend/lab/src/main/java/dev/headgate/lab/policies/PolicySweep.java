package dev.headgate.lab.policies;

import static dev.headgate.lab.experiment.Chart.Style.LINE;
import static dev.headgate.lab.experiment.Chart.Style.POINTS;
import static dev.headgate.lab.report.Numbers.counted;
import static dev.headgate.lab.report.Numbers.percent;
import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet.Member;
import dev.headgate.lab.Application;
import dev.headgate.lab.demo.Auction;
import dev.headgate.lab.demo.Bank;
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
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Throughput and latency against the number of connections, and what latency-cap finds. In place of the paper's several machines there
 * are two applications: {@code auction}, whose limit are the processors, and {@code bank}, whose limit is one row that everybody locks.
 */
public final class PolicySweep implements Experiment {

    private static final int CALIBRATION_SIZE = 4;
    private static final double CAP_OVER_CALIBRATION = 1.33;
    private static final Duration WARM_UP = Duration.ofMillis(400);
    private static final WhenExhausted QUEUE = WhenExhausted.queue(10_000, 1_000);

    private final List<Application> applications;

    public PolicySweep() {
        this(List.of(new Auction(), new Bank()));
    }

    PolicySweep(List<Application> applications) {
        this.applications = List.copyOf(applications);
    }

    @Override
    public String name() {
        return "policy-sweep";
    }

    @Override
    public String question() {
        return "How do throughput and latency depend on the size of a pool, and does a policy find the size that keeps a latency cap?";
    }

    @Override
    public String source() {
        return "Jordan, Sun Labs TR-2006-151, Fig 2 and 3";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("connections", "The largest pool that is tried", "", 8, 20, CALIBRATION_SIZE, 50),
                Parameter.count("seconds", "Measured at each size", "s", 2, 8, 1, 120),
                Parameter.count(
                        "policySeconds",
                        "Under the policy, of which the first quarter is settling",
                        "s",
                        27,
                        60,
                        6,
                        600));
    }

    /**
     * @param fixed by size from 1
     * @param bestSize the fixed size with the highest throughput of those that keep the cap
     * @param best that size again, just before the policy and just after it: a machine that changes its speed meanwhile changes both
     *     sides alike
     */
    private record Sweep(
            Application application,
            List<Seconds> fixed,
            double capMs,
            int bestSize,
            Seconds best,
            Seconds underCap,
            Seconds settled) {

        double throughput(int size) {
            return fixed.get(size - 1).leasesPerSecond();
        }

        double mostThroughput() {
            return fixed.stream().mapToDouble(Seconds::leasesPerSecond).max().orElse(0);
        }

        /** The smallest size with nine tenths of the highest throughput. */
        int knee() {
            for (int size = 1; ; size++) {
                if (throughput(size) >= 0.9 * mostThroughput()) {
                    return size;
                }
            }
        }

        List<Double> sizes() {
            List<Double> sizes = new ArrayList<>();
            for (int size = 1; size <= fixed.size(); size++) {
                sizes.add((double) size);
            }
            return sizes;
        }
    }

    @Override
    public Report run(Run run) throws Exception {
        List<Sweep> sweeps = new ArrayList<>();
        LoadNotes notes = new LoadNotes();
        for (int i = 0; i < applications.size(); i++) {
            sweeps.add(sweep(
                    run, applications.get(i), (double) i / applications.size(), 1.0 / applications.size(), notes));
        }
        return report(sweeps, notes.all());
    }

    private static Sweep sweep(Run run, Application application, double from, double share, LoadNotes notes)
            throws Exception {
        int most = run.count("connections");
        Target target = MeasuredPools.prepare(run.laboratory(), "sweep", most + 2, List.of(application));
        double step = share / (most + 2);
        run.at(from, application.name() + ": warming up");
        fixed(run, target, application, CALIBRATION_SIZE, notes);
        List<Seconds> fixed = new ArrayList<>();
        for (int size = 1; size <= most; size++) {
            run.at(from + step * size, "%s: %d of %d connections".formatted(application.name(), size, most));
            fixed.add(fixed(run, target, application, size, notes));
        }
        double cap = CAP_OVER_CALIBRATION * fixed.get(CALIBRATION_SIZE - 1).meanMs();
        int best = bestSize(fixed, cap);
        run.at(from + step * (most + 1), application.name() + ": latency-cap");
        Seconds before = fixed(run, target, application, best, notes);
        Seconds all = underCap(run, target, application, cap, notes);
        Seconds after = fixed(run, target, application, best, notes);
        return new Sweep(
                application,
                fixed,
                cap,
                best,
                Seconds.together(List.of(before, after)),
                all,
                all.after(run.count("policySeconds") / 4));
    }

    /** There is one: the cap is above the latency of one of them. */
    private static int bestSize(List<Seconds> fixed, double capMs) {
        return IntStream.rangeClosed(1, fixed.size())
                .filter(size -> fixed.get(size - 1).keeps(capMs))
                .boxed()
                .max(Comparator.comparingDouble(size -> fixed.get(size - 1).leasesPerSecond()))
                .orElseThrow();
    }

    private static Seconds underCap(Run run, Target target, Application application, double cap, LoadNotes notes)
            throws Exception {
        int most = run.count("connections");
        try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
            Pool pool = pools.open(
                    application.name(),
                    QUEUE,
                    MeasuredPools.between(1, most),
                    new Member("latency-cap", run.laboratory().policy("latency-cap", Map.of("maxLatencyMs", cap))));
            load(run, pool, application, most, MeasuredPools.filling(run.count("policySeconds")), notes);
            return pools.seconds(application.name());
        }
    }

    private static Seconds fixed(Run run, Target target, Application application, int size, LoadNotes notes)
            throws Exception {
        try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
            Pool pool = pools.open(application.name(), QUEUE, MeasuredPools.between(size, size));
            load(run, pool, application, size, WARM_UP, notes);
            pools.forget();
            load(run, pool, application, size, MeasuredPools.filling(run.count("seconds")), notes);
            return pools.seconds(application.name());
        }
    }

    /** Twice as many users as connections, who do not think: every connection is always in use. */
    private static void load(
            Run run, Pool pool, Application application, int connections, Duration measured, LoadNotes notes)
            throws Exception {
        LoadResult result = new ClosedLoop(2 * connections, Duration.ZERO, Duration.ZERO, measured)
                .runSessions(new Pages(application, pool, false, 0), run.seed());
        notes.add(application.name() + " with " + counted(connections, "connections"), result);
    }

    private static Report report(List<Sweep> sweeps, List<String> notes) {
        List<Finding> findings = new ArrayList<>();
        List<Chart.Line> throughput = new ArrayList<>();
        List<Chart.Line> latency = new ArrayList<>();
        List<Measure> measures = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (Sweep sweep : sweeps) {
            String name = sweep.application().name();
            findings.add(capFinding(sweep));
            findings.add(kneeFinding(sweep));
            findings.add(linearFinding(
                    name,
                    sweep.sizes(),
                    sweep.fixed().stream().map(Seconds::meanMs).toList()));
            throughput.add(new Chart.Line(
                    name,
                    LINE,
                    sweep.sizes(),
                    sweep.fixed().stream().map(Seconds::leasesPerSecond).toList()));
            throughput.add(new Chart.Line(
                    name + " under latency-cap",
                    POINTS,
                    List.of(sweep.settled().meanSize()),
                    List.of(sweep.settled().leasesPerSecond())));
            latency.add(new Chart.Line(
                    name,
                    LINE,
                    sweep.sizes(),
                    sweep.fixed().stream().map(Seconds::meanMs).toList()));
            latency.add(new Chart.Line(
                    name + " under latency-cap",
                    POINTS,
                    List.of(sweep.settled().meanSize()),
                    List.of(sweep.settled().meanMs())));
            latency.add(new Chart.Line(
                    name + "'s cap",
                    Chart.Style.DASHED,
                    List.of(1.0, (double) sweep.fixed().size()),
                    List.of(sweep.capMs(), sweep.capMs())));
            measures.add(new Measure(
                    name + ": throughput under latency-cap",
                    "1/s",
                    Better.MORE,
                    sweep.settled().leases()));
            measures.add(new Measure(
                    name + ": latency under latency-cap",
                    "ms",
                    Better.LESS,
                    sweep.settled().meansMs()));
            for (int size = 1; size <= sweep.fixed().size(); size++) {
                Seconds at = sweep.fixed().get(size - 1);
                rows.add(row(name, Integer.toString(size), at, sweep.capMs()));
            }
            rows.add(row(name, sweep.bestSize() + ", again", sweep.best(), sweep.capMs()));
            rows.add(row(name, "latency-cap: " + rounded(sweep.settled().meanSize()), sweep.settled(), sweep.capMs()));
        }
        Sweep first = sweeps.getFirst();
        return new Report(
                findings.stream().sorted(Comparator.comparing(Finding::verdict)).toList(),
                List.of(
                        new Chart(
                                "Throughput by connections",
                                Chart.Axis.of("connections", ""),
                                Chart.Axis.of("throughput", "1/s"),
                                throughput,
                                "%s reaches nine tenths of its highest throughput with %s."
                                        .formatted(first.application().name(), counted(first.knee(), "connections"))),
                        new Chart(
                                "Latency by connections",
                                Chart.Axis.of("connections", ""),
                                Chart.Axis.of("mean latency of a request", "ms"),
                                latency,
                                "The mean latency of a request with each number of connections, and with each policy."),
                        settling(sweeps)),
                List.of(new Table(
                        "By size",
                        List.of(
                                "application",
                                "connections",
                                "throughput, 1/s",
                                "mean latency, ms",
                                "seconds within 1.1 of the cap"),
                        rows)),
                measures,
                notes);
    }

    private static List<String> row(String name, String size, Seconds at, double capMs) {
        return List.of(
                name,
                size,
                rounded(at.leasesPerSecond()),
                rounded(at.meanMs()),
                Math.round(100 * at.within(capMs)) + " %");
    }

    private static Chart settling(List<Sweep> sweeps) {
        List<Chart.Line> lines = new ArrayList<>();
        for (Sweep sweep : sweeps) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (int i = 0; i < sweep.underCap().all().size(); i++) {
                x.add(i + 1.0);
                y.add((double) sweep.underCap().all().get(i).size());
            }
            lines.add(new Chart.Line(sweep.application().name(), Chart.Style.STEPS, x, y));
        }
        return new Chart(
                "Connections under latency-cap",
                Chart.Axis.of("time", "s"),
                Chart.Axis.of("connections", ""),
                lines,
                "How the policy finds its size.");
    }

    private static Finding capFinding(Sweep sweep) {
        double kept = sweep.settled().within(sweep.capMs());
        double share = sweep.settled().leasesPerSecond() / sweep.best().leasesPerSecond();
        return sweep.settled()
                .finding(
                        "The policy finds the size: the cap is kept within 1.1 in 95 % of seconds, with 0.95 of the throughput of the best fixed size",
                        kept >= 0.95 && share >= 0.95,
                        "%s: with a cap of %s ms it held %s connections on average, kept the cap in %s %% of seconds and had %s of the throughput of %s, fixed, the best that keep it; these were measured again before and after it, and kept it in %d %% of seconds."
                                .formatted(
                                        sweep.application().name(),
                                        rounded(sweep.capMs()),
                                        rounded(sweep.settled().meanSize()),
                                        percent(kept, 0.95),
                                        rounded(share, 0.95),
                                        counted(sweep.bestSize(), "connections"),
                                        Math.round(100 * sweep.best().within(sweep.capMs()))));
    }

    private static Finding kneeFinding(Sweep sweep) {
        int most = sweep.fixed().size();
        return Finding.of(
                "Throughput rises quickly, then stays flat",
                sweep.knee() <= most / 2 && sweep.throughput(most) >= 0.8 * sweep.mostThroughput(),
                "%s: 1 connection %s/s, %s %s/s (nine tenths of the highest), %d connections %s/s."
                        .formatted(
                                sweep.application().name(),
                                rounded(sweep.throughput(1)),
                                counted(sweep.knee(), "connections"),
                                rounded(sweep.throughput(sweep.knee())),
                                most,
                                rounded(sweep.throughput(most))));
    }

    /** @param meansMs by size from 1 */
    static Finding linearFinding(String application, List<Double> sizes, List<Double> meansMs) {
        double r2 = Fit.linear(sizes, meansMs);
        return Finding.of(
                "Latency grows linearly with the connections",
                r2 >= 0.9 && Fit.rises(sizes, meansMs),
                "%s: from %s ms with one connection to %s ms with %d; a straight line explains %d %% of the differences."
                        .formatted(
                                application,
                                rounded(meansMs.getFirst()),
                                rounded(meansMs.getLast()),
                                meansMs.size(),
                                Math.round(100 * r2)));
    }
}
