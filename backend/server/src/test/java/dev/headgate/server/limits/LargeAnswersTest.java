package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class LargeAnswersTest {

    /** Those of the document, so that one more is not forgotten and a path that is renamed is noticed. */
    @Test
    void areTheDocumentsHistoriesDecisionsAndReports() throws IOException {
        assertThat(JsonMapper.builder()
                        .build()
                        .readTree(Files.readString(Path.of("openapi.json")))
                        .get("paths")
                        .properties())
                .filteredOn(path -> path.getValue().has("get"))
                .extracting(path -> path.getKey())
                .filteredOn(LargeAnswers::isLarge)
                .containsExactlyInAnyOrder(
                        "/api/v1/decisions",
                        "/api/v1/domains/{domain}/decisions",
                        "/api/v1/domains/{domain}/history",
                        "/api/v1/domains/{domain}/connections/history",
                        "/api/v1/experiments/comparison",
                        "/api/v1/experiments/runs/{id}",
                        "/api/v1/experiments/runs/{id}/report.md",
                        "/api/v1/experiments/runs/{id}/samples.csv",
                        "/api/v1/experiments/runs/{id}/charts/{number}");
    }

    @Test
    void areThoseOfLibrariesToo() {
        assertThat(LargeAnswers.isLarge("/actuator/prometheus")).isTrue();
        assertThat(LargeAnswers.isLarge("/v3/api-docs")).isTrue();
        assertThat(LargeAnswers.isLarge("/actuator/health")).isFalse();
        assertThat(LargeAnswers.isLarge("/api/v1/memory")).isFalse();
    }
}
