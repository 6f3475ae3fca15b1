package dev.headgate.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DashboardContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
        Path folder = service.bean(HeadgateProperties.class).frontend();
        Files.createDirectories(folder.resolve("assets"));
        Files.writeString(folder.resolve("index.html"), "<!doctype html><title>start page</title>");
        Files.writeString(folder.resolve("assets/main-abc123.js"), "main()");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/?token=x", "/domains/bank", "/domains/bank/policies", "/deep/er/link"})
    void everyPageIsTheStartPage(String path) {
        Service.Answer answer = service.sendAnonymous("GET", path, null);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).contains("start page");
        assertThat(answer.header("Content-Type")).startsWith("text/html");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-cache");
    }

    @Test
    void hashedFilesAreKeptForEver() {
        Service.Answer answer = service.sendAnonymous("GET", "/assets/main-abc123.js", null);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Cache-Control")).contains("immutable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/assets/gone.js", "/favicon.ico", "/assets/gone", "/../secret.key", "/%2e%2e/secret.key"})
    void aFileThatIsNotThereIsNotFound(String path) {
        assertThat(service.sendAnonymous("GET", path, null).status()).isIn(400, 404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/nothing", "/v3/nothing", "/actuator/nothing"})
    void thePathsOfTheServiceAreNoPages(String path) {
        assertThat(service.send("GET", path, null).status()).isEqualTo(404);
        assertThat(service.send("GET", path, null).problem()).isEqualTo("not-found");
    }
}
