package dev.headgate.bench.attacks;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What one kind of hostile caller sends again and again.
 *
 * @param callers how many do it at once
 * @param pauseMillis of each caller between two of them
 */
record Attack(String name, int callers, long pauseMillis, Lasting once) {

    /** One request, or one session. Returns what came of it, in a few words. */
    interface Once {
        String send(Target target) throws Exception;
    }

    /** The same; counts by itself what is to be known before its end. */
    interface Lasting {
        String send(Target target, Outcomes outcomes) throws Exception;
    }

    Attack(String name, int callers, long pauseMillis, Once once) {
        this(name, callers, pauseMillis, (target, _) -> once.send(target));
    }

    private static final int MEGABYTE = 1 << 20;

    private static final List<String> POLLED = List.of(
            "/api/v1/domains/%s/history?minutes=60",
            "/api/v1/domains",
            "/api/v1/decisions?limit=200",
            "/api/v1/domains/%s/pool",
            "/api/v1/memory",
            "/api/v1/audit");

    private static final List<String> MALFORMED = List.of(
            "/api/v1/domains?=x",
            "/api/v1/domains?limit=99999999999",
            "/api/v1/domains?gaurd=x",
            "/api/v1/decisions?before=9999999999999",
            "/api/v1/decisions?from=%2B999999999-12-31T23:59:59Z",
            "/api/v1/domains/a%00b",
            "/api/v1/domains/" + "a".repeat(4_000));

    /** What once ended the process or made others wait, each as it was seen. */
    static List<Attack> all() {
        return List.of(
                new Attack("statements of 14 MB", 4, 1_000, Attack::prepareLongStatements),
                new Attack("replays", 2, 1_000, Attack::replay),
                new Attack("pointers in YAML", 2, 500, target -> yaml(target, pointers())),
                new Attack("deep YAML", 1, 1_000, target -> yaml(target, "a: " + "[".repeat(100_000))),
                new Attack("bodies of 60 MB", 8, 2_000, Attack::sendLongBody),
                new Attack("jars of 15 MB", 32, 5_000, Attack::uploadJar),
                new Attack("pollers", 50, 1_600, Attack::poll),
                new Attack("malformed requests", 2, 500, target -> target.get(any(MALFORMED))),
                new Attack("secrets of the service", 1, 1_000, Attack::askForSecrets),
                new Attack("wrong tokens", 1, 500, target -> target.getWithToken("x".repeat(40), "/api/v1/domains")),
                new Attack("wrong passwords", 1, 500, Attack::logInWrongly),
                new Attack("streams", 38, 0, Streams::read),
                new Attack("streams that nobody reads", 12, 0, Streams::neglect));
    }

    /** Many who watch, as often as pages and scripts do. */
    static List<Attack> watchers() {
        return List.of(
                new Attack("pollers", 200, 5_000, Attack::poll),
                new Attack("streams", 150, 0, Streams::read),
                new Attack("streams that nobody reads", 50, 0, Streams::neglect));
    }

    /** Two long requests at once. One of them is no replay: the service makes one replay at a time, and a plan may need one. */
    static List<Attack> longRequests() {
        return List.of(
                new Attack("replays", 1, 1, Attack::replay),
                new Attack("plans and histories of an hour", 1, 1, Attack::planOrReadHistory));
    }

    private static String any(List<String> choices) {
        return choices.get(ThreadLocalRandom.current().nextInt(choices.size()));
    }

    private static String prepareLongStatements(Target target) {
        String text = "x".repeat(14 * MEGABYTE);
        try (Connection connection = target.connect(target.password())) {
            for (int i = 0; i < 40; i++) {
                try (PreparedStatement statement = connection.prepareStatement("select " + i + " /*" + text + "*/")) {
                    statement.execute();
                }
            }
            return "40 prepared";
        } catch (SQLException e) {
            return "SQLSTATE " + e.getSQLState();
        }
    }

    private static String logInWrongly(Target target) {
        try (Connection _ = target.connect("wrong")) {
            return "let in";
        } catch (SQLException e) {
            return "SQLSTATE " + e.getSQLState();
        }
    }

    private static String replay(Target target) throws Exception {
        return target.answerTo(
                "POST",
                "/api/v1/domains/" + target.bystander() + "/policies/replay",
                "application/json",
                BodyPublishers.ofString("{\"seconds\": 300}"));
    }

    private static String planOrReadHistory(Target target) throws Exception {
        String domain = "/api/v1/domains/" + target.bystander();
        return ThreadLocalRandom.current().nextBoolean()
                ? target.get(domain + "/history?minutes=60")
                : target.answerTo("POST", domain + "/policies/plan", "application/json", BodyPublishers.ofString("""
                        {"policies": [{"plugin": "min-max", "parameters": {"min": 2, "max": 8}}]}"""));
    }

    private static String yaml(Target target, String document) throws Exception {
        return target.answerTo(
                "POST", "/api/v1/files/diff?source=attack", "application/yaml", BodyPublishers.ofString(document));
    }

    /** 110 KB that stand for some 10 to the 9th values. */
    private static String pointers() {
        StringBuilder document = new StringBuilder("a0: &a0 [" + "x,".repeat(50_000) + "x]\n");
        for (int i = 1; i < 9; i++) {
            document.append("a%d: &a%d [%s]%n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(9) + "*a" + (i - 1)));
        }
        return document.toString();
    }

    private static String sendLongBody(Target target) throws Exception {
        byte[] body = new byte[60 * MEGABYTE];
        Arrays.fill(body, (byte) ' ');
        body[0] = '{';
        return target.answerTo("POST", "/api/v1/domains", "application/json", BodyPublishers.ofByteArray(body));
    }

    private static String uploadJar(Target target) throws Exception {
        byte[] jar = new byte[15 * MEGABYTE];
        ThreadLocalRandom.current().nextBytes(jar);
        return target.answerTo(
                "POST",
                "/api/v1/policy-plugins?fileName=attack.jar",
                "application/java-archive",
                BodyPublishers.ofByteArray(jar));
    }

    private static String poll(Target target) throws Exception {
        return target.get(any(POLLED).formatted(target.bystander()));
    }

    private static String askForSecrets(Target target) throws Exception {
        return yaml(target, """
                databases:
                  - {name: stolen, host: 127.0.0.1, port: 9, database: a, user: a, passwordFile: /etc/passwd, budget: 5}
                """);
    }

    /** The label of an exception that ended a caller's request. */
    static String outcome(Exception failure) {
        String message = String.valueOf(failure.getMessage());
        byte[] shown = message.getBytes(StandardCharsets.UTF_8);
        return failure.getClass().getSimpleName() + (shown.length < 80 ? ": " + message : "");
    }
}
