package dev.headgate.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.server.Service;
import dev.headgate.server.store.CannotStart;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCheckTest {

    @TempDir
    Path folder;

    @Test
    void aTakenWirePortIsToldBeforeAnythingIsStarted() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(refusal("--headgate.wire.port=" + taken.getLocalPort()))
                    .startsWith("wire port " + taken.getLocalPort() + " on 127.0.0.1 cannot be opened")
                    .endsWith("choose another with --wire-port.");
        }
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void settingsThatCannotBeAreTold() {
        assertThat(refusal("--headgate.wire.port=70000"))
                .isEqualTo("the wire port cannot be 70000; allowed is 1..65535, or 0 for any free port.");
        assertThat(refusal("--headgate.wire.address=no.such.host.invalid"))
                .isEqualTo("the address no.such.host.invalid is not known.");
        assertThat(refusal("--headgate.port=47113", "--headgate.wire.port=47113"))
                .startsWith("the dashboard and the wire port cannot both use port 47113");
    }

    private String refusal(String... options) {
        CannotStart refused = catchThrowableOfType(
                CannotStart.class,
                () -> Service.run(folder.resolve("data"), options).close());
        return String.valueOf(refused.getMessage());
    }
}
