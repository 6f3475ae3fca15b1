package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginCommandTest {

    @TempDir
    Path folder;

    @Test
    void itPrintsAnAddressWithACode() throws IOException {
        try (ScriptedService service = new ScriptedService()
                .answering("/session/codes", 201, "{\"code\":\"a-b_c\",\"expires\":\"2026-11-22T12:00:00Z\"}")) {
            Ran login = Ran.with(
                    Map.of("HEADGATE_URL", service.url(), "HEADGATE_TOKEN", ScriptedService.TOKEN), folder, "login");

            assertThat(login).isEqualTo(new Ran(0, service.url() + "/?code=a-b_c\n", ""));
            assertThat(service.only().method()).isEqualTo("POST");
        }
    }

    @Test
    void helpIsAPage() {
        assertThat(Ran.with(Map.of(), folder, "login", "--help").out()).startsWith("./headgate login [options]");
    }
}
