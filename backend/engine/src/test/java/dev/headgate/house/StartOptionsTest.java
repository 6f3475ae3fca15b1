package dev.headgate.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a JVM of the house is told at its start: by a script, an image, a pom, or the manifest that a pom makes. */
class StartOptionsTest {

    private static final Path ROOT = ModulesTest.root();

    /** The compiler alone runs with these: Error Prone needs its inner parts. */
    private static final Path COMPILERS = Path.of(".mvn/jvm.config");

    /** The check of races alone starts a JVM of its own with this: Lincheck looks into collections. */
    private static final Path CHECKS = Path.of("backend/check.sh");

    /** As an option or in a manifest. */
    private static final Pattern OPENING = Pattern.compile("(?i)add-?(opens|exports)\\W+(?<module>[\\w.]+)");

    private static final Set<String> NOT_OURS = Set.of("target", "node_modules", "src", "frontend");

    @Test
    void nobody_opens_a_module_of_the_jdk_to_the_service() throws IOException {
        List<Path> files = new ArrayList<>();
        collect(ROOT, files);
        assertThat(files.stream().map(ROOT::relativize).map(Path::toString))
                .contains(
                        "headgate",
                        "compose.yaml",
                        "pom.xml",
                        "backend/build.sh",
                        "backend/server/pom.xml",
                        "backend/server/up.sh",
                        "docker/headgate/Dockerfile");
        assertThat(files.remove(ROOT.resolve(CHECKS))).isTrue();
        for (Path file : files) {
            assertThat(opened(file)).as("opened by %s", file).isEmpty();
        }
        assertThat(opened(ROOT.resolve(COMPILERS))).isNotEmpty().containsOnly("jdk.compiler");
        assertThat(opened(ROOT.resolve(CHECKS))).containsExactly("java.base");
    }

    private static List<String> opened(Path file) throws IOException {
        return OPENING.matcher(Files.readString(file))
                .results()
                .map(found -> found.group("module"))
                .toList();
    }

    /** Scripts, images and poms. */
    private static void collect(Path folder, List<Path> files) throws IOException {
        try (var entries = Files.list(folder)) {
            for (Path each : entries.toList()) {
                String name = each.getFileName().toString();
                if (Files.isDirectory(each)) {
                    if (!NOT_OURS.contains(name) && !name.startsWith(".")) {
                        collect(each, files);
                    }
                } else if (name.endsWith(".sh")
                        || Set.of("headgate", "pom.xml", "Dockerfile", "compose.yaml")
                                .contains(name)) {
                    files.add(each);
                }
            }
        }
    }
}
