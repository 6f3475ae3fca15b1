package dev.headgate.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * For each operation of the OpenAPI document that has a body: a path at which the body is read and judged, not only the path refused,
 * and right bodies that are made wrong. What they name is made by {@link HostileBodiesTest}: domains, databases and a load whose names
 * begin with {@value #STAYS}. An {@code @} stands for the number of the worker that sends a body, so that workers that change one
 * thing after the other do not overtake one another.
 */
final class HostileBodies {

    /** How many send bodies at once. */
    static final int WORKERS = 3;

    /** So begins the name of what is there before the first body, and is not deleted. */
    static final String STAYS = "body-";

    /** In a path: the id of an alarm that is open, and of the worker's transaction. */
    static final String ALARM = "ALARM";

    static final String TRANSACTION = "TRANSACTION";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final List<String> POLICY_SETS = List.of("""
            {"policies": [{"plugin": "fixed", "parameters": {"min": 0, "max": 3}}],
             "whenExhausted": {"mode": "queue", "timeoutMs": 500, "depth": 5}, "comment": "a"}""", """
            {"policies": [{"plugin": "fixed", "version": null,
                           "parameters": {"min": 1, "max": 4, "guaranteed": 1, "mode": "eager", "perSecond": 1000.5}},
                          {"plugin": "fixed", "version": "1.2.3", "parameters": {"max": 5}}],
             "whenExhausted": {"mode": "fail"}}""");

    private static final List<String> REPLAYS = POLICY_SETS.stream()
            .map(set -> "{\"seconds\": 5, \"policySet\": " + set + "}")
            .toList();

    private static final List<String> SQL = List.of("""
            {"sql": "SELECT $1::int + 1 AS n, $2 AS t", "params": [1, "a"], "types": ["int4", "text"], "timeoutMs": 60000,
             "maxRows": 100, "readOnly": true}""", """
            {"statements": [{"sql": "SELECT 1"}, {"sql": "SELECT $1::jsonb", "params": [{"a": [1, null]}], "types": [null]}],
             "transaction": true, "readOnly": false}""");

    /**
     * Where bodies are sent.
     *
     * @param operation "POST /api/v1/domains", as the OpenAPI document has it
     * @param path that exists, with its query
     * @param type the content type
     * @param right bodies that are right, of each worker
     * @param most how many are sent at once
     */
    record Door(String operation, String path, String type, List<List<byte[]>> right, Bodies bodies, int most) {

        String method() {
            return operation.substring(0, operation.indexOf(' '));
        }

        /** Whether a statement may end at a deadline that the body itself has set. */
        boolean isSql() {
            return operation.contains("/sql");
        }
    }

    /** Makes bodies that are wrong. */
    @FunctionalInterface
    interface Bodies {
        byte[] wrong(int worker, SplittableRandom random) throws IOException;
    }

    private final TreeMap<String, Door> doors = new TreeMap<>();

    /**
     * @param port of the server with the database {@link Service#TARGET}
     * @param jar of the plugin "fixed" that is installed
     */
    HostileBodies(int port, byte[] jar) {
        alarmsAndMarks();
        databases(port);
        policySets();
        domains();
        sql();
        work();
        files(jar);
    }

    /** In the order of their names. */
    List<Door> doors() {
        return List.copyOf(doors.values());
    }

    private void alarmsAndMarks() {
        // An alarm that is open: a domain drains. The first acknowledgement counts, a silence replaces the one before.
        json("POST /api/v1/alarms/{id}/acknowledge", "/alarms/" + ALARM + "/acknowledge", "{\"reason\": \"seen\"}");
        json(
                "POST /api/v1/alarms/{id}/silence",
                "/alarms/" + ALARM + "/silence",
                "{\"forMinutes\": 5, \"reason\": \"a\"}");
        json("POST /api/v1/annotations", "/annotations", """
                {"kind": "deploy", "text": "a", "domain": "body-sql", "tags": ["a", "b"], "time": "2026-11-23T00:00:00Z"}""", """
                {"kind": "note", "text": "b", "database": "main"}""");
        // From an address of its own each, with and without the token: an address that shows ten wrong codes is slowed
        // down.
        json("POST /api/v1/session", "/session", "{\"code\": \"a\"}", "{\"code\": null}");
    }

    private void databases(int port) {
        String target = """
                "host": "127.0.0.1", "port": %d, "database": "%s", "user": "%s", "password": "%s", "sslMode": "disable", "budget": 5}""".formatted(port, Service.TARGET, Service.TARGET, Service.TARGET_PASSWORD);
        // The name is free, so a body that is right in itself is tried on the server; or it is taken, which is found
        // before that.
        json(
                "POST /api/v1/databases",
                "/databases",
                "{\"name\": \"new-@\", " + target,
                "{\"name\": \"main\", " + target);
        // A database without domains.
        json(
                "PATCH /api/v1/databases/{database}",
                "/databases/body-patched",
                "{" + target,
                "{\"budget\": 6, \"sslMode\": \"disable\"}");
    }

    private void policySets() {
        // Each worker has a domain and a database of its own, and bases each set on the revision that it was told last.
        for (String kind : List.of("domain", "database")) {
            String operation = "/api/v1/" + kind + "s/{" + kind + "}/policies";
            String path = "/" + kind + "s/body-@/policies";
            json("PUT " + operation, path, POLICY_SETS);
            json("POST " + operation + "/plan", path + "/plan?predict=false", POLICY_SETS);
            // One at a time: while the replay of one worker runs, a right body is a conflict for the others.
            json("POST " + operation + "/replay", path + "/replay", REPLAYS);
        }
        json("PUT /api/v1/domains/{domain}/policies/shadow", "/domains/body-@/policies/shadow", POLICY_SETS);
        // An installed version, which the named domains use already.
        String adopt = "{\"domains\": [\"body-other\", \"body-sized\"]}";
        json("POST /api/v1/policy-plugins/{id}/{version}/adopt", "/policy-plugins/fixed/1.2.3/adopt", adopt);
        json("POST /api/v1/policy-plugins/{id}/{version}/adopt/plan", "/policy-plugins/fixed/1.2.3/adopt/plan", adopt);
    }

    private void domains() {
        String settings = """
                "description": "a", "labels": {"team": "a", "b.c": "d"},
                "sql": {"access": "write", "timeoutMs": 1000, "maxRows": 10, "maxBytes": 1000},
                "wire": {"mode": "transaction", "maxClients": 5, "sessionState": "pin", "unnamedStatements": "auto"}""";
        // The name is free, so all else is looked at.
        json(
                "POST /api/v1/domains",
                "/domains",
                "{\"name\": \"new-@\", \"database\": \"main\", \"policySet\": " + POLICY_SETS.getFirst() + ", "
                        + settings + "}",
                "{\"name\": \"new-@\", \"database\": \"main\", \"policySet\": " + POLICY_SETS.getLast() + "}");
        // A domain that is there for that.
        json("PATCH /api/v1/domains/{domain}", "/domains/body-patched", "{" + settings + "}");
        // A domain whose clients are all deleted again.
        json(
                "POST /api/v1/domains/{domain}/clients",
                "/domains/body-sql/clients",
                "{\"name\": \"new-@\", \"password\": \"long enough\"}");
        // A domain without load. What a right body starts is cancelled at once; till then another one is a conflict.
        json(
                "POST /api/v1/domains/{domain}/size-searches",
                "/domains/body-sized/size-searches",
                "{\"most\": 3, \"mostP99Ms\": 100, \"mostSeconds\": 60, \"mostWaitMs\": 100}");
    }

    private void sql() {
        json("POST /api/v1/domains/{domain}/sql", "/domains/body-sql/sql", SQL);
        json(
                "POST /api/v1/domains/{domain}/sql/transactions",
                "/domains/body-sql/sql/transactions",
                "{\"idleSeconds\": 20, \"isolation\": \"serializable\", \"readOnly\": true}");
        // A transaction of the worker, which makes a new one when a statement has failed it.
        json(
                "POST /api/v1/domains/{domain}/sql/transactions/{id}",
                "/domains/body-sql/sql/transactions/" + TRANSACTION,
                """
                {"sql": "SELECT $1::int + 1 AS n", "params": [1], "types": ["int4"], "maxRows": 100}""",
                """
                {"statements": [{"sql": "SELECT 1"}, {"sql": "SELECT $1::jsonb", "params": [{"a": [1, null]}], "types": [null]}]}""");
        json("POST /api/v1/sql/scatter", "/sql/scatter", """
                {"branches": [{"domain": "body-sql", "sql": "SELECT 1 AS n"},
                              {"domain": "body-other", "sql": "SELECT $1::int AS n", "params": [2], "types": ["int4"]}],
                 "orderBy": "n", "descending": false, "onError": "partial", "deadlineMs": 60000}""");
    }

    private void work() {
        // An experiment that hardly uses the machine runs meanwhile, so a right body is a conflict.
        json(
                "POST /api/v1/experiments/{name}/runs",
                "/experiments/fork-join/runs",
                "{\"form\": \"quick\", \"values\": {\"samples\": 60, \"roundTripMs\": 1}, \"seed\": 1}");
        // Loads that stand still, or offer a statement now and then where the wrong place is what kept them.
        json(
                "PATCH /api/v1/workloads/{name}",
                "/workloads/body-load",
                "{\"running\": false, \"ratePerSecond\": 2.5, \"varies\": true}");
        json("PUT /api/v1/workloads/{name}", "/workloads/new-@", """
                {"domain": "body-sql", "description": "a", "ratePerSecond": 1.5, "varies": false, "running": false, "seed": 1,
                 "variables": {"scale": 1}, "transactions": [
                   {"name": "a", "weight": 2, "statements": ["SELECT 1", "SELECT :x"], "parameters": {"x": "random(1, 10)"}}]}""", """
                {"domain": "body-sql", "users": 1, "thinkMs": 1000, "running": false, "transactions": [
                   {"name": "b", "script": "\\\\set x random(1, 10)\\nSELECT :x;"}]}""", """
                {"domain": "body-sql", "phases": [{"seconds": 1, "ratePerSecond": 1, "toRatePerSecond": 2, "warmUp": true}, {"seconds": 1,
                  "ratePerSecond": 2}], "running": false, "transactions": [{"name": "c", "statements": ["SELECT 1"]}]}""");
    }

    private void files(byte[] jar) {
        // One file names a database whose password nobody has, so it is refused at the end; the other one has a domain
        // alone.
        String whole = HostileFiles.YAML;
        String domains = whole.substring(0, whole.indexOf("databases:")) + whole.substring(whole.indexOf("domains:"));
        Bodies files = (worker, random) -> HostileFiles.wrongYaml(random.nextBoolean() ? whole : domains, random);
        List<List<byte[]>> right = ofWorkers(List.of(domains), HostileBodies::bytes);
        String yaml = "application/yaml";
        add("POST /api/v1/files/diff", "/files/diff?source=a", yaml, right, files, WORKERS);
        add("POST /api/v1/files/apply", "/files/apply?source=a&prune=true", yaml, right, files, WORKERS);
        // A plugin that is installed: other bytes of the same version are a conflict, another version or id is
        // installed. Two are taken
        // at once.
        Bodies jars = (worker, random) ->
                random.nextBoolean() ? HostileJson.spoilt(jar, random) : HostileFiles.rezipped(jar, random);
        add(
                "POST /api/v1/policy-plugins",
                "/policy-plugins?fileName=a.jar",
                "application/java-archive",
                List.of(List.of(jar)),
                jars,
                2);
    }

    private void json(String operation, String path, String... right) {
        json(operation, path, List.of(right));
    }

    private void json(String operation, String path, List<String> right) {
        List<List<JsonNode>> read = ofWorkers(right, JSON::readTree);
        Bodies wrong = (worker, random) -> {
            List<JsonNode> ofWorker = read.get(worker);
            return HostileJson.wrong(ofWorker.get(random.nextInt(ofWorker.size())), random);
        };
        add(operation, path, "application/json", ofWorkers(right, HostileBodies::bytes), wrong, WORKERS);
    }

    private static <T> List<List<T>> ofWorkers(List<String> right, Function<String, T> read) {
        return IntStream.range(0, WORKERS)
                .mapToObj(worker -> right.stream()
                        .map(text -> read.apply(text.replace("@", String.valueOf(worker))))
                        .toList())
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void add(String operation, String path, String type, List<List<byte[]>> right, Bodies wrong, int most) {
        doors.put(operation, new Door(operation, "/api/v1" + path, type, right, wrong, most));
    }

    /** The bytes of a request. */
    static byte[] request(Door door, String path, String headers, byte[] body) {
        byte[] head = (door.method() + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "Content-Type: "
                        + door.type() + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        return all;
    }
}
