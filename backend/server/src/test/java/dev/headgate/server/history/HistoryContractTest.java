package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class HistoryContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
        service.domain("remembered", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 3}}]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "minutes=0                                              | minutes",
                "minutes=61                                             | minutes",
                "minutes=5&from=2026-11-20T12:00:00Z                    | 'minutes' stands alone",
                "to=2026-11-20T12:00:00Z                                | 'from' is missing",
                "step=10s                                               | 'from' is missing",
                "from=2026-11-20T12:00:00Z&to=2026-11-20T12:00:00Z      | 'from' must be before 'to'",
                "from=yesterday                                         | from",
                "from=2026-11-20T12:00:00Z&step=10                      | 'step' must be a whole number of s, m or h",
                "from=2026-11-20T12:00:00Z&step=0s                      | 'step' must be a whole number of s, m or h",
                "from=2026-11-20T12:00:00Z&step=25h                     | 'step' must be a whole number of s, m or h",
                "from=2026-11-20T12:00:00Z&step=99999h                  | 'step' must be a whole number of s, m or h",
                "from=2026-11-20T12:00:00Z&steps=10s                    | steps",
            })
    void whatIsWrongWithARangeIsSaid(String query, String detail) {
        Service.Answer answer = service.get("/domains/remembered/history?" + query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains(detail);
    }

    @Test
    void moreRowsThanAnAnswerHasAreRefusedWithTheStepThatFits() {
        Instant to = Instant.now();
        String range = "/domains/remembered/history?from=" + to.minusSeconds(10_000) + "&to=" + to;

        Service.Answer answer = service.get(range + "&step=1s");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains("at most 5000", "at least 3s");
        service.get(range + "&step=3s").expect(200);
    }

    @Test
    void aDomainThatNeverWasIsNotFound() {
        assertThat(service.get("/domains/nobody/history?from=2026-11-20T12:00:00Z")
                        .expect(404)
                        .problem())
                .isEqualTo("not-found");
        service.get("/domains/nobody/history").expect(404);
    }

    @ParameterizedTest
    @CsvSource({"1970-01-01T00:00:00Z, 1970-01-02T00:00:00Z", "2999-01-01T00:00:00Z, 2999-01-02T00:00:00Z"})
    void aRangeOfWhichNothingIsKeptIsEmpty(String from, String to) {
        JsonNode answer = service.get("/domains/remembered/history?from=" + from + "&to=" + to)
                .expect(200)
                .json();

        assertThat(answer.get("total").get("from").asString()).isNotEmpty();
        assertThat(answer.get("time").size()).isZero();
        assertThat(answer.get("total").get("requests").asLong()).isZero();
        assertThat(answer.get("total").get("p99Ms").isNull()).isTrue();
    }

    @Test
    void whatIsMeasuredNowIsInTheRangeWithItsMarkers() {
        Instant from = Instant.now().minusSeconds(60);
        JsonNode answer = await().atMost(Service.PATIENCE)
                .until(
                        () -> service.get("/domains/remembered/history?from=" + from)
                                .expect(200)
                                .json(),
                        json -> json.get("time").size() > 2);

        assertThat(answer.get("stepMs").asLong()).isEqualTo(1_000);
        JsonNode columns = answer.get("columns");
        assertThat(columns.get("ceiling").get(answer.get("time").size() - 1).asDouble())
                .isEqualTo(3);
        assertThat(columns.get("p99Ms")).hasSameSizeAs(answer.get("time"));
        JsonNode minutes =
                service.get("/domains/remembered/history").expect(200).json();
        assertThat(minutes.get("total").isNull()).isTrue();
        assertThat(service.get("/domains/remembered/history?from=1970-01-01T00:00:00Z")
                        .expect(200)
                        .json()
                        .get("markers")
                        .toString())
                .contains("\"revision\":1");
        assertThat(service.get("/domains/remembered/history?from=" + from + "&step=20s")
                        .expect(200)
                        .json()
                        .get("stepMs")
                        .asLong())
                .isEqualTo(20_000);
    }

    /** The charts go on where they were. The time without a service is a gap. */
    @Test
    void aRestartedServiceShowsWhatItMeasuredBefore(@TempDir Path data) throws Exception {
        JsonNode before;
        try (Service first = Service.start(data)) {
            first.post("/databases", first.databaseBody("main", 40)).expect(201);
            first.domain("bank", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 3}}]");
            before = await().atMost(Service.PATIENCE)
                    .until(
                            () -> first.get("/domains/bank/history?minutes=60")
                                    .expect(200)
                                    .json(),
                            json -> json.get("time").size() > 3);
        }
        Instant down = Instant.now();
        List<String> earlier = texts(before.get("time"));
        try (Service again = Service.startAsItIs(data)) {
            JsonNode after = await().atMost(Service.PATIENCE)
                    .until(
                            () -> again.get("/domains/bank/history?minutes=60")
                                    .expect(200)
                                    .json(),
                            json -> json.get("time").size() > 0
                                    && Instant.parse(texts(json.get("time")).getLast())
                                            .isAfter(down.plusSeconds(1))
                                    && texts(json.get("time")).contains(earlier.getFirst()));
            List<String> times = texts(after.get("time"));
            JsonNode inUse = after.get("columns").get("size");
            for (String time : earlier) {
                assertThat(inUse.get(times.indexOf(time)).isNull()).as(time).isFalse();
            }
            assertThat(inUse.toString()).as("the gap").contains("null");
            assertThat(after.get("markers").toString()).contains("\"revision\":1");
        }
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asString()));
        return texts;
    }
}
