package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.Service;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Answers as Arrow streams, read by Arrow's own reader. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArrowContractTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Service service;
    private BufferAllocator memory;
    private HttpClient http;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        service.domain("arrow", "[]");
        memory = new RootAllocator(64 << 20);
        http = HttpClient.newHttpClient();
    }

    @AfterAll
    void close() {
        http.close();
        memory.close();
    }

    private HttpResponse<byte[]> run(String sql) throws IOException, InterruptedException {
        URI uri = service.root().resolve("/api/v1/domains/arrow/sql");
        return http.send(
                HttpRequest.newBuilder(uri)
                        .header("Authorization", "Bearer " + service.token())
                        .header("Content-Type", "application/json")
                        .header("Accept", SqlAnswers.ARROW)
                        .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(Map.of("sql", sql))))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    private ArrowTable read(HttpResponse<byte[]> answer) throws IOException {
        assertThat(answer.statusCode())
                .as(new String(answer.body(), StandardCharsets.UTF_8))
                .isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains(SqlAnswers.ARROW);
        return ArrowTable.read(answer.body(), memory);
    }

    @Test
    void everyTypeIsArrowsOwnOrAText() throws Exception {
        ArrowTable table = read(run("SELECT true AS b, (-32768)::int2 AS i2, (-2147483648)::int4 AS i4,"
                + " (-9223372036854775808)::int8 AS i8, 1.5::float4 AS f4, 'NaN'::float8 AS f8, '\\x00ff'::bytea AS raw,"
                + " date '2026-11-23' AS d, time '17:33:01.25' AS t, timestamp '2026-11-23 17:33:01.000001' AS ts,"
                + " timestamptz '2026-11-23 17:33:01+02' AS tz, 12345678901234567890.5::numeric AS n, 'é'::text AS txt,"
                + " ARRAY[1,2] AS arr, NULL::int4 AS none"));
        assertThat(table.schema().getFields())
                .extracting(field -> field.getType().toString())
                .containsExactly(
                        "Bool",
                        "Int(16, true)",
                        "Int(32, true)",
                        "Int(64, true)",
                        "FloatingPoint(SINGLE)",
                        "FloatingPoint(DOUBLE)",
                        "Binary",
                        "Date(DAY)",
                        "Time(MICROSECOND, 64)",
                        "Timestamp(MICROSECOND, null)",
                        "Timestamp(MICROSECOND, UTC)",
                        "Utf8",
                        "Utf8",
                        "Utf8",
                        "Int(32, true)");
        assertThat(table.schema().getFields())
                .extracting(Field::getMetadata)
                .extracting(each -> each.get("postgresql.type"))
                .contains("numeric", "timestamptz", "int4[]");
        assertThat(table.rows())
                .containsExactly(java.util.Arrays.asList(
                        "true",
                        "-32768",
                        "-2147483648",
                        "-9223372036854775808",
                        "1.5",
                        "NaN",
                        "00ff",
                        "20780",
                        "63181250000",
                        "2026-11-23T17:33:01.000001",
                        "1795447981000000",
                        "12345678901234567890.5",
                        "é",
                        "{1,2}",
                        null));
    }

    @Test
    void datesOfAnyAgeAreExact() throws Exception {
        ArrowTable table =
                read(run("SELECT d, d - date '1970-01-01', extract(epoch from d::timestamp)::numeric(30,0)::text,"
                        + " d::timestamp FROM (VALUES (date '0044-03-15 BC'), (date '4713-01-01 BC'), (date '0001-01-01'),"
                        + " (date '1969-12-31'), (date '2000-02-29'), (date '99999-12-31')) AS v (d)"));
        assertThat(table.rows())
                .hasSize(6)
                .allSatisfy(row -> assertThat(row.get(0)).isEqualTo(row.get(1)));
    }

    @Test
    void aValueWithoutAPlaceIsAnErrorAndNeverAnotherValue() throws Exception {
        HttpResponse<byte[]> answer = run("SELECT date 'infinity'");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .contains("22008")
                .contains("cast the column");
        assertThat(run("SELECT '-infinity'::timestamptz").statusCode()).isEqualTo(400);
        assertThat(read(run("SELECT '23:59:59.999999'::time")).rows()).containsExactly(List.of("86399999999"));
        assertThat(new String(run("SELECT '24:00:00'::time").body(), StandardCharsets.UTF_8))
                .contains("22008")
                .contains("24:00:00");
        assertThat(new String(
                        run("SELECT set_config('bytea_output', 'escape', true), 'abcd'::bytea")
                                .body(),
                        StandardCharsets.UTF_8))
                .contains("22008")
                .contains("abcd");
    }

    /** In some of them a date has three numbers with hyphens between them, too. */
    @ParameterizedTest
    @ValueSource(strings = {"Postgres, DMY", "Postgres, MDY", "SQL, DMY", "German"})
    void aDateInAnotherStyleIsAnErrorAndNeverAnotherDate(String style) throws Exception {
        for (String value : List.of("date '0031-03-01'", "timestamp '0031-03-01 12:00:00'")) {
            HttpResponse<byte[]> answer = run("SELECT set_config('datestyle', '" + style + "', true), " + value);
            assertThat(answer.statusCode()).as(value).isEqualTo(400);
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("22008");
        }
    }

    @Test
    void manyRowsComeInBatchesAndNothingStaysBehind() throws Exception {
        ArrowTable table = read(run("SELECT i, repeat('x', i % 100) FROM generate_series(1, 50000) AS i"));
        assertThat(table.rows()).hasSize(50_000);
        assertThat(table.rows().get(49_999)).containsExactly("50000", "");
        assertThat(table.rows().get(98)).containsExactly("99", "x".repeat(99));
    }

    @Test
    void aStatementWithoutRowsHasNoColumns() throws Exception {
        ArrowTable table = read(run("CREATE TEMPORARY TABLE of_arrow (i int)"));
        assertThat(table.schema().getFields()).isEmpty();
        assertThat(table.rows()).isEmpty();
    }

    @Test
    void aLateErrorBreaksTheAnswerOff() {
        assertThatThrownBy(() -> run("SELECT i, 1 / (100000 - i) FROM generate_series(1, 200000) AS i"))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anEarlyErrorHasItsStatus() throws Exception {
        assertThat(run("SELECT 1/0").statusCode()).isEqualTo(400);
    }
}
