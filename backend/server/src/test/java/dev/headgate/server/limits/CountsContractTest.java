package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A service that may have one database, two domains, three credentials of clients and two clients of the wire port. */
@Timeout(120)
class CountsContractTest {

    @TempDir
    static Path data;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(
                data,
                "--headgate.limits.databases=1",
                "--headgate.limits.domains=2",
                "--headgate.limits.clients=3",
                "--headgate.limits.wire-clients=2");
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain("one", "[]");
        service.domain("two", "[]");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void oneMoreDatabaseIsRefused() {
        Answer refused = service.post("/databases", service.databaseBody("second", 10));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.problem()).isEqualTo("conflict");
        assertThat(refused.json().get("detail").asString())
                .isEqualTo("There are as many databases as there may be: 1 (headgate.limits.databases).");
    }

    @Test
    void oneMoreDomainIsRefusedUntilAnotherGoes() {
        String third = "{\"name\": \"three\", \"database\": \"main\"}";
        Answer refused = service.post("/domains", third);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().get("detail").asString())
                .isEqualTo("There are as many domains as there may be: 2 (headgate.limits.domains).");
        assertThat(service.get("/domains").json().get("items").size()).isEqualTo(2);
        service.delete("/domains/two").expect(204);
        service.post("/domains", third).expect(201);
        service.delete("/domains/three").expect(204);
        service.domain("two", "[]");
    }

    /** Nothing is made before it is known that all have room. */
    @Test
    void filesWithTooManyAreFaulty() {
        String yaml = """
                apiVersion: headgate/v1
                domains:
                  - {name: two, database: main}
                  - {name: three, database: main}
                """;
        Answer refused = service.upload(
                "/files/apply?name=test.yaml",
                yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                "application/yaml");
        assertThat(refused.status()).as(refused.text()).isEqualTo(422);
        assertThat(refused.json().get("errors").toString())
                .contains("there would be 3 domains", "at most 2 (headgate.limits.domains)");
    }

    /** Of all domains together: the verifiers of all are in memory. */
    @Test
    void oneMoreCredentialIsRefusedUntilAnotherGoes() {
        for (String name : List.of("one/clients/first", "one/clients/second", "two/clients/third")) {
            client(name).expect(201);
        }
        Answer refused = client("two/clients/fourth");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.problem()).isEqualTo("conflict");
        assertThat(refused.json().get("detail").asString())
                .isEqualTo("There are as many clients as there may be: 3 (headgate.limits.clients).");
        service.delete("/domains/one/clients/first").expect(204);
        client("two/clients/fourth").expect(201);
        for (String name : List.of("one/clients/second", "two/clients/third", "two/clients/fourth")) {
            service.delete("/domains/" + name).expect(204);
        }
    }

    /** Makes the client of this path. */
    private static Answer client(String path) {
        int name = path.lastIndexOf('/');
        return service.post("/domains/" + path.substring(0, name), "{\"name\": \"" + path.substring(name + 1) + "\"}");
    }

    @Test
    void oneMoreClientOfTheWirePortIsRefusedAndTheConsoleIsNot() throws SQLException {
        JsonNode client = service.post("/domains/one/clients", "{\"name\": \"app\"}")
                .expect(201)
                .json();
        try (Connection first = connect("one", client);
                Connection second = connect("one", client)) {
            assertThat(first.isValid(5)).isTrue();
            Assertions.assertThatThrownBy(() -> connect("one", client))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53300"))
                    .hasMessageContaining("2 clients")
                    .hasMessageContaining("headgate.limits.wire-clients");
            JsonNode counts = service.get("/memory").json().get("counts");
            assertThat(counts.toString())
                    .isEqualTo(
                            "[{\"of\":\"databases\",\"now\":1,\"most\":1},{\"of\":\"domains\",\"now\":2,\"most\":2},{\"of\":\"clients\",\"now\":1,\"most\":3},{\"of\":\"wire-clients\",\"now\":2,\"most\":2}]");
            assertThat(second.isValid(5)).isTrue();
        }
        service.delete("/domains/one/clients/app").expect(204);
    }

    private static Connection connect(String domain, JsonNode client) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://%s:%d/%s?sslmode=disable"
                        .formatted(
                                client.get("host").asString(),
                                client.get("port").asInt(),
                                domain),
                client.get("name").asString(),
                client.get("password").asString());
    }
}
