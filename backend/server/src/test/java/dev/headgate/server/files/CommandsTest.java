package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.cli.Headgate;
import dev.headgate.cli.Surroundings;
import dev.headgate.server.Service;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code ./headgate diff | apply | export | status}, as a person gives them, against a running service. */
class CommandsTest {

    private Service service;

    @TempDir
    Path folder;

    private Path token;

    @BeforeEach
    void open() throws IOException {
        service = Service.shared();
        token = Files.writeString(folder.resolve("token"), service.token() + "\n");
    }

    @AfterEach
    void leaveNothing() {
        service.delete("/domains/script-a");
        service.delete("/domains/script-b");
    }

    private record Run(int code, String out, String err) {}

    @Test
    void aFolderIsComparedAppliedAndReleased() throws Exception {
        Path pools = Files.createDirectory(folder.resolve("my pools"));
        Files.writeString(pools.resolve("b.yml"), domain("script-b", 5));
        Files.writeString(pools.resolve("a.yaml"), domain("script-a", 5).strip()); // no line end
        Files.writeString(pools.resolve("notes.txt"), "not for Headgate");

        Run diff = run("diff", "--source", "my-pools", pools.toString());
        assertThat(diff.err()).isEmpty();
        assertThat(diff.code()).isEqualTo(2);
        assertThat(diff.out())
                .startsWith("+ domain script-a  (a.yaml:3)\n")
                .contains("+ domain script-b  (b.yml:3)\n")
                .endsWith("2 changes in my-pools.\n");
        Run applied = run("apply", pools.toString(), "--source=my-pools");
        assertThat(applied.code()).isZero();
        assertThat(applied.out()).endsWith("Applied 2 changes from my-pools.\n");
        Run same = run("diff", pools.toString(), "--source=my-pools");
        assertThat(same.code()).isZero();
        assertThat(same.out()).isEqualTo("Nothing to do: everything is as my-pools says.\n");
        assertThat(run("apply", pools.toString(), "--source=my-pools").out()).isEqualTo(same.out());

        Files.delete(pools.resolve("b.yml"));
        assertThat(run("diff", pools.toString(), "--source=my-pools").out())
                .contains("! domain script-b was applied from a source of these files");
        assertThat(run("diff", pools.toString(), "--source=my-pools", "--prune").code())
                .isEqualTo(2);
        assertThat(run("apply", pools.toString(), "--source=my-pools", "--prune")
                        .out())
                .startsWith("- domain script-b\n");
        assertThat(service.get("/domains/script-b").status()).isEqualTo(404);

        Run released = run("apply", "--release", "script-a");
        assertThat(released.out()).isEqualTo("Released domain script-a, which was managed by files: my-pools.\n");
        assertThat(released.code()).isZero();
    }

    @Test
    void theSourceIsTheNameOfTheFile() throws Exception {
        Path file = Files.writeString(folder.resolve("shop.yaml"), domain("script-a", 5));
        assertThat(run("apply", file.toString()).out()).endsWith("Applied 1 change from shop.yaml.\n");
        assertThat(service.get("/domains/script-a/policies")
                        .json()
                        .get("managedBy")
                        .asString())
                .isEqualTo("files: shop.yaml");
    }

    @Test
    void faultsAreShownAndNothingIsChanged() throws Exception {
        Path file = Files.writeString(folder.resolve("bad.yaml"), domain("script-a", 500));
        for (String command : List.of("diff", "apply")) {
            Run run = run(command, file.toString());
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .contains("bad.yaml:8 /domains/0/policySet/policies/0/parameters/max must be at most 100, was 500;"
                            + " allowed: 1..100");
        }
        assertThat(service.get("/domains/script-a").status()).isEqualTo(404);
    }

    @Test
    void aFileThatIsNotInUtf8IsNamedWithItsLine() throws Exception {
        Path pools = Files.createDirectory(folder.resolve("pools"));
        Files.writeString(pools.resolve("a.yaml"), domain("script-a", 5));
        Path latin = pools.resolve("b.yaml");
        Files.write(latin, "apiVersion: headgate/v1\n# caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
        assertFails("'" + latin + "' is not UTF-8: see line 2", "apply", pools.toString());
        assertThat(service.get("/domains/script-a").status()).isEqualTo(404);
    }

    @Test
    void anExportAppliesWithoutAChange() throws Exception {
        service.domain("script-a", "[{\"plugin\": \"fixed\", \"parameters\": {\"max\": 5}}]");
        Path exported = folder.resolve("out.yaml");
        Run run = run("export", "-o", exported.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(Files.readString(exported))
                .startsWith("apiVersion: headgate/v1\n")
                .contains("script-a");
        assertThat(run("export").out()).isEqualTo(Files.readString(exported));
        Run diff = run("diff", exported.toString());
        assertThat(diff.out()).isEqualTo("Nothing to do: everything is as out.yaml says.\n");
        assertThat(diff.code()).isZero();
    }

    @Test
    void theStatusShowsEachDomainInOneLine() throws Exception {
        service.domain("script-a", "[{\"plugin\": \"fixed\", \"parameters\": {\"max\": 5}}]");
        Run run = run("status");
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.out()).startsWith("Headgate ").contains(" at " + service.root() + "\n");
        assertThat(run.out().lines().filter(line -> line.startsWith("main ")).toList())
                .singleElement()
                .asString()
                .contains(" 40 ")
                .contains("fine");
        assertThat(run.out()
                        .lines()
                        .filter(line -> line.startsWith("script-a "))
                        .toList())
                .singleElement()
                .asString()
                .contains("main")
                .contains("idle");
    }

    @Test
    void whatCannotBeTriedIsSaidAndEndsWithOne() throws Exception {
        Path file = Files.writeString(folder.resolve("shop.yaml"), domain("script-a", 5));
        Files.writeString(token, "wrong");
        assertFails("does not take this token", "diff", file.toString());
        assertFails(
                "there is no file or folder",
                "diff",
                folder.resolve("none.yaml").toString());
        assertFails(
                "there is no *.yaml or *.yml in", "apply", folder.resolve(".").toString() + "/empty");
        assertFails("does not know '--force'", "apply", "--force", file.toString());
        assertFails("needs a file or a folder", "diff");
        assertFails("--release takes names", "apply", "--release");
        assertFails("cannot be asked", "diff", "--url", "http://127.0.0.1:1", file.toString());
    }

    private void assertFails(String why, String... arguments) throws Exception {
        Files.createDirectories(folder.resolve("empty"));
        Run run = run(arguments);
        assertThat(run.err()).contains(why);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
    }

    private Run run(String... arguments) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Headgate.run(
                new Surroundings(
                        Map.of(
                                "HEADGATE_URL", service.root().toString(),
                                "HEADGATE_TOKEN", Files.readString(token).strip()),
                        folder,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)),
                arguments);
        return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static String domain(String name, int max) {
        return """
                apiVersion: headgate/v1
                domains:
                  - name: %s
                    database: main
                    policySet:
                      policies:
                        - plugin: fixed
                          parameters: {max: %d}
                """.formatted(name, max);
    }
}
