package dev.headgate.lab.pools;

import dev.headgate.lab.experiment.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** One set-up of the experiment, in which several pools are measured in turn. */
record Scenario(String name, int threads, List<Cell> cells) {

    /** A pool and what was measured of it, one outcome for each round. */
    record Cell(Contender contender, List<FetchLoop.Outcome> outcomes) {

        List<Double> samples(ToDoubleFunction<FetchLoop.Outcome> figure) {
            return outcomes.stream().map(figure::applyAsDouble).toList();
        }

        double median(ToDoubleFunction<FetchLoop.Outcome> figure) {
            return Measure.medianOf(samples(figure));
        }

        /** The waits of all rounds. */
        Histogram waits() {
            Histogram sum = new Histogram(outcomes.getFirst().waits());
            outcomes.forEach(each -> sum.add(each.waits()));
            return sum;
        }
    }

    static Scenario of(String name, int threads, List<Contender> contenders) {
        return new Scenario(
                name,
                threads,
                contenders.stream()
                        .map(each -> new Cell(each, new ArrayList<>()))
                        .toList());
    }

    Cell cell(String contender) {
        return cells.stream()
                .filter(each -> each.contender().name().equals(contender))
                .findFirst()
                .orElseThrow();
    }
}
