package dev.headgate.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.api.Scope;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.policies.PolicySetRequest;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** Plugins come and go over HTTP, in a service that lives on. Each test uses a plugin id of its own. */
class PluginContractTest {

    private static final String JAR = "application/java-archive";

    @TempDir
    static Path data;

    @TempDir
    static Path work;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(data);
        service.post("/databases", service.databaseBody("main", 40)).expect(201);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /** It waits until the other set is accepted, and compares with that. */
    @Test
    void aSetIsNotUnchangedWhileAnotherIsBeingPutInForce() throws Exception {
        service.upload("/policy-plugins", answering("queued", "1", 3), JAR).expect(201);
        service.upload("/policy-plugins", answering("queued", "2", 4), JAR).expect(201);
        service.domain("q1", "[{\"plugin\": \"queued\", \"version\": \"2\"}]");
        CompletableFuture<Answer> adopted = new CompletableFuture<>();
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            Policies policies = service.bean(Policies.class);
            PolicySetRequest older = policies.current(Scope.domain("q1")).policySet();
            older = older.withPolicies(
                    older.policies().stream().map(use -> use.withVersion("1")).toList());
            policies.put(Scope.domain("q1"), 1, older); // accepted at the end of this transaction
            adopted.completeAsync(() -> service.post("/policy-plugins/queued/2/adopt", "{\"domains\": [\"q1\"]}"));
            await().atMost(Service.PATIENCE).until(() -> adopted.isDone() || someoneWaitsForALock());
        });

        assertThat(adopted.get().expect(200).json().get("items").toString())
                .isEqualTo(
                        "[{\"domain\":\"q1\",\"from\":[\"1\"],\"revision\":3,\"outcome\":\"adopted\",\"reason\":null,\"parameters\":[]}]");
        assertThat(ceiling("q1")).isEqualTo(4);
        service.delete("/domains/q1").expect(204);
    }

    private static boolean someoneWaitsForALock() throws SQLException {
        try (Connection connection = service.embedded().connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet waiting = statement.executeQuery(
                        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'")) {
            waiting.next();
            return waiting.getInt(1) > 0;
        }
    }

    @Test
    void aJarIsInstalledBesideWhatIsThereAndAudited() throws Exception {
        byte[] jar = new PluginJars(work).plugin("fresh", "1.0.0").bytes();
        String sha256 = sha256(jar);

        JsonNode made = service.upload("/policy-plugins?fileName=my%20fresh.jar", jar, JAR)
                .expect(201)
                .json();
        assertThat(made.get("id").asString()).isEqualTo("fresh");
        assertThat(made.get("version").asString()).isEqualTo("1.0.0");
        assertThat(made.get("sha256").asString()).isEqualTo(sha256);
        assertThat(made.get("builtIn").asBoolean()).isFalse();
        assertThat(made.get("newest").asBoolean()).isTrue();
        assertThat(listed("fresh")).containsExactly("1.0.0 newest []");
        JsonNode entry = service.get("/audit?limit=1").json().get("items").get(0);
        assertThat(entry.get("action").asString()).isEqualTo("plugins.upload");
        assertThat(entry.get("target").asString()).isEqualTo("policy-plugins/fresh/1.0.0");
        assertThat(entry.get("after").toString()).contains(sha256).contains("my fresh.jar");

        service.upload("/policy-plugins", jar, "application/octet-stream").expect(200);
        assertThat(listed("fresh")).as("the same bytes again").hasSize(1);
        assertThat(service.get("/audit?limit=1").json().get("items").get(0)).isEqualTo(entry);
    }

    @Test
    void onlyTheAdministratorUploads() throws Exception {
        byte[] jar = new PluginJars(work).plugin("anyone", "1").bytes();
        var request = java.net.http.HttpRequest.newBuilder(service.root().resolve("/api/v1/policy-plugins"))
                .header("Content-Type", JAR)
                .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(jar))
                .build();
        try (var http = java.net.http.HttpClient.newHttpClient()) {
            assertThat(http.send(request, java.net.http.HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(401);
        }
        assertThat(listed("anyone")).isEmpty();
    }

    @Test
    void whatIsNoPluginIsRefusedWithTheReasonAndLeavesNothing() throws Exception {
        refused("not a jar at all".getBytes(java.nio.charset.StandardCharsets.UTF_8), "bad.jar is not a jar.");
        refused(
                new PluginJars(work).plugin("bad", "1").withoutService().bytes(),
                "bad.jar is not a policy plugin: it has no META-INF/services/dev.headgate.spi.PolicyFactory.");
        refused(
                new PluginJars(work)
                        .plugin("bad", "1")
                        .withoutManifestEntry("Plugin-Version")
                        .bytes(),
                "bad.jar is not a policy plugin: its manifest has no Plugin-Version.");
        refused(
                new PluginJars(work)
                        .plugin("bad", "1")
                        .withManifestEntry("Plugin-Version", "../../1")
                        .bytes(),
                "bad.jar has the Plugin-Version '../../1'; allowed are at most 64 letters, digits, dots, dashes and"
                        + " plus signs, beginning with a digit.");
        refused(
                new PluginJars(work)
                        .plugin("bad", "1")
                        .withManifestEntry("Headgate-Spi-Version", "7")
                        .bytes(),
                "bad.jar needs version 7 of the policy SPI; this service has version 1.");
        refused(
                new PluginJars(work)
                        .plugin("bad", "1")
                        .withSchema("{\"type\": \"object\", \"properties\": {\"max\": {\"minimum\": \"one\"}}}")
                        .bytes(),
                "bad.jar has a parameter schema that is not a JSON Schema (2020-12): /properties/max/minimum");
        refused(
                new PluginJars(work)
                        .plugin("bad", "1")
                        .withManifestEntry("Plugin-Id", "other")
                        .bytes(),
                "bad.jar has the id 'other' in its manifest and 'bad' in its factory");
        refused(
                new PluginJars(work)
                        .plugin("bad", "1")
                        .describing(
                                "while (true) { try { Thread.sleep(1000); } catch (InterruptedException e) { return \"\"; } }")
                        .bytes(),
                "bad.jar did not give its id, schema and description within 5 s.");
        assertThat(listed("bad")).isEmpty();
        assertThat(listed("other")).isEmpty();
    }

    private static void refused(byte[] jar, String reason) throws IOException {
        List<Path> before = uploaded();
        Answer answer = service.upload("/policy-plugins?fileName=bad.jar", jar, JAR);
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        assertThat(answer.problem()).isEqualTo("plugin-refused");
        assertThat(answer.json().get("detail").asString()).startsWith(reason);
        assertThat(uploaded()).isEqualTo(before);
    }

    @Test
    void oneVersionHasOneContent() throws Exception {
        service.upload(
                        "/policy-plugins",
                        new PluginJars(work).plugin("same", "1").bytes(),
                        JAR)
                .expect(201);
        byte[] other = new PluginJars(work)
                .plugin("same", "1")
                .describing("return \"Other.\";")
                .bytes();
        List<Path> before = uploaded();
        Answer clash = service.upload("/policy-plugins?fileName=other.jar", other, JAR);
        assertThat(clash.status()).isEqualTo(409);
        assertThat(clash.problem()).isEqualTo("conflict");
        assertThat(clash.json().get("detail").asString())
                .startsWith("other.jar has version 1 of the plugin 'same', which same_1.jar already has with"
                        + " other content");
        assertThat(uploaded()).isEqualTo(before);
    }

    @Test
    void whatIsTooLargeOrOfAnotherTypeIsNotRead() throws Exception {
        Answer large = service.upload("/policy-plugins", new byte[PluginJar.MOST_BYTES + 1], JAR);
        assertThat(large.status()).isEqualTo(413);
        assertThat(large.problem()).isEqualTo("payload-too-large");
        assertThat(large.json().get("detail").asString())
                .isEqualTo("A plugin may have at most 16 MiB; this one has more.");
        Answer json = service.upload("/policy-plugins", new byte[] {'{', '}'}, "application/json");
        assertThat(json.status()).isEqualTo(415);
        assertThat(json.json().get("detail").asString()).contains("application/java-archive");
        Answer named = service.upload("/policy-plugins?fileName=..%2Fx.jar", new byte[0], JAR);
        assertThat(named.status()).isEqualTo(400);
        assertThat(named.json().get("detail").asString()).startsWith("'fileName' must be a file name without a path");
    }

    @Test
    void aBombIsRefusedAndLeavesNothing() throws Exception {
        List<Path> before = uploaded();
        Answer wide = service.upload("/policy-plugins?fileName=wide.jar", zip(100_000, 0), JAR);
        assertThat(wide.problem()).isEqualTo("plugin-refused");
        assertThat(wide.text()).contains("more than 10000 entries");
        Answer deep = service.upload("/policy-plugins?fileName=deep.jar", zip(1, 1 << 30), JAR);
        assertThat(deep.problem()).isEqualTo("plugin-refused");
        assertThat(deep.text()).contains("unpacks to more than 16 MiB");
        assertThat(uploaded()).isEqualTo(before);
    }

    @Test
    void aRefusedJarLeavesNoThread() throws Exception {
        byte[] jar = new PluginJars(work)
                .plugin("threaded", "1")
                .describing("new Thread(() -> { try { Thread.sleep(1_000_000); } catch (InterruptedException e) { } },"
                        + " \"left-behind\").start(); throw new IllegalStateException();")
                .bytes();
        assertThat(service.upload("/policy-plugins", jar, JAR).problem()).isEqualTo("plugin-refused");
        await().atMost(Service.PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("left-behind")));
    }

    @Test
    void twoAreUploadedAtOnceAndOthersComeAgain() throws Exception {
        byte[] jar = new PluginJars(work).plugin("third", "1").bytes();
        List<java.net.Socket> slow = List.of(
                new java.net.Socket(
                        java.net.InetAddress.getLoopbackAddress(),
                        service.root().getPort()),
                new java.net.Socket(
                        java.net.InetAddress.getLoopbackAddress(),
                        service.root().getPort()));
        try {
            for (java.net.Socket socket : slow) {
                socket.getOutputStream()
                        .write(("POST /api/v1/policy-plugins HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                        + service.token() + "\r\nContent-Type: " + JAR
                                        + "\r\nContent-Length: 1000\r\n\r\nPK")
                                .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            }
            await().atMost(Service.PATIENCE).until(() -> {
                Answer third = service.upload("/policy-plugins", jar, JAR);
                return third.status() == 503
                        && third.problem().equals("unavailable")
                        && "5".equals(third.header("Retry-After"));
            });
            assertThat(afterAWholeUpload(PluginJar.MOST_BYTES))
                    .as("whoever sends all of the largest jar reads the refusal")
                    .startsWith("HTTP/1.1 503")
                    .contains("Retry-After: 5");
        } finally {
            for (java.net.Socket socket : slow) {
                socket.close();
            }
        }
        await().atMost(Service.PATIENCE)
                .until(() -> service.upload("/policy-plugins", jar, JAR).status() < 300);
        assertThat(uploaded()).noneMatch(file -> file.toString().endsWith(".part"));
    }

    /** What is answered to an upload that is sent whole before anything is read. */
    private static String afterAWholeUpload(int bytes) throws IOException {
        try (var socket = new java.net.Socket(
                java.net.InetAddress.getLoopbackAddress(), service.root().getPort())) {
            var out = socket.getOutputStream();
            out.write(("POST /api/v1/policy-plugins HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            + service.token() + "\r\nConnection: close\r\nContent-Type: " + JAR + "\r\nContent-Length: "
                            + bytes
                            + "\r\n\r\n")
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            out.write(new byte[bytes]);
            return new String(socket.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    private static byte[] zip(int entries, int bytesEach) throws IOException {
        var packed = new java.io.ByteArrayOutputStream();
        try (var zip = new java.util.zip.ZipOutputStream(packed)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < entries; i++) {
                zip.putNextEntry(new java.util.zip.ZipEntry("e" + i));
                for (int written = 0; written < bytesEach; written += zeros.length) {
                    zip.write(zeros);
                }
            }
        }
        return packed.toByteArray();
    }

    @Test
    void aSetKeepsTheVersionItWasPutWithUntilItIsMoved() throws Exception {
        service.upload("/policy-plugins", answering("mover", "1.9.0", 3), JAR).expect(201);
        service.domain("m1", "[{\"plugin\": \"mover\"}]");
        service.domain("m2", "[{\"plugin\": \"mover\", \"version\": \"1.9.0\"}]");
        service.domain("m3", "[{\"plugin\": \"mover\"}]");
        assertThat(service.get("/domains/m1/policies")
                        .json()
                        .at("/policySet/policies/0")
                        .toString())
                .isEqualTo("{\"plugin\":\"mover\",\"version\":\"1.9.0\"}");

        service.upload("/policy-plugins", answering("mover", "1.10.0", 4), JAR).expect(201);
        assertThat(listed("mover")).containsExactly("1.9.0 [m1, m2, m3]", "1.10.0 newest []");
        assertThat(ceiling("m1")).isEqualTo(3);

        String unversioned = "{\"policies\": [{\"plugin\": \"mover\"}], \"whenExhausted\": {\"mode\": \"fail\"}}";
        JsonNode plan = service.post("/domains/m1/policies/plan", unversioned)
                .expect(200)
                .json();
        assertThat(plan.get("diff").toString()).doesNotContain("version").contains("/whenExhausted/mode");
        JsonNode put = service.put("/domains/m2/policies", unversioned, "If-Match", "\"1\"")
                .expect(200)
                .json();
        assertThat(put.at("/policySet/policies/0/version").asString())
                .as("a set that names no version keeps the one in force")
                .isEqualTo("1.9.0");
        service.put(
                        "/domains/m2/policies",
                        unversioned.replace("\"mover\"", "\"mover\", \"version\": \"1.10.0\""),
                        "If-Match",
                        "\"2\"")
                .expect(200);
        assertThat(ceiling("m2")).as("a set that names another takes it").isEqualTo(4);
        service.post("/domains/m2/policies/revisions/2/restore", null, "If-Match", "\"3\"")
                .expect(200);

        JsonNode one = service.post("/policy-plugins/mover/1.10.0/adopt", "{\"domains\": [\"m1\"]}")
                .expect(200)
                .json();
        assertThat(one.get("items").toString())
                .isEqualTo(
                        "[{\"domain\":\"m1\",\"from\":[\"1.9.0\"],\"revision\":2,\"outcome\":\"adopted\",\"reason\":null,\"parameters\":[]}]");
        assertThat(ceiling("m1")).isEqualTo(4);
        assertThat(ceiling("m2")).isEqualTo(3);
        JsonNode entry = service.get("/audit?limit=1").json().get("items").get(0);
        assertThat(entry.get("action").asString()).isEqualTo("policies.adopt");
        assertThat(entry.get("target").asString()).isEqualTo("domains/m1");

        Answer used = service.delete("/policy-plugins/mover/1.9.0");
        assertThat(used.status()).isEqualTo(409);
        assertThat(used.problem()).isEqualTo("conflict");
        assertThat(used.json().get("detail").asString())
                .isEqualTo("mover 1.9.0 is used by m2, m3; move them to another version first.");

        JsonNode rest = service.post("/policy-plugins/mover/1.10.0/adopt", null)
                .expect(200)
                .json();
        assertThat(rest.get("items").size()).isEqualTo(2);
        service.delete("/policy-plugins/mover/1.9.0").expect(204);
        assertThat(listed("mover")).containsExactly("1.10.0 newest [m1, m2, m3]");
        assertThat(uploaded()).extracting(path -> path.getFileName().toString()).doesNotContain("mover_1.9.0.jar");

        Answer gone = service.post("/domains/m1/policies/revisions/1/restore", null, "If-Match", "\"2\"");
        assertThat(gone.status()).isEqualTo(422);
        assertThat(gone.fault("/policies/0/version")).isEqualTo("'1.9.0' of mover is not installed | 1.10.0");
        for (String domain : new String[] {"m1", "m2", "m3"}) {
            service.delete("/domains/" + domain).expect(204);
        }
    }

    @Test
    void theIdOfAPluginThatShipsIsReserved() throws Exception {
        byte[] foreign = answering("fixed", "9.10", 3);
        List<Path> before = uploaded();
        Answer answer = service.upload("/policy-plugins?fileName=foreign.jar", foreign, JAR);
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.problem()).isEqualTo("conflict");
        assertThat(answer.json().get("detail").asString())
                .isEqualTo("foreign.jar has the Plugin-Id 'fixed', which is reserved for a plugin that ships with the"
                        + " service; allowed is any id but fixed, shy, stuck.");
        assertThat(listed("fixed")).hasSize(1);
        assertThat(uploaded()).isEqualTo(before);
    }

    /** It left a parameter out, and silently got the new version's default. */
    @Test
    void adoptingTellsWhichParametersChangeBeforeItIsDone() throws Exception {
        service.upload("/policy-plugins", withDefault("drifting", "1", 19), JAR).expect(201);
        service.domain(
                "d1",
                "[{\"plugin\": \"drifting\"}, {\"plugin\": \"fixed\", \"parameters\": {\"max\": 30}}, {\"plugin\":"
                        + " \"drifting\", \"parameters\": {\"max\": 7}}]");
        service.upload("/policy-plugins", withDefault("drifting", "2", 3), JAR).expect(201);
        String audited = service.get("/audit?limit=1").text();

        JsonNode planned = service.post("/policy-plugins/drifting/2/adopt/plan", "{\"domains\": [\"d1\"]}")
                .expect(200)
                .json();
        assertThat(planned.get("items").toString())
                .isEqualTo(
                        "[{\"domain\":\"d1\",\"from\":[\"1\"],\"revision\":1,\"outcome\":\"adopted\",\"reason\":null,"
                                + "\"parameters\":[{\"pointer\":\"/policies/0/parameters/max\",\"from\":19,\"to\":3}]}]");
        assertThat(service.get("/domains/d1/policies").header("ETag")).isEqualTo("\"1\"");
        assertThat(service.get("/audit?limit=1").text()).isEqualTo(audited);

        JsonNode done = service.post("/policy-plugins/drifting/2/adopt", "{}")
                .expect(200)
                .json();
        assertThat(done.at("/items/0/parameters")).isEqualTo(planned.at("/items/0/parameters"));
        assertThat(done.at("/items/0/revision").asInt()).isEqualTo(2);
        service.delete("/domains/d1").expect(204);
    }

    private static byte[] withDefault(String id, String version, int max) throws IOException {
        return new PluginJars(work)
                .plugin(id, version)
                .withSchema("{\"type\": \"object\", \"properties\": {\"max\": {\"type\": \"integer\", \"default\": "
                        + max + "}}}")
                .bytes();
    }

    @Test
    void manyWhoCannotBeNamedMakeABoundedAnswer() throws Exception {
        service.upload("/policy-plugins", answering("crowded", "1", 9), JAR).expect(201);
        service.domain("c1", "[{\"plugin\": \"crowded\"}]");
        Answer unknown = service.post(
                "/policy-plugins/crowded/1/adopt/plan", "{\"domains\": [\"c1\"" + ", \"nobody\"".repeat(500) + "]}");
        assertThat(unknown.status()).isEqualTo(422);
        assertThat(unknown.json().get("errors").size()).isEqualTo(100);
        assertThat(unknown.fault("/domains/1")).isEqualTo("'nobody' does not use crowded | c1");
        Answer tooMany = service.post(
                "/policy-plugins/crowded/1/adopt", "{\"domains\": [\"c1\"" + ", \"c1\"".repeat(10_000) + "]}");
        assertThat(tooMany.status()).isEqualTo(422);
        assertThat(tooMany.fault("/domains"))
                .startsWith("must be at most 10000, was [c1, c1")
                .endsWith("… | 0..10000");
        service.delete("/domains/c1").expect(204);
    }

    @Test
    void whoCannotMoveKeepsItsSetAndTheOthersMove() throws Exception {
        service.upload("/policy-plugins", answering("picky", "1", 9), JAR).expect(201);
        service.domain("p1", "[{\"plugin\": \"picky\"}]");
        service.domain(
                "p2", "[{\"plugin\": \"picky\"}, {\"plugin\": \"fixed\", \"parameters\": {\"min\": 6, \"max\": 9}}]");
        service.upload("/policy-plugins", answering("picky", "2", 4), JAR).expect(201);

        Answer unknown = service.post("/policy-plugins/picky/2/adopt", "{\"domains\": [\"p1\", \"nobody\"]}");
        assertThat(unknown.status()).isEqualTo(422);
        assertThat(unknown.fault("/domains/1")).isEqualTo("'nobody' does not use picky | p1, p2");
        assertThat(service.post("/policy-plugins/picky/9/adopt", null).status()).isEqualTo(404);
        assertThat(listed("picky")).containsExactly("1 [p1, p2]", "2 newest []");

        JsonNode items = service.post("/policy-plugins/picky/2/adopt", "{}")
                .expect(200)
                .json()
                .get("items");
        assertThat(items.get(0).get("outcome").asString()).isEqualTo("adopted");
        assertThat(items.get(1).get("outcome").asString()).isEqualTo("refused");
        assertThat(items.get(1).get("revision").asInt()).isEqualTo(1);
        assertThat(items.get(1).get("reason").asString())
                .isEqualTo("/policies/1 fixed has a floor of 6, above the ceiling of 4 of picky at /policies/0");
        assertThat(listed("picky")).containsExactly("1 [p2]", "2 newest [p1]");
        service.delete("/domains/p1").expect(204);
        service.delete("/domains/p2").expect(204);
    }

    @Test
    void aVersionThatAGuardMayBringBackStays() throws Exception {
        service.upload("/policy-plugins", answering("guarded", "1", 3), JAR).expect(201);
        service.domain("g1", "[{\"plugin\": \"guarded\"}]");
        service.upload("/policy-plugins", answering("guarded", "2", 4), JAR).expect(201);
        service.put(
                        "/domains/g1/policies?guard=p99Ms:50,within:60m",
                        "{\"policies\": [{\"plugin\": \"guarded\", \"version\": \"2\"}]}",
                        "If-Match",
                        "\"1\"")
                .expect(200);
        Answer same =
                service.put("/domains/g1/policies", "{\"policies\": [{\"plugin\": \"guarded\"}]}", "If-Match", "\"2\"");
        assertThat(same.expect(200).json().get("guard").isNull())
                .as("the same set changes nothing, and its guard goes on")
                .isFalse();
        Answer kept = service.delete("/policy-plugins/guarded/1");
        assertThat(kept.status()).isEqualTo(409);
        assertThat(kept.json().get("detail").asString())
                .startsWith("guarded 1 is used by the guard of g1 (revision 1 may come back until ");
        service.put(
                        "/domains/g1/policies",
                        "{\"policies\": [{\"plugin\": \"guarded\"}], \"whenExhausted\": {\"mode\": \"fail\"}}",
                        "If-Match",
                        "\"2\"")
                .expect(200);
        service.delete("/policy-plugins/guarded/1").expect(204);
        service.delete("/domains/g1").expect(204);
    }

    @Test
    void uploadsOutliveARestartAndKeepToTheList(@TempDir Path other) throws Exception {
        byte[] first = answering("lasting", "1", 3);
        byte[] second = answering("lasting", "2", 4);
        String list = "--headgate.plugin-uploads.allowed-sha256=" + sha256(first);
        try (Service strict = Service.start(other, list)) {
            strict.post("/databases", strict.databaseBody("main", 40)).expect(201);
            strict.upload("/policy-plugins", first, JAR).expect(201);
            Answer refused = strict.upload("/policy-plugins?fileName=second.jar", second, JAR);
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.problem()).isEqualTo("forbidden");
            assertThat(refused.json().get("detail").asString())
                    .isEqualTo("second.jar has the SHA-256 " + sha256(second)
                            + ", which is not in headgate.plugin-uploads.allowed-sha256.");
            strict.domain("bank", "[{\"plugin\": \"lasting\"}]");
        }
        try (Service again = Service.startAsItIs(other)) {
            again.upload("/policy-plugins", second, JAR).expect(201);
        }
        try (Service third = Service.startAsItIs(other)) {
            assertThat(third.get("/domains/bank/policies")
                            .json()
                            .at("/policySet/policies/0/version")
                            .asString())
                    .isEqualTo("1");
            assertThat(third.get("/domains/bank/pool").json().get("ceiling").asInt())
                    .isEqualTo(3);
            assertThat(third.get("/policy-plugins")
                            .json()
                            .get("items")
                            .valueStream()
                            .filter(item -> item.get("id").asString().equals("lasting"))
                            .map(item -> item.get("version").asString() + item.get("usedBy")))
                    .containsExactly("1[\"bank\"]", "2[]");
        }
        try (Service without =
                Service.startAsItIs(other, "--headgate.plugin-uploads.allowed-sha256=" + sha256(second))) {
            await().atMost(Service.PATIENCE)
                    .until(() -> without.get("/domains/bank/pool")
                            .json()
                            .get("degraded")
                            .asBoolean());
            assertThat(without.get("/domains/bank/pool")
                            .json()
                            .get("degradedReason")
                            .asString())
                    .as("nobody has asked for the version that is there")
                    .contains("'1' of lasting is not installed");
            assertThat(without.get("/domains/bank/policies")
                            .json()
                            .at("/policySet/policies/0/version")
                            .asString())
                    .isEqualTo("1");
        }
    }

    @Test
    void anUploadWithoutRoomIsToldWhatToRemove(@TempDir Path other) throws Exception {
        try (Service small = Service.start(other, "--headgate.plugin-uploads.memory=200KB")) {
            byte[] first = answering("first", "1", 3);
            byte[] second = answering("second", "1", 4);
            small.upload("/policy-plugins", first, JAR).expect(201);
            Answer refused = small.upload("/policy-plugins?fileName=second.jar", second, JAR);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.problem()).isEqualTo("conflict");
            assertThat(refused.json().get("detail").asString())
                    .startsWith("second.jar needs ")
                    .contains("headgate.plugin-uploads.memory", "first 1 (");
            small.upload("/policy-plugins", first, JAR).expect(200);
            small.delete("/policy-plugins/first/1").expect(204);
            small.upload("/policy-plugins", second, JAR).expect(201);
        }
    }

    @Test
    void whatCameWithTheServiceStays() {
        Answer answer = service.delete("/policy-plugins/fixed/1.2.3");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().get("detail").asString())
                .isEqualTo(
                        "fixed 1.2.3 ships with the service (fixed.jar in its plugin folder) and cannot be removed.");
        assertThat(service.delete("/policy-plugins/fixed/9").status()).isEqualTo(404);
    }

    /** Such as a library that was not put into the jar. */
    @Test
    void whyAPolicyCannotBeMadeIsSaid() throws Exception {
        service.upload(
                        "/policy-plugins",
                        new PluginJars(work)
                                .plugin("luckless", "1")
                                .withSchema("{\"type\": \"object\", \"properties\": {\"how\": {\"type\": \"string\"}}}")
                                .creating("if (parameters.string(\"how\").equals(\"error\"))"
                                        + " throw new NoClassDefFoundError(\"com/example/Library\");"
                                        + " throw new InvalidParametersException(java.util.List.of());")
                                .bytes(),
                        JAR)
                .expect(201);
        String set = "{\"name\": \"luckless\", \"database\": \"main\", \"policySet\": {\"policies\": ["
                + "{\"plugin\": \"luckless\", \"parameters\": {\"how\": \"HOW\"}}]}}";
        assertThat(service.post("/domains", set.replace("HOW", "error"))
                        .expect(422)
                        .fault("/policySet/policies/0"))
                .isEqualTo("luckless cannot be made: java.lang.NoClassDefFoundError: com/example/Library");
        assertThat(service.post("/domains", set.replace("HOW", "no faults"))
                        .expect(422)
                        .fault("/policySet/policies/0"))
                .isEqualTo("luckless cannot be made: it refuses its parameters and does not say which");
    }

    /** It would be asked until the next start, and then no more. */
    @Test
    void aVersionThatAShadowSetUsesIsNotRemoved() throws Exception {
        service.upload(
                        "/policy-plugins",
                        new PluginJars(work).plugin("shaded", "1").bytes(),
                        JAR)
                .expect(201);
        service.domain("in-shade", "[]");
        service.put("/domains/in-shade/policies/shadow", "{\"policies\": [{\"plugin\": \"shaded\"}]}")
                .expect(200);
        assertThat(service.delete("/policy-plugins/shaded/1")
                        .expect(409)
                        .json()
                        .get("detail")
                        .asString())
                .isEqualTo("shaded 1 is used by the shadow set of in-shade; move them to another version first.");
        service.delete("/domains/in-shade/policies/shadow").expect(204);
        service.delete("/policy-plugins/shaded/1").expect(204);
        service.delete("/domains/in-shade").expect(204);
    }

    @Test
    void aPolicyThatIsNeverMadeCostsItsOwnChangeAlone() throws Exception {
        service.upload(
                        "/policy-plugins",
                        new PluginJars(work)
                                .plugin("unborn", "1")
                                .creating(
                                        "while (true) { Thread.onSpinWait(); if (Thread.interrupted()) return null; }")
                                .bytes(),
                        JAR)
                .expect(201);
        Answer answer = service.post(
                "/domains",
                "{\"name\": \"unborn\", \"database\": \"main\", \"policySet\": {\"policies\": [{\"plugin\": \"unborn\"}]}}");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/policySet/policies/0")).isEqualTo("unborn cannot be made within 1000 ms");
    }

    @Test
    void theClassLoaderOfARemovedVersionIsCollected() throws Exception {
        service.upload("/policy-plugins", clinging("1"), JAR).expect(201);
        service.domain("clung", "[{\"plugin\": \"clinging\"}]");
        try (var lease = service.bean(Engine.class).pool("clung").orElseThrow().acquire(LeaseRequest.by("test"))) {
            assertThat(lease.connectionId()).isNotEmpty();
        }
        WeakReference<ClassLoader> loader = loaderOf("clinging", "1");
        service.upload("/policy-plugins", clinging("2"), JAR).expect(201);
        service.post("/policy-plugins/clinging/2/adopt", null).expect(200);
        service.delete("/policy-plugins/clinging/1").expect(204);

        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (loader.get() != null && System.nanoTime() - deadline < 0) {
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(loader.get()).isNull();
        service.delete("/domains/clung").expect(204);
    }

    private static WeakReference<ClassLoader> loaderOf(String id, String version) {
        return new WeakReference<>(service.bean(PluginCatalog.class)
                .find(id, version)
                .orElseThrow()
                .factory()
                .getClass()
                .getClassLoader());
    }

    /** A policy that leaves an object of its own class in a thread local of every thread that it runs on, and has an $id. */
    private static byte[] clinging(String version) throws IOException {
        return new PluginJars(work)
                .plugin("clinging", version)
                .withSchema("{\"$id\": \"https://example.org/clinging\", \"type\": \"object\"}")
                .creating("Sample.Kept.LOCAL.set(new Sample.Kept()); return new Sample();")
                .answering("Kept.LOCAL.set(new Kept()); return Limits.unbounded().withCeiling(2); }"
                        + " static class Kept { static final ThreadLocal<Kept> LOCAL = new ThreadLocal<>();")
                .bytes();
    }

    private static byte[] answering(String id, String version, int ceiling) throws IOException {
        return new PluginJars(work)
                .plugin(id, version)
                .answering("return Limits.unbounded().withCeiling(" + ceiling + ");")
                .bytes();
    }

    private static int ceiling(String domain) {
        return service.get("/domains/" + domain + "/pool").json().get("ceiling").asInt();
    }

    private static List<String> listed(String id) {
        return service.get("/policy-plugins")
                .expect(200)
                .json()
                .get("items")
                .valueStream()
                .filter(item -> item.get("id").asString().equals(id))
                .map(item -> item.get("version").asString()
                        + (item.get("newest").asBoolean() ? " newest " : " ")
                        + item.get("usedBy")
                                .valueStream()
                                .map(JsonNode::asString)
                                .toList())
                .toList();
    }

    private static List<Path> uploaded() throws IOException {
        Path folder = data.resolve("plugins/uploaded");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static String sha256(byte[] bytes) throws java.security.NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
