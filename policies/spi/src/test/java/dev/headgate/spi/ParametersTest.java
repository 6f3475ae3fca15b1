package dev.headgate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ParametersTest {

    private final Parameters parameters =
            Parameters.of(Map.of("whole", 7, "wholeToo", 7.0, "half", 0.5, "huge", 1e12, "text", "p95", "yes", true));

    @Test
    void readsValuesOfTheTypeAskedFor() {
        assertThat(parameters.integer("whole")).isEqualTo(7);
        assertThat(parameters.integer("wholeToo")).isEqualTo(7);
        assertThat(parameters.decimal("whole")).isEqualTo(7.0);
        assertThat(parameters.string("text")).isEqualTo("p95");
        assertThat(parameters.bool("yes")).isTrue();
        assertThat(parameters.integer("missing", 3)).isEqualTo(3);
        assertThat(parameters.find("missing")).isEmpty();
    }

    @Test
    void namesTheParameterThatIsMissingOrOfAnotherType() {
        assertThatThrownBy(() -> parameters.integer("missing"))
                .isInstanceOf(InvalidParametersException.class)
                .hasMessage("missing is missing");
        assertThatThrownBy(() -> parameters.integer("half")).hasMessage("half must be a whole number, was 0.5");
        assertThatThrownBy(() -> parameters.integer("huge")).hasMessageContaining("huge must be a whole number");
        assertThatThrownBy(() -> parameters.integer("text", 3)).hasMessage("text must be a number, was p95");
        assertThatThrownBy(() -> parameters.string("whole")).hasMessage("whole must be a string, was 7");
        assertThatThrownBy(() -> parameters.bool("text")).hasMessage("text must be true or false, was p95");
    }
}
