package dev.headgate.server.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ExperimentRunTest {

    /** As versions stored it that knew neither the processor nor the libraries. */
    @Test
    void aSetUpOfAnEarlierVersionIsRead() {
        ExperimentRun.SetUp stored = JsonMapper.builder().build().readValue("""
                {"headgate": "0.1.0", "jdk": "25", "postgres": "18.6", "processors": 2, "memoryBytes": 1, "system": "Linux amd64"}""", ExperimentRun.SetUp.class);
        assertThat(stored)
                .isEqualTo(new ExperimentRun.SetUp("0.1.0", "25", "18.6", Map.of(), "", 2, null, 1, "Linux amd64"));
    }
}
