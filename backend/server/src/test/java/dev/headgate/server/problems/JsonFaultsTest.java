package dev.headgate.server.problems;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonFaultsTest {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private record Body(
            @Nullable String name,
            @Nullable Integer port,
            @Nullable Integer passwordFile,
            @Nullable Level level) {}

    private enum Level {
        @JsonProperty("quite high")
        HIGH,
        low
    }

    /** A password without its quotation marks is no JSON. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"name\": Sommer2026geheim} | line 1, column | , was expecting (JSON String, Number,",
                "{\"name\": trueSommer2026geheim} | line 1, column | , was expecting (JSON String, Number,",
                "{\"name\": 'Sommer2026geheim'} | line 1, column 10: Unexpected character | expected a valid value",
                "{Sommer2026geheim: 1} | line 1, column 2: Unexpected character | was expecting double-quote",
                "{\"Sommer2026geheim\": 1, \"Sommer2026geheim\": 2} | line 1 | a field is there twice",
                "{\"name\": \"Sommer2026geheim | line 1 | Unexpected end-of-input",
                "{\"port\": 1Sommer2026geheim} | line 1, column | was expecting",
                "{ | line 1, column 2: | expected close marker for Object",
            })
    void whatIsNotJsonIsToldByItsPlaceAndNotQuoted(String body, String place, String said) {
        assertThat(fault(body).message())
                .startsWith("is not JSON: " + place)
                .contains(said)
                .doesNotContain("ommer2026geheim")
                .doesNotContain("Source");
    }

    @Test
    void whatIsTooLargeIsToldByItsLimitAlone() {
        assertThat(fault("{\"port\": 1" + "0".repeat(1_000) + "}").message())
                .startsWith("is too large: ")
                .contains("1001")
                .doesNotContain("Constraints");
    }

    @Test
    void aValueIsQuotedUnlessItIsAPassword() {
        assertThat(fault("{\"port\": \"many\"}")).isEqualTo(Fault.at("/port", "cannot be 'many'", "a whole number"));
        assertThat(fault("{\"passwordFile\": \"Sommer2026geheim\"}"))
                .isEqualTo(Fault.at("/passwordFile", "is of the wrong type or missing", "a whole number"));
    }

    /** Not by its name in Java, which would be refused again. */
    @Test
    void whatIsOneOfAFewIsToldAsItIsSent() {
        assertThat(fault("{\"level\": \"HIGH\"}")).isEqualTo(Fault.at("/level", "cannot be 'HIGH'", "quite high, low"));
    }

    private static Fault fault(String body) {
        return JsonFaults.of(
                catchThrowableOfType(JacksonException.class, () -> JSON.readValue(body.getBytes(UTF_8), Body.class)));
    }
}
