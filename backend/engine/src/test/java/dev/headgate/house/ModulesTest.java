package dev.headgate.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * Which module of the house may know which, read off the poms, and whether docs/architecture.md draws it so. A class rule
 * cannot see what a module could use but does not yet.
 */
class ModulesTest {

    private static final Path ROOT = root();
    private static final String OURS = "dev.headgate:headgate-";

    /** In the drawing: {@code a & b --> c & d}, dotted for what only tests know. */
    private static final Pattern ARROWS = Pattern.compile("(?m)^ +(\\S+(?: & \\S+)*) (-->|-\\.->) (\\S+(?: & \\S+)*)$");

    @Test
    void the_spi_depends_on_nothing() {
        assertThat(shipped("policies/spi")).isEmpty();
    }

    /** The rest is what a contract test is written with. */
    @Test
    void the_testkit_knows_the_spi_alone() {
        assertThat(shipped("policies/testkit"))
                .containsExactlyInAnyOrder(
                        "dev.headgate:headgate-spi:compile",
                        "com.networknt:json-schema-validator:compile",
                        "org.junit.jupiter:junit-jupiter:compile",
                        "org.assertj:assertj-core:compile");
    }

    @ParameterizedTest
    @MethodSource("plugins")
    void a_policy_depends_on_the_spi_alone(String module) {
        assertThat(shipped(module)).containsExactly("dev.headgate:headgate-spi:provided");
    }

    static List<String> plugins() {
        List<String> found = modules().stream()
                .filter(module -> module.startsWith("policies/"))
                .filter(module -> !module.endsWith("/spi") && !module.endsWith("/testkit"))
                .toList();
        assertThat(found).contains("policies/latency-cap", "policies/min-max", "policies/tiers");
        return found;
    }

    /** A folder that the reactor does not build would be looked at by no test. */
    @Test
    void every_folder_with_a_pom_is_a_module() throws IOException {
        for (String side : List.of("policies", "backend")) {
            try (var folders = Files.list(ROOT.resolve(side))) {
                assertThat(folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                                .map(folder -> side + "/" + folder.getFileName()))
                        .isNotEmpty()
                        .allMatch(modules()::contains);
            }
        }
    }

    @Test
    void nothing_that_decides_knows_what_acts() {
        for (String module : modules()) {
            if (module.startsWith("policies/")) {
                assertThat(arrows(module, false)).as(module).allMatch(arrow -> arrow.endsWith(" --> spi"));
            }
        }
    }

    @Test
    void the_server_alone_knows_spring_and_netty() {
        for (String module : modules()) {
            if (!module.equals("backend/server")) {
                assertThat(shipped(module))
                        .as(module)
                        .noneMatch(dependency ->
                                dependency.matches("(org\\.springframework|org\\.springdoc|io\\.netty).*"));
            }
        }
    }

    /** Nobody else could be run without the service. */
    @Test
    void nobody_knows_the_server() {
        for (String module : modules()) {
            assertThat(arrows(module, false)).as(module).noneMatch(arrow -> arrow.endsWith(" --> server"));
        }
    }

    @Test
    void the_drawing_shows_every_module_and_every_arrow() throws IOException {
        Set<String> wanted = new TreeSet<>();
        for (String module : modules()) {
            wanted.add(name(module));
            wanted.addAll(arrows(module, false));
            wanted.addAll(arrows(module, true));
        }
        String page = Files.readString(ROOT.resolve("docs/architecture.md"));
        String drawing = between(page, "```mermaid\n", "```");
        Set<String> drawn = new TreeSet<>();
        for (Matcher line = ARROWS.matcher(drawing); line.find(); ) {
            for (String from : line.group(1).split(" & ")) {
                for (String to : line.group(3).split(" & ")) {
                    drawn.addAll(List.of(from, to, "%s %s %s".formatted(from, line.group(2), to)));
                }
            }
        }
        assertThat(drawn).as("modules and arrows in docs/architecture.md").isEqualTo(wanted);
    }

    /** The plugins aside, of which it shows some. */
    @Test
    void the_house_on_the_page_has_a_line_for_every_module() throws IOException {
        String house =
                between(Files.readString(ROOT.resolve("docs/architecture.md")), "## The house", "Who knows whom");
        for (String module : modules()) {
            if (!plugins().contains(module)) {
                assertThat(house).contains("\n  %s/ ".formatted(name(module)));
            }
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

    /** The annotations are for the compiler's eyes. */
    @Test
    void the_simulator_knows_the_engine_and_the_spi() {
        assertThat(shipped("backend/simulator"))
                .containsExactlyInAnyOrder(
                        "dev.headgate:headgate-spi:compile",
                        "dev.headgate:headgate-engine:compile",
                        "org.hdrhistogram:HdrHistogram:compile",
                        "org.jspecify:jspecify:compile");
    }

    /** The wire port knows the protocol, too, and the lab the query engine. */
    @Test
    void the_wire_port_and_the_lab_know_the_engine_and_not_each_other() {
        for (String module : List.of("backend/wire", "backend/lab")) {
            String known = module.equals("backend/wire") ? "engine|spi|protocol" : "engine|spi|sql";
            assertThat(shipped(module)).as(module).contains("dev.headgate:headgate-engine:compile");
            assertThat(shipped(module))
                    .as(module)
                    .filteredOn(dependency -> dependency.startsWith("dev.headgate:"))
                    .allMatch(dependency -> dependency.matches("dev\\.headgate:headgate-(" + known + "):compile"));
        }
    }

    /** It talks to a service over HTTP, whatever that is made of, and reads a user's YAML. The last is an annotation for the compiler's eyes. */
    @Test
    void the_command_line_knows_no_module_of_ours() {
        assertThat(shipped("backend/cli"))
                .containsExactlyInAnyOrder(
                        "info.picocli:picocli:compile",
                        "tools.jackson.core:jackson-databind:compile",
                        "org.snakeyaml:snakeyaml-engine:compile",
                        "org.jspecify:jspecify:compile");
    }

    /** Nothing may reach every module at once by way of the parent, but what tests need. */
    @Test
    void the_parent_hands_down_test_dependencies_alone() {
        assertThat(shipped("")).isEmpty();
    }

    /** The folders that Maven builds. */
    private static List<String> modules() {
        Element project = read(ROOT.resolve("pom.xml")).getDocumentElement();
        return children(children(project, "modules").getFirst(), "module").stream()
                .map(module -> module.getTextContent().strip())
                .toList();
    }

    private static String name(String module) {
        return module.substring(module.lastIndexOf('/') + 1);
    }

    /** Whom of the house a module knows, in what ships or in its tests alone, as the drawing says it. */
    private static List<String> arrows(String module, boolean inTests) {
        return dependencies(module).stream()
                .filter(dependency -> dependency.startsWith(OURS) && dependency.endsWith(":test") == inTests)
                .map(dependency -> dependency.substring(OURS.length(), dependency.lastIndexOf(':')))
                .map(known -> "%s %s %s".formatted(name(module), inTests ? "-.->" : "-->", known))
                .toList();
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        assertThat(text).as("docs/architecture.md").contains(begin);
        return text.substring(from, text.indexOf(end, from));
    }

    /** What a module's users get to see: its dependencies of any scope but test, as group:artifact:scope. */
    private static List<String> shipped(String module) {
        return dependencies(module).stream()
                .filter(dependency -> !dependency.endsWith(":test"))
                .toList();
    }

    /** All that a module's pom names, as group:artifact:scope. */
    private static List<String> dependencies(String module) {
        List<String> found = new ArrayList<>();
        Element project = read(ROOT.resolve(module).resolve("pom.xml")).getDocumentElement();
        for (Element dependencies : children(project, "dependencies")) {
            for (Element dependency : children(dependencies, "dependency")) {
                found.add("%s:%s:%s"
                        .formatted(
                                text(dependency, "groupId", "?"),
                                text(dependency, "artifactId", "?"),
                                text(dependency, "scope", "compile")));
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
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("policies/spi"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
