package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlContractTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final URI API = URI.create("/api/v1/");

    /** Sends rows for minutes. Within a JSON text. */
    private static final String ROWS =
            "SELECT repeat('x', 20000), pg_sleep(0.01) AS \\\"pg_sleep(31)\\\" FROM generate_series(1, 9999)";

    private Service service;
    private String login;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        service.domain("sql", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 3}}]");
        String password = service.client("sql", "leaver");
        login = "postgresql://leaver:" + password + "@headgate/sql";
    }

    @AfterEach
    void noConnectionStaysLeased() {
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .until(() ->
                        service.get("/domains/sql/pool").json().get("inUse").asInt() == 0);
    }

    @AfterAll
    void nothingWasLost() {
        service.assertExactLedgers();
    }

    private Answer run(String body, String... headers) {
        return service.post("/domains/sql/sql", body, headers);
    }

    private static String sql(String statement, String... params) {
        return JSON.writeValueAsString(java.util.Map.of("sql", statement, "params", List.of(params)));
    }

    private static List<JsonNode> records(Answer answer) {
        return answer.text().lines().map(JSON::readTree).toList();
    }

    // ---- past Spring MVC and by it

    /** {@link PlainRequests} answers the first of each two requests, and MVC the second, for its Prefer. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "200 | */* | {\"sql\": \"SELECT $1::int AS a\", \"params\": [1], \"timeoutMs\": 5000}",
                "200 | application/json | {\"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 1/0\"}]}",
                "200 | text/csv | {\"sql\": \"SELECT 1 AS a\"}",
                "400 | text/csv | {\"sql\": \"SELECT 1/0\"}",
                "404 | application/json | {\"sql\": \"SELECT * FROM nothing_there\"}",
                "422 | */* | {\"sql\": \"SELECT 1\", \"timeoutMs\": 0, \"maxRows\": -1}",
                "422 | */* | {\"params\": [1]}",
                "400 | */* | {\"sql\": \"SELECT 1\", \"sqll\": 1}",
                "400 | */* | {\"sql\": \"SELECT 1\", \"maxRows\": \"1\"}",
                "400 | */* | {\"sql\": \"SELECT 1\"} {}",
                "400 | */* | {\"sql\": ",
                "400 | */* | []",
                "400 | */* | null"
            })
    void aPlainRequestIsAnsweredAsAnyOther(int status, String accept, String body) {
        Answer plain = run(body, "Accept", accept).expect(status);
        Answer other = run(body, "Accept", accept, "Prefer", "no-haste").expect(status);
        assertThat(withoutTimes(plain)).isEqualTo(withoutTimes(other));
        assertThat(plain.response().headers().map().keySet())
                .isEqualTo(other.response().headers().map().keySet());
        assertThat(plain.header("Content-Type")).isEqualTo(other.header("Content-Type"));
    }

    @Test
    void aPlainRequestForNoDomainIsRefusedAsAnyOther() {
        Answer plain = service.post("/domains/nobodys/sql", sql("SELECT 1")).expect(404);
        Answer other = service.post("/domains/nobodys/sql", sql("SELECT 1"), "Prefer", "no-haste")
                .expect(404);
        assertThat(plain.text()).isEqualTo(other.text());
    }

    private static String withoutTimes(Answer answer) {
        return answer.text().replaceAll("\"(elapsedMs|waitedMs)\":[^,}]+|\"connection\":\"[^\"]*\"", "");
    }

    // ---- the formats

    @Test
    void recordsComeLineByLineAndTheLastSaysThatTheyAreAll() {
        Answer answer =
                run("{\"sql\": \"SELECT $1::int AS a, $2::text AS b, NULL::text AS c\", \"params\": [1, \"x\"]}")
                        .expect(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/x-ndjson");
        List<JsonNode> records = records(answer);
        assertThat(records).hasSize(4);
        assertThat(records.get(0).toString())
                .isEqualTo("{\"columns\":[{\"name\":\"a\",\"type\":\"int4\"},{\"name\":\"b\",\"type\":\"text\"},"
                        + "{\"name\":\"c\",\"type\":\"text\"}]}");
        assertThat(records.get(1).toString()).isEqualTo("[1,\"x\",null]");
        assertThat(records.get(2).toString()).isEqualTo("{\"done\":{\"rows\":1,\"command\":\"SELECT\"}}");
        JsonNode end = records.get(3).get("end");
        assertThat(end.get("rows").asInt()).isEqualTo(1);
        assertThat(end.get("elapsedMs").asDouble()).isPositive();
        assertThat(end.get("waitedMs").asDouble()).isNotNegative();
        assertThat(end.get("connection").asString()).isNotEmpty();
    }

    @Test
    void csvIsAsTheStandardSays() {
        Answer answer = run(
                        sql(
                                "SELECT 1 AS \"a,b\", 'say \"hi\"' AS q, E'two\\nlines' AS l, '' AS empty, NULL AS none, ' x' AS s"),
                        "Accept",
                        "text/csv")
                .expect(200);
        assertThat(answer.header("Content-Type")).isEqualTo("text/csv;charset=UTF-8");
        assertThat(answer.text())
                .isEqualTo("\"a,b\",q,l,empty,none,s\r\n1,\"say \"\"hi\"\"\",\"two\nlines\",\"\",,\" x\"\r\n");
    }

    /** So COPY reads what it is given. Else the end of the rows could be a value, and NULL an empty text. */
    @Test
    void csvOfOneColumnIsWhatCopyWrites() throws SQLException, IOException {
        String rows = "SELECT v FROM (VALUES ('a'), (NULL), (''), (E'\\\\.'), ('b')) AS v(v)";
        StringWriter copied = new StringWriter();
        try (Connection direct = DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + service.embedded().port() + "/" + Service.TARGET,
                Service.TARGET,
                Service.TARGET_PASSWORD)) {
            direct.unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("COPY (" + rows + ") TO STDOUT (FORMAT csv, HEADER)", copied);
        }
        assertThat(copied.toString()).isEqualTo("v\na\n\n\"\"\n\"\\.\"\nb\n");
        assertThat(run(sql(rows), "Accept", "text/csv").expect(200).text())
                .isEqualTo(copied.toString().replace("\n", "\r\n"));
    }

    @Test
    void ofACommandWithoutColumnsCsvIsEmpty() {
        assertThat(run(sql("SET work_mem = '4MB'"), "Accept", "text/csv")
                        .expect(200)
                        .text())
                .isEmpty();
    }

    @Test
    void oneObjectLeavesAsAWhole() {
        JsonNode answer = run(sql("SELECT i FROM generate_series(1, 3) AS i"), "Accept", "application/json")
                .expect(200)
                .json();
        JsonNode result = answer.get("results").get(0);
        assertThat(result.get("data").toString()).isEqualTo("[[1],[2],[3]]");
        assertThat(result.get("rows").asInt()).isEqualTo(3);
        assertThat(answer.get("end").get("rows").asInt()).isEqualTo(3);
    }

    @Test
    void oneObjectThatIsTooLargeIsRefused() {
        Answer answer = run(
                        sql("SELECT repeat('x', 1000000) FROM generate_series(1, 20)"), "Accept", "application/json")
                .expect(413);
        assertThat(answer.text()).contains("headgate.sql.whole");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "text/csv;q=0", "text/csv;q=0, application/json;q=0.0", "*/*;q=0"})
    void anotherMediaTypeIsNotOffered(String accept) {
        assertThat(run(sql("SELECT 1"), "Accept", accept).expect(406).text()).contains("application/x-ndjson");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/x-ndjson;q=0, */* | application/json",
                "*/*, application/x-ndjson;q=0.1 | application/json",
                "text/csv;q=0.1, application/json;q=0.2 | application/json",
                "text/csv, */* | text/csv",
                "text/*;q=0.5, text/csv;q=0, application/*;q=0.1 | application/x-ndjson"
            })
    void whatACallerWantsMostItGets(String accept, String type) {
        assertThat(run(sql("SELECT 1"), "Accept", accept).expect(200).header("Content-Type"))
                .startsWith(type);
    }

    // ---- values

    /** Each type by two ways: through pgjdbc as a text, and through this API. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "true | true",
                "12::int2 | 12",
                "(-2147483648)::int4 | -2147483648",
                "9223372036854775807::int8 | \"9223372036854775807\"",
                "0.1::float8 | 0.1",
                "1e300::float8 | 1e+300",
                "'-0'::float8 | -0.0",
                "'{-0,0}'::float4[] | [-0.0,0]",
                "'NaN'::float8 | \"NaN\"",
                "'-Infinity'::float4 | \"-Infinity\"",
                "12345678901234567890.12345678901234567890::numeric | \"12345678901234567890.12345678901234567890\"",
                "'1.50'::numeric | \"1.50\"",
                "'a\"b\\c'::text | \"a\\\"b\\\\c\"",
                "E'tab\\there\\x01'::text | \"tab\\there\\u0001\"",
                "'é€😀'::text | \"é€😀\"",
                "'ab '::char(5) | \"ab   \"",
                "'\\x00ff'::bytea | \"\\\\x00ff\"",
                "'2024-02-29'::date | \"2024-02-29\"",
                "'infinity'::timestamp | \"infinity\"",
                "'2024-02-29 12:00:00.123456'::timestamp | \"2024-02-29 12:00:00.123456\"",
                "'1 year 2 days'::interval | \"1 year 2 days\"",
                "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid | \"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\"",
                "E'{\"a\":\\n [1, 2.50]}'::json | {\"a\":  [1, 2.50]}",
                "'{\"b\": 1, \"a\": null}'::jsonb | {\"a\": null, \"b\": 1}",
                "ARRAY[1,NULL,3] | [1,null,3]",
                "ARRAY[[1,2],[3,4]] | [[1,2],[3,4]]",
                "'[0:1]={7,8}'::int[] | [7,8]",
                "ARRAY['a','NULL',NULL,'x,\"y','','{}'] | [\"a\",\"NULL\",null,\"x,\\\"y\",\"\",\"{}\"]",
                "ARRAY[true,false] | [true,false]",
                "ARRAY[1.5,'NaN']::float8[] | [1.5,\"NaN\"]",
                "ARRAY[9007199254740993]::int8[] | [\"9007199254740993\"]",
                "ARRAY['{\"a\": 1}']::jsonb[] | [{\"a\": 1}]",
                "'{}'::int[] | []",
                "int4range(1, 5) | \"[1,5)\"",
                "'(1,2)'::point | \"(1,2)\"",
                "ROW(1, 'x') | \"(1,x)\"",
                "'192.168.0.1/24'::inet | \"192.168.0.1/24\"",
                "B'101' | \"101\"",
            })
    void everyTypeIsExact(String value, String json) throws SQLException {
        Answer answer = run(sql("SELECT " + value)).expect(200);
        assertThat(answer.text().lines().skip(1).findFirst()).contains("[" + json + "]");
        JsonNode shown = records(answer).get(1).get(0);
        if (shown.isString()) {
            try (Connection direct = direct();
                    Statement statement = direct.createStatement();
                    ResultSet row = statement.executeQuery("SELECT (" + value + ")")) {
                assertThat(row.next()).isTrue();
                String text = row.getString(1);
                assertThat(shown.asString())
                        .isEqualTo(
                                row.getMetaData().getColumnTypeName(1).equals("bytea")
                                        ? "\\x" + java.util.HexFormat.of().formatHex(row.getBytes(1))
                                        : text);
            }
        }
    }

    @Test
    void everyTypeOfPostgresItselfIsKnownByItsName() throws SQLException {
        try (Connection direct = direct();
                Statement statement = direct.createStatement();
                ResultSet types = statement.executeQuery(
                        "SELECT t.oid::int, coalesce(e.typname || '[]', t.typname) FROM pg_type t"
                                + " LEFT JOIN pg_type e ON e.typarray = t.oid WHERE t.oid < 10000"
                                + " AND t.typtype IN ('b', 'r', 'm') AND coalesce(e.typtype, 'b') <> 'c'")) {
            while (types.next()) {
                assertThat(Types.id(types.getString(2))).contains(types.getInt(1));
                assertThat(Types.name(types.getInt(1))).isEqualTo(types.getString(2));
            }
        }
    }

    /** As PostgreSQL resolves it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "integer",
                "bigint",
                "smallint",
                "boolean",
                "real",
                "double precision",
                "character varying",
                "decimal",
                "timestamp with time zone",
                "timestamp without time zone",
                "time with time zone",
                "time without time zone",
                "integer[]",
                "timestamp with time zone[]",
                "int4multirange[]",
                "inet[]"
            })
    void aTypeIsKnownByTheNameThatSqlHasForIt(String name) throws SQLException {
        assertThat(Types.id(name)).contains(count("SELECT '" + name + "'::regtype::oid::int"));
        run("{\"sql\": \"SELECT $1\", \"params\": [null], \"types\": [\"" + name + "\"]}")
                .expect(200);
    }

    @Test
    void parametersLoseNothing() {
        String body = """
                {"sql": "SELECT $1::numeric, $2::text, $3::bool, $4::jsonb, $5::int[], $6::text[], $7::text, $8",
                 "params": [1.10, "12", true, {"a": [1.50, null, "q\\"x"]}, [1, null, 3], [["a\\\\b", "c,d"], ["NULL", "x"]], null, 7],
                 "types": [null, null, null, null, null, null, null, "int8"]}""";
        assertThat(run(body).expect(200).text().lines().skip(1).findFirst())
                .contains("[\"1.10\",\"12\",true,{\"a\": [1.50, null, \"q\\\"x\"]},[1,null,3],"
                        + "[[\"a\\\\b\",\"c,d\"],[\"NULL\",\"x\"]],null,\"7\"]");
    }

    /** In UTF-8 it would become a question mark. A text of JSON has an escape for it, which PostgreSQL's json keeps. */
    @Test
    void halfACharacterIsNoneAndNeverAnother() {
        for (String half : List.of("\\ud83d", "\\ude00", "a\\ud83db", "\\ude00\\ud83d")) {
            assertThat(run("{\"sql\": \"SELECT $1::text\", \"params\": [\"" + half + "\"]}")
                            .expect(422)
                            .fault("/params/0"))
                    .contains("half of a surrogate pair");
            assertThat(run("{\"sql\": \"SELECT '" + half + "'\"}").expect(400).fault("/sql"))
                    .contains("half of a surrogate pair");
            assertThat(run("{\"sql\": \"SELECT $1::json\", \"params\": [{\"a\": \"" + half + "\"}]}")
                            .expect(200)
                            .text())
                    .contains("[{\"a\":\"" + half + "\"}]");
        }
        assertThat(
                        run("{\"sql\": \"SELECT $1::text, $2::jsonb\", \"params\": [\"\\ud83d\\ude00\", {\"a\": \"\\ud83d\\ude00\"}]}")
                                .expect(200)
                                .text())
                .contains("[\"😀\",{\"a\": \"😀\"}]");
    }

    // ---- errors

    @ParameterizedTest
    @CsvSource({
        "SELECT 1/0, 400, 22012",
        "SELEC 1, 400, 42601",
        "SELECT * FROM nowhere, 404, 42P01",
        "SELECT nothing(1), 404, 42883",
        "SELECT 1; SELECT 2, 400, 42601",
        "SELECT pg_read_file('/etc/passwd'), 403, 42501",
        "COPY (SELECT 1) TO STDOUT, 400, 0A000",
        "SELECT $1::int, 400, 08P01"
    })
    void anErrorHasTheStatusOfItsState(String statement, int status, String state) {
        Answer answer = run(sql(statement)).expect(status);
        assertThat(answer.problem()).isEqualTo("sql-failed");
        assertThat(answer.json().get("sql").get("code").asString()).isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"SELECT $1::int\", \"params\": [\"x\"] | 22P02",
                "\"SELECT $1::int\", \"params\": [1.5] | 22P02",
                "\"SELECT $1\", \"params\": [{\"a\": 1}], \"types\": [\"uuid\"] | 22P02",
                "\"SELECT $1::int\", \"params\": [[1]] | 22P02",
                "\"SELECT $1\", \"params\": [2147483648], \"types\": [\"int4\"] | 22003",
                "\"SELECT $1::date\", \"params\": [true] | 22007",
                "\"SELECT $1 + 1\", \"params\": [1], \"types\": [\"uuid\"] | 42883",
                "\"SELECT $1\", \"params\": [1], \"types\": [\"4\"] | XX000"
            })
    void aParameterOfAnotherTypeIsAnError(String statement, String state) {
        Answer answer = run("{\"sql\": " + statement + "}").expect(state.equals("42883") ? 404 : 400);
        assertThat(answer.problem()).isEqualTo("sql-failed");
        assertThat(answer.json().get("sql").get("code").asString()).isEqualTo(state);
    }

    @Test
    void anErrorBeforeTheFirstRowHasAStatusAndOneAfterItARecord() throws IOException {
        run(sql("SELECT 1/(i-1) FROM generate_series(1, 100) AS i")).expect(400);
        assertThat(content(sql("SELECT repeat('x', 100), 1/(i-5000) FROM generate_series(1, 10000) AS i"), "*/*", true))
                .endsWith("}\n")
                .contains("\n{\"error\":{\"code\":\"22012\"")
                .doesNotContain("\"end\"");
        assertThat(broken(sql("SELECT repeat('x', 100), 1/(i-5000) FROM generate_series(1, 10000) AS i"), "text/csv"))
                .startsWith("repeat,");
    }

    /** However much comes before the first row: a long head, or the answers to many statements without rows. */
    @Test
    void anErrorAfterMuchThatIsNoRowHasAStatus() {
        String columns = IntStream.range(0, 300)
                .mapToObj(i -> "i AS a_column_with_a_long_name_of_its_own_" + i)
                .collect(Collectors.joining(", "));
        run(sql("SELECT 1/(i-1), " + columns + " FROM generate_series(1, 9) AS i"))
                .expect(400);
        run(sql("CREATE TABLE IF NOT EXISTS sql_held (id int PRIMARY KEY)")).expect(200);
        String inserts = IntStream.range(0, 500)
                .mapToObj(i -> "{\"sql\": \"INSERT INTO sql_held VALUES (" + i % 499 + ")\"}")
                .collect(Collectors.joining(","));
        run("{\"transaction\": true, \"statements\": [" + inserts + "]}").expect(409);
        run("{\"transaction\": true, \"statements\": [" + inserts + "]}", "Idempotency-Key", "held")
                .expect(409);
        run(sql("DROP TABLE sql_held")).expect(200);
    }

    /** What came of an answer that must break off, without the sizes of its chunks. */
    private String broken(String body, String accept) throws IOException {
        return content(body, accept, false);
    }

    /** @param whole whether the answer must have its end */
    private String content(String body, String accept, boolean whole) throws IOException {
        String answer;
        try (Socket socket = requested("sql", body, "Accept: " + accept + "\r\n")) {
            answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(answer).startsWith("HTTP/1.1 200").contains("chunked");
        assertThat(answer.endsWith("\r\n0\r\n\r\n")).isEqualTo(whole);
        StringBuilder content = new StringBuilder();
        int at = answer.indexOf("\r\n\r\n") + 4;
        while (at < answer.length()) {
            int size = Integer.parseInt(answer.substring(at, answer.indexOf("\r\n", at)), 16);
            int from = answer.indexOf("\r\n", at) + 2;
            content.append(answer, from, Math.min(from + size, answer.length()));
            at = from + size + 2;
        }
        return content.toString();
    }

    /** There the end of the connection is the end of the answer, also where the service was killed. */
    @ParameterizedTest
    @ValueSource(strings = {SqlAnswers.CSV, SqlAnswers.ARROW})
    void whatCannotTellItsEndIsNotSentWithoutChunks(String accept) throws IOException {
        String late = sql("SELECT repeat('x', 100), 1/(i-5000) FROM generate_series(1, 10000) AS i");
        assertThat(withoutChunks(late, accept))
                .startsWith("HTTP/1.1 406")
                .contains("not-acceptable")
                .contains("proxy_http_version 1.1")
                .doesNotContain("xxx");
        assertThat(withoutChunks(late, SqlAnswers.NDJSON))
                .endsWith("\"}}\n")
                .contains("\n{\"error\":{\"code\":\"22012\"");
    }

    private String withoutChunks(String body, String accept) throws IOException {
        try (Socket socket = posted("HTTP/1.0", "domains/sql/sql", body, "Accept: " + accept + "\r\n")) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void whatIsWrongWithARequestIsSaidWithItsPlace() {
        assertThat(run("{}").expect(422).fault("/sql")).startsWith("is missing");
        assertThat(run("{\"sql\": \"SELECT 1\", \"statements\": []}")
                        .expect(422)
                        .fault("/sql"))
                .contains("cannot be there");
        assertThat(run("{\"sql\": \"SELECT $1\", \"types\": [\"nonsense\"]}")
                        .expect(422)
                        .fault("/types/0"))
                .contains("'nonsense'");
        assertThat(run("{\"statements\": [{\"sql\": \"SELECT 1\"}, {\"params\": []}]}")
                        .expect(422)
                        .fault("/statements/1/sql"))
                .startsWith("is missing");
        Answer zeros = run("{\"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT $1, $2, $3\","
                        + " \"params\": [\"\\u0000\", 1, {\"a\": \"b\"}, \"\\u0000\"]}]}")
                .expect(422);
        assertThat(zeros.fault("/statements/1/params/0")).contains("zero character");
        assertThat(zeros.fault("/statements/1/params/3")).contains("zero character");
        assertThat(run("{\"sql\": \"SELECT 1\", \"params\": [" + "1,".repeat(65_535) + "1]}")
                        .expect(422)
                        .fault("/params"))
                .isEqualTo("must have at most 65535 entries, has 65536");
        run("{\"sql\": \"SELECT 1\"").expect(400);
        run("{\"sql\": \"SELECT 1\", \"limit\": 3}").expect(400);
        run("{\"sql\": \"SELECT 1\", \"maxRows\": 0}").expect(422);
        service.post("/domains/nowhere/sql", sql("SELECT 1")).expect(404);
        service.sendAnonymous("POST", "/api/v1/domains/sql/sql", sql("SELECT 1"))
                .expect(401);
    }

    @Test
    void aWrongNumberOfParametersIsAnErrorAndSoIsAWrongOne() {
        assertThat(run(sql("SELECT $1::int, $2::int", "1")).expect(400).text()).contains("08P01");
        assertThat(run(sql("SELECT $1::int", "one")).expect(400).text()).contains("22P02");
    }

    /** PostgreSQL infers no type of a parameter there, and fails when it gets one: "cache lookup failed for type 0". */
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "; ;", "-- none", "/* none */;"})
    void anEmptyStatementHasNoTypesOfParameters(String none) {
        assertThat(run("{\"sql\": \"" + none + "\", \"params\": [1, 2], \"types\": [null, \"int4\"]}")
                        .expect(422)
                        .fault("/types"))
                .isEqualTo("cannot hold null: there is nothing to infer a type from");
        assertThat(run("{\"statements\": [{\"sql\": \"" + none + "\", \"params\": [1], \"types\": [null]}]}")
                        .expect(422)
                        .fault("/statements/0/types"))
                .isEqualTo("cannot hold null: there is nothing to infer a type from");
    }

    // ---- transactions and several statements

    @Test
    void aReadOnlyRequestChangesNothing() {
        run("{\"sql\": \"CREATE TABLE never (id int)\", \"readOnly\": true}").expect(405);
        for (String way : List.of("BEGIN READ WRITE", "COMMIT", "/* x */ set transaction read write", "RESET ALL")) {
            run("{\"sql\": \"" + way + "\", \"readOnly\": true}").expect(422);
        }
        assertThat(run("{\"sql\": \"SELECT set_config('transaction_read_only', 'off', false)\", \"readOnly\": true}")
                        .expect(500)
                        .json()
                        .get("sql")
                        .get("code")
                        .asString())
                .isEqualTo("25001");
        assertThat(records(run("{\"sql\": \"SELECT 1\", \"readOnly\": true}").expect(200)))
                .hasSize(4);
    }

    @Test
    void independentStatementsFailAlone() {
        List<JsonNode> records = records(
                run("{\"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 1/0\"}, {\"sql\": \"SELECT 3\"}]}")
                        .expect(200));
        assertThat(records.stream().filter(each -> each.has("error")))
                .singleElement()
                .satisfies(error -> assertThat(error.get("statement").asInt()).isEqualTo(1));
        assertThat(records.stream().filter(JsonNode::isArray).map(JsonNode::toString))
                .containsExactly("[1]", "[3]");
        assertThat(records.getLast().has("end")).isTrue();
    }

    /** A round that failed has left its transaction open. */
    @Test
    void independentReadersFailAloneToo() {
        List<JsonNode> records = records(run("{\"readOnly\": true, \"statements\": [{\"sql\": \"SELECT 1\"},"
                        + " {\"sql\": \"SELECT 1/0\"}, {\"sql\": \"SELECT 3\"}, {\"sql\": \"SELECT 1/0\"}]}")
                .expect(200));
        assertThat(records.stream()
                        .filter(each -> each.has("error"))
                        .map(each -> each.get("statement").asInt()))
                .containsExactly(1, 3);
        assertThat(records.stream().filter(JsonNode::isArray).map(JsonNode::toString))
                .containsExactly("[1]", "[3]");
        assertThat(records.getLast().has("end")).isTrue();
        assertThat(run("{\"readOnly\": true, \"statements\": [{\"sql\": \"SELECT 1\"},"
                                + " {\"sql\": \"CREATE TABLE not_to_be (i int)\"}]}")
                        .expect(200)
                        .text())
                .contains("25006");
    }

    /** A deferred constraint is looked at by the commit alone, after the statement was executed. */
    @ParameterizedTest
    @ValueSource(strings = {SqlAnswers.NDJSON, SqlAnswers.JSON})
    void anIndependentStatementThatCannotBeCommittedHasFailed(String accept) {
        run(sql("DROP TABLE IF EXISTS sql_late")).expect(200);
        run(sql("CREATE TABLE sql_late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)"))
                .expect(200);
        Answer answer = run(
                        "{\"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"INSERT INTO sql_late VALUES (1), (1)\"},"
                                + " {\"sql\": \"SELECT 3\"}]}",
                        "Accept",
                        accept)
                .expect(200);
        List<JsonNode> ends = accept.equals(SqlAnswers.JSON)
                ? answer.json().get("results").valueStream().toList()
                : records(answer).stream()
                        .filter(each -> each.has("done") || each.has("error"))
                        .toList();
        assertThat(ends).hasSize(3);
        assertThat(ends.get(1).has("done")).isFalse();
        assertThat(ends.get(1).has("command")).isFalse();
        assertThat(ends.get(1).get("error").get("code").asString()).isEqualTo("23505");
        assertThat(records(answer).getLast().get("end").get("rows").asInt()).isEqualTo(2);
        if (accept.equals(SqlAnswers.NDJSON)) {
            assertThat(ends.stream().map(each -> each.get("statement").asInt())).containsExactly(0, 1, 2);
        }
        run(sql("DROP TABLE sql_late")).expect(200);
    }

    /** Also those whose own BEGIN fails, since the server has gone with the first. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverFailsIsNamed(boolean readOnly) {
        List<JsonNode> records =
                records(run("{\"readOnly\": " + readOnly + ", \"statements\": [{\"sql\": \"SELECT 1\"},"
                                + " {\"sql\": \"SELECT pg_terminate_backend(pg_backend_pid())\"}, {\"sql\": \"SELECT 3\"},"
                                + " {\"sql\": \"SELECT 4\"}]}")
                        .expect(200));
        assertThat(records.stream()
                        .filter(each -> each.has("error"))
                        .map(each -> each.path("statement").asInt(-1)))
                .containsExactly(1, 2, 3);
    }

    /** Each is unquoted by itself, so the time is that of its length. */
    @Test
    @Timeout(60)
    void anArrayOfManyQuotedTextsIsAnswered() {
        String text = run(sql(
                        "SELECT array_agg('a b'::text) || ('c' || chr(34) || 'd') FROM generate_series(1, 500000)"))
                .expect(200)
                .text();
        assertThat(text)
                .contains("\n[[\"a b\",\"a b\",")
                .contains(",\"a b\",\"c\\\"d\"]]\n")
                .hasSizeGreaterThan(500_000 * 6);
    }

    @Test
    void aTransactionIsAllOrNothing() {
        run(sql("CREATE TABLE IF NOT EXISTS sql_together (id int PRIMARY KEY)")).expect(200);
        Answer failed =
                run("{\"transaction\": true, \"statements\": [{\"sql\": \"INSERT INTO sql_together VALUES (1)\"},"
                                + " {\"sql\": \"INSERT INTO sql_together VALUES (1)\"}]}")
                        .expect(409);
        assertThat(failed.fault("/statements/1")).startsWith("failed: duplicate key value");
        assertThat(records(run(sql("SELECT count(*)::int FROM sql_together")))
                        .get(1)
                        .toString())
                .isEqualTo("[0]");
        run("{\"transaction\": true, \"statements\": [{\"sql\": \"INSERT INTO sql_together VALUES (1)\"},"
                        + " {\"sql\": \"INSERT INTO sql_together VALUES (2)\"}]}")
                .expect(200);
        assertThat(records(run(sql("SELECT count(*)::int FROM sql_together")))
                        .get(1)
                        .toString())
                .isEqualTo("[2]");
        run("{\"transaction\": true, \"statements\": [{\"sql\": \"COMMIT\"}]}").expect(422);
        run(sql("DROP TABLE sql_together")).expect(200);
    }

    @Test
    void aLimitOfRowsIsSaid() {
        List<JsonNode> records = records(run("{\"sql\": \"SELECT generate_series(1, 100)\", \"maxRows\": 3}")
                .expect(200));
        assertThat(records).hasSize(6);
        assertThat(records.get(4).get("done").get("limited").asBoolean()).isTrue();
    }

    @Test
    void whatOneRequestSetsTheNextDoesNotSee() {
        run(sql("SET work_mem = '77MB'")).expect(200);
        run(sql("CREATE TEMP TABLE secret (x int)")).expect(200);
        for (int i = 0; i < 4; i++) {
            assertThat(records(run(sql("SELECT current_setting('work_mem'), to_regclass('pg_temp.secret')")))
                            .get(1)
                            .toString())
                    .doesNotContain("77MB")
                    .endsWith(",null]");
        }
    }

    // ---- deadlines, departures and faults

    @Test
    void aDeadlineIsKeptByHeadgateAndByTheServer() {
        Answer answer = run("{\"sql\": \"SELECT pg_sleep(30)\", \"timeoutMs\": 200}");
        assertThat(answer.status()).isIn(500, 504); // whoever is first
        assertThat(answer.json().get("sql").get("code").asString()).isEqualTo("57014");
        assertThat(records(run("{\"sql\": \"SHOW statement_timeout\", \"timeoutMs\": 4321}"))
                        .get(1)
                        .toString())
                .isEqualTo("[\"4321ms\"]");
        assertThat(records(run(sql("SHOW statement_timeout"))).get(1).toString())
                .as("headgate.sql.timeout")
                .isEqualTo("[\"10min\"]");
    }

    /** It ends one that Headgate, which is gone, cannot end. While Headgate is there its own deadline comes first. */
    @Test
    void theServerKnowsTheDeadlineOfATransaction() {
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .until(() -> service.get("/databases/main").json().hasNonNull("serverVersion"));
        String together = "\"transaction\": true, \"statements\": [{\"sql\": \"SHOW transaction_timeout\"}]";
        assertThat(records(run("{\"timeoutMs\": 4321, " + together + "}"))
                        .get(1)
                        .toString())
                .isEqualTo("[\"9321ms\"]");
        assertThat(records(run("{" + together + "}")).get(1).toString()).isEqualTo("[\"605s\"]");
    }

    /** Also one that has sent the beginning of its next request, and one that goes while rows come. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "domains/sql/sql | {\"sql\": \"SELECT pg_sleep(31)\"} | ``",
                "domains/sql/sql | {\"sql\": \"SELECT pg_sleep(31)\"} | P",
                "domains/sql/sql | {\"sql\": \"" + ROWS + "\"} | P",
                "sql/scatter | {\"branches\": [{\"domain\": \"sql\", \"sql\": \"SELECT pg_sleep(31)\"}]} | P",
                "sql/scatter | {\"branches\": [{\"domain\": \"sql\", \"sql\": \"" + ROWS + "\"}]} | P",
                "/sql | {\"query\": \"SELECT pg_sleep(31)\"} | P",
                "/sql | {\"query\": \"" + ROWS + "\"} | P"
            })
    void aCallerThatGoesAwayCancelsItsStatementWithinASecond(String path, String body, String pipelined)
            throws Exception {
        Socket socket = posted(path, body, "Neon-Connection-String: " + login + "\r\n");
        Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(31)") == 1);
        socket.getOutputStream().write(pipelined.getBytes(StandardCharsets.US_ASCII));
        long began = System.nanoTime();
        socket.close();
        Awaitility.await()
                .atMost(Service.PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(25))
                .until(() -> running("pg_sleep(31)") == 0);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(1_250));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "domains/sql/sql | {\"statements\": [{\"sql\": \"SELEC\"}, {\"sql\": \"SELECT pg_sleep(34)\"}]} | 42601",
                "domains/sql/sql | {\"statements\": [{\"sql\": \"SET work_mem = '4MB'\"}, {\"sql\": \"SELECT pg_sleep(34)\"}]} | done",
                "sql/scatter | {\"branches\": [{\"domain\": \"sql\", \"sql\": \"SELEC\"}, {\"domain\": \"sql\", \"sql\": \"SELECT pg_sleep(34)\"}]} | 42601"
            })
    void whatHasEndedIsToldWhileAnotherGoesOn(String path, String body, String told) throws Exception {
        try (Socket socket = posted(path, body, "")) {
            StringBuilder read = new StringBuilder();
            for (int next = 0; next >= 0 && read.indexOf(told) < 0; ) {
                next = socket.getInputStream().read();
                read.append((char) next);
            }
            assertThat(read).startsWith("HTTP/1.1 200").doesNotContain("\"end\"");
            Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(34)") == 1);
        }
        Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(34)") == 0);
    }

    /** The third row waits for half a minute. The server keeps 8 kB of the second for it, so that the first has left. */
    @ParameterizedTest
    @ValueSource(strings = {SqlAnswers.NDJSON, SqlAnswers.CSV, SqlAnswers.ARROW})
    void aRowArrivesWhileItsStatementGoesOn(String format) throws Exception {
        String statement = "SELECT repeat('r', 10000) || CASE WHEN i = 3 THEN pg_sleep(35)::text ELSE '' END"
                + " FROM generate_series(1, 3) AS i";
        try (Socket socket = requested("sql", sql(statement), "Accept: " + format + "\r\n")) {
            for (int letters = 0; letters < 5_000; ) {
                int next = socket.getInputStream().read();
                assertThat(next).as("the answer has ended").isNotNegative();
                letters += next == 'r' ? 1 : 0;
            }
            assertThat(running("pg_sleep(35)")).isEqualTo(1);
        }
        Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(35)") == 0);
    }

    @Test
    void aCallerThatReadsNothingHoldsUpNobodyElse() throws Exception {
        try (Socket _ = requested(sql("SELECT repeat('z', 1000) FROM generate_series(1, 1000000)"))) {
            Awaitility.await().atMost(Service.PATIENCE).until(() -> running("generate_series(1, 1000000)") == 1);
            for (int i = 0; i < 20; i++) {
                run(sql("SELECT 1")).expect(200);
            }
        }
        Awaitility.await().atMost(Service.PATIENCE).until(() -> running("generate_series(1, 1000000)") == 0);
    }

    @Test
    void aServerThatDiesWithinAnAnswerIsNotTakenForItsEnd() throws Exception {
        Thread killer = Thread.ofVirtual().start(() -> {
            try {
                Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(33)", "PgSleep") == 1);
                terminate("pg_sleep(33)");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(content(
                        sql("SELECT repeat('x', 1000), CASE WHEN i = 5000 THEN pg_sleep(33) END"
                                + " FROM generate_series(1, 10000) AS i"),
                        "*/*",
                        true))
                .contains("{\"error\":{\"code\":\"57P01\"")
                .doesNotContain("\"end\"");
        killer.join();
        run(sql("SELECT 1")).expect(200);
    }

    @Test
    void aRefusalAtTheGateNamesItsReason() throws Exception {
        service.post(
                        "/domains",
                        "{\"name\": \"sql-one\", \"database\": \"main\", \"policySet\": {\"policies\": [{\"plugin\":"
                                + " \"fixed\", \"parameters\": {\"min\": 1, \"max\": 1}}], \"whenExhausted\": {\"mode\":"
                                + " \"reject\"}}}")
                .expect(201);
        try (Socket _ = requested("sql-one", sql("SELECT pg_sleep(32)"), "")) {
            Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(32)") == 1);
            Answer answer =
                    service.post("/domains/sql-one/sql", sql("SELECT 1")).expect(503);
            assertThat(answer.problem()).isEqualTo("exhausted");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
            assertThat(answer.json().get("detail").asString()).contains("fixed");
        }
        Awaitility.await().atMost(Service.PATIENCE).until(() -> running("pg_sleep(32)") == 0);
        service.delete("/domains/sql-one").expect(204);
    }

    /** A tenth of a lease a second: the next comes in ten seconds, and there are connections. */
    @Test
    void aRefusalByARateTellsWhenToComeAgain() {
        service.post(
                        "/domains",
                        "{\"name\": \"sql-slow\", \"database\": \"main\", \"policySet\": {\"policies\": [{\"plugin\":"
                                + " \"fixed\", \"parameters\": {\"min\": 1, \"max\": 2, \"perSecond\": 0.1}}],"
                                + " \"whenExhausted\": {\"mode\": \"reject\"}}}")
                .expect(201);
        service.post("/domains/sql-slow/sql", sql("SELECT 1")).expect(200);
        Answer answer = service.post("/domains/sql-slow/sql", sql("SELECT 1")).expect(429);
        assertThat(answer.problem()).isEqualTo("too-many-requests");
        assertThat(answer.header("Retry-After")).isEqualTo("10");
        assertThat(answer.json().get("detail").asString()).contains("fixed");
        service.delete("/domains/sql-slow").expect(204);
    }

    @Test
    void statementsAreAuditedOnceWithoutTheirValues() {
        for (int i = 0; i < 3; i++) {
            run(sql("SELECT 'hush-" + i + "' AS audited_once, $1::text", "parameter-" + i))
                    .expect(200);
        }
        String audit = service.get("/audit?action=sql.execute").expect(200).text();
        assertThat(audit).doesNotContain("hush-").doesNotContain("parameter-");
        assertThat(audit.split("select \\? as audited_once", -1)).hasSize(2);
    }

    @Test
    void statementsAreAuditedWhicheverWayTheyCome() {
        service.post(
                        "/sql/scatter",
                        "{\"branches\": [{\"domain\": \"sql\", \"sql\": \"SELECT 1 AS audited_gathered\"}]}")
                .expect(200);
        run(sql("SELECT 1 AS audited_keyed"), "Idempotency-Key", "audited").expect(200);
        service.sendAnonymous(
                        "POST", "/sql", "{\"query\": \"SELECT 1 AS audited_neon\"}", "Neon-Connection-String", login)
                .expect(200);
        String handle = service.post("/domains/sql/sql/transactions", "{}")
                .expect(201)
                .json()
                .get("id")
                .asString();
        service.post("/domains/sql/sql/transactions/" + handle, sql("SELECT 1 AS audited_together"))
                .expect(200);
        service.delete("/domains/sql/sql/transactions/" + handle).expect(204);
        assertThat(service.get("/audit?action=sql.execute").expect(200).text())
                .contains("audited_gathered", "audited_keyed", "audited_neon", "audited_together");
    }

    @Test
    void theTimesAreMetrics() {
        run(sql("SELECT 1")).expect(200);
        service.post("/domains/never-was/sql", sql("SELECT 1")).expect(404);
        String metrics = service.send("GET", "/actuator/prometheus", null).text();
        for (String name : List.of("headgate_sql_first_byte", "headgate_sql_first_row", "headgate_sql_requests")) {
            assertThat(metrics).contains(name + "_seconds_count{domain=\"sql\"}");
        }
        assertThat(metrics).as("names that anybody sends").doesNotContain("never-was");
    }

    @Test
    void theTimesOfKeptAndGatheredAnswersAreMetricsToo() {
        double before = measured();
        run(sql("SELECT 1"), "Idempotency-Key", "measured").expect(200);
        service.post("/sql/scatter", "{\"branches\": [{\"domain\": \"sql\", \"sql\": \"SELECT 1\"}]}")
                .expect(200);
        String later =
                run(sql("SELECT 1"), "Prefer", "respond-async").expect(202).header("Location");
        service.send("GET", later + "/result", null).expect(200); // has its end
        assertThat(measured()).isEqualTo(before + 3);
    }

    private double measured() {
        return service.bean(MeterRegistry.class)
                .timer("headgate.sql.first.row", "domain", "sql")
                .count();
    }

    // ----

    private Socket requested(String body) throws IOException {
        return requested("sql", body, "");
    }

    /** Sends a request and reads nothing. */
    private Socket requested(String domain, String body, String headers) throws IOException {
        return posted("domains/" + domain + "/sql", body, headers);
    }

    /** @param path from the root, or from the API's */
    private Socket posted(String path, String body, String headers) throws IOException {
        return posted("HTTP/1.1", path, body, headers);
    }

    private Socket posted(String version, String path, String body, String headers) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort());
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream()
                .write(("POST " + API.resolve(path) + " " + version + "\r\nHost: localhost\r\nAuthorization: Bearer "
                                + service.token() + "\r\nConnection: close\r\n" + headers
                                + "Content-Type: application/json\r\nContent-Length: "
                                + bytes.length + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private Connection direct() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + service.embedded().port() + "/" + Service.TARGET,
                Service.TARGET,
                Service.TARGET_PASSWORD);
    }

    private int running(String part) throws SQLException {
        return running(part, "");
    }

    /** @param wait what it waits for; empty for anything */
    private int running(String part, String wait) throws SQLException {
        return count("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
                + " AND position('" + part + "' IN query) > 0 AND '" + wait + "' IN ('', wait_event)");
    }

    private void terminate(String part) throws SQLException {
        count("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE state = 'active'"
                + " AND pid <> pg_backend_pid() AND position('" + part + "' IN query) > 0");
    }

    private int count(String sql) throws SQLException {
        try (Connection direct = direct();
                Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }
}
