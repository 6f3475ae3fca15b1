package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.connect.Target;
import dev.headgate.protocol.SettingsText;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportedParametersTest {

    private static final Map<String, String> NONE = Map.of();
    private static final Target MAIN = at("10.0.0.1");

    private final ReportedParameters reports = new ReportedParameters();

    private static Target at(String host) {
        return Target.of("main", host, 5432, "shop", "app", "secret", 10);
    }

    private static Map<String, String> version(String version) {
        return Map.of("server_version", version, "application_name", "");
    }

    @Test
    void whatWasReportedIsKnownForTheSameSettings() {
        Map<String, String> settings = Map.of("timezone", SettingsText.command("timezone", "UTC"));
        reports.keep(MAIN, settings, "", version("17.0"));
        assertThat(reports.find(MAIN, settings, "")).isEqualTo(version("17.0"));
        assertThat(reports.find(MAIN, NONE, "")).isNull();
    }

    @Test
    void anotherServerIsAsked() {
        reports.connected(MAIN, version("17.0"));
        reports.keep(MAIN, NONE, "", version("17.0"));
        assertThat(reports.find(at("10.0.0.2"), NONE, "")).as("it moved").isNull();

        reports.connected(MAIN, Map.of("server_version", "17.0", "application_name", "other"));
        assertThat(reports.find(MAIN, NONE, "")).isNotNull();
        reports.connected(MAIN, version("18.0"));
        assertThat(reports.find(MAIN, NONE, "")).as("it was upgraded").isNull();
    }

    /** Whoever logs in with ever other settings has others wait for a lease no more than once. */
    @Test
    void whatNobodyHasUsedForLongestIsForgotten() {
        String often = "often";
        reports.keep(MAIN, Map.of("a.b", often), "", version("17.0"));
        for (int i = 0; i < 1_000; i++) {
            reports.keep(MAIN, Map.of("a.b", i + "x".repeat(5_000)), "", version("17.0"));
            assertThat(reports.find(MAIN, Map.of("a.b", often), "")).isNotNull();
        }
        assertThat(reports.find(MAIN, Map.of("a.b", 999 + "x".repeat(5_000)), ""))
                .isNotNull();
        int fitting = ReportedParameters.MOST_BYTES / 10_000;
        assertThat(reports.find(MAIN, Map.of("a.b", (998 - fitting) + "x".repeat(5_000)), ""))
                .isNull();
        reports.connected(MAIN, version("17.0"));
        assertThat(reports.find(MAIN, Map.of("a.b", often), "")).isNull();
    }
}
