package dev.headgate.server.problems;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntityTagTest {

    @ParameterizedTest
    @ValueSource(strings = {"0", "8", "4294967295"})
    void aNumberComesBackFromItsTag(String number) {
        assertThat(EntityTag.number(' ' + EntityTag.of(number) + ' ', "a number"))
                .isEqualTo(number);
        assertThat(EntityTag.of(number)).matches(EntityTag.PATTERN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8", "\"\"", "*", "W/\"8\"", "\"-8\"", "\"8\", \"9\"", "\"12345678901\"", "\"8\n\""})
    void anythingElseIsNoTag(String ifMatch) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> EntityTag.number(ifMatch, "one revision in quotes, such as \"8\""))
                .withMessageContaining("allowed is one revision in quotes");
    }
}
