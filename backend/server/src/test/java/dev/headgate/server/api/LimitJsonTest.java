package dev.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.PoolStatus.Limit.By;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LimitJsonTest {

    /** A strict client refuses a value that the document does not name. */
    @ParameterizedTest
    @ValueSource(strings = {"Limit", "SummaryLimit"})
    void whateverLimitsAPoolIsInTheDocument(String schema) throws IOException {
        JsonNode document = JsonMapper.builder().build().readTree(Files.readString(Path.of("openapi.json")));
        List<String> labels = Arrays.stream(By.values()).map(LimitJson::label).toList();
        assertThat(document.at("/components/schemas/" + schema + "/properties/by/enum")
                        .valueStream())
                .extracting(JsonNode::asString)
                .containsExactlyInAnyOrderElementsOf(labels);
    }
}
