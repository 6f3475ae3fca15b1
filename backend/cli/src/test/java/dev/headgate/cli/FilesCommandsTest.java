package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** diff, apply and export before a server that is scripted: what is sent, what is shown, how it ends. */
class FilesCommandsTest {

    @TempDir
    Path folder;

    private ScriptedService service;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void open() throws IOException {
        service = new ScriptedService();
        environment.put("HEADGATE_URL", service.url());
        environment.put("HEADGATE_TOKEN", ScriptedService.TOKEN);
    }

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void theFilesOfAFolderAreSentInTheOrderOfTheirNames() throws IOException {
        Path pools = Files.createDirectory(folder.resolve("pools é"));
        Files.writeString(pools.resolve("b.yaml"), "second: 2\n");
        Files.writeString(pools.resolve("a.yml"), "first: 1");
        Files.writeString(pools.resolve("B.yaml"), "capital: 0");
        Files.writeString(pools.resolve(".hidden.yaml"), "no");
        Files.writeString(pools.resolve("notes.txt"), "no");
        Files.createDirectory(pools.resolve("folder.yaml"));
        service.answering("/files/diff", 200, "nothing\n", "Headgate-Changes", "0");

        Ran diff = run("diff", pools.toString());
        assertThat(diff).isEqualTo(new Ran(0, "nothing\n", ""));
        assertThat(service.only())
                .isEqualTo(new ScriptedService.Asked(
                        "POST",
                        "/api/v1/files/diff?prune=false&name=pools%20%C3%A9",
                        "text/plain",
                        "application/yaml",
                        null,
                        """
                        ---
                        # headgate-file: B.yaml
                        capital: 0
                        ---
                        # headgate-file: a.yml
                        first: 1
                        ---
                        # headgate-file: b.yaml
                        second: 2

                        """));
    }

    @Test
    void diffEndsWithTwoWhereThereAreChanges() throws IOException {
        service.answering("/files/diff", 200, "+ domain a\n", "Headgate-Changes", "10");
        assertThat(run("diff", file())).isEqualTo(new Ran(2, "+ domain a\n", ""));
    }

    @Test
    void whatIsAppliedMayHaveAnotherOwnerAndPrune() throws IOException {
        service.answering("/files/apply", 200, "done\n", "Headgate-Changes", "3");
        assertThat(run("apply", file(), "--prune", "--source=a&b=c/ü+")).isEqualTo(new Ran(0, "done\n", ""));
        assertThat(service.only().uri())
                .isEqualTo("/api/v1/files/apply?prune=true&name=shop.yaml&source=a%26b%3Dc%2F%C3%BC%2B");
    }

    @Test
    void anApplyMayBeBoundToADiff() throws IOException {
        service.answering("/files/apply", 200, "done\n", "Headgate-Changes", "1");
        assertThat(run("apply", file(), "--diff", "5f0c")).isEqualTo(new Ran(0, "done\n", ""));
        assertThat(service.only().uri()).isEqualTo("/api/v1/files/apply?prune=false&name=shop.yaml&diff=5f0c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pools", "pools/", "pools/."})
    void theNameIsTheLastPartOfThePath(String path) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("pools")).resolve("a.yaml"), "");
        service.answering("/files/apply", 200, "", "Headgate-Changes", "0");
        run("apply", folder + "/" + path);
        assertThat(service.only().uri()).endsWith("name=pools");
    }

    @Test
    void namesAreReleased() {
        service.answering("/files/release", 200, "Released.\n");
        assertThat(run("apply", "--release=a", "database/main", "--url", service.url(), "b c"))
                .isEqualTo(new Ran(0, "Released.\n", ""));
        assertThat(service.only().uri()).isEqualTo("/api/v1/files/release?name=a&name=database%2Fmain&name=b%20c");
        assertThat(service.only().method()).isEqualTo("POST");
        assertThat(service.only().accept()).isEqualTo("text/plain");
    }

    @Test
    void aPathAndNamesToReleaseAreNotTakenTogether() throws IOException {
        String only = "headgate: --release takes names of domains, or database/NAME, and nothing else\n";
        assertThat(run("apply", file(), "--release", "a")).isEqualTo(new Ran(1, "", only));
        assertThat(run("apply", "--release", "a", "--prune")).isEqualTo(new Ran(1, "", only));
        assertThat(run("apply", "--release")).isEqualTo(new Ran(1, "", only));
        assertThat(service.asked()).isEmpty();
    }

    @Test
    void anExportIsShownOrReplacesAFileWhole() throws IOException {
        service.answering("/files/export", 200, "apiVersion: headgate/v1\n");
        assertThat(run("export")).isEqualTo(new Ran(0, "apiVersion: headgate/v1\n", ""));
        Path output = Files.writeString(folder.resolve("out.yaml"), "before");
        assertThat(run("export", "-o", output.toString())).isEqualTo(new Ran(0, "", ""));
        assertThat(output).hasContent("apiVersion: headgate/v1\n");
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactly(output);
        }
        String nowhere = folder.resolve("none/out.yaml").toString();
        assertThat(run("export", "--output", nowhere))
                .isEqualTo(new Ran(1, "", "headgate: '" + nowhere + "' cannot be written\n"));
    }

    @Test
    void aRefusalIsShownInTheServicesWords() throws IOException {
        service.answering("/files/apply", 422, "1 fault\nshop.yaml:8 must be at most 100");
        assertThat(run("apply", file())).isEqualTo(new Ran(1, "", "1 fault\nshop.yaml:8 must be at most 100\n"));
    }

    @Test
    void aWrongTokenIsTold() throws IOException {
        environment.put("HEADGATE_TOKEN", "wrong");
        assertThat(run("diff", file()))
                .isEqualTo(
                        new Ran(1, "", "headgate: " + service.url() + " does not take this token; see --token-file\n"));
    }

    @Test
    void theTokenIsTakenFromAFileTheEnvironmentOrTheDataFolderInThisOrder() throws IOException {
        service.answering("/files/export", 200, "x");
        Path right = Files.writeString(folder.resolve("token"), ScriptedService.TOKEN + "\n");
        environment.put("HEADGATE_TOKEN", "wrong");
        assertThat(run("export", "--token-file", right.toString()).code()).isZero();
        environment.put("HEADGATE_TOKEN", "");
        Path none = folder.resolve(".headgate/admin-token");
        assertThat(run("export"))
                .isEqualTo(new Ran(
                        1,
                        "",
                        "headgate: no token: set HEADGATE_TOKEN, or name a file with --token-file; '" + none
                                + "' cannot be read\n"));
        Files.createDirectory(none.getParent());
        Files.copy(right, none);
        assertThat(run("export").code()).isZero();
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.move(none, data.resolve("admin-token"));
        assertThat(run("export", "--data", data.toString()).code()).isZero();
        assertThat(run("export", "--token-file", none.toString()))
                .isEqualTo(new Ran(1, "", "headgate: --token-file: '" + none + "' cannot be read\n"));
    }

    @Test
    void aServiceThatIsNotThereIsTold() throws IOException {
        service.close();
        assertThat(run("diff", file()))
                .isEqualTo(
                        new Ran(
                                1,
                                "",
                                "headgate: " + service.url()
                                        + " cannot be asked: it does not take the connection. Is Headgate running there? See --url\n"));
        assertThat(run("diff", file(), "--url", "http://no host").err())
                .contains("cannot be asked: it is no URL of HTTP");
        assertThat(run("diff", file(), "--url", "ftp://127.0.0.1").err())
                .contains("cannot be asked: it is no URL of HTTP");
    }

    /** As a script gives it whose variable is not set: an empty path is the working folder, and no source is another owner. */
    @Test
    void anEmptyValueIsRefused() throws IOException {
        file(); // which the working folder has
        for (String command : List.of("diff", "apply")) {
            assertThat(run(command, "")).isEqualTo(empty("the file or folder"));
            assertThat(run(command, file(), "--source", "")).isEqualTo(empty("--source"));
        }
        assertThat(run("apply", file(), "--diff=")).isEqualTo(empty("--diff"));
        assertThat(run("export", "-o", "")).isEqualTo(empty("-o"));
        assertThat(service.asked()).isEmpty();
    }

    private static Ran empty(String what) {
        return new Ran(1, "", "headgate: " + what + " cannot be empty\n");
    }

    /** As one that is stopped in the middle of an apply: some of the changes may have been made. */
    @Test
    void aServiceThatEndsBeforeItsAnswerIsNotToldAsOneThatWasNotAsked() throws IOException {
        service.answering("/files/apply", ScriptedService.NONE, "");
        Ran ended = run("apply", file());
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("headgate: " + service.url() + " has ended the connection and has not answered (")
                .endsWith(
                        "), so whether it has done what was asked is not known. Does Headgate still run there? See --url\n");
        assertThat(service.asked()).hasSize(1);
    }

    @Test
    void anAddressNeedsNoSchemeAndMayEndInASlash() throws IOException {
        service.answering("/files/export", 200, "x");
        String bare = service.url().substring("http://".length());
        assertThat(run("export", "--url", bare).code()).isZero();
        assertThat(run("export", "--url=" + bare + "/").code()).isZero();
        assertThat(service.asked()).extracting(ScriptedService.Asked::uri).containsOnly("/api/v1/files/export");
    }

    @Test
    void wrongArgumentsEndWithOneAndAskNothing() throws IOException {
        refused("does not know '--force'; './headgate apply --help' lists what it does", "apply", "--force", file());
        refused("does not know '--prune'", "export", "--prune");
        refused("export takes no 'out.yaml'; the file to write is named with -o", "export", "out.yaml");
        refused("headgate: --url needs a value", "diff", file(), "--url");
        refused("diff takes one file or folder, was given 'a' and 'b'", "diff", "a", "b");
        refused("diff needs a file or a folder; './headgate diff --help' says more", "diff");
        refused("there is no file or folder 'none' that can be read", "diff", "none");
        refused("there is no *.yaml or *.yml in the folder '" + folder + "/empty'", "diff", folder + "/empty");
        assertThat(service.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"diff", "apply", "export"})
    void helpIsAPage(String command) {
        for (String option : List.of("--help", "-h")) {
            Ran help = run(command, option);
            assertThat(help.code()).isZero();
            assertThat(help.err()).isEmpty();
            assertThat(help.out())
                    .startsWith("./headgate diff PATH [--prune]")
                    .contains("--token-file FILE")
                    .contains("Exit codes: ");
        }
    }

    private void refused(String why, String... arguments) throws IOException {
        Files.createDirectories(folder.resolve("empty"));
        Ran run = run(arguments);
        assertThat(run.err()).contains(why).startsWith("headgate: ").hasLineCount(1);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
    }

    private String file() throws IOException {
        return Files.writeString(folder.resolve("shop.yaml"), "domains: []\n").toString();
    }

    private Ran run(String... arguments) {
        return Ran.with(environment, folder, arguments);
    }
}
