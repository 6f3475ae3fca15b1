package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class PolicyCommandTest {

    @TempDir
    Path folder;

    @Test
    void aProjectIsWrittenUnderItsName() throws Exception {
        Path project = folder.resolve("my policies/cap");
        assertThat(run("policy", "new", "rate-cap2", project.toString()))
                .isEqualTo(new Ran(0, "Wrote the policy rate-cap2 to " + project + "\n", ""));
        assertThat(filesBelow(project))
                .containsExactlyInAnyOrder(
                        "pom.xml",
                        "README.md",
                        "src/main/java/com/example/ratecap2policy/RateCap2Factory.java",
                        "src/main/java/com/example/ratecap2policy/RateCap2Policy.java",
                        "src/main/resources/com/example/ratecap2policy/parameters.json",
                        "src/main/resources/META-INF/services/dev.headgate.spi.PolicyFactory",
                        "src/test/java/com/example/ratecap2policy/RateCap2Test.java");
        for (String file : filesBelow(project)) {
            assertThat(project.resolve(file)).content().doesNotContainPattern("@(name|Name|package|version)@");
        }
        assertThat(project.resolve("pom.xml"))
                .content()
                .contains("<artifactId>rate-cap2</artifactId>", "<Plugin-Id>rate-cap2</Plugin-Id>")
                .containsPattern("<headgate.version>\\d+\\.\\d+\\.\\d+");
        assertThat(project.resolve("src/main/resources/META-INF/services/dev.headgate.spi.PolicyFactory"))
                .hasContent("com.example.ratecap2policy.RateCap2Factory");
        DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(project.resolve("pom.xml").toFile());
        assertThat(JsonMapper.builder()
                        .build()
                        .readTree(Files.readString(
                                project.resolve("src/main/resources/com/example/ratecap2policy/parameters.json")))
                        .at("/properties/max/default")
                        .asInt())
                .isEqualTo(10);
        assertThat(syntaxErrors(project)).isEmpty();
    }

    /** A name that is a keyword of Java makes classes and a package all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"default", "int", "a", "null-1"})
    void manyNamesWillDo(String name) throws IOException {
        Path project = folder.resolve(name);
        assertThat(run("policy", "new", name, project.toString()).code()).isZero();
        assertThat(syntaxErrors(project)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Cap", "1cap", "cap-", "a--b", "a_b", "../cap", "käfig"})
    void otherNamesAreRefused(String name) throws IOException {
        Ran run = run("policy", "new", name, folder.resolve("project").toString());
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("headgate: a policy cannot be called '" + name + "'");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFolderThatHoldsSomethingIsLeftAlone() throws IOException {
        Files.writeString(folder.resolve("mine"), "");
        assertThat(run("policy", "new", "cap", folder.toString()))
                .isEqualTo(new Ran(2, "", "headgate: '" + folder + "' is there already and not an empty folder\n"));
        assertThat(filesBelow(folder)).containsExactly("mine");
    }

    @Test
    void wrongWordsAreTold() {
        for (String[] words : new String[][] {{"policy"}, {"policy", "new"}, {"policy", "old", "cap"}}) {
            assertThat(run(words))
                    .isEqualTo(new Ran(
                            2,
                            "",
                            "headgate: policy takes: new NAME [FOLDER]; './headgate policy --help' says more\n"));
        }
        assertThat(run("policy", "new", "cap", "")).isEqualTo(new Ran(2, "", "headgate: FOLDER cannot be empty\n"));
        assertThat(run("policy", "--help").out()).startsWith("./headgate policy new NAME [FOLDER]");
    }

    private static List<String> filesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .toList();
        }
    }

    private static List<String> syntaxErrors(Path project) throws IOException {
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(said, null, null)) {
            List<Path> sources = filesBelow(project).stream()
                    .filter(file -> file.endsWith(".java"))
                    .map(project::resolve)
                    .toList();
            assertThat(sources).hasSize(3);
            var task = (JavacTask)
                    compiler.getTask(null, manager, said, null, null, manager.getJavaFileObjectsFromPaths(sources));
            task.parse();
        }
        return said.getDiagnostics().stream().map(Object::toString).toList();
    }

    private Ran run(String... arguments) {
        return Ran.with(Map.of(), folder, arguments);
    }
}
