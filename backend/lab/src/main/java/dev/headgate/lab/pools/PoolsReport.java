package dev.headgate.lab.pools;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.report.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** What the figures of {@link Pools} say. */
final class PoolsReport {

    private static final double MOST_BY_FEWEST = 1.05;
    private static final double TIMES_TOMCAT = 4;

    private static final ToDoubleFunction<FetchLoop.Outcome> PER_SECOND = FetchLoop.Outcome::perSecond;
    private static final ToDoubleFunction<FetchLoop.Outcome> EVENNESS = FetchLoop.Outcome::mostByFewest;
    private static final ToDoubleFunction<FetchLoop.Outcome> LONGEST = FetchLoop.Outcome::longestMs;

    private final List<Scenario> scenarios;
    private final Scenario enough;
    private final Scenario twice;
    private final Scenario validated;
    private final int connections;

    PoolsReport(List<Scenario> scenarios, int connections) {
        this.scenarios = scenarios;
        this.enough = scenarios.get(0);
        this.twice = scenarios.get(1);
        this.validated = scenarios.get(2);
        this.connections = connections;
    }

    Report report() {
        return new Report(findings(), List.of(share(), waits()), tables(), measures(), notes());
    }

    // ---- in words

    private List<Finding> findings() {
        return List.of(evenness(), longest(), throughput(), fairness(), asynchronous(), moreThreads(), validation());
    }

    private Finding evenness() {
        double ours = twice.cell(Contender.HEADGATE).median(EVENNESS);
        return Finding.of(
                "Headgate's threads fetch equally often: most by fewest at most 1.05 with twice as many threads as connections",
                ours <= MOST_BY_FEWEST,
                "%s; asynchronously %s, HikariCP %s, Tomcat fair %s. Without any pool the same threads have %s: so uneven is the processor time that they get."
                        .formatted(
                                Numbers.text(ours),
                                figure(twice, Contender.HEADGATE_ASYNC, EVENNESS),
                                figure(twice, Contender.HIKARI, EVENNESS),
                                figure(twice, Contender.TOMCAT_FAIR, EVENNESS),
                                figure(twice, Contender.NONE, EVENNESS)));
    }

    private Finding longest() {
        double ours = twice.cell(Contender.HEADGATE).median(LONGEST);
        double theirs = twice.cell(Contender.TOMCAT_FAIR).median(LONGEST);
        return Finding.of(
                "The longest wait at Headgate is shorter than at Tomcat's fair pool",
                ours < theirs,
                "%s ms against %s ms; asynchronously %s ms, HikariCP %s ms, and %s ms without any pool: that is a thread which waits for a processor (medians of the rounds' longest)."
                        .formatted(
                                Numbers.text(ours),
                                Numbers.text(theirs),
                                figure(twice, Contender.HEADGATE_ASYNC, LONGEST),
                                figure(twice, Contender.HIKARI, LONGEST),
                                figure(twice, Contender.NONE, LONGEST)));
    }

    private Finding throughput() {
        double ours = twice.cell(Contender.HEADGATE).median(PER_SECOND);
        double theirs = twice.cell(Contender.TOMCAT_FAIR).median(PER_SECOND);
        return Finding.of(
                "Headgate hands out at least 4 times as many connections as Tomcat's fair pool",
                ours >= TIMES_TOMCAT * theirs,
                "%s a second, %s times as many; asynchronously %s, HikariCP %s."
                        .formatted(
                                Numbers.text(ours),
                                Numbers.text(ours / theirs),
                                figure(twice, Contender.HEADGATE_ASYNC, PER_SECOND),
                                figure(twice, Contender.HIKARI, PER_SECOND)));
    }

    private Finding fairness() {
        Scenario.Cell unfair = twice.cell(Contender.TOMCAT_UNFAIR);
        Scenario.Cell fair = twice.cell(Contender.TOMCAT_FAIR);
        return Finding.of(
                "A fair queue makes Tomcat's threads more even and the longest wait shorter (paper: 663/538 fetches and 300 ms unfair, 666/595 and 135 ms fair)",
                fair.median(EVENNESS) < unfair.median(EVENNESS) && fair.median(LONGEST) < unfair.median(LONGEST),
                "Most by fewest %s unfair, %s fair; longest wait %s ms and %s ms."
                        .formatted(
                                Numbers.text(unfair.median(EVENNESS)),
                                Numbers.text(fair.median(EVENNESS)),
                                Numbers.text(unfair.median(LONGEST)),
                                Numbers.text(fair.median(LONGEST))));
    }

    private Finding asynchronous() {
        Scenario.Cell blocking = twice.cell(Contender.TOMCAT_FAIR);
        Scenario.Cell future = twice.cell(Contender.TOMCAT_ASYNC);
        return Finding.of(
                "Fetching asynchronously makes Tomcat's fair pool almost perfectly even, with the shortest waits (paper: 501/500 fetches, 20.4 ms)",
                future.median(EVENNESS) < blocking.median(EVENNESS)
                        && future.median(LONGEST) < blocking.median(LONGEST),
                "Most by fewest %s, blocking %s; longest wait %s ms, blocking %s ms. Headgate asynchronously: %s and %s ms."
                        .formatted(
                                Numbers.text(future.median(EVENNESS)),
                                Numbers.text(blocking.median(EVENNESS)),
                                Numbers.text(future.median(LONGEST)),
                                Numbers.text(blocking.median(LONGEST)),
                                figure(twice, Contender.HEADGATE_ASYNC, EVENNESS),
                                figure(twice, Contender.HEADGATE_ASYNC, LONGEST)));
    }

    private Finding moreThreads() {
        double ours = ratio(twice, enough, Contender.HEADGATE);
        double hikari = ratio(twice, enough, Contender.HIKARI);
        double tomcat = ratio(twice, enough, Contender.TOMCAT_FAIR);
        return Finding.of(
                "Twice as many threads as connections cost Tomcat's pool no throughput (paper: 217,000 and 225,000 fetches a second)",
                tomcat >= 0.9,
                "Tomcat's fair pool kept %s of its throughput, Headgate %s, HikariCP %s."
                        .formatted(percent(tomcat), percent(ours), percent(hikari)));
    }

    private Finding validation() {
        double seldom = validated.cell(Contender.TOMCAT_SELDOM).median(PER_SECOND)
                / twice.cell(Contender.TOMCAT_FAIR).median(PER_SECOND);
        double always = validated.cell(Contender.TOMCAT_FAIR).median(PER_SECOND)
                / twice.cell(Contender.TOMCAT_FAIR).median(PER_SECOND);
        double ours = ratio(validated, twice, Contender.HEADGATE);
        return Finding.of(
                "Validation on borrow costs Tomcat's pool about an eighth (paper: 10.1 s instead of 8.9 s)",
                seldom >= 0.8 && seldom <= 0.95,
                "It keeps %s of its throughput when it validates a connection every 3 s at most, as its default says. With a round trip at every fetch it keeps %s, Headgate %s."
                        .formatted(percent(seldom), percent(always), percent(ours)));
    }

    private static double ratio(Scenario one, Scenario other, String contender) {
        return one.cell(contender).median(PER_SECOND) / other.cell(contender).median(PER_SECOND);
    }

    private static String figure(Scenario scenario, String contender, ToDoubleFunction<FetchLoop.Outcome> figure) {
        return Numbers.text(scenario.cell(contender).median(figure));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
    }

    private List<String> notes() {
        return List.of(
                "The threads are threads of the operating system, on "
                        + Runtime.getRuntime().availableProcessors()
                        + " processors. They hold a connection for less than a microsecond and send nothing, so a thread that is preempted holds its connection for a whole time slice: that, not the pool, makes most of the long waits of unfair pools.",
                "Most by fewest of a short round includes the operating system's own unfairness: a thread gets some ten to twenty time slices in a second. Longer rounds even it out.",
                "Asynchronously means: the thread asks for a future and waits for it. Headgate completes it on a virtual thread, which costs two changes of threads for each fetch.",
                "Validated means one round trip at every fetch. HikariCP and Headgate have no such setting, so the loop calls isValid; both check a connection for themselves, HikariCP after 500 ms of idleness, Headgate after a millisecond by its socket, and by a query where the server was silent for 500 ms.",
                "Every pool has " + connections
                        + " connections, all open before the first round. The first round warms up and does not count.");
    }

    // ---- figures

    /** The paper's table of fetches for each thread, as a line. */
    private Chart share() {
        List<Chart.Line> lines = new ArrayList<>();
        for (Scenario.Cell cell : twice.cells()) {
            double[] sum = new double[twice.threads()];
            for (FetchLoop.Outcome outcome : cell.outcomes()) {
                double mean = Math.max(1, (double) outcome.waits().getTotalCount() / sum.length);
                for (int i = 0; i < sum.length; i++) {
                    sum[i] += outcome.threads().get(i).fetches()
                            / mean
                            / cell.outcomes().size();
                }
            }
            List<Double> ranks = new ArrayList<>();
            for (int i = 1; i <= sum.length; i++) {
                ranks.add((double) i);
            }
            lines.add(new Chart.Line(
                    cell.contender().name(),
                    Chart.Style.LINE,
                    ranks,
                    Arrays.stream(sum).boxed().toList()));
        }
        return new Chart(
                "Fetches of each thread, " + twice.name(),
                Chart.Axis.of("thread, the one with the fewest fetches first", ""),
                Chart.Axis.of("fetches by the mean thread's", ""),
                lines,
                "A level line is a fair pool. Most by fewest: " + list(cell -> Numbers.text(cell.median(EVENNESS)))
                        + ".");
    }

    private Chart waits() {
        List<Chart.Line> lines = new ArrayList<>();
        for (Scenario.Cell cell : twice.cells()) {
            Histogram waits = cell.waits();
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (double oneIn = 2; oneIn <= 1e6 && oneIn <= waits.getTotalCount(); oneIn *= Math.sqrt(10)) {
                x.add(oneIn);
                y.add(Math.max(1, waits.getValueAtPercentile(100 - 100 / oneIn)) / 1e6);
            }
            lines.add(new Chart.Line(cell.contender().name(), Chart.Style.LINE, x, y));
        }
        return new Chart(
                "Waits, " + twice.name(),
                Chart.Axis.logarithmic("one fetch in", ""),
                Chart.Axis.logarithmic("waits at least", "ms"),
                lines,
                "Half of the fetches wait at least as long as the left end of a line says, one in a million at least as long as the right end. Longest: "
                        + list(cell -> Numbers.text(cell.median(LONGEST)) + " ms") + ".");
    }

    private String list(java.util.function.Function<Scenario.Cell, String> figure) {
        return String.join(
                "; ",
                twice.cells().stream()
                        .map(each -> each.contender().name() + " " + figure.apply(each))
                        .toList());
    }

    private List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            List<List<String>> rows = new ArrayList<>();
            for (Scenario.Cell cell : scenario.cells()) {
                Histogram waits = cell.waits();
                rows.add(List.of(
                        cell.contender().name(),
                        Numbers.text(Math.rint(cell.median(PER_SECOND))),
                        Numbers.text(cell.median(EVENNESS)),
                        millis(waits, 50),
                        millis(waits, 99),
                        millis(waits, 99.9),
                        millis(waits, 99.99),
                        Numbers.text(cell.median(LONGEST)),
                        millis(waits, 100)));
            }
            tables.add(new Table(
                    scenario.name(),
                    List.of(
                            "pool",
                            "fetches/s",
                            "most by fewest",
                            "wait p50, ms",
                            "p99, ms",
                            "p99.9, ms",
                            "p99.99, ms",
                            "longest of a round, ms",
                            "longest, ms"),
                    rows));
        }
        tables.add(threads());
        return tables;
    }

    /** The paper's table of each thread. */
    private Table threads() {
        List<List<String>> rows = new ArrayList<>();
        for (Scenario.Cell cell : twice.cells()) {
            int thread = 0;
            for (FetchLoop.Served each : cell.outcomes().getLast().threads()) {
                rows.add(List.of(
                        cell.contender().name(),
                        Integer.toString(++thread),
                        Long.toString(each.fetches()),
                        Numbers.text(each.meanMs()),
                        Numbers.text(each.longestMs())));
            }
        }
        return new Table(
                "Each thread in the last round, " + twice.name(),
                List.of("pool", "thread, fewest fetches first", "fetches", "mean wait, ms", "longest wait, ms"),
                rows);
    }

    private static String millis(Histogram waits, double percentile) {
        return Numbers.text(waits.getValueAtPercentile(percentile) / 1e6);
    }

    private List<Measure> measures() {
        List<Measure> measures = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            for (Scenario.Cell cell : scenario.cells()) {
                String of = ", " + cell.contender().name() + ", " + scenario.name();
                measures.add(new Measure("fetches" + of, "1/s", Better.MORE, cell.samples(PER_SECOND)));
                measures.add(new Measure("most by fewest" + of, "", Better.LESS, cell.samples(EVENNESS)));
                measures.add(new Measure("longest wait" + of, "ms", Better.LESS, cell.samples(LONGEST)));
            }
        }
        return measures;
    }
}
