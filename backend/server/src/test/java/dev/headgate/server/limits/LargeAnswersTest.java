package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** Every list of the document, but those that reserve what they read. */
    @Test
    void ofAListAreTheEntriesThatAreAskedFor() throws IOException {
        assertThat(JsonMapper.builder()
                        .build()
                        .readTree(Files.readString(Path.of("openapi.json")))
                        .get("paths")
                        .properties())
                .filteredOn(
                        path -> path.getValue().at("/get/parameters").toString().contains("\"name\":\"limit\""))
                .extracting(path -> path.getKey())
                .filteredOn(path -> !LargeAnswers.isList(path) && !LargeAnswers.isLarge(path))
                .containsExactlyInAnyOrder(
                        "/api/v1/audit",
                        "/api/v1/databases/{database}/policies/revisions",
                        "/api/v1/domains/{domain}/policies/revisions");
        assertThat(LargeAnswers.isList("/api/v1/domains/bank")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        ",100",
        "q=bank,100",
        "limit=7,7",
        "q=bank&limit=300&cursor=x,300",
        "limit=999,500",
        "limit=1000,500",
        "l%69mit=400,500",
        "limit=%31,500"
    })
    void entriesAreTheMostWhereAQueryDoesNotSayPlainly(@Nullable String query, int entries) {
        assertThat(LargeAnswers.entries(query)).isEqualTo(entries);
    }

    @Test
    void areThoseOfLibrariesToo() {
        assertThat(LargeAnswers.isLarge("/actuator/prometheus")).isTrue();
        assertThat(LargeAnswers.isLarge("/v3/api-docs")).isTrue();
        assertThat(LargeAnswers.isLarge("/actuator/health")).isFalse();
        assertThat(LargeAnswers.isLarge("/api/v1/memory")).isFalse();
    }
}
