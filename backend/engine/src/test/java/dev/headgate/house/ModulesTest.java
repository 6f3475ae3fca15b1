package dev.headgate.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * Which module of the house may know which, read off the poms. Modules that stand on the left of an arrow in
 * docs/architecture.md are checked here; a class rule cannot see what a module could use but does not yet.
 */
class ModulesTest {

    private static final Path ROOT = root();

    @Test
    void the_spi_depends_on_nothing() {
        assertThat(shipped("policies/spi")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("plugins")
    void a_policy_depends_on_the_spi_alone(String module) {
        assertThat(shipped(module)).containsExactly("dev.headgate:headgate-spi:provided");
    }

    /** At least the three that ship: an empty folder would make the test above pass without looking at anything. */
    static List<String> plugins() throws IOException {
        try (Stream<Path> folders = Files.list(ROOT.resolve("policies"))) {
            List<String> found = folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .map(folder -> ROOT.relativize(folder).toString().replace('\\', '/'))
                    .filter(module -> !module.endsWith("/spi") && !module.endsWith("/testkit"))
                    .sorted()
                    .toList();
            assertThat(found).contains("policies/latency-cap", "policies/min-max", "policies/tiers");
            return found;
        }
    }

    /** The last two are annotations for the compiler's eyes. */
    @Test
    void the_engine_depends_on_the_spi_and_three_libraries() {
        assertThat(shipped("backend/engine"))
                .containsExactlyInAnyOrder(
                        "dev.headgate:headgate-spi:compile",
                        "com.zaxxer:HikariCP:compile",
                        "org.hdrhistogram:HdrHistogram:compile",
                        "org.postgresql:postgresql:compile",
                        "org.jspecify:jspecify:compile",
                        "org.checkerframework:checker-qual:provided");
    }

    /** The annotations are for the compiler's eyes. */
    @Test
    void the_protocol_depends_on_nothing() {
        assertThat(shipped("backend/protocol")).containsExactly("org.jspecify:jspecify:compile");
    }

    /** The wire port knows the protocol, too. */
    @Test
    void the_wire_port_and_the_lab_know_the_engine_and_neither_spring_nor_each_other() {
        for (String module : List.of("backend/wire", "backend/lab")) {
            String known = module.equals("backend/wire") ? "engine|spi|protocol" : "engine|spi";
            assertThat(shipped(module)).as(module).contains("dev.headgate:headgate-engine:compile");
            assertThat(shipped(module))
                    .as(module)
                    .noneMatch(dependency -> dependency.matches("(org\\.springframework|io\\.netty).*"))
                    .filteredOn(dependency -> dependency.startsWith("dev.headgate:"))
                    .allMatch(dependency -> dependency.matches("dev\\.headgate:headgate-(" + known + "):compile"));
        }
    }

    /** It talks to a service over HTTP, whatever that is made of. The last is an annotation for the compiler's eyes. */
    @Test
    void the_command_line_knows_no_module_of_ours() {
        assertThat(shipped("backend/cli"))
                .containsExactlyInAnyOrder(
                        "info.picocli:picocli:compile",
                        "tools.jackson.core:jackson-databind:compile",
                        "org.jspecify:jspecify:compile");
    }

    /** Nothing may reach every module at once by way of the parent, but what tests need. */
    @Test
    void the_parent_hands_down_test_dependencies_alone() {
        assertThat(shipped("")).isEmpty();
    }

    /** What a module's users get to see: its dependencies of any scope but test, as group:artifact:scope. */
    private static List<String> shipped(String module) {
        List<String> found = new ArrayList<>();
        Element project = read(ROOT.resolve(module).resolve("pom.xml")).getDocumentElement();
        for (Element dependencies : children(project, "dependencies")) {
            for (Element dependency : children(dependencies, "dependency")) {
                String scope = text(dependency, "scope", "compile");
                if (!scope.equals("test")) {
                    found.add("%s:%s:%s"
                            .formatted(text(dependency, "groupId", "?"), text(dependency, "artifactId", "?"), scope));
                }
            }
        }
        return found;
    }

    private static String text(Element element, String child, String otherwise) {
        List<Element> found = children(element, child);
        return found.isEmpty() ? otherwise : found.getFirst().getTextContent().strip();
    }

    private static List<Element> children(Element element, String name) {
        List<Element> found = new ArrayList<>();
        for (var node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child && child.getTagName().equals(name)) {
                found.add(child);
            }
        }
        return found;
    }

    private static Document read(Path pom) {
        try {
            return DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(pom.toFile());
        } catch (Exception e) {
            throw new IllegalStateException("Cannot read " + pom, e);
        }
    }

    /** The checkout: the first folder upwards that holds the entry script's neighbours. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("policies/spi"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
