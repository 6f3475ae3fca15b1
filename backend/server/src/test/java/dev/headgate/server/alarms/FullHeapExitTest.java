package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The heap of a service runs out. It was started as {@code ./headgate up} does, but with a smaller heap. */
@Timeout(300)
class FullHeapExitTest {

    private static final Path CHECKOUT = Path.of("../..").toAbsolutePath().normalize();
    private static final String SECRET = "canary-of-a-full-heap";

    /** What {@code ./headgate up} does when all is built. */
    private static final String UP = """
            checkout=$1 root=$2
            shift 2
            set -u -o pipefail
            say() { printf '%s\\n' "$*" >&2; }
            . "$checkout/backend/build.sh"
            . "$checkout/backend/server/up.sh"
            run_service "$@"
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"many", "one"})
    void theProcessEndsTellsWhatFilledTheHeapAndIsThereAgainAsItWas(String fills) throws Exception {
        Path data = folder.resolve("data");
        String token;
        Map<String, Stored> before;
        try (Service first = Service.start(data)) {
            first.post("/databases", first.databaseBody("main", 40)).expect(201);
            for (String name : List.of("bank", "shop")) {
                first.post("/domains", """
                                {"name": "%s", "database": "main", "labels": {"team": "%1$s"},
                                 "policySet": {"policies": [{"plugin": "fixed", "parameters": {"min": 1, "max": 7}}]}}""".formatted(name)).expect(201);
            }
            before = domains(first);
            token = first.token();
        }

        Path said = folder.resolve("said");
        Process process = up(data, fills, said);
        int code;
        try {
            code = process.waitFor();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }

        String log = Files.readString(said);
        assertThat(log).contains("Headgate is ready");
        assertThat(code).as(log).isEqualTo(3);
        String list = log.substring(log.indexOf("The heap ran out"));
        assertThat(list).contains("#bytes", "java.lang.String");
        if (fills.equals("many")) {
            assertThat(list).contains(FillsItsHeap.Kept.class.getName());
        }
        assertThat(list.lines()).hasSizeLessThan(40);
        assertThat(Files.readString(data.resolve("heap.log")))
                .contains("#instances")
                .doesNotContain(SECRET, token);
        assertThat(log).doesNotContain(SECRET, token).doesNotContain("GC(");

        try (Service again = Service.startAsItIs(data)) {
            assertThat(domains(again)).isEqualTo(before).containsOnlyKeys("bank", "shop");
        }
    }

    private record Stored(JsonNode database, JsonNode labels, JsonNode policies) {}

    /** By name. */
    private static Map<String, Stored> domains(Service service) {
        Map<String, Stored> domains = new TreeMap<>();
        for (JsonNode domain : service.get("/domains").expect(200).json().get("items")) {
            String name = domain.get("name").asString();
            JsonNode policies =
                    service.get("/domains/" + name + "/policies").expect(200).json();
            domains.put(name, new Stored(domain.get("database"), domain.get("labels"), policies));
        }
        return domains;
    }

    private Process up(Path data, String fills, Path said) throws IOException {
        ProcessBuilder bash = new ProcessBuilder(
                        "bash",
                        "-c",
                        UP,
                        "bash",
                        CHECKOUT.toString(),
                        folder.toString(),
                        jar().toString(),
                        data.resolve("heap.log").toString(),
                        "--headgate.data=" + data,
                        "--headgate.port=0",
                        "--headgate.wire.port=0",
                        "--headgate.demo=false",
                        "--headgate.plugins=" + data.resolve("plugins"),
                        "--headgate.frontend=" + data.resolve("frontend"))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        bash.environment().put("JAVA_HOME", System.getProperty("java.home"));
        bash.environment()
                .put(
                        "HEADGATE_JAVA_OPTIONS",
                        "-Xmx160m -XX:TieredStopAtLevel=1 -D" + FillsItsHeap.PROPERTY + "=" + fills);
        bash.environment().put("SECRET", SECRET);
        return bash.start();
    }

    /** With the class path of the tests. */
    private Path jar() throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.MAIN_CLASS, FillsItsHeap.class.getName());
        main.put(
                Attributes.Name.CLASS_PATH,
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" ")));
        Path jar = folder.resolve("filling.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }
}
