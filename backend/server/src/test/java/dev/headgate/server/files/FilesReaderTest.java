package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.Scope;
import dev.headgate.server.problems.Faults;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class FilesReaderTest {

    @TempDir
    Path data;

    private final Faults faults = new Faults();

    @Test
    void everyExampleOfTheDocumentationCanBeRead() throws IOException {
        Matcher yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../../docs/policy-files.md")));
        List<Wanted> examples = new ArrayList<>();
        while (yaml.find()) {
            examples.add(read(yaml.group(1)));
        }
        assertThat(faults.list()).isEmpty();
        assertThat(examples.getFirst().databases().get("main").request().password())
                .isEqualTo("s3cret");
        assertThat(examples.getFirst().domains()).containsOnlyKeys("checkout", "reports");
    }

    @Test
    void whatIsLeftOutIsTakenForWhatRestWouldTakeItFor() {
        Wanted wanted = read("""
                apiVersion: headgate/v1
                domains: [{name: a, database: main}]
                databases: [{name: main, host: h, port: 1, database: d, user: u, budget: 1, sslMode: null}]
                """);
        assertThat(faults.list()).isEmpty();
        assertThat(wanted.domains().get("a").description()).isEmpty();
        assertThat(wanted.domains().get("a").set()).isNull();
        assertThat(wanted.databases().get("main").request().sslMode()).isNull();
        assertThat(wanted.databases().get("main").passwordFrom()).isNull();
    }

    @Test
    void aDatabaseIsHeldToTheRulesOfRest() {
        Wanted wanted = read("""
                apiVersion: headgate/v1
                databases: [{name: main, port: 99999999999, database: d, budget: 0, sslMode: maybe, passwordEnv: A, passwordFile: b}]
                """);
        assertThat(faults.list())
                .extracting(fault -> fault.pointer() + " " + fault.message() + " | " + fault.allowed())
                .containsExactlyInAnyOrder(
                        "/databases/0/host is missing | null",
                        "/databases/0/port is 99999999999 | a whole number, at most 2147483647",
                        "/databases/0/user is missing | null",
                        "/databases/0/sslMode must be an SSL mode, was maybe | disable, prefer, require, verify-ca,"
                                + " verify-full",
                        "/databases/0/budget must be a number of connections, was 0 | 1..10000",
                        "/databases/0/passwordFile is there beside passwordEnv | one of them");
        assertThat(wanted.part(Scope.database("main"))).isPresent();
    }

    @Test
    void labelsAreHeldToTheRulesOfRest() {
        Wanted wanted = read("""
                apiVersion: headgate/v1
                domains:
                  - name: a
                    database: main
                    labels: {Team: x, build: 12, none: , zone: ' eu', fine: x}
                  - {name: b, database: main, labels: [x]}
                  - {name: c, database: main, labels: {zone: eu, team: x}}
                  - {name: d, database: main, labels: }
                """);
        assertThat(faults.list())
                .extracting(fault -> fault.at() + " " + fault.pointer() + " " + fault.message())
                .containsExactlyInAnyOrder(
                        "file.yaml:5 /domains/0/labels/Team must be a label's name, was Team",
                        "file.yaml:5 /domains/0/labels/build is 12",
                        "file.yaml:5 /domains/0/labels/none is missing",
                        "file.yaml:5 /domains/0/labels/zone must be a label's value, was  eu",
                        "file.yaml:6 /domains/1/labels is an array");
        assertThat(wanted.domains()).containsOnlyKeys("c", "d");
        assertThat(wanted.domains().get("c").labels()).hasToString("{team=x, zone=eu}");
        assertThat(wanted.domains().get("d").labels()).isEmpty();
    }

    @Test
    void anEmptyFieldIsTakenForLeftOut() {
        read("""
                apiVersion: headgate/v1
                domains: [{name: a, database: }, {name: null, database: main}]
                databases: [{name: main, host: null, port: 1, database: d, user: u, budget: 1}]
                """);
        assertThat(faults.list())
                .extracting(fault -> fault.pointer() + " " + fault.message())
                .containsExactlyInAnyOrder(
                        "/domains/0/database is missing", "/domains/1/name is missing", "/databases/0/host is missing");
    }

    private Wanted read(String text) {
        try (ValidatorFactory validation = Validation.buildDefaultValidatorFactory()) {
            return new FilesReader(
                            JsonMapper.builder().build(),
                            validation.getValidator(),
                            new Passwords(
                                    Map.of("SHOP_PASSWORD", "s3cret")::get,
                                    data,
                                    new HeadgateProperties.Secrets(null, "")))
                    .read(
                            List.of(new SourceFile("file.yaml", text)),
                            new Terms("file.yaml", null, false, Origin.START),
                            bytes -> {},
                            faults);
        }
    }
}
