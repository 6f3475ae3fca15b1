package dev.headgate.lab.policies;

import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
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
import dev.headgate.lab.load.Sessions;
import dev.headgate.lab.load.SideBySide;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gold and bronze clients on one database whose connections do not suffice: gold's users stay the same, bronze's come in ever greater
 * numbers. Once without tiers, once with. Users hold a connection for 10 ms, so that connections are short and not processors.
 */
public final class Tiers implements Experiment {

    private static final Application APPLICATION = new Auction();
    private static final String GOLD = "gold";
    private static final String BRONZE = "bronze";
    private static final int BUDGET = 12;
    private static final int GOLD_USERS = 16;

    /** What gold's users need: they hold a connection for about half of their time. */
    private static final int GUARANTEED = 9;

    /** The share of its pages that gold has to keep beside the most bronze users. */
    private static final double KEPT = 0.9;

    /** The most that gold's p99 may grow with tiers. */
    private static final double MOST_SLOWER = 1.5;

    private static final Duration HOLD = Duration.ofMillis(10);
    private static final int ROUNDS = 8;
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final Duration SETTLING = Duration.ofSeconds(2);

    /** Before the first step, with which the others are compared: code that is not compiled yet is slower. */
    private static final Duration WARMING_UP = Duration.ofSeconds(8);

    private static final WhenExhausted QUEUE = WhenExhausted.queue(30_000, 10_000);

    record Step(int bronzeUsers, LoadResult gold, LoadResult bronze) {}

    @Override
    public String name() {
        return "tiers";
    }

    @Override
    public String question() {
        return "Do gold clients keep their latency when ever more bronze clients come to the same database?";
    }

    @Override
    public String source() {
        return "Jordan, Sun Labs TR-2006-151, which names it as an aim and does not measure it";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count(
                        "bronzeUsers", "The most bronze users at once; there are 16 gold ones", "", 64, 128, 4, 1000),
                Parameter.count("seconds", "Measured at each number of users", "s", 3, 10, 1, 120));
    }

    @Override
    public Report run(Run run) throws Exception {
        run.at(0, "making the tables");
        Target target = MeasuredPools.prepare(run.laboratory(), "tiers", BUDGET, List.of(APPLICATION));
        List<Integer> users = new ArrayList<>(List.of(1));
        for (int each = 8; each < run.count("bronzeUsers"); each *= 2) {
            users.add(each);
        }
        users.add(run.count("bronzeUsers"));
        Map<String, List<Step>> steps = new LinkedHashMap<>();
        List<Measure> measures = new ArrayList<>();
        LoadNotes notes = new LoadNotes();
        Duration settling = WARMING_UP;
        int done = 0;
        for (String way : List.of("without tiers", "with tiers")) {
            List<Step> ofWay = new ArrayList<>();
            try (MeasuredPools pools = MeasuredPools.on(target, run.supervisor())) {
                boolean tiers = way.equals("with tiers");
                Pool gold = open(run, pools, GOLD, tiers);
                Pool bronze = open(run, pools, BRONZE, tiers);
                for (int each : users) {
                    run.at(0.05 + 0.95 * done++ / (2.0 * users.size()), "%s, %d bronze users".formatted(way, each));
                    step(run, gold, bronze, each, settling);
                    settling = SETTLING;
                    Step step = step(run, gold, bronze, each, Duration.ofSeconds(run.count("seconds")));
                    notes.add("gold %s, %d bronze users".formatted(way, each), step.gold());
                    notes.add("bronze %s, %d bronze users".formatted(way, each), step.bronze());
                    ofWay.add(step);
                }
                measures.add(repeated(run, gold, bronze, way));
            }
            steps.put(way, ofWay);
        }
        return report(steps, measures, notes.all());
    }

    /** The highest load again, in rounds that can be compared with those of another run. */
    private static Measure repeated(Run run, Pool gold, Pool bronze, String way) throws Exception {
        int most = run.count("bronzeUsers");
        List<Double> p99s = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            p99s.add(p99(step(run, gold, bronze, most, ROUND).gold()));
        }
        return new Measure("gold's p99 %s, beside %d bronze users".formatted(way, most), "ms", Better.LESS, p99s);
    }

    private static Pool open(Run run, MeasuredPools pools, String domain, boolean tiers) {
        if (!tiers) {
            return pools.open(domain, QUEUE, MeasuredPools.between(1, BUDGET));
        }
        Map<String, Object> parameters = domain.equals(GOLD)
                ? Map.of("tier", GOLD, "guaranteed", GUARANTEED)
                : Map.of("tier", BRONZE, "guaranteed", 1);
        return pools.open(
                domain,
                QUEUE,
                MeasuredPools.between(1, BUDGET),
                new Member("tiers", run.laboratory().policy("tiers", parameters)));
    }

    private static Step step(Run run, Pool gold, Pool bronze, int bronzeUsers, Duration length) throws Exception {
        SideBySide loads =
                SideBySide.of(() -> load(run, gold, GOLD_USERS, length), () -> load(run, bronze, bronzeUsers, length));
        return new Step(bronzeUsers, loads.first(), loads.second());
    }

    private static LoadResult load(Run run, Pool pool, int users, Duration length) throws InterruptedException {
        return new ClosedLoop(users, HOLD, Duration.ZERO, length)
                .runSessions(holding(pool), run.seed() + pool.domain().hashCode());
    }

    private static Sessions holding(Pool pool) {
        return new Pages(APPLICATION, pool, false, 0, HOLD);
    }

    private static Report report(Map<String, List<Step>> steps, List<Measure> measures, List<String> notes) {
        List<Step> without = steps.getOrDefault("without tiers", List.of());
        List<Step> with = steps.getOrDefault("with tiers", List.of());
        List<Chart.Line> latency = new ArrayList<>();
        List<Chart.Line> throughput = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        steps.forEach((way, each) -> {
            List<Double> x =
                    each.stream().map(step -> (double) step.bronzeUsers()).toList();
            latency.add(line(
                    "gold " + way,
                    x,
                    each.stream().map(step -> p99(step.gold())).toList()));
            latency.add(line(
                    "bronze " + way,
                    x,
                    each.stream().map(step -> p99(step.bronze())).toList()));
            throughput.add(line(
                    "gold " + way,
                    x,
                    each.stream().map(step -> step.gold().perSecond()).toList()));
            throughput.add(line(
                    "bronze " + way,
                    x,
                    each.stream().map(step -> step.bronze().perSecond()).toList()));
            each.forEach(step -> rows.add(List.of(
                    way,
                    Integer.toString(step.bronzeUsers()),
                    rounded(step.gold().meanMs()),
                    rounded(p99(step.gold())),
                    rounded(step.gold().perSecond()),
                    rounded(step.bronze().meanMs()),
                    rounded(p99(step.bronze())),
                    rounded(step.bronze().perSecond()))));
        });
        return new Report(
                findings(without, with),
                List.of(
                        new Chart(
                                "Time to a page by tier",
                                Chart.Axis.logarithmic("bronze users", ""),
                                Chart.Axis.logarithmic("p99 of a page", "ms"),
                                latency,
                                "Gold's p99 beside more and more bronze users, without and with tiers."),
                        new Chart(
                                "Pages per second by tier",
                                Chart.Axis.logarithmic("bronze users", ""),
                                Chart.Axis.of("pages", "1/s"),
                                throughput,
                                "What each tier gets of a budget of %d connections.".formatted(BUDGET))),
                List.of(new Table(
                        "Every step",
                        List.of(
                                "way",
                                "bronze users",
                                "gold, ms",
                                "gold's p99, ms",
                                "gold, 1/s",
                                "bronze, ms",
                                "bronze's p99, ms",
                                "bronze, 1/s"),
                        rows)),
                measures,
                notes);
    }

    static List<Finding> findings(List<Step> without, List<Step> with) {
        LoadResult quiet = with.getFirst().gold();
        LoadResult loud = with.getLast().gold();
        int most = with.getLast().bronzeUsers();
        return List.of(
                finding(
                        "Without tiers gold suffers from bronze: it loses a tenth of its pages or more",
                        without.getFirst(),
                        kept(without) <= KEPT,
                        pages(without)),
                finding(
                        "With tiers gold keeps its pages: it loses less than a tenth",
                        with.getFirst(),
                        kept(with) > KEPT,
                        pages(with)),
                finding(
                        "With tiers gold keeps its latency: its p99 grows at most by a half",
                        with.getFirst(),
                        loud.percentileOfAllMs(99) <= MOST_SLOWER * p99(quiet),
                        "p99 of gold's pages: %s ms beside one bronze user, %s ms beside %d (%s times); without tiers %s and %s ms.%s"
                                .formatted(
                                        rounded(p99(quiet)),
                                        rounded(p99(loud)),
                                        most,
                                        rounded(p99(loud) / p99(quiet), MOST_SLOWER),
                                        rounded(p99(without.getFirst().gold())),
                                        rounded(p99(without.getLast().gold())),
                                        loud.failed() == 0
                                                ? ""
                                                : " Beside %d, %d of gold's pages failed and %d were served."
                                                        .formatted(most, loud.failed(), loud.done()))),
                Finding.of(
                        "Bronze is not starved",
                        with.getLast().bronze().perSecond() > 0,
                        "%s pages/s for bronze with tiers, %s/s without, with %d users."
                                .formatted(
                                        rounded(with.getLast().bronze().perSecond()),
                                        rounded(without.getLast().bronze().perSecond()),
                                        most)));
    }

    /** The share of gold's pages beside one bronze user that it has beside the most. */
    private static double kept(List<Step> steps) {
        return steps.getLast().gold().perSecond() / steps.getFirst().gold().perSecond();
    }

    private static String pages(List<Step> steps) {
        LoadResult quiet = steps.getFirst().gold();
        LoadResult loud = steps.getLast().gold();
        return "Gold: %s pages/s at %s ms beside one bronze user, %s/s at %s ms beside %d (%s times the pages)."
                .formatted(
                        rounded(quiet.perSecond()),
                        rounded(quiet.meanMs()),
                        rounded(loud.perSecond()),
                        rounded(loud.meanMs()),
                        steps.getLast().bronzeUsers(),
                        rounded(kept(steps), KEPT));
    }

    /** @param quiet with which the highest load is compared; without a page there, nothing can be told */
    private static Finding finding(String claim, Step quiet, boolean holds, String here) {
        return quiet.gold().done() == 0
                ? new Finding(claim, Finding.Verdict.UNDECIDED, "Gold had no page beside one bronze user.")
                : Finding.of(claim, holds, here);
    }

    private static Chart.Line line(String name, List<Double> x, List<Double> y) {
        return new Chart.Line(
                name,
                Chart.Style.LINE,
                x,
                y.stream().map(value -> Math.max(0.01, value)).toList());
    }

    private static double p99(LoadResult result) {
        return result.percentileMs(99);
    }
}
