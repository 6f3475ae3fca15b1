package dev.headgate.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.server.store.CannotStart;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** One data folder through several lives of the service. */
class RestartTest {

    @TempDir
    Path data;

    @Test
    void aServiceComesBackAsItWasAndRefusesAStoreOfANewerOne() throws Exception {
        String token;
        JsonNode audit;
        JsonNode revisions;
        int awayPort;
        try (Service first = Service.start(data);
                Forwarder away = new Forwarder(0, first.embedded().port())) {
            token = first.token();
            awayPort = away.port();
            first.post("/databases", first.databaseBody("main", 40)).expect(201);
            first.post(
                            "/databases",
                            first.databaseBody("away", 5)
                                    .replace("\"port\": " + first.embedded().port(), "\"port\": " + awayPort))
                    .expect(201);
            first.domain("bank", fixed(2, 5));
            first.put("/domains/bank/policies", "{\"policies\": " + fixed(1, 9) + "}", "If-Match", "\"1\"")
                    .expect(200);
            first.domain("orphan", "[{\"plugin\": \"shy\"}]");
            first.post("/domains", "{\"name\": \"remote\", \"database\": \"away\"}")
                    .expect(201);
            first.put("/domains/bank/policies/shadow", "{\"policies\": [{\"plugin\": \"shy\"}]}")
                    .expect(200);
            audit = first.get("/audit?limit=500").json();
            revisions = first.get("/domains/bank/policies/revisions").json();

            Throwable second = catchThrowable(() -> Service.run(data).close());
            assertThat(cannotStart(second)).contains("Another Headgate is running on the data folder " + data);
        }
        Files.delete(data.resolve("plugins/shy.jar"));

        try (Service again = Service.startAsItIs(data)) {
            assertThat(again.token()).isEqualTo(token);
            assertThat(again.get("/audit?limit=500").json()).isEqualTo(audit);
            assertThat(again.get("/domains/bank/policies/revisions").json()).isEqualTo(revisions);
            assertThat(again.get("/domains/bank/policies").header("ETag")).isEqualTo("\"2\"");
            await().atMost(Service.PATIENCE)
                    .until(() -> again.get("/domains/bank/pool")
                                    .json()
                                    .get("ceiling")
                                    .asInt()
                            == 9);

            assertThat(again.get("/domains/bank/policies/shadow")
                            .json()
                            .get("degraded")
                            .asString())
                    .isEqualTo("It is not asked: /policies/0/plugin 'shy' is not installed.");
            await().atMost(Service.PATIENCE)
                    .until(() -> again.get("/domains/orphan/pool")
                            .json()
                            .get("degraded")
                            .asBoolean());
            assertThat(again.get("/domains/orphan/pool")
                            .json()
                            .get("degradedReason")
                            .asString())
                    .contains(
                            "policy set failed with a part that is not valid any more: /policies/0/plugin 'shy' is not installed; ");

            await().atMost(Service.PATIENCE)
                    .until(() -> !again.get("/databases/away")
                                    .json()
                                    .get("reachable")
                                    .asBoolean()
                            || again.get("/domains/remote/pool")
                                            .json()
                                            .get("size")
                                            .asInt()
                                    == 0);
            try (Forwarder back = new Forwarder(awayPort, again.embedded().port())) {
                assertThat(back.port()).isEqualTo(awayPort);
                await().atMost(Service.PATIENCE)
                        .until(() -> again.get("/databases/away")
                                .json()
                                .get("reachable")
                                .asBoolean());
                try (var lease = again.bean(dev.headgate.engine.Engine.class)
                        .pool("remote")
                        .orElseThrow()
                        .acquire(dev.headgate.engine.LeaseRequest.by("test"))) {
                    assertThat(lease.connection().isValid(5)).isTrue();
                }
            }

            pretendANewerHeadgateWasHere(again.bean(JdbcClient.class));
        }

        Throwable refused = catchThrowable(() -> Service.run(data).close());
        assertThat(cannotStart(refused))
                .contains("The control store has schema version 9999")
                .contains("Nothing was changed");
        assertThat(find(refused).getExitCode()).isEqualTo(4);
    }

    @Test
    void aTakenPortIsToldInOneSentenceWithExitCodeOne() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(sentenceOfAStartInVain("--headgate.port=" + taken.getLocalPort()))
                    .startsWith("Headgate cannot start: port " + taken.getLocalPort() + " on 127.0.0.1")
                    .contains("choose another with --port");
        }
        assertThat(data.resolve("never-made")).doesNotExist();
    }

    /** Passed over, it would be found out when its certificate or its limit is needed. */
    @Test
    void aSettingThatThereIsNotIsToldInOneSentenceWithExitCodeOne() throws Exception {
        Path config = Files.writeString(data.resolve("headgate.yaml"), """
                headgate:
                  port: 0
                  wire: {port: 0, tls-certifcate: /etc/tls.crt}
                  limit: {domains: 5}
                """);
        assertThat(sentenceOfAStartInVain("--spring.config.additional-location=file:" + config))
                .isEqualTo("Headgate cannot start: there is no setting headgate.limit.domains,"
                        + " headgate.wire.tls-certifcate; docs/operations.md lists them.");
    }

    /** Settings and policy documents are one file, so what is wrong with its YAML is wrong with the settings. */
    @Test
    void aFileOfSettingsThatIsNoYamlIsToldInOneSentenceWithExitCodeOne() throws Exception {
        Path config = data.resolve("headgate.yaml");
        String option = "--spring.config.additional-location=file:" + config;
        Files.writeString(config, "headgate:\n  port: 0\n---\napiVersion: headgate/v1\ndomains:\n\t- name: bank\n");
        assertThat(sentenceOfAStartInVain(option))
                .startsWith("Headgate cannot start: the settings' file (--config) is not YAML: line 6: found character")
                .hasLineCount(1);
        Files.writeString(config, "headgate: {port: 0}\nheadgate: {port: 1}\n");
        assertThat(sentenceOfAStartInVain(option))
                .isEqualTo("Headgate cannot start: the settings' file (--config) is not YAML: line 2:"
                        + " found duplicate key headgate.");
        Files.write(config, "headgate:\n  node: b\u00e4nk\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(sentenceOfAStartInVain(option))
                .isEqualTo("Headgate cannot start: the settings' file (--config) is not UTF-8.");
    }

    /** It is found while the web server starts, whose parts would each say so in many lines. */
    @Test
    void aStoreThatCannotBeReachedIsToldInOneSentenceWithExitCodeOne() throws Exception {
        assertThat(sentenceOfAStartInVain(
                        "--headgate.port=0",
                        "--headgate.wire.port=0",
                        "--headgate.demo=false",
                        "--headgate.store.user=me",
                        "--headgate.store.url=jdbc:postgresql://127.0.0.1:1/control"))
                .isEqualTo("Headgate cannot start: The control store (jdbc:postgresql://127.0.0.1:1/control as me)"
                        + " cannot be reached: Connection refused.");
    }

    @Test
    void aStoreWhoseUserMayMakeNothingIsToldInOneSentenceWithExitCodeOne() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
            JdbcTemplate root = new JdbcTemplate(server.getPostgresDatabase());
            root.execute("create role nobody login");
            root.execute("create database control");
            String url = server.getJdbcUrl("nobody", "control").replaceFirst("\\?.*", "");
            assertThat(sentenceOfAStartInVain(
                            "--headgate.port=0",
                            "--headgate.wire.port=0",
                            "--headgate.demo=false",
                            "--headgate.store.user=nobody",
                            "--headgate.store.url=" + url))
                    .isEqualTo(
                            "Headgate cannot start: The schema of the control store (" + url
                                    + " as nobody) cannot be made or"
                                    + " updated: ERROR: permission denied for database control. Its user needs to own the database.");
        }
    }

    /** All that a start says that ends with code 1. */
    private String sentenceOfAStartInVain(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.headgate.server.Headgate",
                "--headgate.data=" + data.resolve("never-made")));
        command.addAll(List.of(options));
        Path said = data.resolve("said");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isEqualTo(1);
        return Files.readString(said)
                .lines()
                .filter(line -> !line.startsWith("WARNING"))
                .collect(Collectors.joining("\n"));
    }

    private static String fixed(int min, int max) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": %d, \"max\": %d}}]".formatted(min, max);
    }

    private static void pretendANewerHeadgateWasHere(JdbcClient store) {
        store.sql("""
                        insert into flyway_schema_history
                          (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                        values (9999, '9999', 'from the future', 'SQL', 'V9999__future.sql', 1, 'someone', 1, true)
                        """).update();
    }

    private static CannotStart find(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof CannotStart known) {
                return known;
            }
        }
        throw new AssertionError("started, or failed otherwise", failure);
    }

    private static String cannotStart(Throwable failure) {
        return find(failure).getMessage();
    }

    /** Passes bytes on from a port of its own to another, until it is closed. */
    private static final class Forwarder implements AutoCloseable {
        private final ServerSocket server;
        private final int to;
        private final List<Socket> sockets = new ArrayList<>();

        Forwarder(int port, int to) throws IOException {
            this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
            this.to = to;
            Thread.ofVirtual().start(this::accept);
        }

        int port() {
            return server.getLocalPort();
        }

        private void accept() {
            try {
                while (true) {
                    Socket in = server.accept();
                    Socket out = new Socket(InetAddress.getLoopbackAddress(), to);
                    synchronized (sockets) {
                        sockets.add(in);
                        sockets.add(out);
                    }
                    Thread.ofVirtual().start(() -> pass(in, out));
                    Thread.ofVirtual().start(() -> pass(out, in));
                }
            } catch (IOException e) {
                // closed
            }
        }

        private static void pass(Socket from, Socket to) {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException e) {
                // the other side is gone
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            synchronized (sockets) {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        }
    }
}
