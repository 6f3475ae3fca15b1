package dev.headgate.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        // What the build leaves beside a file: the service sends it as it is.
        Files.writeString(folder.resolve("assets/main-abc123.js.br"), "main() as Brotli");
        Files.writeString(folder.resolve("assets/main-abc123.js.gz"), "main() as gzip");
        Files.writeString(folder.resolve("assets/small-abc123.js"), "small()");
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            br                | br   | main() as Brotli
            gzip              | gzip | main() as gzip
            gzip, deflate, br | br   | main() as Brotli
            gzip, br;q=0      | gzip | main() as gzip
            br;q=0, gzip;q=0.0|      | main()
            GZIP;q=0.5        | gzip | main() as gzip
            identity          |      | main()
            zstd              |      | main()
            """)
    void aBrowserGetsTheEncodingThatItAccepts(String accepted, String coding, String body) {
        Service.Answer answer = asset("main-abc123.js", "Accept-Encoding", accepted);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo(body);
        assertThat(answer.header("Content-Encoding")).isEqualTo(coding);
        assertThat(answer.header("Content-Length")).isEqualTo(String.valueOf(body.length()));
        assertThat(answer.header("Content-Type")).startsWith("text/javascript");
        assertThat(answer.header("Cache-Control")).contains("immutable");
        assertThat(answer.response().headers().allValues("Vary")).containsExactly("Accept-Encoding");
    }

    @Test
    void oneThatAcceptsNothingGetsThePlainFile() {
        Service.Answer answer = asset("main-abc123.js");
        assertThat(answer.text()).isEqualTo("main()");
        assertThat(answer.header("Content-Encoding")).isNull();
        assertThat(answer.header("Vary")).isEqualTo("Accept-Encoding");
    }

    @Test
    void aFileThatIsNotCompressedIsSentAsItIs() {
        Service.Answer answer = asset("small-abc123.js", "Accept-Encoding", "gzip, br");
        assertThat(answer.text()).isEqualTo("small()");
        assertThat(answer.header("Content-Encoding")).isNull();
        assertThat(answer.header("Vary")).isEqualTo("Accept-Encoding");
    }

    @Test
    void eachEncodingHasAnETagOfItsOwn() {
        assertThat(Stream.of("br", "gzip", "identity")
                        .map(coding -> asset("main-abc123.js", "Accept-Encoding", coding)
                                .header("ETag")))
                .doesNotContainNull()
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/assets/main-abc123.js", "/", "/domains/bank"})
    void whatABrowserHasIsNotSentAgain(String path) {
        String etag = service.sendAnonymous("GET", path, null, "Accept-Encoding", "br")
                .header("ETag");
        Service.Answer again = service.sendAnonymous("GET", path, null, "Accept-Encoding", "br", "If-None-Match", etag);
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
        assertThat(again.header("ETag")).isEqualTo(etag);
        assertThat(again.header("Vary")).isEqualTo("Accept-Encoding");
        assertThat(again.header("Cache-Control")).matches("no-cache|.*immutable");
    }

    @Test
    void aChangedStartPageIsSentAgain() throws IOException {
        Path folder = service.bean(HeadgateProperties.class).frontend();
        String before = service.sendAnonymous("GET", "/", null).header("ETag");
        Files.writeString(folder.resolve("index.html"), "<!doctype html><title>start page</title><!-- newer -->");
        Service.Answer after = service.sendAnonymous("GET", "/", null, "If-None-Match", before);
        assertThat(after.status()).isEqualTo(200);
        assertThat(after.text()).contains("newer");
        assertThat(after.header("ETag")).isNotEqualTo(before);
    }

    /** Compressed, an answer's length tells how well what a caller sent matches a secret beside it. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/domains", "/api/v1/policy-plugins", "/api/v1/decisions", "/v3/api-docs"})
    void answersOfTheServiceAreNotCompressed(String path) {
        assertThat(service.send("GET", path, null, "Accept-Encoding", "gzip, br")
                        .expect(200)
                        .header("Content-Encoding"))
                .isNull();
    }

    private static Service.Answer asset(String name, String... headers) {
        return service.sendAnonymous("GET", "/assets/" + name, null, headers);
    }
}
