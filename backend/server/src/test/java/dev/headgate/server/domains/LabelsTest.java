package dev.headgate.server.domains;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.problems.Fault;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelsTest {

    private static final String LONGEST = "a".repeat(63);

    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "team", "cost.center", "a-b_c.d", "1st"})
    void aName(String name) {
        assertThat(faults(name, "x")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Team", "-a", "a-", ".a", "a.", "a_", "a b", "ä", "a:b", "a\n", "a/b"})
    void noName(String name) {
        assertThat(faults(name, "x")).extracting(Fault::message).containsExactly("must be a label's name, was " + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "Payments & Co", "a: b", "Zürich", "12", "🐘"})
    void aValue(String value) {
        assertThat(faults("team", value)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", " a", "a ", "a\tb", "a\n", "\u0000", "a\u007f"})
    void noValue(String value) {
        assertThat(faults("team", value))
                .extracting(Fault::message)
                .containsExactly("must be a label's value, was " + value);
    }

    @Test
    void lengthsAreThoseOfCharacters() {
        assertThat(faults(LONGEST, LONGEST)).isEmpty();
        assertThat(faults(LONGEST + "a", "x")).hasSize(1);
        assertThat(faults("team", LONGEST + "a")).hasSize(1);
        assertThat(faults("team", "🐘".repeat(63))).isEmpty();
        assertThat(faults("team", "🐘".repeat(64))).hasSize(1);
    }

    @Test
    void theyAreOrderedByName() {
        assertThat(Labels.sorted(Map.of("b", "1", "a", "2", "c", "3"))).hasToString("{a=2, b=1, c=3}");
        assertThat(Labels.sorted(null)).isEmpty();
    }

    private static List<Fault> faults(String name, String value) {
        return Labels.faults(Map.of(name, value));
    }
}
