package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./headgate up} in a checkout that has the scripts and next to nothing else: Maven, npm and the JDK are a few lines of
 * shell, and {@link StandIn} is the service. Real processes, real time: how they end is the point.
 */
class EntryTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path checkout;

    private final List<Up> started = new ArrayList<>();
    private int port;
    private int wirePort;

    @BeforeEach
    void layOut() throws IOException {
        for (String folder : List.of(
                "backend/engine",
                "backend/protocol",
                "backend/wire",
                "backend/lab",
                "backend/server",
                "policies/min-max",
                "frontend",
                ".mvn",
                "jdk/bin",
                "tools")) {
            Files.createDirectories(checkout.resolve(folder));
        }
        try (Stream<Path> scripts = Stream.of("headgate", ".mvn", "backend", "frontend")
                .map(ROOT::resolve)
                .flatMap(EntryTest::scriptsBelow)) {
            for (Path script : scripts.toList()) {
                Path copy = checkout.resolve(ROOT.relativize(script));
                Files.createDirectories(copy.getParent());
                Files.copy(script, copy);
            }
        }
        Files.writeString(checkout.resolve("pom.xml"), "");
        Files.writeString(checkout.resolve("frontend/package-lock.json"), "");
        Files.writeString(checkout.resolve("jdk/release"), "JAVA_VERSION=\"25\"\n");
        program("jdk/bin/javac", "");
        program("jdk/bin/java", """
                for last; do :; done
                case "$*" in
                  *jarmode=tools*) mkdir -p "$last"; : >"$last/headgate-server.jar" ;;
                  *) exec '%s' -Xmx32m -XX:TieredStopAtLevel=1 -cp '%s' dev.headgate.cli.StandIn "$@" ;;
                esac
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin/java"),
                        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(entry -> entry.endsWith("test-classes"))
                                .findFirst()
                                .orElseThrow()));
        program("mvnw", """
                for module in backend/server policies/min-max; do mkdir -p $module/target; done
                : >backend/server/target/headgate-server.jar
                : >policies/min-max/target/headgate-min-max.jar
                """);
        program("tools/node", "echo v22.12.0");
        program("tools/npm", "mkdir -p node_modules dist; : >dist/index.html");
        port = freePort();
        wirePort = freePort();
    }

    @AfterEach
    void leaveNothing() throws InterruptedException {
        for (Up up : started) {
            up.end();
        }
    }

    @Test
    void aFolderThatIsRunFromOutlivesLaterBuildsAndNoLonger() throws Exception {
        Up first = up(port, wirePort, "one", 0).ready();
        assertThat(builds()).hasSize(1);
        Path ofFirst = builds().getFirst();
        change();
        Up second = up(freePort(), freePort(), "two", 0).ready();
        assertThat(builds()).hasSize(2).contains(ofFirst);
        assertThat(ofFirst.resolve("app/headgate.jar")).exists();
        assertThat(ofFirst.resolve("dashboard/index.html")).exists();

        assertThat(first.stop()).isZero();
        assertThat(second.stop()).isZero();
        change();
        Up third = up(port, wirePort, "one", 0).ready();
        assertThat(builds()).hasSize(1).doesNotContain(ofFirst);
        assertThat(third.stop()).isZero();
    }

    @Test
    void anUpAfterOneThatWasKilledWaitsForItsServiceToEnd() throws Exception {
        Up killed = up(port, wirePort, "data", 1_500).ready();
        killed.script.destroyForcibly().waitFor();
        Up next = up(port, wirePort, "data", 0).ready();
        assertThat(next.said()).contains("An earlier Headgate (process " + killed.service.pid() + ") is ending");
        assertThat(next.stop()).isZero();
    }

    @Test
    void anUpWhileAnotherStopsWaitsForIt() throws Exception {
        Up stopping = up(port, wirePort, "data", 1_500).ready();
        stopping.script.destroy();
        await().atMost(PATIENCE).until(() -> notes().contains("stopping"));
        Up next = up(port, wirePort, "data", 0).ready();
        assertThat(next.said()).contains("is ending");
        assertThat(stopping.script.waitFor()).isZero();
        assertThat(next.stop()).isZero();
    }

    /** Of a terminal that is closed both the kernel and a shell tell, and {@code timeout} tells a process and its group. */
    @Test
    void aStopThatComesAsTwoSignalsIsOne() throws Exception {
        Up stopping = up(port, wirePort, "data", 1_500).ready();
        stopping.script.destroy();
        await().atMost(PATIENCE).until(() -> notes().contains("stopping"));
        stopping.script.destroy();
        assertThat(stopping.script.waitFor()).isZero();
    }

    /** One service has heard the signal and never comes to an end, the other one does not even run. */
    @Test
    void anUpEndsWithinTenSecondsOfItsSignalWhateverItsServiceDoes() throws Exception {
        Up endless = up(port, wirePort, "endless", 600_000).ready();
        Up frozen = up(freePort(), freePort(), "frozen", 0).ready();
        String pid = String.valueOf(frozen.service.pid());
        assertThat(new ProcessBuilder("kill", "-STOP", pid).start().waitFor()).isZero();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        endless.script.destroy();
        frozen.script.destroy();
        for (Up up : List.of(endless, frozen)) {
            assertThat(up.script.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS))
                    .isTrue();
            assertThat(up.script.exitValue()).as("that of SIGKILL").isEqualTo(137);
            assertThat(up.service.isAlive()).isFalse();
        }
    }

    @Test
    void nobodyWaitsForAPortThatIsInUse() throws Exception {
        Up running = up(port, wirePort, "data", 0).ready();
        Up same = up(port, wirePort, "other", 0);
        assertThat(same.exitCode()).isEqualTo(1);
        assertThat(same.said())
                .isEqualTo("headgate: port " + port + " is taken: something listens on 127.0.0.1:" + port
                        + ". Stop it, or choose another with --port.\n");
        assertThat(running.stop()).isZero();

        // What an up has left that ended with the machine: nobody has these numbers.
        Files.writeString(
                checkout.resolve("target/run/999999998.up"), "port " + port + "\nstopping yes\njvm 999999999\n");
        try (ServerSocket others = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(others.isBound()).isTrue();
            Up taken = up(port, wirePort, "data", 0);
            assertThat(taken.exitCode()).isEqualTo(1);
            assertThat(taken.said())
                    .startsWith("headgate: port " + port + " is taken")
                    .hasLineCount(1);
        }
    }

    /** The commands read all of these; a start that passed one over would say nothing. */
    @Test
    void policyDocumentsInTheConfigurationAreFoundHoweverYamlWritesThem() throws Exception {
        String settings =
                "# apiVersion: headgate/v1 would begin a policy document\nheadgate:\n  limits: {domains: 5}\n";
        List<String> policies = List.of(
                "apiVersion: headgate/v1\ndomains: []\n",
                "\uFEFFapiVersion: headgate/v1\n",
                "\"apiVersion\": \"headgate/v1\"\n",
                "source: a\napiVersion: 'headgate/v1'\r\n",
                "{apiVersion: headgate/v1, domains: []}\n",
                "  apiVersion : headgate/v1\n",
                settings + "--- {apiVersion: headgate/v1}\n",
                "apiVersion: headgate/v2\n",
                "domains: []\n");
        Path config = checkout.resolve("pools.yaml");
        for (String text : policies) {
            Files.writeString(config, text);
            Up up = up(freePort(), freePort(), "data", 0, "--config=" + config).ready();
            assertThat(up.said()).as(text).contains("Policy files: " + config + "\n");
            assertThat(up.stop()).isZero();
        }
        Files.writeString(config, settings);
        Up up = up(freePort(), freePort(), "data", 0, "--config=" + config).ready();
        assertThat(up.said()).doesNotContain("Policy files");
        assertThat(up.stop()).isZero();
    }

    /** One {@code ./headgate up}. */
    private static final class Up {
        private final Process script;
        private final Path log;
        private @Nullable ProcessHandle service;

        Up(Process script, Path log) {
            this.script = script;
            this.log = log;
        }

        Up ready() throws IOException {
            await().atMost(PATIENCE).until(() -> said().contains("Headgate is ready") || !script.isAlive());
            assertThat(said()).contains("Headgate is ready");
            service = script.children()
                    .filter(child -> child.info()
                            .commandLine()
                            .filter(line -> line.contains("StandIn"))
                            .isPresent())
                    .findFirst()
                    .orElseThrow();
            return this;
        }

        String said() throws IOException {
            return Files.readString(log);
        }

        int stop() throws InterruptedException {
            script.destroy();
            return exitCode();
        }

        int exitCode() throws InterruptedException {
            assertThat(script.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return script.exitValue();
        }

        void end() throws InterruptedException {
            List<ProcessHandle> all = script.descendants().toList();
            script.destroyForcibly().waitFor();
            all.forEach(ProcessHandle::destroyForcibly);
            if (service != null) {
                service.destroyForcibly(); // it outlives a script that was killed
            }
        }
    }

    private Up up(int port, int wirePort, String data, int stopsAfterMillis, String... options) throws IOException {
        Path log = checkout.resolve("up-" + started.size() + ".log");
        List<String> command = new ArrayList<>(List.of(
                "bash",
                checkout.resolve("headgate").toString(),
                "up",
                "--port=" + port,
                "--wire-port=" + wirePort,
                "--data=" + checkout.resolve(data)));
        command.addAll(List.of(options));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
        builder.environment().put("JAVA_HOME", checkout.resolve("jdk").toString());
        builder.environment().merge("PATH", checkout.resolve("tools").toString(), (path, tools) -> tools + ":" + path);
        builder.environment().put("STAND_IN_STOPS_AFTER_MILLIS", String.valueOf(stopsAfterMillis));
        Up up = new Up(builder.start(), log);
        started.add(up);
        return up;
    }

    /** As a commit would: what runs is another digest from here on. */
    private void change() throws IOException {
        Path source = checkout.resolve("policies/min-max/Source.java");
        Files.writeString(source, (Files.exists(source) ? Files.readString(source) : "") + "// changed\n");
    }

    private List<Path> builds() throws IOException {
        try (Stream<Path> below = Files.list(checkout.resolve("target/run"))) {
            return below.filter(Files::isDirectory).toList();
        }
    }

    private String notes() throws IOException {
        StringBuilder notes = new StringBuilder();
        try (Stream<Path> below = Files.list(checkout.resolve("target/run"))) {
            for (Path file : below.filter(Files::isRegularFile).toList()) {
                notes.append(Files.readString(file));
            }
        }
        return notes.toString();
    }

    private void program(String path, String lines) throws IOException {
        Path file = Files.writeString(checkout.resolve(path), "#!/bin/sh\n" + lines + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Stream<Path> scriptsBelow(Path start) {
        try (Stream<Path> files = Files.find(
                start,
                4,
                (file, attributes) -> attributes.isRegularFile()
                        && !file.toString().contains("node_modules")
                        && (file.equals(start) || file.toString().endsWith(".sh")))) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
