package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.HostileBodies.Door;
import dev.headgate.server.RawHttp.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Bodies that are wrong somewhere, for each operation that has a body, over a few connections at once. What must hold is what
 * {@link HostileWatch} says.
 *
 * <p>Plays a few fixed inputs of each operation. {@code ./headgate check bodies} sets {@code -Dhostile.inputs=N}: so many of each, from
 * a seed that is printed. {@code ./headgate check hostile} sets {@code -Dhostile.seconds=N}, which the operations share.
 * {@code -Dhostile.seed=S} sets the first seed, {@code "-Dhostile.operation=POST /api/v1/domains"} plays that operation only.
 */
@Timeout(14_400)
class HostileBodiesTest {

    private static final long USUAL = 15;
    private static final int WARM_UP = 4;

    /** After so many inputs of an operation what they have made is deleted. */
    private static final int CHUNK = 250;

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:-]{1,253}");

    /** A statement has failed, before its first row or after; or the transaction was idle for too long. */
    private static final Pattern ENDS_TRANSACTION = Pattern.compile("\"(sql|error)\":|/not-found\"");

    private static final String EXPERIMENTS = "POST /api/v1/experiments/{name}/runs";

    private static final String POLICIES = "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": 8}}]";

    /** An experiment that waits for slow answers nearly all of the time, for longer than anybody plays. */
    private static final String IDLE_EXPERIMENT =
            "{\"form\": \"quick\", \"values\": {\"samples\": 5000, \"roundTripMs\": 100}}";

    @TempDir
    static Path data;

    private static Service service;
    private static HostileWatch watch;
    private static HostileBodies bodies;
    private static List<Worker> workers;
    private static String alarm;
    private static @Nullable String experiment;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(
                data,
                "--headgate.limits.requests-per-second=1000000",
                "--headgate.limits.long-requests=8", // half of them are for one caller
                "--headgate.access.trusted-proxies=127.0.0.1");
        service.post("/databases", service.databaseBody("main", 40)).expect(201);
        for (String each : List.of("sql", "other", "sized", "patched", "drained")) {
            service.domain(HostileBodies.STAYS + each, POLICIES);
        }
        service.post("/databases", service.databaseBody("body-patched", 5)).expect(201);
        service.put("/workloads/body-load", """
                {"domain": "body-sql", "ratePerSecond": 1, "running": false, "transactions": [{"name": "a", "statements": ["SELECT 1"]}]}""").expect(201);
        bodies = new HostileBodies(service.embedded().port(), Files.readAllBytes(data.resolve("plugins/fixed.jar")));
        workers = new ArrayList<>();
        for (int i = 0; i < HostileBodies.WORKERS; i++) {
            String name = HostileBodies.STAYS + i;
            service.post("/databases", service.databaseBody(name, 5)).expect(201);
            // From its first policy on, a database has a thread for policies.
            service.put("/databases/" + name + "/policies", "{\"policies\": " + POLICIES + "}", "If-Match", "\"0\"")
                    .expect(200);
            service.domain(name, POLICIES);
            workers.add(new Worker(i));
        }
        service.post("/domains/body-drained/drain", "").expect(200);
        await().atMost(Service.PATIENCE).until(() -> !alarms().isEmpty());
        alarm = alarms().get(0).get("id").asString();
        watch = new HostileWatch(service, data);
    }

    private static JsonNode alarms() {
        return service.get("/alarms?state=open&domain=body-drained")
                .expect(200)
                .json()
                .get("items");
    }

    @AfterAll
    static void stop() {
        watch.close();
        service.close();
    }

    @Test
    void everyOperationWithABodyIsPlayed() {
        JsonNode paths =
                service.send("GET", "/v3/api-docs", null).expect(200).json().get("paths");
        TreeSet<String> documented = new TreeSet<>();
        paths.properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    if (operation.getValue().has("requestBody")) {
                        documented.add(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));
        assertThat(bodies.doors()).extracting(Door::operation).containsExactlyElementsOf(documented);
    }

    /** Otherwise the wrong ones would be refused for another reason than what is wrong with them. */
    @Test
    void whatIsMadeWrongIsRight() throws IOException {
        for (Door door : bodies.doors()) {
            for (byte[] body : door.right().getFirst()) {
                Answer answer = workers.getFirst().send(door, body, new SplittableRandom(1));
                assertThat(answer.status())
                        .as(door.operation() + ": " + answer)
                        .satisfiesAnyOf(
                                status -> assertThat(status).isIn(200, 201, 202, 204, 401, 409),
                                _ -> assertThat(answer.body()).contains("recorded"));
            }
        }
        clear();
        awaitEndOfExperiments(); // the server of one has files in the data folder while it ends
    }

    @Test
    void anyBodyIsTakenOrRefused() throws Exception {
        String only = System.getProperty("hostile.operation");
        List<Door> doors = bodies.doors().stream()
                .filter(door -> only == null || door.operation().equals(only))
                .toList();
        long seconds = Long.getLong("hostile.seconds", 0);
        Long wanted = Long.getLong("hostile.inputs");
        boolean isCheck = seconds > 0 || wanted != null;
        long first = Long.getLong(
                "hostile.seed", isCheck ? ThreadLocalRandom.current().nextInt() : 1);
        long inputs = wanted != null ? wanted : seconds > 0 ? Long.MAX_VALUE : USUAL;
        long nanos = seconds > 0 ? seconds * 1_000_000_000L / doors.size() : Long.MAX_VALUE;
        try (ThreadPoolExecutor threads = new ThreadPoolExecutor(
                HostileBodies.WORKERS, HostileBodies.WORKERS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>())) {
            threads.prestartAllCoreThreads(); // they are no leak
            for (Door door : doors) { // what is made once, and kept, is made now
                if (!door.operation().equals(EXPERIMENTS)) { // it takes seconds to start and keeps nothing
                    new Play(door, -WARM_UP, WARM_UP, Long.MAX_VALUE).toItsEnd(threads);
                }
            }
            watch.forgetDefects();
            HostileWatch.Held before = watch.held();
            if (isCheck) {
                System.out.println("bodies: from seed " + first);
            }
            for (Door door : doors) {
                Play play = new Play(door, first, inputs, nanos);
                play.toItsEnd(threads);
                if (isCheck) {
                    System.out.println(play);
                }
            }
            for (Worker worker : workers) {
                worker.close();
            }
            awaitEndOfExperiments();
            watch.requireNothingLeft(before);
        }
    }

    // ---- playing

    /** Inputs of one operation, from one seed on. */
    private static final class Play {
        private final Door door;
        private final long first;
        private final long inputs;
        private final long nanos;
        private final long began = System.nanoTime();
        private final AtomicLong next = new AtomicLong();
        private final Map<Integer, AtomicLong> statuses = new ConcurrentSkipListMap<>();
        private double seconds;

        Play(Door door, long first, long inputs, long nanos) {
            this.door = door;
            this.first = first;
            this.inputs = inputs;
            this.nanos = nanos;
        }

        void toItsEnd(ExecutorService threads) throws Exception {
            if (door.operation().equals(EXPERIMENTS)) {
                startIdleExperiment();
            }
            while (next.get() < inputs && System.nanoTime() - began < nanos) {
                long end = Math.min(inputs, next.get() + CHUNK);
                List<Future<?>> playing = new ArrayList<>();
                for (Worker worker : workers.subList(0, door.most())) {
                    playing.add(threads.submit(() -> {
                        playTo(end, worker);
                        return null;
                    }));
                }
                for (Future<?> each : playing) {
                    ended(each);
                }
                next.set(end);
                watch.requireNoDefect();
                clear();
            }
            seconds = (System.nanoTime() - began) / 1e9;
            if (door.operation().equals(EXPERIMENTS)) {
                cancelExperiment();
            }
        }

        private static void ended(Future<?> playing) throws Exception {
            try {
                playing.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AssertionError fault) {
                    throw fault;
                }
                throw e;
            }
        }

        private void playTo(long end, Worker worker) {
            for (long at = next.getAndIncrement(); at < end; at = next.getAndIncrement()) {
                long seed = first + at;
                try {
                    int status = worker.play(door, new SplittableRandom(seed));
                    statuses.computeIfAbsent(status, _ -> new AtomicLong()).incrementAndGet();
                } catch (Exception | AssertionError | StackOverflowError fault) {
                    next.set(Long.MAX_VALUE / 2); // the others end, too
                    throw new AssertionError(
                            "bodies: -Dhostile.inputs=1 -Dhostile.seed=" + seed + " '-Dhostile.operation="
                                    + door.operation() + "': " + fault,
                            fault);
                }
            }
        }

        @Override
        public String toString() {
            return "%-62s %,9d inputs, %,6.0f a second; answers by status: %s"
                    .formatted(door.operation(), next.get(), next.get() / seconds, new TreeMap<>(statuses));
        }
    }

    /** Deletes what right bodies have made and is not deleted at once, and ends what they have started. */
    private static void clear() {
        watch.clear(name -> name.startsWith(HostileBodies.STAYS) || name.equals("main"));
        for (JsonNode each : service.get("/workloads").expect(200).json().get("items")) {
            String name = each.get("name").asString();
            if (name.startsWith(HostileBodies.STAYS)) {
                service.patch("/workloads/" + name, "{\"running\": false}").expect(200);
            } else {
                service.delete("/workloads/" + name).expect(204);
            }
        }
    }

    private static void startIdleExperiment() {
        await().atMost(Service.PATIENCE)
                .until(
                        () -> { // the one before may not have ended yet
                            Service.Answer answer = service.post("/experiments/fork-join/runs", IDLE_EXPERIMENT);
                            experiment = answer.header("Location");
                            return answer.status() == 202;
                        });
    }

    /** Does not wait for its end. */
    private static void cancelExperiment() {
        service.delete(run()).expect(204);
    }

    /** Waits until no run is in progress, and deletes all. */
    private static void awaitEndOfExperiments() {
        await().atMost(Service.PATIENCE)
                .until(() -> runs().stream()
                        .noneMatch(each -> each.get("state").asString().equals("running")));
        runs().forEach(each ->
                service.delete("/experiments/runs/" + each.get("id").asString()).expect(204));
    }

    private static List<JsonNode> runs() {
        return service.get("/experiments/runs")
                .expect(200)
                .json()
                .get("items")
                .valueStream()
                .toList();
    }

    private static String run() {
        return String.valueOf(experiment).substring("/api/v1".length());
    }

    /** Sends one body after the other on a connection of its own. Belongs to one thread at a time. */
    private static final class Worker implements AutoCloseable {
        private final int number;
        private final RawHttp http = new RawHttp(service.root().getPort());

        /** Of the worker's policy sets, by path. */
        private final Map<String, String> revisions = new TreeMap<>();

        private @Nullable String transaction;

        Worker(int number) {
            this.number = number;
        }

        /** Returns the status of the answer; 0 if there is none. */
        int play(Door door, SplittableRandom random) throws IOException {
            byte[] body = door.bodies().wrong(number, random);
            while (connectsElsewhere(door, body)) {
                body = door.bodies().wrong(number, random);
            }
            @Nullable Answer answer = send(door, body, random);
            return answer == null ? 0 : answer.status();
        }

        /** Sends a body, judges the answer, and tidies up. */
        @Nullable
        Answer send(Door door, byte[] body, SplittableRandom random) throws IOException {
            String path = path(door);
            byte[] request = HostileBodies.request(door, path, headers(door, path, random), body);
            @Nullable Answer answer = http.send(request, true);
            if (answer == null || !door.isSql() || !isAtItsDeadline(answer)) {
                watch.judge(answer, request, false);
            }
            if (answer != null) {
                tidy(door, path, answer);
            }
            return answer;
        }

        /** Whether a statement has ended at a time that its body may have set: at Headgate, or at the server if that was first. */
        private static boolean isAtItsDeadline(Answer answer) {
            return answer.status() == 504
                    || answer.status() == 500 && answer.body().contains("\"code\":\"57014\"");
        }

        private String path(Door door) throws IOException {
            String path = door.path().replace("@", String.valueOf(number)).replace(HostileBodies.ALARM, alarm);
            return path.contains(HostileBodies.TRANSACTION)
                    ? path.replace(HostileBodies.TRANSACTION, transaction())
                    : path;
        }

        private String transaction() throws IOException {
            if (transaction == null) {
                String location = send("POST", "/api/v1/domains/body-sql/sql/transactions", "{}")
                        .headers()
                        .get("location");
                transaction = location.substring(location.lastIndexOf('/') + 1);
            }
            return transaction;
        }

        private String headers(Door door, String path, SplittableRandom random) throws IOException {
            StringBuilder headers = new StringBuilder();
            boolean isSession = door.operation().equals("POST /api/v1/session");
            if (isSession) {
                headers.append("X-Forwarded-For: 10.%d.%d.%d\r\n"
                        .formatted(random.nextInt(256), random.nextInt(256), random.nextInt(256)));
            }
            if (!isSession || random.nextBoolean()) {
                headers.append("Authorization: Bearer ").append(service.token()).append("\r\n");
            }
            if (door.method().equals("PUT") && path.endsWith("/policies")) {
                if (!revisions.containsKey(path)) {
                    revisions.put(path, send("GET", path, null).headers().get("etag"));
                }
                headers.append("If-Match: ").append(revisions.get(path)).append("\r\n");
            }
            if (door.isSql() && random.nextInt(8) == 0) {
                headers.append("Prefer: respond-async\r\n");
            }
            return headers.toString();
        }

        /** Notes a new revision, ends a transaction that may have failed, and deletes what was made or started. */
        private void tidy(Door door, String path, Answer answer) throws IOException {
            if (answer.headers().containsKey("etag")) {
                revisions.put(path, answer.headers().get("etag"));
            }
            if (door.path().contains(HostileBodies.TRANSACTION)
                    && ENDS_TRANSACTION.matcher(answer.body()).find()) {
                endTransaction();
            }
            String location = answer.headers().get("location");
            if (location != null) {
                send("DELETE", location, null);
            }
        }

        private void endTransaction() throws IOException {
            if (transaction != null) {
                send("DELETE", "/api/v1/domains/body-sql/sql/transactions/" + transaction, null);
                transaction = null;
            }
        }

        private Answer send(String method, String path, @Nullable String body) throws IOException {
            String head = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                    + service.token()
                    + "\r\n"
                    + (body == null
                            ? "\r\n"
                            : "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            Answer answer = http.send(head.getBytes(StandardCharsets.US_ASCII), true);
            assertThat(answer).as(head).isNotNull();
            assertThat(answer.status()).as(method + " " + path + ": " + answer).isLessThan(500);
            return answer;
        }

        /** Gives back what the worker holds. */
        @Override
        public void close() throws IOException {
            endTransaction();
            http.close();
        }
    }

    /** Whether the service would look up a name or connect to a machine that has nothing to do with the test. */
    private static boolean connectsElsewhere(Door door, byte[] body) {
        if (!door.operation().contains("/databases")) {
            return false;
        }
        Matcher host =
                Pattern.compile("\"host\"\\s*:\\s*\"([^\"]*)\"").matcher(new String(body, StandardCharsets.UTF_8));
        while (host.find()) {
            if (HOST.matcher(host.group(1)).matches() && !host.group(1).equals("127.0.0.1")) {
                return true;
            }
        }
        return false;
    }
}
