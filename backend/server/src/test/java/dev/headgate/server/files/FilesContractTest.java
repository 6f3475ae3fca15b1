package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.api.Scope;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.plugins.PluginJars;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

class FilesContractTest {

    private static final String SET = """
            %spolicySet:
                  policies:
                    - plugin: fixed
                      parameters: {min: %d, max: 20, guaranteed: %d}
            """;

    private Service service;

    @TempDir
    Path folder;

    private Path password;

    @BeforeEach
    void open() throws IOException {
        service = Service.shared();
        password = Files.writeString(folder.resolve("password"), Service.TARGET_PASSWORD + "\n");
    }

    /** What a test has put in force under the source of its own name goes. */
    @AfterEach
    void leaveNothing() {
        for (JsonNode domain :
                service.get("/domains").json().get("items").values().stream().toList()) {
            String name = domain.get("name").asString();
            if (name.startsWith("file-")) {
                service.delete("/domains/" + name).expect(204);
            }
        }
        for (JsonNode database :
                service.get("/databases").json().get("items").values().stream().toList()) {
            String name = database.get("name").asString();
            if (name.startsWith("file-")) {
                service.delete("/databases/" + name).expect(204);
            }
        }
    }

    @Test
    void filesArePutInForceOnceAndBelongToTheirSource() {
        String yaml =
                database("file-db", 20) + domains(domain("file-a", "file-db", 1, 5), domain("file-b", "main", 2, 0));

        JsonNode diff = diff(yaml).expect(200).json();
        assertThat(service.get("/domains/file-a").status()).isEqualTo(404);
        assertThat(diff.get("applied").asBoolean()).isFalse();
        assertThat(subjects(diff)).containsExactly("create file-db", "create file-a", "create file-b");
        assertThat(diff.toString()).doesNotContain(Service.TARGET_PASSWORD);

        Answer applied = apply(yaml).expect(200);
        assertThat(applied.header("Headgate-Changes")).isEqualTo("3");
        JsonNode set = service.get("/domains/file-a/policies").json();
        assertThat(set.get("managedBy").asString()).isEqualTo("files: test.yaml");
        assertThat(set.get("comment").asString()).isEqualTo("From test.yaml");
        assertThat(set.get("revision").asInt()).isEqualTo(1);
        assertThat(service.get("/domains/file-a/pool").json().get("guaranteed").asInt())
                .isEqualTo(5);

        Answer again = apply(yaml).expect(200);
        assertThat(again.header("Headgate-Changes")).isEqualTo("0");
        assertThat(service.get("/domains/file-a/policies")
                        .json()
                        .get("revision")
                        .asInt())
                .isEqualTo(1);
        assertThat(diff(yaml).json().get("changes").size()).isZero();
    }

    @Test
    void aChangeIsToldLeafByLeafAndMadeAsANewRevision() {
        String before = domains(domain("file-a", "main", 1, 0));
        apply(before).expect(200);
        String after =
                before.replace("min: 1", "min: 3").replace("name: file-a", "name: file-a\n    description: Shop");

        JsonNode change = diff(after).expect(200).json().get("changes").get(0);
        assertThat(change.get("action").asString()).isEqualTo("change");
        assertThat(change.get("at").asString()).isEqualTo("test.yaml:3");
        assertThat(change.get("differences").toString())
                .isEqualTo("[{\"pointer\":\"/description\",\"from\":\"\",\"to\":\"Shop\"},"
                        + "{\"pointer\":\"/policySet/policies/0/parameters/min\",\"from\":1,\"to\":3}]");

        apply(after).expect(200);
        JsonNode set = service.get("/domains/file-a/policies").json();
        assertThat(set.get("revision").asInt()).isEqualTo(2);
        assertThat(set.get("policySet").at("/policies/0/parameters/min").asInt())
                .isEqualTo(3);
        assertThat(service.get("/domains/file-a").json().get("description").asString())
                .isEqualTo("Shop");
        assertThat(service.get("/audit?limit=1").json().at("/items/0/action").asString())
                .isEqualTo("policies.put");
    }

    /** Its guard could not restore the former set any more: that of files changes only with them. */
    @Test
    void aSetOnProbationStaysWhenFilesTakeItAndTheDiffSaysSo() {
        service.domain("file-a", "[{\"plugin\": \"fixed\", \"parameters\": {\"max\": 5}}]");
        String tried = "{\"policies\": [{\"plugin\": \"fixed\","
                + " \"parameters\": {\"min\": 1, \"max\": 20, \"guaranteed\": 0}}]}";
        service.put(
                        "/domains/file-a/policies?guard=within:60m,then:restore",
                        tried,
                        "If-Match",
                        service.get("/domains/file-a/policies").header("ETag"))
                .expect(200);
        String yaml = domains(domain("file-a", "main", 1, 0));

        assertThat(diff(yaml).expect(200).json().at("/warnings/0").asString())
                .matches("domain file-a is on probation until \\S+Z, and its revision 1 may come back;"
                        + " applying the files ends the probation");
        apply(yaml).expect(200);
        JsonNode set = service.get("/domains/file-a/policies").json();
        assertThat(set.get("managedBy").asString()).isEqualTo("files: test.yaml");
        assertThat(set.get("revision").asInt()).isEqualTo(2);
        assertThat(set.get("guard").isNull()).isTrue();
        assertThat(diff(yaml).json().get("warnings").size()).isZero();
    }

    /** REST says so in a header. */
    @Test
    void aBudgetThatIsMoreThanTheServerCanGiveIsAWarning() {
        String why = "database file-db: The budget of 5000 is more than the server can give: it allows ";
        assertThat(diff(database("file-db", 5000))
                        .expect(200)
                        .json()
                        .at("/warnings/0")
                        .asString())
                .startsWith(why);
        assertThat(apply(database("file-db", 20))
                        .expect(200)
                        .json()
                        .get("warnings")
                        .size())
                .isZero();
        await().atMost(Service.PATIENCE)
                .until(() -> !service.get("/databases/file-db")
                        .json()
                        .get("serverMaxConnections")
                        .isNull());
        assertThat(apply(database("file-db", 5000))
                        .expect(200)
                        .json()
                        .at("/warnings/0")
                        .asString())
                .startsWith(why);
    }

    @Test
    void labelsAreComparedOneByOneAppliedAndExported() {
        String before = domains(domain("file-a", "main", 1, 0));
        String labelled = before.replace("name: file-a", "name: file-a\n    labels: {team: shop, zone: eu}");
        assertThat(diff(labelled)
                        .expect(200)
                        .json()
                        .at("/changes/0/differences")
                        .toString())
                .contains("{\"pointer\":\"/labels\",\"from\":null,\"to\":{\"team\":\"shop\",\"zone\":\"eu\"}}");
        apply(labelled).expect(200);
        assertThat(diff(labelled).json().get("changes").size()).isZero();
        assertThat(service.get("/files/export?domain=file-a").text())
                .contains("    labels:\n      team: shop\n      zone: eu\n");

        String other = labelled.replace("{team: shop, zone: eu}", "{team: bank, cost.center: '7'}");
        assertThat(diff(other).expect(200).json().at("/changes/0/differences").toString())
                .isEqualTo("[{\"pointer\":\"/labels/cost.center\",\"from\":null,\"to\":\"7\"},"
                        + "{\"pointer\":\"/labels/team\",\"from\":\"shop\",\"to\":\"bank\"},"
                        + "{\"pointer\":\"/labels/zone\",\"from\":\"eu\",\"to\":null}]");
        apply(before).expect(200);
        assertThat(service.get("/domains/file-a").json().get("labels").size())
                .as("files without labels take them away")
                .isZero();
    }

    @Test
    void howADomainIsServedOnTheWirePortIsComparedAppliedAndExported() {
        String plain = domains(domain("file-a", "main", 1, 0));
        String wired = plain.replace(
                "    database: main\n", "    database: main\n    wire: {mode: session, maxClients: 20}\n");
        assertThat(differences(apply(wired)))
                .contains(
                        "{\"pointer\":\"/wire\",\"from\":null,\"to\":"
                                + "{\"mode\":\"session\",\"maxClients\":20,\"sessionState\":\"pin\",\"unnamedStatements\":\"auto\"}}");
        assertThat(wire("file-a"))
                .isEqualTo(
                        "{\"mode\":\"session\",\"maxClients\":20,\"sessionState\":\"pin\",\"unnamedStatements\":\"auto\"}");
        assertThat(diff(wired).expect(200).json().get("changes").size()).isZero();
        assertThat(service.get("/files/export?domain=file-a").expect(200).text())
                .contains(
                        "    wire:\n      mode: session\n      maxClients: 20\n      sessionState: pin\n      unnamedStatements: auto\n");

        String strict = wired.replace("mode: session", "mode: statement, sessionState: refuse, unnamedStatements: off");
        assertThat(differences(diff(strict)))
                .isEqualTo("[{\"pointer\":\"/wire/mode\",\"from\":\"session\",\"to\":\"statement\"},"
                        + "{\"pointer\":\"/wire/sessionState\",\"from\":\"pin\",\"to\":\"refuse\"},"
                        + "{\"pointer\":\"/wire/unnamedStatements\",\"from\":\"auto\",\"to\":\"off\"}]");
        assertThat(wire("file-a")).contains("session");
        apply(strict).expect(200);
        assertThat(wire("file-a"))
                .isEqualTo(
                        "{\"mode\":\"statement\",\"maxClients\":20,\"sessionState\":\"refuse\",\"unnamedStatements\":\"off\"}");
        JsonNode entry = service.get("/audit?limit=2").json().at("/items/1"); // the set is taken anew after it
        assertThat(entry.get("action").asString()).isEqualTo("domains.change");
        assertThat(entry.at("/before/wire/mode").asString()).isEqualTo("session");

        apply(plain).expect(200);
        assertThat(wire("file-a"))
                .as("what is left out has its default")
                .isEqualTo(
                        "{\"mode\":\"transaction\",\"maxClients\":1000,\"sessionState\":\"pin\",\"unnamedStatements\":\"auto\"}");
        assertThat(service.get("/files/export?domain=file-a").text()).doesNotContain("wire");
        assertThat(service.get("/domains/file-a/policies")
                        .json()
                        .get("revision")
                        .asInt())
                .as("the policy set was never concerned")
                .isEqualTo(1);
    }

    @Test
    void whatADomainAllowsOverHttpIsComparedAppliedAndExported() {
        String plain = domains(domain("file-a", "main", 1, 0));
        String bounded = plain.replace(
                "    database: main\n", "    database: main\n    sql: {access: read, maxBytes: 10000000000}\n");
        apply(plain).expect(200);
        assertThat(differences(apply(bounded)))
                .isEqualTo("[{\"pointer\":\"/sql/access\",\"from\":\"write\",\"to\":\"read\"},"
                        + "{\"pointer\":\"/sql/maxBytes\",\"from\":0,\"to\":10000000000}]");
        assertThat(service.get("/domains/file-a").json().get("sql").toString())
                .isEqualTo("{\"access\":\"read\",\"maxRows\":0,\"maxBytes\":10000000000,\"timeoutMs\":0}");
        String exported = service.get("/files/export?domain=file-a").expect(200).text();
        assertThat(exported).contains("    sql:\n      access: read\n      maxRows: 0\n");
        assertThat(diff(bounded).expect(200).json().get("changes").size()).isZero();
        assertThat(diff(bounded.replace("read, ", "all, ")).expect(422).fault("/domains/0/sql/access"))
                .contains("write, read, off");
        apply(plain).expect(200);
        assertThat(service.get("/files/export?domain=file-a").text()).doesNotContain("sql");
    }

    @Test
    void wireSettingsThatAreNoneAreFaultsAtTheirPlace() {
        Answer answer = apply("""
                apiVersion: headgate/v1
                domains:
                  - name: file-a
                    database: main
                    wire:
                      mode: pooled
                      maxClients: 0
                      sessionState: 7
                      unnamedStatements: sometimes
                      port: 6432
                  - {name: file-b, database: main, wire: session}
                """);
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/domains/0/wire/mode"))
                .isEqualTo("must be a mode, was pooled | transaction, session, statement");
        assertThat(answer.fault("/domains/0/wire/maxClients"))
                .isEqualTo("must be a number of clients, was 0 | 1..100000");
        assertThat(answer.fault("/domains/0/wire/sessionState")).startsWith("is 7");
        assertThat(answer.fault("/domains/0/wire/unnamedStatements"))
                .isEqualTo("must be what becomes of statements without a name, was sometimes | auto, off");
        assertThat(answer.fault("/domains/0/wire/port"))
                .isEqualTo("is not known here | maxClients, mode, sessionState, unnamedStatements");
        assertThat(answer.fault("/domains/1/wire")).isEqualTo("is the string \"session\" | an object");
        assertThat(service.get("/domains/file-a").status()).isEqualTo(404);
    }

    private static String differences(Answer answer) {
        return answer.expect(200).json().at("/changes/0/differences").toString();
    }

    private String wire(String domain) {
        return service.get("/domains/" + domain).expect(200).json().get("wire").toString();
    }

    @Test
    void whatBelongsToFilesIsReadOnlyUntilItIsReleased() {
        apply(domains(domain("file-a", "main", 1, 0))).expect(200);
        String other = "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": 7}}]}";

        Answer put = service.put("/domains/file-a/policies", other, "If-Match", "\"1\"");
        assertThat(put.status()).isEqualTo(409);
        assertThat(put.problem()).isEqualTo("managed-by-files");
        assertThat(put.json().get("detail").asString())
                .isEqualTo("The policy set of domains/file-a is managed by files: test.yaml: change it there and run"
                        + " './headgate apply', or take it back with './headgate apply --release file-a'.");
        Answer restore = service.post("/domains/file-a/policies/revisions/0/restore", null, "If-Match", "\"1\"");
        assertThat(restore.problem()).isEqualTo("managed-by-files");
        assertThat(service.get("/domains/file-a/policies").header("ETag")).isEqualTo("\"1\"");

        assertThat(service.post("/files/release?name=", null).expect(400).problem())
                .isEqualTo("malformed-request");
        assertThat(service.post("/files/release?name=file-a&name=nobody", null).problem())
                .isEqualTo("not-found");
        assertThat(service.get("/domains/file-a/policies")
                        .json()
                        .get("managedBy")
                        .asString())
                .isEqualTo("files: test.yaml");
        JsonNode released =
                service.post("/files/release?name=file-a", null).expect(200).json();
        assertThat(released.toString())
                .isEqualTo(
                        "{\"items\":[{\"kind\":\"domain\",\"name\":\"file-a\",\"managedBy\":\"files: test.yaml\"}]}");
        service.put("/domains/file-a/policies", other, "If-Match", "\"1\"").expect(200);
        assertThat(service.get("/domains/file-a/policies")
                        .json()
                        .get("managedBy")
                        .isNull())
                .isTrue();
    }

    @Test
    void whoOwnsASetIsToldWhereverItsDomainOrDatabaseIs() {
        service.domain("file-b", "[]");
        apply(database("file-db", 20) + domains(domain("file-a", "file-db", 1, 0)))
                .expect(200);

        assertThat(owner("/domains/file-a", "/domains", "file-a")).isEqualTo("files: test.yaml");
        assertThat(owner("/databases/file-db", "/databases", "file-db")).isEqualTo("files: test.yaml");
        assertThat(owner("/domains/file-b", "/domains", "file-b")).isNull();
        assertThat(owner("/databases/main", "/databases", "main")).isNull();

        service.post("/files/release?name=file-a&name=database/file-db", null).expect(200);
        assertThat(owner("/domains/file-a", "/domains", "file-a")).isNull();
        assertThat(owner("/databases/file-db", "/databases", "file-db")).isNull();
    }

    /** What the resource says, which is what its list says. */
    private @Nullable String owner(String resource, String list, String name) {
        JsonNode told = service.get(resource).expect(200).json().get("managedBy");
        JsonNode listed = service.get(list).expect(200).json().get("items").values().stream()
                .filter(item -> item.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .get("managedBy");
        assertThat(listed).isEqualTo(told);
        return told.isNull() ? null : told.asString();
    }

    /** It waits until the other set is accepted, and compares with that. */
    @Test
    void aSetIsNotUnchangedWhileAnotherIsBeingPutInForce() throws Exception {
        service.domain(
                "file-a", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 20, \"guaranteed\": 0}}]");
        String yaml = domains(domain("file-a", "main", 1, 0));
        Scope scope = Scope.domain("file-a");
        CompletableFuture<Answer> applied = new CompletableFuture<>();
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            Policies policies = service.bean(Policies.class);
            PolicySetRequest other = policies.current(scope)
                    .policySet()
                    .withPolicies(List.of(new PolicySetRequest.PolicyUseRequest("fixed", Map.of("min", 2, "max", 20))));
            policies.put(scope, 1, other); // accepted at the end of this transaction
            applied.completeAsync(() -> apply(yaml));
            await().atMost(Service.PATIENCE).until(() -> applied.isDone() || someoneWaitsForALock());
        });

        assertThat(differences(applied.get().expect(200))).contains("/policySet/policies/0/parameters/min");
        JsonNode set = service.get("/domains/file-a/policies").json();
        assertThat(set.get("revision").asInt()).isEqualTo(3);
        assertThat(set.get("policySet").at("/policies/0/parameters/min").asInt())
                .isEqualTo(1);
    }

    private boolean someoneWaitsForALock() {
        return service.bean(JdbcClient.class)
                        .sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'")
                        .query(Integer.class)
                        .single()
                > 0;
    }

    @Test
    void whatSomebodyHasMadeByHandIsTakenOverWithoutANewRevision() {
        service.domain(
                "file-a", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 20, \"guaranteed\": 0}}]");
        String yaml = domains(domain("file-a", "main", 1, 0));
        assertThat(diff(yaml).json().get("changes").get(0).get("differences").toString())
                .isEqualTo("[{\"pointer\":\"/managedBy\",\"from\":null,\"to\":\"files: test.yaml\"}]");
        apply(yaml).expect(200);
        JsonNode set = service.get("/domains/file-a/policies").json();
        assertThat(set.get("revision").asInt()).isEqualTo(1);
        assertThat(set.get("managedBy").asString()).isEqualTo("files: test.yaml");
    }

    @Test
    void oneSourceDoesNotTakeFromAnother() {
        String yaml = domains(domain("file-a", "main", 1, 0));
        apply(yaml).expect(200);
        Answer other = send("apply", yaml, "source=other.yaml");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.problem()).isEqualTo("invalid-files");
        assertThat(other.fault("/domains/0"))
                .startsWith("file-a is managed by files: test.yaml, not by files: other.yaml");
    }

    @Test
    void everyFaultIsToldAtOnceWithItsPlaceAndNothingIsChanged() {
        String yaml = """
                ---
                # headgate-file: one.yaml
                apiVersion: headgate/v1
                databases:
                  - name: file-db
                    host: 127.0.0.1
                    port: 543299
                    database: target
                    user: target
                    password: secret
                    budget: many
                    colour: red
                domains:
                  - {name: file-good, database: main}
                  - {name: File, database: main}
                  - {name: file-lost, database: nowhere}
                ---
                # headgate-file: two.yaml
                apiVersion: headgate/v2
                domains:
                  - name: file-good
                    database: main
                  - name: file-set
                    database: main
                    policySet:
                      policies:
                        - plugin: nope
                        - plugin: fixed
                          parameters: {max: 500}
                        - {plugin: 7}
                  - name: file-set2
                    database: main
                    policySet:
                      policies:
                        - plugin: fixed
                          parameters: {max: 500}
                  - name: file-much
                    database: main
                    policySet:
                      policies:
                        - plugin: fixed
                          parameters: {max: 50, guaranteed: 41}
                """;
        Answer answer = apply(yaml);
        assertThat(answer.status()).isEqualTo(422);
        List<String> faults = new ArrayList<>();
        for (JsonNode error : answer.json().get("errors").values()) {
            faults.add(error.get("at").asString() + " " + error.get("pointer").asString() + " "
                    + error.get("message").asString());
        }
        assertThat(faults)
                .containsExactlyInAnyOrder(
                        "one.yaml:5 /databases/0/port must be a port, was 543299",
                        "one.yaml:8 /databases/0/password must not be in a file",
                        "one.yaml:9 /databases/0/budget is the string \"many\"",
                        "one.yaml:10 /databases/0/colour is not known here",
                        "one.yaml:13 /domains/1/name must be a name, was File",
                        "one.yaml:14 /domains/2/database there is no database 'nowhere'",
                        "two.yaml:1 /apiVersion cannot be 'headgate/v2'",
                        "two.yaml:3 /domains/0/name 'file-good' is already defined at one.yaml:12",
                        "two.yaml:9 /domains/1/policySet/policies/0/plugin 'nope' is not installed",
                        "two.yaml:11 /domains/1/policySet/policies/1/parameters/max must be at most 100, was 500",
                        "two.yaml:12 /domains/1/policySet/policies/2/plugin is 7",
                        "two.yaml:18 /domains/2/policySet/policies/0/parameters/max must be at most 100, was 500",
                        "two.yaml:24 /domains/3/policySet/policies/0/parameters/guaranteed guarantees 41 connections;"
                                + " together with the 0 guaranteed to its siblings this exceeds the budget of 40 of main");
        assertThat(service.get("/domains/file-good").status()).isEqualTo(404);
        assertThat(answer.text()).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a: [;is not YAML",
                "just text;is the string \"just text\"",
                "'';has no document",
                "'# only a comment';has no document",
                "'apiVersion: headgate/v1\n---\n- 1';is an array",
            })
    void whatIsNoDocumentIsRefused(String yaml, String message) {
        Answer answer = apply(yaml);
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("")).startsWith(message);
    }

    @Test
    void aPasswordThatIsNotForTheApiIsRefusedAndAudited() throws IOException {
        String yaml = database("file-db", 20);
        Answer outside = apply(yaml.replaceAll("passwordFile: .*", "passwordFile: /etc/hostname"));
        assertThat(outside.status()).isEqualTo(422);
        assertThat(outside.fault("/databases/0/passwordFile"))
                .startsWith("cannot be /etc/hostname in files that are sent to the API | a file in ")
                .endsWith("(headgate.secrets.folder)");
        Answer variable = diff(yaml.replaceAll("passwordFile: .*", "passwordEnv: PATH"));
        assertThat(variable.fault("/databases/0/passwordEnv"))
                .isEqualTo("cannot be PATH in files that are sent to the API | no variable, until the operator sets"
                        + " headgate.secrets.env-prefix");
        JsonNode entry = service.get("/audit?limit=1").json().at("/items/0");
        assertThat(entry.get("action").asString()).isEqualTo("files.secret-refused");
        assertThat(entry.get("after").toString()).isEqualTo("{\"named\":[\"passwordEnv PATH\"]}");

        Answer own = diff(yaml.replaceAll("passwordFile: .*", "passwordEnv: HEADGATE_STORE_PASSWORD"));
        assertThat(own.fault("/databases/0/passwordEnv")).startsWith("cannot be HEADGATE_STORE_PASSWORD");
        assertThat(service.get("/audit?limit=1").json().at("/items/0/after").toString())
                .isEqualTo("{\"named\":[\"passwordEnv HEADGATE_STORE_PASSWORD\"]}");
    }

    @Test
    void theKeptPasswordGoesToNoOtherServerOverFiles() {
        String yaml = database("file-db", 20);
        apply(yaml).expect(200);
        Answer moved = diff(yaml.replaceAll(" *passwordFile: .*\n", "").replace("127.0.0.1", "localhost"));
        assertThat(moved.status()).isEqualTo(422);
        assertThat(moved.fault("/databases/0/password")).startsWith("is needed again");
    }

    @Test
    void anUnreachableDatabaseIsAFaultOfTheFile() {
        Answer answer = apply(database("file-db", 20)
                .replaceAll("passwordFile: .*", "user: nobody")
                .replace("    user: target\n", ""));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/databases/0/host")).startsWith("cannot be used: 127.0.0.1:");
        assertThat(service.get("/databases/file-db").status()).isEqualTo(404);
    }

    @Test
    void guaranteesAndBudgetsMoveTogetherInEitherDirection() {
        String wide = database("file-db", 30)
                + domains(domain("file-a", "file-db", 0, 20), domain("file-b", "file-db", 0, 10));
        String turned = database("file-db", 30)
                + domains(domain("file-a", "file-db", 0, 10), domain("file-b", "file-db", 0, 20));
        String narrow = database("file-db", 12)
                + domains(domain("file-a", "file-db", 0, 2), domain("file-b", "file-db", 0, 10));
        apply(wide).expect(200);
        for (String next : List.of(turned, wide, narrow, turned, narrow)) {
            assertThat(apply(next).expect(200).json().get("changes").size()).isPositive();
            assertThat(diff(next).json().get("changes").size()).isZero();
        }
        Answer over = apply(narrow.replace("budget: 12", "budget: 11"));
        assertThat(over.fault("/domains/1/policySet/policies/0/parameters/guaranteed"))
                .isEqualTo("guarantees 10 connections; together with the 2 guaranteed to its siblings this exceeds the"
                        + " budget of 11 of file-db | 0..9");
        assertThat(service.get("/databases/file-db").json().get("budget").asInt())
                .isEqualTo(12);
    }

    @Test
    void whatLeftTheFilesStaysUnlessItIsPruned() {
        String both =
                database("file-db", 20) + domains(domain("file-a", "main", 1, 0), domain("file-b", "file-db", 1, 0));
        String one = domains(domain("file-a", "main", 1, 0));
        apply(both).expect(200);
        service.post("/domains", "{\"name\": \"file-hand\", \"database\": \"main\"}")
                .expect(201);

        JsonNode kept = apply(one).expect(200).json();
        assertThat(kept.get("changes").size()).isZero();
        assertThat(kept.get("leftover").toString()).isEqualTo("[\"database file-db\",\"domain file-b\"]");
        assertThat(subjects(send("diff", one, "prune=true&source=test.yaml").json()))
                .containsExactly("delete file-b", "delete file-db");
        send("apply", one, "prune=true&source=test.yaml").expect(200);
        assertThat(service.get("/domains/file-b").status()).isEqualTo(404);
        assertThat(service.get("/databases/file-db").status()).isEqualTo(404);
        assertThat(service.get("/domains/file-hand").status()).isEqualTo(200);
    }

    /** The diff of one deleted the domains of the other: both were "headgate.yaml". */
    @Test
    void filesOfOneNameInTwoFoldersLeaveEachOtherAlone() {
        String a = domains(domain("file-a", "main", 1, 0));
        String b = domains(domain("file-b", "main", 1, 0));
        send("apply", a, "name=headgate.yaml").expect(200);
        send("apply", b, "name=headgate.yaml").expect(200);
        assertThat(service.get("/domains/file-a/policies")
                        .json()
                        .get("managedBy")
                        .asString())
                .isEqualTo("files: headgate.yaml");

        for (String what : List.of("diff", "apply")) {
            Answer pruning = send(what, a, "name=headgate.yaml&prune=true");
            assertThat(pruning.problem()).isEqualTo("invalid-files");
            assertThat(pruning.fault("/source"))
                    .startsWith("is missing: --prune deletes what its source declared")
                    .endsWith(" | a name such as team-a, here or as --source team-a");
        }
        JsonNode plain = send("diff", a, "name=headgate.yaml").expect(200).json();
        assertThat(plain.get("leftover").size()).isZero();
        assertThat(plain.get("warnings").toString())
                .isEqualTo(
                        "[\"domain file-b was applied from files named headgate.yaml that declared no source, and is not in"
                                + " these files; --prune leaves it alone\"]");

        String teamA = declared("team-a", a);
        JsonNode moved =
                send("diff", teamA, "name=headgate.yaml&prune=true").expect(200).json();
        assertThat(moved.get("source").asString()).isEqualTo("team-a");
        assertThat(subjects(moved)).containsExactly("change file-a");
        assertThat(moved.at("/changes/0/differences").toString())
                .isEqualTo("[{\"pointer\":\"/managedBy\",\"from\":\"files: headgate.yaml\",\"to\":\"files: team-a\"}]");
        send("apply", teamA, "name=headgate.yaml&prune=true").expect(200);
        assertThat(service.get("/domains/file-a/policies").header("ETag"))
                .as("its revision stays")
                .isEqualTo("\"1\"");
        send("apply", b, "name=headgate.yaml&source=team-b").expect(200);
        assertThat(send("diff", a, "name=headgate.yaml").json().get("changes").size())
                .as("files that declare nothing and say the same claim nothing")
                .isZero();
        Answer taken = send("apply", a.replace("min: 1", "min: 2"), "name=headgate.yaml");
        assertThat(taken.fault("/domains/0"))
                .startsWith("file-a is managed by files: team-a, not by files: headgate.yaml (no declared source)");
        assertThat(send("diff", declared("team-b", a), "name=headgate.yaml").fault("/domains/0"))
                .startsWith("file-a is managed by files: team-a, not by files: team-b");

        String more = declared("team-a", domains(domain("file-a2", "main", 1, 0)));
        send("apply", more, "name=headgate.yaml").expect(200);
        assertThat(subjects(send("apply", more, "name=headgate.yaml&prune=true")
                        .expect(200)
                        .json()))
                .containsExactly("delete file-a");
        assertThat(service.get("/domains/file-b").status()).isEqualTo(200);
    }

    /** As an operator has them who declared the source when nobody remembered that: prune waits until the next apply. */
    @Test
    void whatWasAppliedBeforeSourcesWereKeptIsNotPrunedUntilItIsAppliedAgain() {
        String both = domains(domain("file-a", "main", 1, 0), domain("file-b", "main", 1, 0));
        String one = domains(domain("file-a", "main", 1, 0));
        apply(both).expect(200);
        service.bean(JdbcClient.class)
                .sql("update policy_head set source_declared = false where name like 'file-%'")
                .update();
        JsonNode diff =
                send("diff", one, "prune=true&source=test.yaml").expect(200).json();
        assertThat(subjects(diff)).containsExactly("change file-a");
        assertThat(diff.at("/changes/0/differences").toString())
                .isEqualTo("[{\"pointer\":\"/source\",\"from\":null,\"to\":\"test.yaml\"}]");
        assertThat(diff.get("warnings").toString()).contains("domain file-b was applied from files named test.yaml");
        apply(both).expect(200);
        assertThat(diff(both).json().get("changes").size()).isZero();
        assertThat(subjects(send("diff", one, "prune=true&source=test.yaml").json()))
                .containsExactly("delete file-b");
    }

    @Test
    void aSourceIsDeclaredOnceAndInItsLetters() {
        Answer other = send("diff", declared("team-a", domains()), "source=team-b");
        assertThat(other.fault("/source"))
                .isEqualTo("is 'team-a', but --source is 'team-b' | the same, or one of them");
        assertThat(diff(declared("\"a b\"", domains())).fault("/source"))
                .isEqualTo("cannot be 'a b' | 1 to 200 letters, digits and . _ / @ : + -");
    }

    @Test
    void anApplyMayBeBoundToTheDiffThatWasReviewed() {
        String yaml = domains(domain("file-a", "main", 1, 0));
        apply(yaml).expect(200);
        String wanted = yaml.replace("min: 1", "min: 3");
        String id = diff(wanted).expect(200).json().get("id").asString();
        assertThat(diff("# only a comment\n" + wanted).json().get("id").asString())
                .isEqualTo(id);

        apply(yaml.replace("min: 1", "min: 2")).expect(200);
        String query = "source=test.yaml&diff=" + id;
        Answer stale = send("apply", wanted, query);
        assertThat(stale.status()).isEqualTo(412);
        assertThat(stale.problem()).isEqualTo("stale-diff");
        JsonNode now = stale.json().get("diff");
        assertThat(now.at("/changes/0/basedOn").asInt()).isEqualTo(2);
        assertThat(now.at("/changes/0/differences").toString())
                .isEqualTo("[{\"pointer\":\"/policySet/policies/0/parameters/min\",\"from\":2,\"to\":3}]");
        assertThat(service.get("/domains/file-a/policies").header("ETag")).isEqualTo("\"2\"");
        Answer words = service.send(
                "POST",
                "/api/v1/files/apply?" + query,
                wanted,
                "Content-Type",
                "application/yaml",
                "Accept",
                "text/plain");
        assertThat(words.status()).isEqualTo(412);
        assertThat(words.text())
                .startsWith("The diff is not the one that was reviewed: The diff is "
                        + now.get("id").asString() + " now, not " + id)
                .contains("/policySet/policies/0/parameters/min: 2 -> 3\n");

        apply(yaml).expect(200); // the same leaves as in the reviewed diff, and two revisions later
        assertThat(send("apply", wanted, query).status()).isEqualTo(412);
        String current = diff(wanted).json().get("id").asString();
        assertThat(send("apply", wanted, "source=test.yaml&diff=" + current)
                        .expect(200)
                        .json()
                        .get("id")
                        .asString())
                .isEqualTo(current);
        assertThat(service.get("/domains/file-a/policies").header("ETag")).isEqualTo("\"4\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/plain|true",
                "text/plain;charset=utf-8|true",
                "TEXT/PLAIN; charset=\"UTF-8\"|true",
                "text/*|true",
                "text/plain, application/json;q=0.5|true",
                "text/plain, */*;q=0.1|true",
                "application/json, text/plain, */*|false",
                "application/json, text/plain;q=0.9|false",
                "text/plain;q=0|false",
                "*/*|false",
                "text|false"
            })
    void wordsAreForWhomWouldRatherHaveThem(String accept, boolean words) {
        Answer answer = service.send(
                "POST",
                "/api/v1/files/diff",
                domains(domain("file-a", "main", 1, 0)),
                "Content-Type",
                "application/yaml",
                "Accept",
                accept);
        assertThat(answer.expect(200).header("Content-Type")).startsWith(words ? "text/plain" : "application/json");
    }

    @Test
    void aReviewedDiffIsAppliedForItsOwnSourceAlone() {
        String yaml = domains(domain("file-a", "main", 1, 0));
        String id =
                send("diff", yaml, "source=team-a").expect(200).json().get("id").asString();
        for (String other : List.of("source=team-b", "name=team-a")) {
            assertThat(send("apply", yaml, other + "&diff=" + id).problem())
                    .as(other)
                    .isEqualTo("stale-diff");
        }
        service.get("/domains/file-a").expect(404);
        send("apply", yaml, "source=team-a&diff=" + id).expect(200);
        service.delete("/domains/file-a").expect(204);
    }

    /** Each of them names the databases that there are: with a thousand of both, a small file would become an answer of a gigabyte. */
    @Test
    void theFaultsOfManyDomainsMakeABoundedAnswer() {
        StringBuilder yaml = new StringBuilder("apiVersion: headgate/v1\ndatabases:\n");
        for (int i = 0; i < 30; i++) {
            yaml.append("  - {name: file-db%02d, host: 127.0.0.1, port: 1, database: x, user: x, budget: 5}\n"
                    .formatted(i));
        }
        yaml.append("domains:\n");
        for (int i = 0; i < 300; i++) {
            yaml.append("  - {name: file-%d, database: nowhere}\n".formatted(i));
        }
        Answer answer = diff(yaml.toString());
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().get("detail").asString()).isEqualTo("100 faults or more; these are the first 100");
        assertThat(answer.json().get("errors").size()).isEqualTo(100);
        assertThat(answer.fault("/domains/0/database"))
                .startsWith("there is no database 'nowhere' | file-db00, file-db01, ")
                .contains("file-db19 and ")
                .doesNotContain("file-db20");
    }

    /** REST takes it, so a file may have it. */
    @Test
    void aTextIsAsLongAsOverRest() {
        Answer answer = diff("apiVersion: headgate/v1\nnote: " + "x".repeat(200_000) + "\n");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/note")).startsWith("is not known here");
    }

    /** What could not be read whole hid the other faults of the same domain or database. */
    @Test
    void whatIsFaultyIsReadOnForItsOtherFaults() {
        Answer answer = apply("""
                apiVersion: headgate/v1
                databases:
                  - name: file-db
                    host: 127.0.0.1
                    port: 0
                    database: target
                    user: target
                    budget: 5
                    policySet:
                      policies: [{plugin: fixed, parameters: {max: 500}}]
                domains:
                  - name: file-a
                    database: nowhere
                    wire: {mode: pooled}
                    policySet:
                      policies:
                        - {plugin: fixed, parametres: {}}
                        - just text
                        - {plugin: fixed, version: "7", parameters: {max: 5}}
                        - {plugin: fixed, parameters: {max: 500}}
                      whenExhausted: {mode: panic, timeoutMs: soon}
                  - name: file-b
                    database: file-db
                    policySet:
                      policies: [{plugin: fixed, parameters: {max: 20, guaranteed: 6}}]
                  - name: File
                    database: nowhere
                    policySet: {policies: [{plugin: fixed, parameters: {max: 501}}]}
                  - name: headgate
                    database: main
                """);
        assertThat(answer.status()).isEqualTo(422);
        List<String> pointers = new ArrayList<>();
        for (JsonNode error : answer.json().get("errors").values()) {
            pointers.add(error.get("pointer").asString());
        }
        assertThat(pointers)
                .containsExactlyInAnyOrder(
                        "/databases/0/port",
                        "/databases/0/policySet/policies/0/parameters/max",
                        "/domains/0/database",
                        "/domains/0/wire/mode",
                        "/domains/0/policySet/policies/0/parametres",
                        "/domains/0/policySet/policies/0/parameters/max",
                        "/domains/0/policySet/policies/1",
                        "/domains/0/policySet/policies/2/version",
                        "/domains/0/policySet/policies/3/parameters/max",
                        "/domains/0/policySet/whenExhausted/mode",
                        "/domains/0/policySet/whenExhausted/timeoutMs",
                        "/domains/1/policySet/policies/0/parameters/guaranteed",
                        "/domains/2/name",
                        "/domains/2/database",
                        "/domains/2/policySet/policies/0/parameters/max",
                        "/domains/3/name");
    }

    @Test
    void anUnreachableDatabaseIsToldWhateverOfItChanges() throws Exception {
        String yaml = database("file-db", 20).replace("user: target", "user: file_gone")
                + domains(domain("file-a", "file-db", 0, 0));
        asAdministrator("create role file_gone login password '" + Service.TARGET_PASSWORD + "'");
        try {
            apply(yaml).expect(200);
            asAdministrator("alter role file_gone nologin");
            asAdministrator("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'file_gone'");
            await().atMost(Service.PATIENCE)
                    .until(() -> !service.get("/databases/file-db")
                            .json()
                            .get("reachable")
                            .asBoolean());

            for (String change : List.of(
                    yaml.replace("min: 0", "min: 1"),
                    yaml.replace("budget: 20", "budget: 21"),
                    yaml.replace("    database: file-db\n", "    database: file-db\n    description: Shop\n"))) {
                for (String what : List.of("diff", "apply")) {
                    JsonNode answer =
                            send(what, change, "source=test.yaml").expect(200).json();
                    assertThat(answer.get("changes").size()).isEqualTo(1);
                    assertThat(answer.get("warnings").size()).isEqualTo(1);
                    assertThat(answer.at("/warnings/0").asString())
                            .startsWith(
                                    "database file-db cannot be reached now, so what is changed there takes effect when it is"
                                            + " reached again: ");
                }
                JsonNode back = apply(yaml).expect(200).json();
                assertThat(back.get("warnings").size()).isEqualTo(1);
            }
            assertThat(diff(yaml).json().get("warnings").size())
                    .as("nothing of it changes")
                    .isZero();
            JsonNode deleted = send("diff", domains(), "prune=true&source=test.yaml")
                    .expect(200)
                    .json();
            assertThat(deleted.get("warnings").size()).isEqualTo(1);
        } finally {
            leaveNothing();
            asAdministrator("drop role if exists file_gone");
        }
    }

    private void asAdministrator(String sql) throws SQLException {
        try (Connection connection = service.embedded().connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String declared(String source, String yaml) {
        return yaml.replaceFirst("apiVersion: headgate/v1\n", "apiVersion: headgate/v1\nsource: " + source + "\n");
    }

    /** The control store fails in the middle: what was made until then is told. */
    @Test
    void whatIsAppliedHalfIsToldSo() {
        apply(domains(domain("file-a", "main", 1, 0), domain("file-b", "main", 1, 0)))
                .expect(200);
        String changed = domains(domain("file-a", "main", 2, 0), domain("file-b", "main", 3, 0))
                .replace("name: file-b", "name: file-b\n    description: changed");
        service.bean(JdbcClient.class).sql("""
                create function refuse_b() returns trigger language plpgsql as
                $$ begin raise exception 'not today' using errcode = '57P03'; end $$""").update();
        service.bean(JdbcClient.class).sql("""
                create trigger refuse_b before insert on policy_revision for each row
                when (new.name = 'file-b') execute function refuse_b()""").update();
        try {
            assertThat(apply(changed).expect(503).json().get("detail").asString())
                    .startsWith("domain file-b: The control store is not available. Its settings are as in the files."
                            + " Before it, 1 of 2 changes were made: domain file-a. Apply again.");
        } finally {
            service.bean(JdbcClient.class)
                    .sql("drop function refuse_b() cascade")
                    .update();
        }
        assertThat(subjects(apply(changed).expect(200).json())).containsExactly("change file-b");
    }

    /** It was released, or changed, after the diff said that it would be deleted. */
    @Test
    void whatWasReleasedMeanwhileIsNotPruned() {
        apply(domains(domain("file-a", "main", 1, 0))).expect(200);
        ManagedSets sets = service.bean(ManagedSets.class);
        ManagedSets.InForce seen = sets.find(Scope.domain("file-a")).orElseThrow();
        sets.release(Set.of(Scope.domain("file-a")));
        assertThatThrownBy(() -> service.bean(Domains.class).remove("file-a", () -> sets.requireUnchanged(seen)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("released");
        assertThat(service.get("/domains/file-a").status()).isEqualTo(200);
    }

    @Test
    void aDatabaseOnWhichSomebodyStaysIsNotPruned() {
        apply(database("file-db", 20) + domains(domain("file-a", "main", 1, 0))).expect(200);
        service.post("/domains", "{\"name\": \"file-hand\", \"database\": \"file-db\"}")
                .expect(201);
        Answer answer = send("apply", domains(domain("file-a", "main", 1, 0)), "prune=true&source=test.yaml");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault(""))
                .startsWith(
                        "database 'file-db' was removed from the files but cannot be deleted: it is still used by file-hand");
    }

    @Test
    void aDomainIsNotMoved() {
        apply(database("file-db", 20) + domains(domain("file-a", "main", 1, 0))).expect(200);
        Answer answer = apply(database("file-db", 20) + domains(domain("file-a", "file-db", 1, 0)));
        assertThat(answer.fault("/domains/0/database"))
                .isEqualTo("cannot be 'file-db': file-a is on main, and a domain is not moved; delete it first | main");
    }

    @Test
    void anExportAppliedToAnEmptyServiceGivesTheSameExport(@TempDir Path one, @TempDir Path two) throws IOException {
        try (Service first = Service.start(one);
                Service second = Service.start(two, "--headgate.secrets.folder=" + folder)) {
            first.post("/databases", first.databaseBody("main", 40)).expect(201);
            first.put(
                            "/databases/main/policies",
                            "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": 30}}]}",
                            "If-Match",
                            "\"0\"")
                    .expect(200);
            first.post("/domains", """
                            {"name": "bank", "database": "main", "description": "yes: \\"it\\" is #1\\n22:30",
                             "labels": {"team": "true", "cost.center": "012", "1": "eu: #1", "on": "'yes'"},
                             "wire": {"maxClients": 50, "sessionState": "refuse", "unnamedStatements": "off"},
                             "policySet": {"policies": [{"plugin": "fixed", "parameters": {"min": 2, "max": 20, "mode": "eager"}},
                               {"plugin": "shy"}], "whenExhausted": {"mode": "fail"}}}
                            """).expect(201);
            first.post("/domains", "{\"name\": \"plain\", \"database\": \"main\"}")
                    .expect(201);
            String exported = first.get("/files/export").expect(200).text();
            assertThat(exported).doesNotContain(Service.TARGET_PASSWORD).contains("# passwordEnv: MAIN_PASSWORD");
            assertThat(changesOf(first, "/files/diff?name=headgate.yaml", exported))
                    .isEqualTo("[]");

            String withPassword = exported.replaceAll("# passwordEnv: MAIN_PASSWORD .*", "passwordFile: " + password);
            second.send("POST", "/api/v1/files/apply", withPassword, "Content-Type", "application/yaml")
                    .expect(200);

            assertThat(second.get("/files/export").text()).isEqualTo(exported);
            assertThat(second.get("/files/export?domain=plain").text())
                    .isEqualTo("apiVersion: headgate/v1\ndomains:\n  - name: plain\n    database: main\n");
        }
    }

    /** Sets by hand and of three sources, at both levels, with versions, tiers and a guard. */
    @Test
    void anExportOfEverythingIsNoDifferenceAndChangesNothing(@TempDir Path data, @TempDir Path work) throws Exception {
        try (Service rich = Service.start(data)) {
            String jar = "application/java-archive";
            rich.upload(
                            "/policy-plugins",
                            new PluginJars(work).plugin("aged", "1").bytes(),
                            jar)
                    .expect(201);
            for (String database : List.of("main", "side")) {
                rich.post("/databases", rich.databaseBody(database, 20)).expect(201);
            }
            rich.put(
                            "/databases/main/policies",
                            "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": 30}}], \"whenExhausted\":"
                                    + " {\"mode\": \"queue\", \"timeoutMs\": 7, \"depth\": 0}}",
                            "If-Match",
                            "\"0\"")
                    .expect(200);
            rich.domain("by-hand", "[{\"plugin\": \"aged\"}, {\"plugin\": \"fixed\", \"parameters\": {\"max\": 9}}]");
            rich.domain("guarded", "[{\"plugin\": \"fixed\", \"parameters\": {\"max\": 9}}]");
            rich.put(
                            "/domains/guarded/policies?guard=p99Ms:50,within:60m",
                            "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": 10, \"perSecond\": 2.5}}],"
                                    + " \"comment\": \"try\"}",
                            "If-Match",
                            "\"1\"")
                    .expect(200);
            String files = "apiVersion: headgate/v1\nsource: %s\ndomains:\n  - name: %s\n    database: side\n"
                    + "    wire: {mode: session}\n" + SET.formatted("    ", 1, 2);
            changesOf(rich, "/files/apply?name=a.yaml", files.formatted("team-a", "of-a"));
            changesOf(rich, "/files/apply?name=b.yaml", files.formatted("team/b", "of-b"));
            changesOf(
                    rich,
                    "/files/apply?name=c.yaml",
                    files.replace("source: %s\n", "").formatted("of-c"));
            rich.upload(
                            "/policy-plugins",
                            new PluginJars(work).plugin("aged", "2").bytes(),
                            jar)
                    .expect(201);

            String exported = rich.get("/files/export").expect(200).text();
            assertThat(exported)
                    .contains("---\napiVersion: headgate/v1\nsource: team-a\n")
                    .contains("---\napiVersion: headgate/v1\nsource: team/b\n");
            String audited = rich.get("/audit?limit=1").text();
            assertThat(changesOf(rich, "/files/diff?name=headgate.yaml", exported))
                    .isEqualTo("[]");
            assertThat(changesOf(rich, "/files/apply?name=headgate.yaml", exported))
                    .isEqualTo("[]");
            assertThat(rich.get("/audit?limit=1").text()).isEqualTo(audited);
            assertThat(rich.get("/domains/guarded/policies").json().get("guard").isNull())
                    .as("its guard goes on")
                    .isFalse();
            assertThat(changesOf(
                            rich,
                            "/files/diff?name=x",
                            rich.get("/files/export?domain=of-a").text()))
                    .isEqualTo("[]");
        }
    }

    private static String changesOf(Service service, String path, String yaml) {
        return service.send("POST", "/api/v1" + path, yaml, "Content-Type", "application/yaml")
                .expect(200)
                .json()
                .get("changes")
                .toString();
    }

    /** A restart with the same file took the version that somebody had uploaded meanwhile: the ceiling fell from 19 to 3. */
    @Test
    void aFileThatNamesNoVersionKeepsTheOneInForce(@TempDir Path data, @TempDir Path work) throws Exception {
        Path file = folder.resolve("headgate.yaml");
        String yaml =
                "apiVersion: headgate/v1\ndomains:\n  - name: floating\n    database: main\n    description: before\n"
                        + "    policySet: {policies: [{plugin: float}]}\n";
        Files.writeString(file, yaml);
        String jar = "application/java-archive";
        try (Service first = Service.start(data)) {
            first.post("/databases", first.databaseBody("main", 40)).expect(201);
            first.upload("/policy-plugins", floating(work, "1.0", 19), jar).expect(201);
            changesOf(first, "/files/apply?name=headgate.yaml", yaml);
            first.upload("/policy-plugins", floating(work, "9.10", 3), jar).expect(201);
            assertThat(changesOf(first, "/files/apply?name=headgate.yaml", yaml))
                    .isEqualTo("[]");
            assertThat(changesOf(first, "/files/apply?name=headgate.yaml", yaml.replace("before", "after")))
                    .doesNotContain("version");
            assertThat(first.get("/domains/floating/pool").json().get("ceiling").asInt())
                    .isEqualTo(19);
        }
        try (Service second = Service.startAsItIs(data, "--headgate.files=" + file)) {
            assertThat(second.get("/domains/floating").json().get("description").asString())
                    .as("the file was applied")
                    .isEqualTo("before");
            JsonNode set = second.get("/domains/floating/policies").json();
            assertThat(set.get("revision").asInt()).isEqualTo(1);
            assertThat(set.at("/policySet/policies/0/version").asString()).isEqualTo("1.0");
            assertThat(second.get("/domains/floating/pool")
                            .json()
                            .get("ceiling")
                            .asInt())
                    .isEqualTo(19);
            assertThat(changesOf(
                            second,
                            "/files/apply?name=headgate.yaml",
                            yaml.replace("plugin: float", "plugin: float, version: \"9.10\"")))
                    .contains("{\"pointer\":\"/policySet/policies/0/version\",\"from\":\"1.0\",\"to\":\"9.10\"}");
        }
    }

    private static byte[] floating(Path work, String version, int ceiling) throws IOException {
        return new PluginJars(work)
                .plugin("float", version)
                .answering("return Limits.unbounded().withCeiling(" + ceiling + ");")
                .bytes();
    }

    @Test
    void filesAreAppliedAtTheStartAndAFaultyOneCostsNothing(@TempDir Path data) throws IOException {
        Path file = folder.resolve("headgate.yaml");
        String settings = "headgate:\n  node: here\n---\n";
        String pool = domains(domain("file-a", "file-db", 1, 0));
        try (Service first = Service.start(data)) {
            first.post("/databases", first.databaseBody("file-db", 10)).expect(201);
        }
        Files.writeString(file, settings + pool);
        try (Service second = Service.startAsItIs(data, "--headgate.files=" + file)) {
            JsonNode set = second.get("/domains/file-a/policies").expect(200).json();
            assertThat(set.get("managedBy").asString()).isEqualTo("files: headgate.yaml");
            assertThat(set.get("actor").asString()).isEqualTo("files");
        }
        Files.writeString(file, settings + pool.replace("min: 1", "min: 1000"));
        try (Service third = Service.startAsItIs(data, "--headgate.files=" + file)) {
            assertThat(third.get("/domains/file-a/policies")
                            .json()
                            .get("revision")
                            .asInt())
                    .isEqualTo(1);
        }
    }

    @Test
    void answersComeInWordsForATerminal() {
        String yaml = domains(domain("file-a", "main", 1, 0));
        Answer created = inWords("apply", yaml);
        assertThat(created.text()).startsWith("+ domain file-a  (test.yaml:3)\n    /database: \"main\"\n");
        assertThat(created.text()).endsWith("Applied 1 change from test.yaml.\n");
        assertThat(inWords("diff", yaml).text()).isEqualTo("Nothing to do: everything is as test.yaml says.\n");
        Answer changed = inWords("diff", yaml.replace("min: 1", "min: 2"));
        assertThat(changed.header("Headgate-Changes")).isEqualTo("1");
        assertThat(changed.text()).matches("""
                ~ domain file-a  \\(test.yaml:3\\)
                    /policySet/policies/0/parameters/min: 1 -> 2
                To apply this diff and no other: ./headgate apply, with what diff was given and --diff [0-9a-f]{32}
                1 change in test.yaml.
                """);
        Answer faulty = inWords("diff", yaml.replace("min: 1", "min: -1"));
        assertThat(faulty.status()).isEqualTo(422);
        assertThat(faulty.text()).isEqualTo("""
                The policy files are not valid: 1 fault
                  test.yaml:8 /domains/0/policySet/policies/0/parameters/min must be at least 0, was -1; allowed: 0..100
                """);
    }

    @Test
    void anotherMediaTypeOrSourceIsRefused() {
        assertThat(service.post("/files/diff", "{}").status()).isEqualTo(415);
        assertThat(service.post("/files/diff", "{}").json().get("detail").asString())
                .contains("application/yaml");
        assertThat(send("diff", domains(), "source=a%0Ab").problem()).isEqualTo("malformed-request");
        assertThat(service.get("/files/export?domain=nobody").problem()).isEqualTo("not-found");
        assertThat(service.sendAnonymous("GET", "/api/v1/files/export", null).status())
                .isEqualTo(401);
    }

    private Answer diff(String yaml) {
        return send("diff", yaml, "source=test.yaml");
    }

    private Answer apply(String yaml) {
        return send("apply", yaml, "source=test.yaml");
    }

    private Answer send(String what, String yaml, String query) {
        return service.send("POST", "/api/v1/files/" + what + "?" + query, yaml, "Content-Type", "application/yaml");
    }

    private Answer inWords(String what, String yaml) {
        return service.send(
                "POST",
                "/api/v1/files/" + what + "?source=test.yaml",
                yaml,
                "Content-Type",
                "application/yaml",
                "Accept",
                "text/plain");
    }

    private static List<String> subjects(JsonNode answer) {
        return answer.get("changes").values().stream()
                .map(change -> change.get("action").asString() + " "
                        + change.get("name").asString())
                .toList();
    }

    private String database(String name, int budget) {
        return """
                apiVersion: headgate/v1
                databases:
                  - name: %s
                    host: 127.0.0.1
                    port: %d
                    database: target
                    user: target
                    passwordFile: %s
                    sslMode: disable
                    budget: %d
                ---
                """.formatted(name, service.embedded().port(), password, budget);
    }

    private static String domains(String... domains) {
        return "apiVersion: headgate/v1\ndomains:\n" + String.join("", domains);
    }

    private static String domain(String name, String database, int min, int guaranteed) {
        return "  - name: %s\n    database: %s\n".formatted(name, database) + SET.formatted("    ", min, guaranteed);
    }
}
