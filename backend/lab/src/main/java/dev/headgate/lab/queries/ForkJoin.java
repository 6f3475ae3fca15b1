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
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * One query to each of one to eight databases, one after another and all at once; and the same over as many connections to one database.
 */
public final class ForkJoin implements Experiment {

    private static final int[] BRANCHES = {1, 2, 4, 8};
    private static final int MOST = 8;
    private static final double FLAT = 1.5;

    private record Point(int branches, List<Double> serial, List<Double> forked, List<Double> connections) {}

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
        return "Heath, ADBCJ (Brigham Young University), Fig 4.4 and 4.5";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                new Parameter("samples", "Of each number of databases", "", 60, 500, 3, 5000),
                new Parameter("roundTripMs", "Added between the caller and PostgreSQL", "ms", 1, 1, 0.1, 100));
    }

    @Override
    public Report run(Run run) throws Exception {
        List<Target> targets = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            run.at(0.1 * i / MOST, "making database %d of %d".formatted(i + 1, MOST));
            targets.add(Ways.prepare(run.laboratory(), "fork" + i, i == 0 ? MOST + 2 : 2));
        }
        Duration delay = Duration.ofNanos(Math.round(run.value("roundTripMs") * 1e6));
        List<Way> databases = new ArrayList<>();
        List<Way> connections = new ArrayList<>();
        try (DelayedLink link = DelayedLink.to(targets.getFirst().port(), delay);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                for (int i = 0; i < MOST; i++) {
                    databases.add(new EngineWay(Ways.through(link, targets.get(i)), 1));
                    connections.add(new EngineWay(Ways.through(link, targets.getFirst()), 1));
                }
                return report(measure(run, databases, connections, threads), link.added());
            } finally {
                for (Way way : databases) {
                    way.close();
                }
                for (Way way : connections) {
                    way.close();
                }
            }
        }
    }

    private static List<Point> measure(Run run, List<Way> databases, List<Way> connections, ExecutorService threads)
            throws Exception {
        int samples = run.count("samples");
        SplittableRandom random = new SplittableRandom(run.seed());
        List<Point> points = new ArrayList<>();
        for (int at = 0; at < BRANCHES.length; at++) {
            int branches = BRANCHES[at];
            Point point = new Point(branches, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            int warmUps = Math.max(2, samples / 5);
            for (int sample = -warmUps; sample < samples; sample++) {
                run.at(
                        0.1 + 0.9 * (at + (double) (sample + warmUps) / (samples + warmUps)) / BRANCHES.length,
                        branches + " databases");
                double serial = serial(databases.subList(0, branches), random);
                double forked = forked(databases.subList(0, branches), random, threads);
                double many = forked(connections.subList(0, branches), random, threads);
                if (sample >= 0) {
                    point.serial().add(serial);
                    point.forked().add(forked);
                    point.connections().add(many);
                }
            }
            points.add(point);
        }
        return points;
    }

    private static double serial(List<Way> ways, SplittableRandom random) throws Exception {
        double millis = 0;
        for (Way way : ways) {
            millis += Ways.millis(way, 1, random);
        }
        return millis;
    }

    private static double forked(List<Way> ways, SplittableRandom random, ExecutorService threads) throws Exception {
        long begin = System.nanoTime();
        List<CompletableFuture<Double>> answers = new ArrayList<>();
        for (Way way : ways) {
            SplittableRandom own = random.split();
            CompletableFuture<Double> answer = new CompletableFuture<>();
            answers.add(answer);
            threads.execute(() -> {
                try {
                    answer.complete(Ways.millis(way, 1, own));
                } catch (Exception e) {
                    answer.completeExceptionally(e);
                }
            });
        }
        for (CompletableFuture<Double> answer : answers) {
            answer.get(1, TimeUnit.MINUTES);
        }
        return (System.nanoTime() - begin) / 1e6;
    }

    private static Report report(List<Point> points, Duration added) {
        List<Measure> serial = measures(points, "one after another", Point::serial);
        List<Measure> forked = measures(points, "databases at once", Point::forked);
        List<Measure> connections = measures(points, "connections to one database at once", Point::connections);
        return new Report(
                List.of(
                        flat("Asking one to eight databases at once stays nearly flat", serial, forked),
                        flat("So do one to eight connections to one database", serial, connections)),
                List.of(new Chart(
                        "Time for one query to each",
                        Chart.Axis.of("databases or connections", ""),
                        Chart.Axis.of("time, median", "ms"),
                        List.of(
                                line("databases, one after another", points, serial),
                                line("databases, all at once", points, forked),
                                line("connections to one database, all at once", points, connections)),
                        "One after another the time grows with the databases; at once it hardly does.")),
                List.of(new Table(
                        "Medians",
                        List.of("databases", "one after another, ms", "at once, ms", "connections to one at once, ms"),
                        rows(points, serial, forked, connections))),
                List.of(forked.getLast(), connections.getLast()),
                List.of("The link added %s ms to a round trip, as calibrated."
                        .formatted(rounded(added.toNanos() / 1e6))));
    }

    private static List<List<String>> rows(
            List<Point> points, List<Measure> serial, List<Measure> forked, List<Measure> connections) {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            rows.add(List.of(
                    Integer.toString(points.get(i).branches()),
                    rounded(serial.get(i).median()),
                    rounded(forked.get(i).median()),
                    rounded(connections.get(i).median())));
        }
        return rows;
    }

    private static List<Measure> measures(
            List<Point> points, String name, java.util.function.Function<Point, List<Double>> samples) {
        return points.stream()
                .map(point -> new Measure(point.branches() + " " + name, "ms", Better.LESS, samples.apply(point)))
                .toList();
    }

    private static Chart.Line line(String name, List<Point> points, List<Measure> measures) {
        return new Chart.Line(
                name,
                Chart.Style.LINE,
                points.stream().map(point -> (double) point.branches()).toList(),
                measures.stream().map(Measure::median).toList());
    }

    private static Finding flat(String claim, List<Measure> serial, List<Measure> atOnce) {
        double one = atOnce.getFirst().median();
        double eight = atOnce.getLast().median();
        return Finding.of(
                claim,
                eight <= FLAT * one,
                "One: %s ms. Eight: %s ms at once (%s times), %s ms one after another."
                        .formatted(
                                rounded(one),
                                rounded(eight),
                                rounded(eight / one),
                                rounded(serial.getLast().median())));
    }
}
