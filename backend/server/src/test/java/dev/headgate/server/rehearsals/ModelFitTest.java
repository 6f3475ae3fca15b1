package dev.headgate.server.rehearsals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.rehearsals.ReplayResult.Figures;
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
            the same                   | 0 4 10 3   | 0 4 10 3    | 0    | 0 % of what happened.
            a slower server            | 0 4 10 3   | 0 4 11.5 3  | 15   | 15 % of what happened.
            at the bound               | 0 0 10 3   | 0 0 12 3    | 20   | 20 % of what happened.
            a small wait doubled       | 0 0.2 10 3 | 0 0.4 10 3  | 2    | 2 % of what happened.
            half a connection of five  | 0 0 10 5   | 0 0 10 5.5  | 10   | 10 % of what happened.
            """)
    void aModelThatFitsIsUsable(String name, String actual, String modelled, double percent, String sentence) {
        ModelFit fit = ModelFit.of(figures(500, actual), figures(500, modelled));

        assertThat(fit.usable()).isTrue();
        assertThat(fit.missPercent()).isEqualTo(percent);
        assertThat(fit.sentence()).isEqualTo(FITS + sentence);
        assertThat(fit.misses()).hasSize(4).allMatch(ModelFit.Miss::usable);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            just over the bound      | 0 0 10 3   | 0 0 12.1 3  | latency     | the mean latency in ms by 21 % (12.1 instead of 10).
            a long wait missed       | 0 90 10 3  | 0 40 10 3   | waits       | the p99 of the waits in ms by 50 % (40 instead of 90).
            half a connection of one | 0 0 10 0.2 | 0 0 10 0.7  | connections | the mean number of connections by 50 % (0.70 instead of 0.20).
            refusals did not come    | 150 4 10 3 | 0 4 10 3    | refused     | the number of refused requests by 30 % (0 instead of 150).
            far off                  | 0 1 10 3   | 0 900 10 3  | waits       | the p99 of the waits in ms by 1000 % (900 instead of 1).
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
        assertThat(ModelFit.of(figures(500, "0 90 10 3"), figures(500, "0 40 20 3"))
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
        Figures few = figures(arrivals, "0 4 10 3");

        assertThat(ModelFit.of(few, few)).isEqualTo(new ModelFit(false, 0, List.of(), sentence));
    }

    /** "refused waitP99 mean size" */
    private static Figures figures(long arrivals, String text) {
        String[] parts = text.strip().split(" ");
        double wait = Double.parseDouble(parts[1]);
        double mean = Double.parseDouble(parts[2]);
        double size = Double.parseDouble(parts[3]);
        return new Figures(arrivals, Long.parseLong(parts[0]), wait / 2, wait, 2 * wait, mean, 3 * mean, size, (int)
                Math.ceil(size));
    }
}
