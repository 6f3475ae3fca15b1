package dev.headgate.lab.queries;

import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import dev.headgate.lab.link.DelayedLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One query to each of one to eight databases, one after another and all at once. */
public final class ForkJoin implements Experiment {

    private static final int[] WIDTHS = {1, 2, 4, 8};
    private static final int MOST = 8;
    private static final double PREPARING = 0.1;

    @Override
    public String name() {
        return "fork-join";
    }

    @Override
    public String question() {
        return "Does it take longer to ask eight databases than one, if all are asked at once?";
    }

    @Override
    public String source() {
        return "Heath, ADBCJ (Brigham Young University), Fig 4.4";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("samples", "Of each number of databases", "", 60, 500, 3, 5000),
                Parameter.fraction("roundTripMs", "Added between the caller and PostgreSQL", "ms", 1, 1, 0.1, 100));
    }

    @Override
    public Report run(Run run) throws Exception {
        List<Target> targets = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            run.at(PREPARING * i / MOST, "making database %d of %d".formatted(i + 1, MOST));
            targets.add(Ways.prepare(run.laboratory(), "fork" + i, 2));
        }
        Duration delay = Duration.ofNanos(Math.round(run.value("roundTripMs") * 1e6));
        try (DelayedLink link = DelayedLink.to(targets.getFirst().port(), delay);
                OpenWays databases = new OpenWays()) {
            for (Target target : targets) {
                databases.add(new EngineWay(Ways.through(link, target), 1, run.supervisor()));
            }
            return report(Fan.measure(run, "databases", databases.all(), WIDTHS, PREPARING), link.added());
        }
    }

    private static Report report(Fan fan, Duration added) {
        return new Report(
                List.of(fan.flat("Asking one to eight databases at once stays nearly flat")),
                List.of(new Chart(
                        "Time for one query to each",
                        Chart.Axis.of("databases", ""),
                        Chart.Axis.of("time, median", "ms"),
                        List.of(fan.line("one after another", fan::serial), fan.line("all at once", fan::atOnce)),
                        "The time for one query to each of one to eight databases.")),
                List.of(new Table(
                        "Medians",
                        List.of("databases", "one after another, ms", "at once, ms"),
                        fan.points().stream()
                                .map(point -> List.of(
                                        Integer.toString(point.width()),
                                        rounded(fan.serial(point).median()),
                                        rounded(fan.atOnce(point).median())))
                                .toList())),
                fan.points().stream().map(fan::atOnce).toList(),
                List.of(
                        "The link added %s ms to a round trip, as calibrated."
                                .formatted(rounded(added.toNanos() / 1e6)),
                        "All databases are on one server, which shares this machine's %d processors with the caller."
                                .formatted(Runtime.getRuntime().availableProcessors())));
    }
}
