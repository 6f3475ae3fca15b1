package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
        assertThat(minutes.get("markers").toString()).contains("\"revision\":1");
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
        // A second with any measurement is no gap, and a quick restart leaves none without.
        await().until(() -> Instant.now().isAfter(down.plusSeconds(2)));
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "to=2026-11-20T12:00:00Z                                | 'from' is missing",
                "step=10s                                               | 'from' is missing",
                "connection=bank-1                                      | 'from' is missing",
                "from=2026-11-20T12:00:00Z&to=2026-11-20T12:00:00Z      | 'from' must be before 'to'",
                "from=2026-11-20T12:00:00Z&step=0s                      | 'step' must be a whole number of s, m or h",
                "from=2026-11-20T12:00:00Z&minutes=5                    | minutes",
            })
    void whatIsWrongWithARangeOfConnectionsIsSaid(String query, String detail) {
        Service.Answer answer = service.get("/domains/remembered/connections/history?" + query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains(detail);
    }

    @Test
    void moreColumnsOfConnectionsThanAnAnswerHasAreRefused() {
        Instant to = Instant.now();
        String range = "/domains/remembered/connections/history?from=" + to.minusSeconds(3_000) + "&to=" + to;

        Service.Answer answer = service.get(range + "&step=1s");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains("3000 columns", "at most 1200", "at least 3s");
        service.get(range + "&step=3s").expect(200);
        service.get("/domains/nobody/connections/history?from=2026-11-20T12:00:00Z")
                .expect(404);
    }

    /** The seconds before are there again in the same columns; what could not be measured is none. */
    @Test
    void aRestartedServiceShowsItsConnectionsOfBefore(@TempDir Path data) throws Exception {
        String range = "/domains/bank/connections/history?step=1s&from="
                + Instant.now().truncatedTo(ChronoUnit.SECONDS);
        JsonNode before;
        try (Service first = Service.start(data)) {
            first.post("/databases", first.databaseBody("main", 40)).expect(201);
            first.domain("bank", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 2, \"max\": 3}}]");
            before = await().atMost(Service.PATIENCE)
                    .until(
                            () -> first.get(range).expect(200).json(),
                            json -> json.get("connections").size() >= 2
                                    && json.get("time").size() > 3);
        }
        List<String> earlier = texts(before.get("time"));
        try (Service again = Service.startAsItIs(data)) {
            JsonNode after = again.get(range).expect(200).json();

            assertThat(after.get("stepMs").asLong()).isEqualTo(1_000);
            assertThat(texts(after.get("time"))).containsAll(earlier).doesNotHaveDuplicates();
            JsonNode row = before.get("connections").get(0);
            JsonNode same = again.get(range + "&connection=" + row.get("id").asString())
                    .expect(200)
                    .json();
            assertThat(same.get("connections").size()).isOne();
            for (int place = 0; place < earlier.size(); place++) {
                int now = texts(same.get("time")).indexOf(earlier.get(place));
                assertThat(same.get("connections").get(0).get("p99Ms").get(now))
                        .as(earlier.get(place))
                        .isEqualTo(row.get("p99Ms").get(place));
            }
        }
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asString()));
        return texts;
    }
}
