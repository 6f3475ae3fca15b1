package dev.headgate.lab.queries;

import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.Pool;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One to many queries to one database: each on a connection of its own, one after another and all at once; and all of them pipelined on
 * a single connection, which tells what further connections are good for.
 */
public final class ManyConnections implements Experiment {

    private static final int[] WIDTHS = {1, 2, 4, 8, 16, 32};
    private static final int MOST = 32;
    private static final double PREPARING = 0.05;
    private static final double MEASURED_AT_ONCE = 0.8;

    @Override
    public String name() {
        return "many-connections";
    }

    @Override
    public String question() {
        return "Do many queries at once to one database take longer than one, and do they need as many connections?";
    }

    @Override
    public String source() {
        return "Heath, ADBCJ (Brigham Young University), Fig 4.5";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("samples", "Of each number of connections", "", 60, 500, 3, 5000),
                Parameter.fraction("roundTripMs", "Added between the caller and PostgreSQL", "ms", 1, 1, 0.1, 100));
    }

    @Override
    public Report run(Run run) throws Exception {
        run.at(0, "making the table");
        Target target = Ways.prepare(run.laboratory(), "connections", MOST + 2);
        Duration delay = Duration.ofNanos(Math.round(run.value("roundTripMs") * 1e6));
        try (DelayedLink link = DelayedLink.to(target.port(), delay);
                QueryEngine engine = new QueryEngine(run.supervisor());
                OpenWays connections = new OpenWays()) {
            Pool pool = engine.open(Ways.through(link, target), MOST);
            for (int i = 0; i < MOST; i++) {
                connections.add(new EngineWay(engine, pool));
            }
            Run most = new Run(
                    run.laboratory(),
                    run.values(),
                    run.seed(),
                    run.supervisor(),
                    (share, doing) -> run.at(MEASURED_AT_ONCE * share, doing));
            Fan fan = Fan.measure(most, "connections", connections.all(), WIDTHS, PREPARING);
            return report(fan, pipelined(run, connections.all().getFirst()), link.added());
        }
    }

    private static List<Measure> pipelined(Run run, Way one) throws Exception {
        int samples = run.count("samples");
        int warmUps = Math.max(2, samples / 5);
        SplittableRandom random = new SplittableRandom(run.seed());
        List<Measure> measures = new ArrayList<>();
        for (int at = 0; at < WIDTHS.length; at++) {
            List<Double> millis = new ArrayList<>();
            run.at(
                    MEASURED_AT_ONCE + (1 - MEASURED_AT_ONCE) * at / WIDTHS.length,
                    WIDTHS[at] + " queries on one connection");
            for (int sample = -warmUps; sample < samples; sample++) {
                double taken = Ways.millis(one, WIDTHS[at], random);
                if (sample >= 0) {
                    millis.add(taken);
                }
            }
            measures.add(new Measure("pipelined on one connection: " + WIDTHS[at], "ms", Better.LESS, millis));
        }
        return measures;
    }

    private static Report report(Fan fan, List<Measure> pipelined, Duration added) {
        double widest = fan.atOnce(fan.points().getLast()).median();
        double single = pipelined.getLast().median();
        List<List<String>> rows = new ArrayList<>();
        List<Measure> measures = new ArrayList<>();
        for (int i = 0; i < WIDTHS.length; i++) {
            Fan.Point point = fan.points().get(i);
            rows.add(List.of(
                    Integer.toString(point.width()),
                    rounded(fan.serial(point).median()),
                    rounded(fan.atOnce(point).median()),
                    rounded(pipelined.get(i).median())));
            measures.add(fan.atOnce(point));
            measures.add(pipelined.get(i));
        }
        return new Report(
                List.of(
                        fan.flat("Queries at once on as many connections to one database stay nearly flat"),
                        Finding.of(
                                "Small queries need no connection each: pipelined on one they take no longer",
                                single <= 1.1 * widest,
                                "%d queries: %s ms on %d connections at once, %s ms on one connection."
                                        .formatted(MOST, rounded(widest), MOST, rounded(single)))),
                List.of(new Chart(
                        "Time for all queries",
                        Chart.Axis.logarithmic("queries", ""),
                        Chart.Axis.logarithmic("time, median", "ms"),
                        List.of(
                                fan.line("a connection each, one after another", fan::serial),
                                fan.line("a connection each, all at once", fan::atOnce),
                                new Chart.Line(
                                        "one connection, pipelined",
                                        Chart.Style.LINE,
                                        fan.points().stream()
                                                .map(point -> (double) point.width())
                                                .toList(),
                                        pipelined.stream().map(Measure::median).toList())),
                        "%d queries take %s ms on as many connections at once, and %s ms pipelined on one."
                                .formatted(MOST, rounded(widest), rounded(single)))),
                List.of(new Table(
                        "Medians",
                        List.of("queries", "one after another, ms", "at once, ms", "pipelined on one, ms"),
                        rows)),
                measures,
                List.of(
                        "The link added %s ms to a round trip, as calibrated."
                                .formatted(rounded(added.toNanos() / 1e6)),
                        "The caller, the server's processes and the link share this machine's %d processors."
                                .formatted(Runtime.getRuntime().availableProcessors())));
    }
}
