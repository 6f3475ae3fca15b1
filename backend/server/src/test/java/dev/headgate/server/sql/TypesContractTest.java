package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/**
 * Every type that has values goes in as a parameter and comes out in every format as pgjdbc reads it, in the form that docs/sql.md
 * says: the types of pg_type, their arrays, and an enum, a domain, a composite and a range of our own. What came out as JSON goes in
 * again as it is.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TypesContractTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String DOMAIN = "types";

    /** Some texts of values of each type, by its name in pg_type. */
    private static final Map<String, List<String>> SAMPLES = Map.ofEntries(
            Map.entry("aclitem", List.of("pg_monitor=r/pg_monitor")),
            Map.entry("bit", List.of("1", "0")),
            Map.entry("bool", List.of("t", "f")),
            Map.entry("box", List.of("(3,4),(1,2)")),
            Map.entry("bpchar", List.of("ab ", "é")),
            Map.entry("bytea", List.of("\\x00ff5c22", "\\x")),
            Map.entry("char", List.of("x", "\"")),
            Map.entry("cid", List.of("3")),
            Map.entry("cidr", List.of("192.168.0.0/16", "2001:db8::/32")),
            Map.entry("circle", List.of("<(1,2),3.5>")),
            Map.entry("date", List.of("2024-02-29", "0044-03-15 BC", "99999-12-31", "infinity", "-infinity")),
            Map.entry("datemultirange", List.of("{[2024-02-28,2024-03-01),[2025-01-01,)}", "{}")),
            Map.entry("daterange", List.of("[2024-02-28,2024-03-01)", "empty")),
            Map.entry("float4", List.of("0.1", "-1e-30", "3.4028235e+38", "-0", "NaN", "Infinity", "-Infinity")),
            Map.entry("float8", List.of("0.1", "1e+300", "5e-324", "-0", "NaN", "Infinity", "-Infinity")),
            Map.entry("inet", List.of("192.168.0.1/24", "::1")),
            Map.entry("int2", List.of("-32768", "32767")),
            Map.entry("int2vector", List.of("1 -2 3")),
            Map.entry("int4", List.of("-2147483648", "2147483647")),
            Map.entry("int4multirange", List.of("{[1,3),[5,7)}")),
            Map.entry("int4range", List.of("[1,5)", "(,)")),
            Map.entry("int8", List.of("-9223372036854775808", "9007199254740993")),
            Map.entry("int8multirange", List.of("{[1,3),[5,9223372036854775807)}")),
            Map.entry("int8range", List.of("[1,9007199254740993)")),
            Map.entry("interval", List.of("1 year 2 mons -3 days +04:05:06.789", "00:00:00", "-00:00:00.000001")),
            Map.entry("json", List.of("{\"a\":\n [1, 2.50, null, \"q\\\"x\"]}", "null", "\"é€😀\"")),
            Map.entry("jsonb", List.of("{\"b\": 1.50, \"a\": [null, true]}", "12345678901234567890.5")),
            Map.entry("jsonpath", List.of("$.\"a\"[*]?(@ > 1)")),
            Map.entry("line", List.of("{1,-1,0.5}")),
            Map.entry("lseg", List.of("[(1,2),(3,4)]")),
            Map.entry("macaddr", List.of("08:00:2b:01:02:03")),
            Map.entry("macaddr8", List.of("08:00:2b:01:02:03:04:05")),
            Map.entry("money", List.of("$1,234.50", "-$0.01")),
            Map.entry("name", List.of("a name", "")),
            Map.entry(
                    "numeric",
                    List.of(
                            "12345678901234567890.12345678901234567890",
                            "1.50",
                            "-0.0001",
                            "NaN",
                            "Infinity",
                            "-Infinity")),
            Map.entry("nummultirange", List.of("{[1.50,2],(3,4)}")),
            Map.entry("numrange", List.of("[1.50,2]")),
            Map.entry("oid", List.of("4294967295")),
            Map.entry("oidvector", List.of("1 4294967295")),
            Map.entry("path", List.of("((1,2),(3,4))", "[(1,2),(3,4)]")),
            Map.entry("pg_lsn", List.of("16/B374D848")),
            Map.entry("pg_snapshot", List.of("10:20:10,14,15")),
            Map.entry("point", List.of("(1.5,-2)")),
            Map.entry("polygon", List.of("((1,2),(3,4),(5,6))")),
            Map.entry("refcursor", List.of("a cursor")),
            Map.entry("regclass", List.of("pg_class")),
            Map.entry("regcollation", List.of("\"C\"")),
            Map.entry("regconfig", List.of("english")),
            Map.entry("regdictionary", List.of("simple")),
            Map.entry("regnamespace", List.of("pg_catalog")),
            Map.entry("regoper", List.of("|/")),
            Map.entry("regoperator", List.of("+(integer,integer)")),
            Map.entry("regproc", List.of("pg_backend_pid")),
            Map.entry("regprocedure", List.of("sum(integer)")),
            Map.entry("regrole", List.of("pg_monitor")),
            Map.entry("regtype", List.of("integer", "timestamp with time zone")),
            Map.entry("text", List.of("", "NULL", "a\"b\\c,{}", "tab\there\u0001\r\n", "é€😀")),
            Map.entry("tid", List.of("(1,2)")),
            Map.entry("time", List.of("00:00:00", "23:59:59.999999", "24:00:00")),
            Map.entry(
                    "timestamp",
                    List.of(
                            "2024-02-29 12:00:00.123456",
                            "1969-12-31 23:59:59.5",
                            "0044-03-15 12:00:00.000001 BC",
                            "294276-12-31 23:59:59.999999",
                            "infinity",
                            "-infinity")),
            Map.entry(
                    "timestamptz",
                    List.of(
                            "2024-02-29 12:00:00.123456+02",
                            "1969-12-31 23:59:59.5+00",
                            "0044-03-15 12:00:00.000001+00 BC",
                            "infinity",
                            "-infinity")),
            Map.entry("timetz", List.of("12:00:00.5+02", "00:00:00-11:30")),
            Map.entry("tsmultirange", List.of("{[\"2024-02-29 12:00:00\",\"2024-03-01 00:00:00\")}")),
            Map.entry("tsquery", List.of("'a' & !'b c':A")),
            Map.entry("tsrange", List.of("[\"2024-02-29 12:00:00\",)")),
            Map.entry("tstzmultirange", List.of("{[\"2024-02-29 12:00:00+00\",\"2024-03-01 00:00:00+00\")}")),
            Map.entry("tstzrange", List.of("[\"2024-02-29 12:00:00+00\",)")),
            Map.entry("tsvector", List.of("'a':1A 'b c':2")),
            Map.entry("txid_snapshot", List.of("10:20:10,14,15")),
            Map.entry("uuid", List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
            Map.entry("varbit", List.of("10110", "")),
            Map.entry("varchar", List.of("a b", "é")),
            Map.entry("xid", List.of("7")),
            Map.entry("xid8", List.of("18446744073709551615")),
            Map.entry("xml", List.of("<a b=\"c\">é</a>")),
            Map.entry("types_mood", List.of("so so", "fine")),
            Map.entry("types_positive", List.of("7")),
            Map.entry("types_pair", List.of("(1,\"a,b\"\"c\")", "(,)")),
            Map.entry("types_floats", List.of("[1.5,2.5)")),
            Map.entry("types_floats_several", List.of("{[1.5,2.5),[3,4)}")));

    /** Arrays of these are arrays in JSON. */
    private static final Set<String> ELEMENTS = Set.of(
            "bool",
            "bpchar",
            "bytea",
            "char",
            "date",
            "float4",
            "float8",
            "int2",
            "int4",
            "int8",
            "interval",
            "json",
            "jsonb",
            "name",
            "numeric",
            "oid",
            "text",
            "time",
            "timestamp",
            "timestamptz",
            "timetz",
            "uuid",
            "varchar");

    /** A server says nothing of a domain but the type below it. */
    private static final Map<String, String> BASES = Map.of("types_positive", "int4");

    /** They have no input. */
    private static final Set<String> OF_THE_SERVER = Set.of(
            "gtsvector",
            "pg_brin_bloom_summary",
            "pg_brin_minmax_multi_summary",
            "pg_dependencies",
            "pg_mcv_list",
            "pg_ndistinct",
            "pg_node_tree");

    private static final String OURS = """
            DROP TYPE IF EXISTS types_floats, types_pair, types_mood; DROP DOMAIN IF EXISTS types_positive;
            CREATE TYPE types_mood AS ENUM ('so so', 'fine');
            CREATE DOMAIN types_positive AS int4 CHECK (VALUE > 0);
            CREATE TYPE types_pair AS (a int4, b text);
            CREATE TYPE types_floats AS RANGE (subtype = float8, multirange_type_name = types_floats_several)""";

    private static final String ALL = """
            SELECT typname FROM pg_type
            WHERE typelem = 0 AND typtype IN ('b', 'r', 'm', 'e', 'd', 'c') AND (oid < 10000 OR typname LIKE 'types\\_%') AND typrelid
                  IN (SELECT 0 UNION SELECT oid FROM pg_class WHERE relname = 'types_pair')
               OR typname IN ('int2vector', 'oidvector', 'point', 'box', 'lseg', 'line', 'name')
            ORDER BY typname""";

    private Service service;
    private String login;
    private Connection direct;
    private BufferAllocator memory;
    private HttpClient http;

    @BeforeAll
    void open() throws Exception {
        service = Service.shared();
        service.domain(DOMAIN, "[]");
        String password = service.client(DOMAIN, "reading");
        login = "postgresql://reading:" + password + "@headgate/" + DOMAIN;
        memory = new RootAllocator(64 << 20);
        http = HttpClient.newHttpClient();
        direct = connect();
        try (Statement statement = direct.createStatement()) {
            statement.execute(OURS);
            String zone = text(send(Map.of("sql", "SHOW TimeZone"), SqlAnswers.CSV)
                            .body())
                    .lines()
                    .toList()
                    .getLast();
            statement.execute("SET TimeZone TO '" + zone + "'"); // pgjdbc asks for that of this JVM
        }
    }

    @AfterAll
    void close() throws SQLException {
        direct.close();
        http.close();
        memory.close();
    }

    Stream<String> all() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = direct.createStatement();
                ResultSet rows = statement.executeQuery(ALL)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        names.removeAll(OF_THE_SERVER);
        return names.stream();
    }

    @Test
    void everyTypeHasSamples() throws SQLException {
        assertThat(all()).containsExactlyInAnyOrderElementsOf(SAMPLES.keySet());
    }

    @ParameterizedTest
    @MethodSource("all")
    void aValueComesBackAsPgjdbcReadsIt(String name) throws Exception {
        int id = id("SELECT oid::int8::int FROM pg_type WHERE typname = '" + name + "'");
        for (String sample : SAMPLES.getOrDefault(name, List.of())) {
            compare(id, sample);
        }
        compare(id, null);
    }

    @ParameterizedTest
    @MethodSource("all")
    void anArrayComesBackAsPgjdbcReadsIt(String name) throws Exception {
        int id = id("SELECT typarray::int8::int FROM pg_type WHERE typname = '" + name + "'");
        List<String> samples = SAMPLES.getOrDefault(name, List.of());
        String array = "ARRAY[" + ("?::text::" + quoted(name) + ", ").repeat(samples.size()) + "NULL]";
        compare(id, text(array, samples));
        compare(
                id,
                text(
                        "ARRAY[" + array + ", " + array + "]",
                        Stream.concat(samples.stream(), samples.stream()).toList()));
        compare(id, "{}");
        compare(id, null);
    }

    /** The server's text of an expression of these parameters. */
    private String text(String expression, List<String> parameters) throws SQLException {
        try (PreparedStatement statement = direct.prepareStatement("SELECT (" + expression + ")::text")) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private static String quoted(String name) {
        return '"' + name + '"';
    }

    /** Sends a value in as a parameter and reads it in each format. */
    private void compare(int type, @Nullable String value) throws Exception {
        String name = name(type);
        try (PreparedStatement statement = direct.prepareStatement("SELECT ?::text::" + quoted(name))) {
            statement.setString(1, value);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                Seen seen = Seen.of(row, 1);
                String sent = value == null ? "null" : JSON.writeValueAsString(value);
                String json = value(type, sent);
                assertThat(json).isEqualTo(json(BASES.getOrDefault(name, name), seen));
                if (!name.contains("json")) {
                    assertThat(value(type, json)).as("what came out").isEqualTo(json);
                } else if (json.startsWith("{")) { // a string or an array is the text of a parameter
                    assertThat(value(type, json)).as("what came out").isEqualToIgnoringWhitespace(json);
                }
                assertThat(JSON.readTree(run(type, sent, SqlAnswers.JSON)).at("/results/0/data/0/0"))
                        .isEqualTo(JSON.readTree(json));
                assertThat(text(run(type, sent, SqlAnswers.CSV))).isEqualTo("v\r\n" + csv(seen.text()) + "\r\n");
                if (hasPlaceInArrow(type, seen.text())) {
                    assertThat(ArrowTable.read(run(type, sent, SqlAnswers.ARROW), memory)
                                    .rows())
                            .containsExactly(Collections.singletonList(arrow(row, type)));
                } else {
                    assertThat(text(send(type, sent, SqlAnswers.ARROW).body())).contains("\"22008\"");
                }
                assertThat(neon(name, sent, false)).isEqualTo(JSON.readTree(json));
                assertThat(neon(name, sent, true)).isEqualTo(JSON.valueToTree(seen.text()));
            }
        }
    }

    /** In a session like this one, but for what it sets first. */
    @Test
    void aValueFollowsTheSettingsOfItsSession() throws Exception {
        List<String> statements = List.of(
                "SET TimeZone TO 'Asia/Kolkata'",
                "SET DateStyle TO 'ISO, DMY'",
                "SET IntervalStyle TO iso_8601",
                "SET extra_float_digits TO -3",
                """
                SELECT timestamptz '2024-02-29 20:00:00+00', (timestamptz '2024-02-29 20:00:00+00')::date,
                       text '03/04/2024'::date, interval '1 year 2 days 3 hours', 0.1::float8 + 0.2::float8,
                       ARRAY[timestamptz '2024-02-29 20:00:00+00'], tstzrange '[2024-02-29 20:00:00+00,)'""");
        List<String> expected = new ArrayList<>();
        try (Connection other = connect();
                Statement statement = other.createStatement()) {
            for (String each : statements.subList(0, statements.size() - 1)) {
                statement.execute(each);
            }
            try (ResultSet row = statement.executeQuery(statements.getLast())) {
                row.next();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    expected.add(json(row.getMetaData().getColumnTypeName(i), Seen.of(row, i)));
                }
            }
        }
        List<Map<String, String>> all =
                statements.stream().map(each -> Map.of("sql", each)).toList();
        assertThat(expected).contains("\"2024-03-01 01:30:00+05:30\"", "\"2024-04-03\"", "\"P1Y2DT3H\"", "0.3");
        assertThat(text(send(Map.of("transaction", true, "statements", all), SqlAnswers.NDJSON)
                                .body())
                        .lines()
                        .filter(line -> line.startsWith("[")))
                .containsExactly("[" + String.join(",", expected) + "]");
    }

    /**
     * What pgjdbc reads.
     *
     * @param elements of an array, whose own elements they may be; null for what is none
     */
    private record Seen(@Nullable String text, @Nullable List<Seen> elements) {

        static Seen of(ResultSet row, int column) throws SQLException {
            String text = row.getString(column);
            if (text == null) {
                return new Seen(null, null);
            }
            if (row.getMetaData().getColumnTypeName(column).equals("bytea")) {
                return new Seen("\\x" + HexFormat.of().formatHex(row.getBytes(column)), null);
            }
            if (row.getMetaData().getColumnType(column) != Types.ARRAY) {
                return new Seen(text, null);
            }
            List<Seen> elements = new ArrayList<>();
            Array array = row.getArray(column);
            try (ResultSet each = array.getResultSet()) {
                while (each.next()) {
                    elements.add(of(each, 2));
                }
            }
            return new Seen(text, elements);
        }
    }

    /** The documented form. */
    private static String json(String type, Seen seen) {
        String text = seen.text();
        if (text == null) {
            return "null";
        }
        if (seen.elements() != null && type.startsWith("_") && ELEMENTS.contains(type.substring(1))) {
            return array(type.substring(1), seen.elements());
        }
        return switch (type) {
            case "json", "jsonb" -> text.replaceAll("[\r\n]", " ");
            case "bool" -> text.equals("t") ? "true" : "false";
            case "int2", "int4" -> text;
            case "float4", "float8" ->
                text.matches("NaN|-?Infinity") ? '"' + text + '"' : text.equals("-0") ? "-0.0" : text;
            default -> JSON.writeValueAsString(text);
        };
    }

    private static String array(String element, List<Seen> elements) {
        return elements.stream()
                .map(each -> each.elements() == null ? json(element, each) : array(element, each.elements()))
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String csv(@Nullable String text) {
        if (text == null) {
            return "";
        }
        boolean quoted = text.isEmpty()
                || text.chars().anyMatch(each -> ",\"\r\n".indexOf(each) >= 0)
                || text.startsWith(" ")
                || text.endsWith(" ");
        return quoted ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    private static boolean hasPlaceInArrow(int type, @Nullable String text) {
        if (text == null) {
            return true;
        }
        return switch (type) {
            case 1082, 1114, 1184 -> !text.endsWith("infinity") && !text.startsWith("294276");
            case 1083 -> !text.equals("24:00:00");
            default -> true;
        };
    }

    /** As {@link ArrowTable} has it. */
    private static @Nullable String arrow(ResultSet row, int type) throws SQLException {
        if (row.getString(1) == null) {
            return null;
        }
        return switch (type) {
            case 16 -> String.valueOf(row.getBoolean(1));
            case 20, 21, 23 -> String.valueOf(row.getLong(1));
            case 700 -> String.valueOf(row.getFloat(1));
            case 701 -> String.valueOf(row.getDouble(1));
            case 17 -> HexFormat.of().formatHex(row.getBytes(1));
            case 1082 -> String.valueOf(row.getObject(1, LocalDate.class).toEpochDay());
            case 1083 -> String.valueOf(row.getObject(1, LocalTime.class).toNanoOfDay() / 1_000);
            case 1114 -> row.getObject(1, LocalDateTime.class).toString();
            case 1184 ->
                String.valueOf(ChronoUnit.MICROS.between(
                        java.time.Instant.EPOCH,
                        row.getObject(1, OffsetDateTime.class).toInstant()));
            default -> row.getString(1);
        };
    }

    /** A parameter as it comes back in NDJSON, both as JSON. */
    private String value(int type, String parameter) throws IOException, InterruptedException {
        String row = text(run(type, parameter, SqlAnswers.NDJSON))
                .lines()
                .skip(1)
                .findFirst()
                .orElseThrow();
        return row.substring(1, row.length() - 1);
    }

    /** @param parameter as JSON */
    private byte[] run(int type, String parameter, String accept) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = send(type, parameter, accept);
        assertThat(answer.statusCode()).as(text(answer.body())).isEqualTo(200);
        return answer.body();
    }

    private HttpResponse<byte[]> send(int type, String parameter, String accept)
            throws IOException, InterruptedException {
        String id = Integer.toUnsignedString(type);
        return send(
                Map.of("sql", "SELECT $1 AS v", "params", List.of(new RawValue(parameter)), "types", List.of(id)),
                accept);
    }

    private HttpResponse<byte[]> send(Map<String, Object> body, String accept)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(service.root().resolve("/api/v1/domains/" + DOMAIN + "/sql"))
                        .header("Authorization", "Bearer " + service.token())
                        .header("Content-Type", "application/json")
                        .header("Accept", accept)
                        .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    /** The same by way of Neon's driver, which sends no types. */
    private JsonNode neon(String type, String parameter, boolean raw) {
        Map<String, Object> body =
                Map.of("query", "SELECT $1::" + quoted(type) + " AS v", "params", List.of(new RawValue(parameter)));
        return service.sendAnonymous(
                        "POST",
                        "/sql",
                        JSON.writeValueAsString(body),
                        "Neon-Connection-String",
                        login,
                        "Neon-Raw-Text-Output",
                        String.valueOf(raw),
                        "Neon-Array-Mode",
                        "true")
                .expect(200)
                .json()
                .at("/rows/0/0");
    }

    private static String text(byte[] answer) {
        return new String(answer, StandardCharsets.UTF_8);
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection( // its own texts of numbers, as binary values become, are not PostgreSQL's
                "jdbc:postgresql://127.0.0.1:" + service.embedded().port() + "/" + Service.TARGET
                        + "?binaryTransfer=false",
                Service.TARGET,
                Service.TARGET_PASSWORD);
    }

    private String name(int type) throws SQLException {
        try (Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery("SELECT typname FROM pg_type WHERE oid = " + type)) {
            row.next();
            return row.getString(1);
        }
    }

    private int id(String sql) throws SQLException {
        try (Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }
}
