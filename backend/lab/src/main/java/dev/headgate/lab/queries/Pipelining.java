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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One to many requests on one connection, one after another and pipelined, at three round trips. The gain is the ratio of both times:
 * it is bounded by the number of requests, and grows towards that bound as the round trip outweighs the work.
 */
public final class Pipelining implements Experiment {

    private static final int[] COUNTS = {1, 2, 5, 10, 15, 20, 25};
    private static final int WARM_UPS = 30;

    /** @param paperGain of 25 requests, after the paper; 0 where it states none */
    record Trip(double millis, String title, double paperGain) {}

    record Gain(int requests, double serialMs, double pipelinedMs, List<Double> ratios) {

        double gain() {
            return new Measure("gain", "", Better.MORE, ratios).median();
        }
    }

    private record Curve(Trip trip, double addedMs, List<Gain> gains) {}

    @Override
    public String name() {
        return "pipelining";
    }

    @Override
    public String question() {
        return "How much does pipelining gain, depending on the number of requests and the round trip?";
    }

    @Override
    public String source() {
        return "Heath, ADBCJ (Brigham Young University), Fig 4.1 to 4.3";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("samples", "Of each point at the short round trips", "", 30, 200, 3, 1000),
                Parameter.count("longSamples", "Of each point at the longest round trip", "", 6, 10, 1, 100),
                Parameter.fraction("longMs", "The longest round trip", "ms", 78, 78, 1, 500));
    }

    @Override
    public Report run(Run run) throws Exception {
        run.at(0, "making the table");
        Target target = Ways.prepare(run.laboratory(), "pipelining", 10);
        List<Trip> trips = List.of(
                new Trip(0, "loopback", 1.5),
                new Trip(0.19, "0.19 ms more", 3),
                new Trip(run.value("longMs"), rounded(run.value("longMs")) + " ms more", 5));
        List<Curve> curves = new ArrayList<>();
        for (int i = 0; i < trips.size(); i++) {
            Trip trip = trips.get(i);
            double from = (double) i / trips.size();
            double share = 1.0 / trips.size();
            run.at(from, trip.title());
            if (trip.millis() == 0) {
                curves.add(curve(run, trip, target, 0, from, share));
            } else {
                try (DelayedLink link =
                        DelayedLink.to(target.port(), Duration.ofNanos(Math.round(trip.millis() * 1e6)))) {
                    curves.add(curve(
                            run, trip, Ways.through(link, target), link.added().toNanos() / 1e6, from, share));
                }
            }
        }
        return report(curves);
    }

    private static Curve curve(Run run, Trip trip, Target target, double addedMs, double from, double share)
            throws Exception {
        boolean far = trip.millis() > 5;
        int samples = far ? run.count("longSamples") : run.count("samples");
        SplittableRandom random = new SplittableRandom(run.seed());
        List<Gain> gains = new ArrayList<>();
        try (Way serial = new JdbcWay(target, 1);
                Way pipelined = new EngineWay(target, 1, run.supervisor())) {
            for (int i = 0; i < (far ? 1 : WARM_UPS); i++) {
                Ways.millis(serial, 25, random);
                Ways.millis(pipelined, 25, random);
            }
            for (int at = 0; at < COUNTS.length; at++) {
                int requests = COUNTS[at];
                run.at(from + share * at / COUNTS.length, trip.title() + ", " + counted(requests, "requests"));
                List<Double> ratios = new ArrayList<>();
                double ofSerial = 0;
                double ofPipelined = 0;
                for (int sample = 0; sample < samples; sample++) {
                    double one = Ways.millis(serial, requests, random);
                    double other = Ways.millis(pipelined, requests, random);
                    ratios.add(one / other);
                    ofSerial += one / samples;
                    ofPipelined += other / samples;
                }
                gains.add(new Gain(requests, ofSerial, ofPipelined, ratios));
            }
        }
        return new Curve(trip, addedMs, gains);
    }

    private static Report report(List<Curve> curves) {
        List<Finding> findings = new ArrayList<>();
        List<Chart.Line> lines = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        List<Measure> measures = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Curve curve : curves) {
            Trip trip = curve.trip();
            findings.add(finding(trip, curve.gains().getLast()));
            lines.add(new Chart.Line(
                    trip.title(),
                    Chart.Style.LINE,
                    curve.gains().stream().map(gain -> (double) gain.requests()).toList(),
                    curve.gains().stream().map(Gain::gain).toList()));
            curve.gains()
                    .forEach(gain -> rows.add(List.of(
                            trip.title(),
                            Integer.toString(gain.requests()),
                            rounded(gain.serialMs()),
                            rounded(gain.pipelinedMs()),
                            rounded(gain.gain()))));
            measures.add(new Measure(
                    "gain of 25 requests, " + trip.title(),
                    "",
                    Better.MORE,
                    curve.gains().getLast().ratios()));
            if (trip.millis() > 0) {
                notes.add("The link \"%s\" added %s ms to a round trip, as calibrated."
                        .formatted(trip.title(), rounded(curve.addedMs())));
            }
        }
        lines.add(new Chart.Line(
                "the bound: one round trip for all", Chart.Style.DASHED, List.of(1.0, 25.0), List.of(1.0, 25.0)));
        return new Report(
                findings,
                List.of(new Chart(
                        "Gain of pipelining",
                        Chart.Axis.of("requests at once", ""),
                        Chart.Axis.of("times as fast as one after another", ""),
                        lines,
                        "The longer the round trip, the nearer the gain comes to the number of requests.")),
                List.of(new Table(
                        "Every point",
                        List.of("round trip", "requests", "one after another, ms", "pipelined, ms", "gain"),
                        rows)),
                measures,
                notes);
    }

    static Finding finding(Trip trip, Gain most) {
        boolean near = trip.millis() == 0;
        return Finding.of(
                near
                        ? "On loopback pipelining gains little"
                        : "With %s, pipelining is at least %s times as fast, as in the paper"
                                .formatted(trip.title(), rounded(trip.paperGain())),
                near ? most.gain() <= 2 : most.gain() >= trip.paperGain(),
                "%d requests: %s ms one after another, %s ms pipelined, %s times as fast."
                        .formatted(
                                most.requests(),
                                rounded(most.serialMs()),
                                rounded(most.pipelinedMs()),
                                rounded(most.gain())));
    }
}
