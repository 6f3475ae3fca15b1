package dev.headgate.lab.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionTest {

    private static final Map<String, Object> GIVEN = Map.of("n", 7L, "x", 2.5, "who", "ann");

    private final Variables variables = new Variables(GIVEN, new SplittableRandom(5));

    private Object value(String text) throws ScriptException {
        return ExpressionReader.read(text, 3, GIVEN.keySet()).value(variables);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "1 + 2 * 3 | 7",
                "(1 + 2) * 3 | 9",
                "-2 - -3 | 1",
                "7 / 2 | 3",
                "-7 / 2 | -3",
                "7 % 4 | 3",
                "7 / 2.0 | 3.5",
                "1e3 + .5 | 1000.5",
                "2.5e-1 | 0.25",
                ":n * 10 | 70",
                ":x + :n | 9.5",
                "abs(-3) | 3",
                "abs(-2.5) | 2.5",
                "int(2.9) | 2",
                "double(2) | 2.0",
                "mod(9, 4) | 1",
                "least(3, 1, 2) | 1",
                "greatest(1, 2.5) | 2.5",
                "choice('it''s') | it's",
                ":who | ann",
                "random(4, 4) | 4",
                "random_zipfian(4, 4, 1.5) | 4"
            })
    void computes(String text, String value) throws ScriptException {
        assertThat(value(text)).hasToString(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "1 + | the expression is not complete",
                "1 2 | '2' is not expected",
                "(1 | allowed is )",
                "1 < 2 | '<' is not expected",
                ":gone | the variable :gone is not set before it is used",
                "'open | a text in quotes has no end",
                "1.2.3 | '1.2.3' is not a number",
                "99999999999999999999 | is not a number",
                "sin(1) | there is no function 'sin'; allowed are abs, choice,",
                "random(1) | random takes 2 arguments, was given 1"
            })
    void isRefusedWithItsLine(String text, String why) {
        assertThatThrownBy(() -> value(text))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining(why)
                .satisfies(refused ->
                        assertThat(((ScriptException) refused).line()).isEqualTo(3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "1 / 0 | division by zero",
                "9223372036854775807 + 1 | overflow",
                "random(2, 1) | random needs a range that is not empty, was given 2 to 1",
                "random(-9223372036854775807, 9) | random needs a smaller range",
                "random_gaussian(1, 9, 1) | must be at least 2, was 1.0",
                "random_exponential(1, 9, 0) | must be above 0",
                "random_zipfian(1, 9, 1) | must be in 1.001..1000",
                "text(10001) | text needs a length of 0 to 10000",
                "1 + 'a' | 'a' is not a number",
                "int(1e300) | is not a whole number"
            })
    void hasNoValue(String text, String why) {
        assertThatThrownBy(() -> value(text))
                .isInstanceOf(ArithmeticException.class)
                .hasMessageContaining(why);
    }

    @Test
    void nestingIsBounded() {
        assertThatThrownBy(() -> value("(".repeat(100_000)))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("nested too deeply");
        assertThatThrownBy(() -> value("-".repeat(100_000)))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("nested too deeply");
    }

    @ParameterizedTest
    @CsvSource({
        "random(1 10), 0.08, 0.12",
        "random_exponential(1 10 3), 0.24, 0.30",
        "random_zipfian(1 10 1.5), 0.47, 0.53",
        "random_gaussian(1 10 2.5), 0.01, 0.03"
    })
    void drawsTheFirstOfTenAsOftenAsItsDistributionSays(String text, double least, double most) throws ScriptException {
        Expression expression = ExpressionReader.read(text.replace(" ", ", "), 1, Set.of());
        long[] drawn = LongStream.range(0, 20_000)
                .map(i -> (Long) expression.value(variables))
                .toArray();
        assertThat(LongStream.of(drawn).distinct().sorted()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(LongStream.of(drawn).filter(one -> one == 1).count() / 20_000.0)
                .isBetween(least, most);
    }

    @Test
    void textAndChoiceDraw() throws ScriptException {
        assertThat((String) value("text(12)")).matches("[a-z]{12}").isNotEqualTo(value("text(12)"));
        assertThat(value("choice('a', 2, 3.5)")).isIn("a", 2L, 3.5);
    }
}
