package dev.headgate.lab.scaleup;

import static dev.headgate.lab.experiment.Measure.medianOf;
import static dev.headgate.lab.scaleup.Measurements.samples;
import static dev.headgate.lab.scaleup.Measurements.throughput;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.load.LoadResult;
import dev.headgate.lab.report.Numbers;
import dev.headgate.lab.scaleup.Measurements.Crash;
import dev.headgate.lab.scaleup.Measurements.Injected;
import dev.headgate.lab.scaleup.Measurements.Offered;
import dev.headgate.lab.scaleup.Measurements.Round;
import dev.headgate.lab.scaleup.Measurements.Watched;
import dev.headgate.lab.scaleup.Measurements.Way;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What the figures of {@link ScaleUp} say. */
final class ScaleUpReport {

    private static final double P90_BAR_MS = 10;
    private static final double DISTRIBUTED_BAR = 0.8;
    private static final double RECOVERY_BAR_MS = 10_000;
    /** Ratios nearer to one than this are within what a run's rounds differ by. */
    private static final double NO_DIFFERENCE = 0.05;

    private final Measurements measured;
    private final Watched convoys;
    private final Crash crash;
    private final SplitBank.Balance balance;
    private final int most;
    private final double rate;
    private final String percent;

    ScaleUpReport(Measurements measured, Watched convoys, Crash crash, SplitBank.Balance balance, Run run) {
        this.measured = measured;
        this.convoys = convoys;
        this.crash = crash;
        this.balance = balance;
        this.most = run.count("databases");
        this.rate = run.value("ratePerDatabase");
        this.percent = Numbers.text(run.value("distributedPercent")) + " %";
    }

    Report report() {
        return new Report(findings(), List.of(timeline(), latency()), tables(), measures(), notes());
    }

    // ---- in words

    private List<Finding> findings() {
        return List.of(
                distribution(),
                p90(measured, most, rate),
                found(),
                invented(),
                recovery(crash, balance),
                efficiency(most, measured.efficiency(most)),
                local(),
                noDelay(),
                group());
    }

    private Finding distribution() {
        double ratio = ratio(Way.SOME_DISTRIBUTED, Way.ALL_LOCAL);
        return Finding.of(
                "With " + percent + " distributed bookings the most throughput is at least 0.8 of that with none",
                ratio >= DISTRIBUTED_BAR,
                "%s of it on %d databases: %s instead of %s bookings a second, as fast as the users can."
                        .formatted(
                                Numbers.text(ratio), most, perSecond(Way.SOME_DISTRIBUTED), perSecond(Way.ALL_LOCAL)));
    }

    /** Bookings that failed count as slower than any. */
    static Finding p90(Measurements measured, int most, double rate) {
        List<String> each = new ArrayList<>();
        double worst = 0;
        for (Map.Entry<Offered, List<Round>> entry : scaled(measured)) {
            double p90 = medianOf(samples(entry.getValue(), load -> load.percentileOfAllMs(90)));
            worst = Math.max(worst, p90);
            int databases = entry.getKey().databases();
            each.add(
                    Double.isInfinite(p90)
                            ? "more than a tenth failed on %d".formatted(databases)
                            : "%s ms on %d".formatted(Numbers.text(p90), databases));
        }
        List<Round> widest = measured.rounds(new Offered(most, true));
        long failed = widest.stream()
                .mapToLong(round -> round.load().failed() - round.load().unfinished())
                .sum();
        Histogram all = Measurements.latency(widest);
        long slow = failed + all.getCountBetweenValues((long) (P90_BAR_MS * 1e6), all.getHighestTrackableValue());
        double over = slow == 0 ? 0 : (double) slow / (all.getTotalCount() + failed);
        boolean late = scaled(measured).stream()
                .flatMap(entry -> entry.getValue().stream())
                .anyMatch(entry -> entry.load().generatorWasBottleneck());
        Finding.Verdict verdict =
                worst < P90_BAR_MS ? Finding.Verdict.HOLDS : late ? Finding.Verdict.UNDECIDED : Finding.Verdict.DIFFERS;
        return new Finding(
                "Nine of ten bookings take less than 10 ms at %s a second offered to each database"
                        .formatted(Numbers.text(rate)),
                verdict,
                "p90 from the schedule: %s. On %d databases %s of all took 10 ms or more (paper: 0.14 %%).%s%s"
                        .formatted(
                                String.join(", ", each),
                                most,
                                percent(over),
                                failed == 0 ? "" : " %d of them failed, which counts as slower.".formatted(failed),
                                late
                                        ? " The machine was so busy that the load itself started bookings late, which is included."
                                        : ""));
    }

    private Finding found() {
        long seen = measured.injected.stream()
                .filter(each -> each.isFoundIn(convoys.found()))
                .count();
        long exactly = measured.injected.stream()
                .filter(each -> convoys.found().stream()
                        .anyMatch(convoy ->
                                each.isFoundAs(convoy) && convoy.databases().containsAll(each.databases())))
                .count();
        return Finding.of(
                "Every injected convoy is found",
                seen == measured.injected.size(),
                "%d of %d, in which half of the databases stood still for 300 ms; all of their databases were named for %d."
                        .formatted(seen, measured.injected.size(), exactly));
    }

    private Finding invented() {
        long quiet = measured.quiet.stream()
                .filter(each -> !each.convoys().isEmpty())
                .count();
        long generator = measured.quiet.stream()
                .filter(each -> !each.generators().isEmpty())
                .count();
        long beside = convoys.convoys().stream()
                .filter(each -> measured.injected.stream().noneMatch(made -> made.isFoundAs(each)))
                .count();
        return Finding.of(
                "No convoy is found where none was injected",
                quiet + beside == 0,
                "%d of %d quiet runs have one, and %d more stand beside the injected ones. In %d of the quiet runs the load itself stood still, which does not count."
                        .formatted(quiet, measured.quiet.size(), beside, generator));
    }

    static Finding recovery(Crash crash, SplitBank.Balance balance) {
        boolean resolved = crash.leftover() + crash.kill().leftover() == 0
                && crash.recoveryMs() < RECOVERY_BAR_MS
                && crash.kill().resolvedMs() < RECOVERY_BAR_MS
                && balance.addsUp();
        boolean nothingLeft = crash.kill().recovery().parts() == 0;
        return new Finding(
                "After coordinators are killed at every step, and one with its process (kill -9), no prepared transaction is left within 10 s, and balances add up",
                !resolved ? Finding.Verdict.DIFFERS : nothingLeft ? Finding.Verdict.UNDECIDED : Finding.Verdict.HOLDS,
                "%d transactions were cut off and left %d prepared parts. The recovery took %s ms, committed %d of them and rolled %d back; %d are left. Processes killed: %d. At most %s ms later %d of their parts were committed and %d rolled back; %d are left.%s Accounts sum up to %d, tellers to %d, branches to %d, and the history's %d lines to %d."
                        .formatted(
                                crash.killed(),
                                crash.inDoubt(),
                                Numbers.text(crash.recoveryMs()),
                                crash.recovery().committed(),
                                crash.recovery().rolledBack(),
                                crash.leftover(),
                                crash.kill().processes(),
                                Numbers.text(crash.kill().resolvedMs()),
                                crash.kill().recovery().committed(),
                                crash.kill().recovery().rolledBack(),
                                crash.kill().leftover(),
                                nothingLeft
                                        ? " None of them had prepared anything, so the recovery had nothing to resolve, and this cannot be told."
                                        : "",
                                balance.accounts(),
                                balance.tellers(),
                                balance.branches(),
                                balance.bookings(),
                                balance.history()));
    }

    /** Never decided: whatever the rate, more databases on the same processors cannot serve more. */
    static Finding efficiency(int databases, List<Double> efficiency) {
        return new Finding(
                "Efficiency on 8 databases is at least 94 % of that on 2 (paper: 94.2 %, with raised priority)",
                Finding.Verdict.UNDECIDED,
                databases < 8 || efficiency.isEmpty()
                        ? "This run had " + databases + " databases."
                        : "%s at the offered rate, relative to what was offered. All databases share one server and this machine's processors, so that says that the rate was served, not that more databases serve more."
                                .formatted(percent(medianOf(efficiency))));
    }

    private Finding local() {
        List<Round> rounds = measured.rounds(new Offered(most, true));
        double local = Measurements.meanMs(rounds, Round::local);
        double across = Measurements.meanMs(rounds, Round::across);
        String claim =
                "A distributed booking takes about five times as long as a local one (paper: 3.02 ms and 0.63 ms)";
        if (local == 0 || across == 0) {
            return new Finding(claim, Finding.Verdict.UNDECIDED, "There was none of one kind.");
        }
        double ratio = across / local;
        return Finding.of(
                claim,
                ratio >= 3.5 && ratio <= 6.5,
                "%s ms and %s ms, %s times. Here both databases are as near, so it is a matter of the statements: a local booking waits for six answers and one flush to disk, a distributed one for nine and three."
                        .formatted(Numbers.text(across), Numbers.text(local), Numbers.text(ratio)));
    }

    private Finding noDelay() {
        double ratio = ratio(Way.DELAY, Way.NO_DELAY);
        return Finding.of(
                "Without TCP_NODELAY throughput collapses (paper: 600 instead of thousands of transactions a second)",
                ratio < 0.5,
                "Without it %s of the throughput: %s instead of %s bookings a second. The driver writes a request at once and then waits for the answer, so nothing small waits behind something unacknowledged."
                        .formatted(Numbers.text(ratio), perSecond(Way.DELAY), perSecond(Way.NO_DELAY)));
    }

    private Finding group() {
        double ratio = ratio(Way.GROUP, Way.SINGLE);
        String here =
                "%s times the throughput of single dequeue: %s instead of %s bookings a second; p90 %s ms instead of %s ms. A wake-up took %s bookings."
                        .formatted(
                                Numbers.text(ratio),
                                perSecond(Way.GROUP),
                                perSecond(Way.SINGLE),
                                p90(Way.GROUP),
                                p90(Way.SINGLE),
                                Numbers.text(medianOf(measured.groups)));
        return Finding.of(
                "A server that takes all queued bookings when it wakes serves more than one that takes a single one",
                ratio > 1 + NO_DIFFERENCE,
                here);
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        notes.add(
                "All databases are on one PostgreSQL server, on %d processors that the load shares. This shows the cost of distribution, and not what more processors give."
                        .formatted(Runtime.getRuntime().availableProcessors()));
        notes.add(
                "At the offered rate everything is timed from its schedule. Local and distributed bookings apart are timed from their start.");
        notes.add(
                "A distributed booking prepares the account's part, commits its home together with the decision, and commits the account's part: two-phase commit with the last-agent optimisation. Decisions stay in a table at the home.");
        notes.add(
                "Convoys are found by the rule that the class Convoys documents: a scan over 1 to 8 windows for joint dips below half, at a chance of less than one in a million for each run.");
        notes.add(
                "TCP_NODELAY is switched on the sockets of the pool's open connections. PostgreSQL always sets it for its own side.");
        notes.add(
                "A coordinator that is killed at a stated step is a thread that stops and whose connections are cut, within this process. One more is a process of its own, killed wherever it is; others follow, up to five, until one has left a prepared part.");
        notes.addAll(measured.loads.all());
        notes.addAll(measured.notes);
        return notes;
    }

    // ---- figures

    private Chart timeline() {
        List<Chart.Line> lines = new ArrayList<>();
        int windows = convoys.completions().getFirst().length;
        List<Double> seconds = new ArrayList<>();
        for (int i = 0; i < windows; i++) {
            seconds.add(i / 10.0);
        }
        for (int i = 0; i < convoys.completions().size(); i++) {
            List<Double> perSecond = new ArrayList<>();
            for (int count : convoys.completions().get(i)) {
                perSecond.add(10.0 * count);
            }
            lines.add(new Chart.Line("database " + (i + 1), Chart.Style.STEPS, seconds, perSecond));
        }
        lines.add(marks(
                "convoys found",
                convoys.found().stream()
                        .map(each -> (each.from() + each.to()) / 20.0)
                        .toList()));
        lines.add(marks(
                "convoys injected",
                measured.injected.stream()
                        .map(each -> (each.from() + each.to()) / 20.0)
                        .toList()));
        return new Chart(
                "Throughput of each database every 100 ms",
                Chart.Axis.of("time", "s"),
                Chart.Axis.of("bookings", "1/s"),
                lines,
                "%d standstills of 300 ms were injected; %d convoys were found."
                        .formatted(measured.injected.size(), convoys.found().size()));
    }

    /** Points on the time axis. */
    private static Chart.Line marks(String name, List<Double> seconds) {
        return new Chart.Line(
                name,
                Chart.Style.POINTS,
                seconds,
                seconds.stream().map(each -> 0.0).toList());
    }

    private Chart latency() {
        List<Double> x = new ArrayList<>();
        List<Double> mean = new ArrayList<>();
        List<Double> p90 = new ArrayList<>();
        for (Map.Entry<Offered, List<Round>> entry : scaled(measured)) {
            x.add((double) entry.getKey().databases());
            mean.add(medianOf(samples(entry.getValue(), LoadResult::meanMs)));
            p90.add(medianOf(samples(entry.getValue(), load -> load.percentileMs(90))));
        }
        return new Chart(
                "Latency at %s bookings a second for each database".formatted(Numbers.text(rate)),
                Chart.Axis.of("databases", ""),
                Chart.Axis.of("latency from the schedule", "ms"),
                List.of(
                        new Chart.Line("mean", Chart.Style.LINE, x, mean),
                        new Chart.Line("p90", Chart.Style.LINE, x, p90),
                        new Chart.Line(
                                "bar for p90",
                                Chart.Style.DASHED,
                                x,
                                x.stream().map(each -> P90_BAR_MS).toList())),
                "The p90 goes from %s ms on %s to %s ms on %s."
                        .formatted(
                                Numbers.text(p90.getFirst()),
                                Numbers.counted(Math.round(x.getFirst()), "databases"),
                                Numbers.text(p90.getLast()),
                                Numbers.text(x.getLast())));
    }

    private static Collection<Map.Entry<Offered, List<Round>>> scaled(Measurements measured) {
        return measured.offered.entrySet().stream()
                .filter(each -> each.getKey().distributed() || each.getKey().databases() == 1)
                .sorted(java.util.Comparator.comparingInt(each -> each.getKey().databases()))
                .toList();
    }

    private List<Table> tables() {
        List<List<String>> offered = new ArrayList<>();
        measured.offered.entrySet().stream()
                .sorted(java.util.Comparator.comparingInt(
                        each -> 2 * each.getKey().databases() + (each.getKey().distributed() ? 1 : 0)))
                .forEach(each -> offered.add(row(each.getKey(), each.getValue())));
        List<List<String>> ways = new ArrayList<>();
        measured.ways.forEach((way, rounds) -> ways.add(List.of(
                way.text(),
                whole(medianOf(throughput(rounds))),
                Numbers.text(medianOf(samples(rounds, LoadResult::meanMs))),
                Numbers.text(medianOf(samples(rounds, load -> load.percentileMs(90)))),
                Numbers.text(medianOf(samples(rounds, load -> load.percentileMs(99)))))));
        List<List<String>> dips = new ArrayList<>();
        for (Injected made : measured.injected) {
            dips.add(List.of(
                    span(made.from(), made.to()),
                    databases(made.databases()),
                    convoys.found().stream()
                            .filter(made::isFoundAs)
                            .map(each -> span(each.from(), each.to()))
                            .findFirst()
                            .orElse("not found"),
                    convoys.found().stream()
                            .filter(made::isFoundAs)
                            .map(each -> databases(each.databases()))
                            .findFirst()
                            .orElse("")));
        }
        return List.of(
                new Table(
                        "At a fixed rate",
                        List.of(
                                "databases",
                                "distributed",
                                "offered, 1/s",
                                "served, 1/s",
                                "efficiency",
                                "mean, ms",
                                "p50, ms",
                                "p90, ms",
                                "p99, ms",
                                "local mean, ms",
                                "distributed mean, ms"),
                        offered),
                new Table(
                        "As fast as the users can",
                        List.of("way", "served, 1/s", "mean, ms", "p90, ms", "p99, ms"),
                        ways),
                new Table(
                        "Injected convoys", List.of("injected, s", "databases", "found, s", "databases found"), dips));
    }

    private List<String> row(Offered configuration, List<Round> rounds) {
        Histogram latency = Measurements.latency(rounds);
        List<Double> efficiency =
                configuration.distributed() ? measured.efficiency(configuration.databases()) : List.of();
        double across = Measurements.meanMs(rounds, Round::across);
        return List.of(
                Integer.toString(configuration.databases()),
                configuration.distributed() ? percent : "none",
                Numbers.text(rate * configuration.databases()),
                whole(medianOf(throughput(rounds))),
                efficiency.isEmpty() ? "" : percent(medianOf(efficiency)),
                Numbers.text(latency.getMean() / 1e6),
                millis(latency, 50),
                millis(latency, 90),
                millis(latency, 99),
                Numbers.text(Measurements.meanMs(rounds, Round::local)),
                across == 0 ? "" : Numbers.text(across));
    }

    private List<Measure> measures() {
        List<Measure> measures = new ArrayList<>();
        measured.offered.forEach((configuration, rounds) -> {
            String of = " on %s, %s distributed"
                    .formatted(
                            Numbers.counted(configuration.databases(), "databases"),
                            configuration.distributed() ? percent : "none");
            measures.add(new Measure("served" + of, "1/s", Better.MORE, throughput(rounds)));
            measures.add(new Measure("p90" + of, "ms", Better.LESS, samples(rounds, load -> load.percentileMs(90))));
        });
        measured.ways.forEach((way, rounds) -> {
            measures.add(new Measure("most throughput, " + way.text(), "1/s", Better.MORE, throughput(rounds)));
        });
        if (!measured.efficiency(most).isEmpty()) {
            measures.add(new Measure(
                    "efficiency on %d databases".formatted(most), "", Better.MORE, measured.efficiency(most)));
        }
        measures.add(new Measure("recovery", "ms", Better.LESS, List.of(crash.recoveryMs())));
        measures.add(new Measure(
                "recovery of a killed process",
                "ms",
                Better.LESS,
                List.of(crash.kill().resolvedMs())));
        return measures;
    }

    private double ratio(Way one, Way other) {
        return medianOf(throughput(measured.rounds(one))) / medianOf(throughput(measured.rounds(other)));
    }

    private String perSecond(Way way) {
        return whole(medianOf(throughput(measured.rounds(way))));
    }

    private String p90(Way way) {
        return Numbers.text(medianOf(samples(measured.rounds(way), load -> load.percentileMs(90))));
    }

    private static String whole(double value) {
        return Numbers.text(Math.rint(value));
    }

    private static String millis(Histogram nanos, double percentile) {
        return Numbers.text(nanos.getValueAtPercentile(percentile) / 1e6);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.1 ? "%.2f %%" : "%.1f %%", 100 * share);
    }

    private static String span(double fromWindow, double toWindow) {
        return String.format(Locale.ROOT, "%.1f to %.1f", fromWindow / 10, toWindow / 10);
    }

    private static String databases(List<Integer> indexes) {
        return String.join(
                ", ", indexes.stream().map(each -> Integer.toString(each + 1)).toList());
    }
}
