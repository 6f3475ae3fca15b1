package dev.headgate.server.rehearsals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.rehearsals.ReplayResult.Figures;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelFitTest {

    private static final String FITS = "The model fits: the set in force, replayed, comes to within ";
    private static final String MISSES =
            "The model cannot be used for all figures here: for the set in force it misses ";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the same                   | 0 4 9 10 20 30 3 4   | 0 4 9 10 20 30 3 4      | 0    | 0 % of what happened.
            a slower server            | 0 4 9 10 20 30 3 4   | 0 4 9 11.5 20 30 3 4    | 15   | 15 % of what happened.
            at the bound               | 0 0 0 10 20 30 3 4   | 0 0 0 12 20 30 3 4      | 20   | 20 % of what happened.
            a small wait doubled       | 0 0.2 1 10 20 30 3 4 | 0 0.4 1 10 20 30 3 4    | 2    | 2 % of what happened.
            a tail that comes close    | 0 0 10 10 20 30 3 4  | 0 0 13 10 22 34.5 3 4   | 15   | 15 % of what happened.
            half a connection of five  | 0 0 0 10 20 30 5 10  | 0 0 0 10 20 30 5.5 11   | 10   | 10 % of what happened.
            """)
    void aModelThatFitsIsUsable(String name, String actual, String modelled, double percent, String sentence) {
        ModelFit fit = ModelFit.of(figures(500, actual), figures(500, modelled));

        assertThat(fit.usable()).isTrue();
        assertThat(fit.missPercent()).isEqualTo(percent);
        assertThat(fit.sentence()).isEqualTo(FITS + sentence);
        assertThat(fit.misses())
                .extracting(ModelFit.Miss::figure)
                .containsExactly(
                        "latency",
                        "latency-p95",
                        "latency-p99",
                        "waits",
                        "longest-wait",
                        "connections",
                        "most-connections",
                        "refused");
        assertThat(fit.misses()).allMatch(ModelFit.Miss::usable);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            just over the bound      | 0 0 0 10 20 30 3 4      | 0 0 0 12.1 20 30 3 4    | latency          | the mean latency in ms by 21 % (12.1 instead of 10).
            a p95 missed             | 0 0 0 10 20 30 3 4      | 0 0 0 10 50 30 3 4      | latency-p95      | the p95 of the latency in ms by 150 % (50 instead of 20).
            a mean met, a p99 missed | 0 0 0 10 20 100 3 4     | 0 0 0 10 20 25 3 4      | latency-p99      | the p99 of the latency in ms by 75 % (25 instead of 100).
            a long wait missed       | 0 90 95 10 20 30 3 4    | 0 40 95 10 20 30 3 4    | waits            | the p99 of the waits in ms by 50 % (40 instead of 90).
            a single wait missed     | 0 90 990 10 20 30 3 4   | 0 90 490 10 20 30 3 4   | longest-wait     | the longest wait in ms by 50 % (490 instead of 990).
            half a connection of one | 0 0 0 10 20 30 0.2 1    | 0 0 0 10 20 30 0.7 1    | connections      | the mean number of connections by 50 % (0.70 instead of 0.20).
            the peak missed          | 0 0 0 10 20 30 3 4      | 0 0 0 10 20 30 3 6      | most-connections | the largest number of connections by 50 % (6 instead of 4).
            refusals did not come    | 150 4 9 10 20 30 3 4    | 0 4 9 10 20 30 3 4      | refused          | the number of refused requests by 30 % (0 instead of 150).
            far off                  | 0 1 9 10 20 30 3 4      | 0 900 9 10 20 30 3 4    | waits            | the p99 of the waits in ms by 1000 % (900 instead of 1).
            """)
    void aFigureThatTheModelMissesIsNotUsable(
            String name, String actual, String modelled, String figure, String sentence) {
        ModelFit fit = ModelFit.of(figures(500, actual), figures(500, modelled));

        assertThat(fit.usable()).isFalse();
        assertThat(fit.sentence()).isEqualTo(MISSES + sentence);
        assertThat(fit.misses())
                .filteredOn(miss -> !miss.usable())
                .extracting(ModelFit.Miss::figure)
                .containsExactly(figure);
    }

    @Test
    void everyFigureThatMissesIsNamed() {
        assertThat(ModelFit.of(figures(500, "0 90 95 10 20 30 3 4"), figures(500, "0 40 95 20 20 30 3 4"))
                        .sentence())
                .isEqualTo(MISSES + "the mean latency in ms by 100 % (20 instead of 10), "
                        + "the p99 of the waits in ms by 50 % (40 instead of 90).");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0  | No request came in this time: too few to tell how well the model fits.
            19 | Only 19 requests came in this time: too few to tell how well the model fits.
            """)
    void tooFewRequestsTellNothing(long arrivals, String sentence) {
        Figures few = figures(arrivals, "0 4 9 10 20 30 3 4");

        assertThat(ModelFit.of(few, few)).isEqualTo(new ModelFit(false, 0, List.of(), sentence));
    }

    /** "refused, p99 and longest of the waits, mean, p95 and p99 of the latency, mean and largest size" */
    private static Figures figures(long arrivals, String text) {
        double[] of = Arrays.stream(text.strip().split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
        return new Figures(arrivals, (long) of[0], of[1] / 2, of[1], of[2], of[3], of[4], of[5], of[6], (int) of[7]);
    }
}
