package dev.headgate.lab.queries;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** Fifty queries of one caller: one after another by JDBC, by a pool of threads over JDBC, and pipelined by Headgate's query engine. */
public final class AsyncDrivers implements Experiment {

    private static final int WIDTH = 10;
    private static final int WARM_UPS = 20;

    private enum Kind {
        SERIAL("JDBC, one after another"),
        THREADS("JDBC, 10 threads"),
        PIPELINED("Headgate, pipelined");

        private final String title;

        Kind(String title) {
            this.title = title;
        }
    }

    @Override
    public String name() {
        return "async-drivers";
    }

    @Override
    public String question() {
        return "How long does one caller wait for fifty queries: one after another, by threads, or pipelined?";
    }

    @Override
    public String source() {
        return "Heath, ADBCJ (Brigham Young University), Table 4.1";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("queries", "Of the caller", "", 50, 50, 1, 1000),
                Parameter.count("samples", "Of each way", "", 40, 200, 3, 2000),
                Parameter.fraction(
                        "roundTripMs",
                        "Added between the caller and PostgreSQL; 0 for none",
                        "ms",
                        0.19,
                        0.19,
                        0,
                        200));
    }

    @Override
    public Report run(Run run) throws Exception {
        run.at(0, "making the table");
        Target target = Ways.prepare(run.laboratory(), "drivers", 2 * WIDTH);
        double delay = run.value("roundTripMs");
        List<String> notes = new ArrayList<>();
        notes.add("Client and server share this machine's %d processors."
                .formatted(Runtime.getRuntime().availableProcessors()));
        if (delay == 0) {
            return report(run, measure(run, target), notes);
        }
        try (DelayedLink link = DelayedLink.to(target.port(), Duration.ofNanos(Math.round(delay * 1e6)))) {
            notes.add("The link added %s ms to a round trip, as calibrated."
                    .formatted(rounded(link.added().toNanos() / 1e6)));
            return report(run, measure(run, Ways.through(link, target)), notes);
        }
    }

    private static Map<Kind, List<Double>> measure(Run run, Target target) throws Exception {
        int samples = run.count("samples");
        int queries = run.count("queries");
        SplittableRandom random = new SplittableRandom(run.seed());
        Map<Kind, List<Double>> millis = new EnumMap<>(Kind.class);
        try (Way serial = new JdbcWay(target, 1);
                Way threads = new JdbcWay(target, WIDTH);
                Way pipelined = new EngineWay(target, 1, run.supervisor())) {
            Map<Kind, Way> ways = Map.of(Kind.SERIAL, serial, Kind.THREADS, threads, Kind.PIPELINED, pipelined);
            int warmUps = run.value("roundTripMs") > 1 ? 1 : WARM_UPS;
            for (int sample = -warmUps; sample < samples; sample++) {
                run.at(
                        (double) (sample + warmUps) / (samples + warmUps),
                        sample < 0 ? "warming up" : "sample %d of %d".formatted(sample + 1, samples));
                for (int i = 0; i < Kind.values().length; i++) {
                    Kind kind = Kind.values()[(i + sample + warmUps) % Kind.values().length];
                    double one = Ways.millis(Objects.requireNonNull(ways.get(kind)), queries, random);
                    if (sample >= 0) {
                        millis.computeIfAbsent(kind, each -> new ArrayList<>()).add(one);
                    }
                }
            }
        }
        return millis;
    }

    private static Report report(Run run, Map<Kind, List<Double>> millis, List<String> notes) {
        Map<Kind, Measure> measures = new EnumMap<>(Kind.class);
        millis.forEach((kind, values) -> measures.put(kind, new Measure(kind.title, "ms", Better.LESS, values)));
        double serial = median(measures, Kind.SERIAL);
        double threads = median(measures, Kind.THREADS);
        double pipelined = median(measures, Kind.PIPELINED);
        List<Chart.Line> lines = new ArrayList<>();
        millis.forEach((kind, values) -> {
            List<Double> sorted = values.stream().sorted().toList();
            List<Double> share = new ArrayList<>();
            for (int i = 0; i < sorted.size(); i++) {
                share.add(100.0 * (i + 1) / sorted.size());
            }
            lines.add(new Chart.Line(kind.title, Chart.Style.STEPS, share, sorted));
        });
        return new Report(
                List.of(
                        Finding.of(
                                "Pipelined queries take a fifth of the time (5.65 of 25.9 ms for PostgreSQL)",
                                pipelined * 4.6 <= serial,
                                "%d queries took %s ms one after another and %s ms pipelined: %s times as fast."
                                        .formatted(
                                                run.count("queries"),
                                                rounded(serial),
                                                rounded(pipelined),
                                                rounded(serial / pipelined))),
                        Finding.of(
                                "A pool of threads over JDBC is slower than one connection (79.2 of 25.9 ms)",
                                threads > serial,
                                "Ten threads with ten connections took %s ms, one after another %s ms."
                                        .formatted(rounded(threads), rounded(serial)))),
                List.of(new Chart(
                        "Time for all queries",
                        Chart.Axis.of("share of the samples that were as fast", "%"),
                        Chart.Axis.of("time", "ms"),
                        lines,
                        "Medians: %s ms one after another, %s ms by threads, %s ms pipelined."
                                .formatted(rounded(serial), rounded(threads), rounded(pipelined)))),
                List.of(new Table(
                        "Mean time, the paper's and ours",
                        List.of("way", "paper (PostgreSQL), ms", "here, ms"),
                        List.of(
                                List.of(Kind.SERIAL.title, "25.9", mean(millis, Kind.SERIAL)),
                                List.of(Kind.THREADS.title, "79.2", mean(millis, Kind.THREADS)),
                                List.of(Kind.PIPELINED.title, "5.65", mean(millis, Kind.PIPELINED))))),
                List.copyOf(measures.values()),
                notes);
    }

    private static double median(Map<Kind, Measure> measures, Kind kind) {
        return Objects.requireNonNull(measures.get(kind)).median();
    }

    private static String mean(Map<Kind, List<Double>> millis, Kind kind) {
        return rounded(millis.getOrDefault(kind, List.of()).stream()
                .mapToDouble(value -> value)
                .average()
                .orElse(0));
    }
}
