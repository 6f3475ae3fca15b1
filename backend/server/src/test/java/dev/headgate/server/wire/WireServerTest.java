package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.headgate.server.Service;
import dev.headgate.server.store.CannotStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The wire port through lives of the service, on one data folder. */
class WireServerTest {

    @TempDir
    Path data;

    @TempDir
    Path pem;

    @Test
    void clientsOutliveTheServiceAndItsPortSpeaksTlsOrIsOff() throws Exception {
        Certificate own = Certificate.in(pem);
        JsonNode client;
        try (Service first = Service.start(data, "--headgate.wire.enabled=false")) {
            first.post("/databases", first.databaseBody("main", 10)).expect(201);
            first.domain("bank", "[]");
            client = first.post("/domains/bank/clients", "{\"name\": \"app\"}")
                    .expect(201)
                    .json();
            assertThat(endpoint(first).get("listening").asBoolean()).isFalse();
        }

        Path empty = Files.writeString(pem.resolve("empty.pem"), "");
        Throwable refused = catchThrowable(() -> Service.run(
                        data,
                        "--headgate.wire.tls-certificate=" + own.certificate(),
                        "--headgate.wire.tls-key=" + empty)
                .close());
        assertThat(refused)
                .hasStackTraceContaining(CannotStart.class.getName() + ": the wire port cannot use TLS with");
        assertThat(catchThrowable(
                        () -> Service.run(data, "--headgate.wire.loops=0").close()))
                .hasStackTraceContaining("headgate.wire.loops must be from 1 to 1000, was 0");

        List<Connection> left;
        try (Service again = Service.startAsItIs(
                data, "--headgate.wire.tls-certificate=" + own.certificate(), "--headgate.wire.tls-key=" + own.key())) {
            JsonNode endpoint = endpoint(again);
            assertThat(endpoint.get("listening").asBoolean()).isTrue();
            assertThat(endpoint.get("tls").asBoolean()).isTrue();
            left = List.of(
                    connect(endpoint, client, "verify-ca&sslrootcert=" + own.certificate()),
                    connect(endpoint, client, "require&sslNegotiation=direct"),
                    connect(endpoint, client, "disable"));
            for (Connection each : left) {
                assertThat(each.isValid(5)).isTrue();
            }
        }
        for (Connection each : left) {
            assertThatThrownBy(() -> each.createStatement().execute("select 1"))
                    .as("it was told when the service stopped")
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
        }
    }

    @Test
    void aCertificateOfItsOwnIsMadeAtTheFirstStartAndServesTheNext() throws Exception {
        JsonNode client;
        Path trusted = pem.resolve("trusted.crt");
        try (Service first = Service.start(data, "--headgate.wire.tls-self-signed=true")) {
            first.post("/databases", first.databaseBody("main", 10)).expect(201);
            first.domain("bank", "[]");
            client = first.post("/domains/bank/clients", "{\"name\": \"app\"}")
                    .expect(201)
                    .json();
            assertThat(endpoint(first).get("tls").asBoolean()).isTrue();
            Files.copy(data.resolve("wire-tls.crt"), trusted);
            try (Connection connection = connect(endpoint(first), client, "require")) {
                assertThat(connection.isValid(5)).isTrue();
            }
        }
        try (Service second = Service.startAsItIs(data, "--headgate.wire.tls-self-signed=true");
                Connection connection = connect(endpoint(second), client, "verify-full&sslrootcert=" + trusted)) {
            assertThat(connection.isValid(5)).isTrue();
        }
        assertThat(data.resolve("wire-tls.crt")).hasSameTextualContentAs(trusted);
    }

    private static JsonNode endpoint(Service service) {
        return service.get("/domains/bank/clients").expect(200).json().get("endpoint");
    }

    private static Connection connect(JsonNode endpoint, JsonNode client, String ssl) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://%s:%d/bank?sslmode=%s"
                        .formatted(
                                endpoint.get("host").asString(),
                                endpoint.get("port").asInt(),
                                ssl),
                client.get("name").asString(),
                client.get("password").asString());
    }
}
