package dev.headgate.lab.queries;

import static dev.headgate.lab.report.Numbers.counted;
import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One query to each of some ways, one after another and all at once.
 *
 * @param each what a way stands for, in the plural: "databases"
 * @param points for each number of ways, in rising order
 */
record Fan(String each, List<Point> points) {

    /** At most so many times as long as one alone is "nearly flat". */
    private static final double FLAT = 1.5;

    /**
     * @param serial milliseconds for a query to each, one after another; a value for each sample
     * @param atOnce the same, all at once
     */
    record Point(int width, List<Double> serial, List<Double> atOnce) {}

    /**
     * Measures the first ways, for each of some widths. Blocks.
     *
     * @param from the share of the run that is done before
     */
    static Fan measure(Run run, String each, List<Way> ways, int[] widths, double from) throws Exception {
        int samples = run.count("samples");
        int warmUps = Math.max(2, samples / 5);
        SplittableRandom random = new SplittableRandom(run.seed());
        List<Point> points = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int at = 0; at < widths.length; at++) {
                List<Way> some = ways.subList(0, widths[at]);
                Point point = new Point(widths[at], new ArrayList<>(), new ArrayList<>());
                for (int sample = -warmUps; sample < samples; sample++) {
                    double done = (double) (sample + warmUps) / (samples + warmUps);
                    run.at(from + (1 - from) * (at + done) / widths.length, counted(widths[at], each));
                    double serial = serial(some, random);
                    double atOnce = atOnce(some, random, threads);
                    if (sample >= 0) {
                        point.serial().add(serial);
                        point.atOnce().add(atOnce);
                    }
                }
                points.add(point);
            }
        }
        return new Fan(each, points);
    }

    private static double serial(List<Way> ways, SplittableRandom random) throws Exception {
        double millis = 0;
        for (Way way : ways) {
            millis += Ways.millis(way, 1, random);
        }
        return millis;
    }

    private static double atOnce(List<Way> ways, SplittableRandom random, ExecutorService threads) throws Exception {
        long begin = System.nanoTime();
        List<CompletableFuture<Double>> answers = new ArrayList<>();
        for (Way way : ways) {
            SplittableRandom own = random.split();
            CompletableFuture<Double> answer = new CompletableFuture<>();
            answers.add(answer);
            threads.execute(() -> {
                try {
                    answer.complete(Ways.millis(way, 1, own));
                } catch (Exception | Error e) {
                    answer.completeExceptionally(e);
                }
            });
        }
        for (CompletableFuture<Double> answer : answers) {
            answer.get(1, TimeUnit.MINUTES);
        }
        return (System.nanoTime() - begin) / 1e6;
    }

    Measure serial(Point point) {
        return new Measure(each + " one after another: " + point.width(), "ms", Better.LESS, point.serial());
    }

    Measure atOnce(Point point) {
        return new Measure(each + " at once: " + point.width(), "ms", Better.LESS, point.atOnce());
    }

    /** The medians over the widths. */
    Chart.Line line(String name, Function<Point, Measure> measure) {
        return new Chart.Line(
                name,
                Chart.Style.LINE,
                points.stream().map(point -> (double) point.width()).toList(),
                points.stream().map(point -> measure.apply(point).median()).toList());
    }

    /** Whether the widest takes hardly longer than the narrowest, all at once. */
    Finding flat(String claim) {
        Point widest = points.getLast();
        double one = atOnce(points.getFirst()).median();
        double all = atOnce(widest).median();
        return Finding.of(
                claim,
                all <= FLAT * one,
                "One: %s ms. %d %s: %s ms at once (%s times), %s ms one after another."
                        .formatted(
                                rounded(one),
                                widest.width(),
                                each,
                                rounded(all),
                                rounded(all / one),
                                rounded(serial(widest).median())));
    }
}
