package dev.headgate.lab.queries;

import static dev.headgate.lab.report.Numbers.counted;
import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.link.DelayedLink;
import dev.headgate.lab.load.ClosedLoop;
import dev.headgate.lab.load.LoadNotes;
import dev.headgate.lab.load.LoadResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * A portal's page that asks four databases, with few to many users at once: one database after another, by a pool of threads,
 * asynchronously, and asynchronously with the questions to a database pipelined. Users do not think.
 */
public final class Portal implements Experiment {

    private static final Duration WARM_UP = Duration.ofMillis(500);
    private static final double PREPARING = 0.05;

    record Step(int users, List<LoadResult> loads) {

        /** Of all pages of the rounds together. */
        private Histogram pages() {
            Histogram all = new Histogram(3);
            loads.forEach(load -> all.add(load.latency()));
            return all;
        }

        double pageMs() {
            return pages().getTotalCount() == 0 ? 0 : pages().getMean() / 1e6;
        }

        double p99Ms() {
            return pages().getTotalCount() == 0 ? 0 : pages().getValueAtPercentile(99) / 1e6;
        }

        boolean servedNone() {
            return loads.stream().mapToLong(LoadResult::done).sum() == 0;
        }

        double perSecond() {
            return loads.stream().mapToDouble(LoadResult::perSecond).average().orElse(0);
        }
    }

    @Override
    public String name() {
        return "portal";
    }

    @Override
    public String question() {
        return "How long does a page take that asks four databases: one after another, by threads, asynchronously, pipelined?";
    }

    @Override
    public String source() {
        return "Heath, ADBCJ (Brigham Young University), Fig 4.6 and 4.7";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("users", "The most users at once", "", 32, 64, 2, 500),
                Parameter.count("rounds", "In which the ways take turns at each number of users", "", 6, 6, 1, 50),
                Parameter.count("roundMs", "Measured in each round", "ms", 400, 3000, 100, 60_000),
                Parameter.count("connections", "To each database", "", 8, 8, 1, 80),
                Parameter.fraction(
                        "roundTripMs", "Added between the pages and PostgreSQL; 0 for none", "ms", 1, 1, 0, 100));
    }

    @Override
    public Report run(Run run) throws Exception {
        int connections = run.count("connections");
        run.at(0, "making four databases");
        List<Target> targets = PortalDatabases.prepare(run.laboratory(), connections);
        double delay = run.value("roundTripMs");
        List<String> notes = new ArrayList<>();
        notes.add("Pages, load generator and databases share this machine's %d processors."
                .formatted(Runtime.getRuntime().availableProcessors()));
        notes.add(
                "Every way has the same pools of %d connections to each database. The pool of threads has as many threads as there are connections to all of them."
                        .formatted(connections));
        if (delay == 0) {
            try (PortalDatabases databases = PortalDatabases.open(targets, null, connections, run.supervisor())) {
                return measure(run, databases, notes);
            }
        }
        try (DelayedLink link = DelayedLink.to(targets.getFirst().port(), Duration.ofNanos(Math.round(delay * 1e6)));
                PortalDatabases databases = PortalDatabases.open(targets, link, connections, run.supervisor())) {
            notes.add("The link added %s ms to a round trip, as calibrated."
                    .formatted(rounded(link.added().toNanos() / 1e6)));
            return measure(run, databases, notes);
        }
    }

    private static Report measure(Run run, PortalDatabases databases, List<String> notes) throws InterruptedException {
        LoadNotes ofLoads = new LoadNotes();
        Map<PortalPage.Way, List<Step>> steps = new EnumMap<>(PortalPage.Way.class);
        List<Integer> users = users(run.count("users"));
        int rounds = run.count("rounds");
        Duration measured = Duration.ofMillis(run.count("roundMs"));
        int done = 0;
        for (int each : users) {
            for (int round = 0; round < rounds; round++) {
                for (PortalPage.Way way : PortalPage.Way.values()) {
                    run.at(
                            PREPARING
                                    + (1 - PREPARING)
                                            * done++
                                            / (users.size() * rounds * PortalPage.Way.values().length),
                            way.title() + ", " + counted(each, "users"));
                    LoadResult load;
                    try (PortalPage page = new PortalPage(databases, way)) {
                        load = new ClosedLoop(each, Duration.ZERO, round == 0 ? WARM_UP : Duration.ZERO, measured)
                                .run(page, run.seed() + round);
                    }
                    ofLoads.add(way.title() + ", " + counted(each, "users"), load);
                    step(steps, way, each).loads().add(load);
                }
            }
        }
        notes.addAll(ofLoads.all());
        return report(steps, notes);
    }

    private static Step step(Map<PortalPage.Way, List<Step>> steps, PortalPage.Way way, int users) {
        List<Step> ofWay = steps.computeIfAbsent(way, each -> new ArrayList<>());
        if (ofWay.isEmpty() || ofWay.getLast().users() != users) {
            ofWay.add(new Step(users, new ArrayList<>()));
        }
        return ofWay.getLast();
    }

    private static List<Integer> users(int most) {
        List<Integer> users = new ArrayList<>();
        for (int each = 1; each < most; each *= 2) {
            users.add(each);
        }
        users.add(most);
        return users;
    }

    private static Report report(Map<PortalPage.Way, List<Step>> steps, List<String> notes) {
        return new Report(
                List.of(
                        alone(steps),
                        pipelined(steps),
                        busy(
                                "With many users the asynchronous portal serves more pages than the one with threads",
                                PortalPage.Way.ASYNCHRONOUS,
                                steps),
                        busy(
                                "With many users the portal that also pipelines serves more pages than the one with threads",
                                PortalPage.Way.PIPELINED,
                                steps)),
                List.of(
                        chart("Time to a page by users", "mean", "ms", steps, Step::pageMs),
                        chart("Pages per second by users", "pages", "1/s", steps, Step::perSecond)),
                List.of(table(steps)),
                measures(steps),
                notes);
    }

    private static Step first(Map<PortalPage.Way, List<Step>> steps, PortalPage.Way way) {
        return Objects.requireNonNull(steps.get(way)).getFirst();
    }

    private static Step last(Map<PortalPage.Way, List<Step>> steps, PortalPage.Way way) {
        return Objects.requireNonNull(steps.get(way)).getLast();
    }

    /** Undecided if no page of one of these steps was served, whose latency would be 0 then. */
    private static Finding finding(String claim, List<Step> compared, boolean holds, String here) {
        return compared.stream().anyMatch(Step::servedNone)
                ? new Finding(claim, Finding.Verdict.UNDECIDED, "Every page of one way failed. " + here)
                : Finding.of(claim, holds, here);
    }

    static Finding alone(Map<PortalPage.Way, List<Step>> steps) {
        double serial = first(steps, PortalPage.Way.SERIAL).pageMs();
        double threads = first(steps, PortalPage.Way.THREADS).pageMs();
        double asynchronous = first(steps, PortalPage.Way.ASYNCHRONOUS).pageMs();
        return finding(
                "A page that asks its databases at once takes as long as the slowest of them, not as all of them: asynchronously half of the time or less",
                List.of(first(steps, PortalPage.Way.SERIAL), first(steps, PortalPage.Way.ASYNCHRONOUS)),
                asynchronous <= serial / 2,
                "A page for one user: %s ms one after another, %s ms by threads, %s ms asynchronously."
                        .formatted(rounded(serial), rounded(threads), rounded(asynchronous)));
    }

    static Finding pipelined(Map<PortalPage.Way, List<Step>> steps) {
        double asynchronous = first(steps, PortalPage.Way.ASYNCHRONOUS).pageMs();
        double pipelined = first(steps, PortalPage.Way.PIPELINED).pageMs();
        return finding(
                "Pipelining the five questions to a database makes it faster again",
                List.of(first(steps, PortalPage.Way.ASYNCHRONOUS), first(steps, PortalPage.Way.PIPELINED)),
                pipelined < 0.8 * asynchronous,
                "%s ms pipelined, %s ms asynchronously, %s times as fast."
                        .formatted(
                                rounded(pipelined),
                                rounded(asynchronous),
                                rounded(pipelined == 0 ? 0 : asynchronous / pipelined)));
    }

    static Finding busy(String claim, PortalPage.Way way, Map<PortalPage.Way, List<Step>> steps) {
        Step serial = last(steps, PortalPage.Way.SERIAL);
        Step threads = last(steps, PortalPage.Way.THREADS);
        Step ours = last(steps, way);
        return finding(
                claim,
                List.of(threads, ours),
                ours.perSecond() > threads.perSecond(),
                "With %d users: %s pages/s %s, %s by threads, %s one after another."
                        .formatted(
                                ours.users(),
                                rounded(ours.perSecond()),
                                way.title(),
                                rounded(threads.perSecond()),
                                rounded(serial.perSecond())));
    }

    private static Chart chart(
            String title,
            String axis,
            String unit,
            Map<PortalPage.Way, List<Step>> steps,
            ToDoubleFunction<Step> value) {
        List<Chart.Line> lines = new ArrayList<>();
        steps.forEach((way, each) -> lines.add(new Chart.Line(
                way.title(),
                Chart.Style.LINE,
                each.stream().map(step -> (double) step.users()).toList(),
                each.stream().map(value::applyAsDouble).toList())));
        List<Step> any = steps.values().iterator().next();
        return new Chart(
                title,
                Chart.Axis.logarithmic("users", ""),
                Chart.Axis.of(axis, unit),
                lines,
                "For each way to ask, from %d to %d users at once."
                        .formatted(any.getFirst().users(), any.getLast().users()));
    }

    private static Table table(Map<PortalPage.Way, List<Step>> steps) {
        List<List<String>> rows = new ArrayList<>();
        steps.forEach((way, each) -> each.forEach(step -> rows.add(List.of(
                way.title(),
                Integer.toString(step.users()),
                rounded(step.pageMs()),
                rounded(step.p99Ms()),
                rounded(step.perSecond())))));
        return new Table("Every step", List.of("way", "users", "page, ms", "p99 of a page, ms", "pages/s"), rows);
    }

    private static List<Measure> measures(Map<PortalPage.Way, List<Step>> steps) {
        List<Measure> measures = new ArrayList<>();
        steps.forEach((way, each) -> {
            measures.add(new Measure(
                    way.title() + ": page of one user",
                    "ms",
                    Better.LESS,
                    each.getFirst().loads().stream().map(LoadResult::meanMs).toList()));
            measures.add(new Measure(
                    way.title() + ": pages with the most users",
                    "1/s",
                    Better.MORE,
                    each.getLast().loads().stream().map(LoadResult::perSecond).toList()));
        });
        return measures;
    }
}
