package dev.headgate.wire.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientSettingsTest {

    /** Statements keep it, whatever the client has set. */
    @Test
    void theScopeIsShort() {
        String scope = scope(Map.of("a.b", "SET a.b = '" + "x".repeat(250_000) + "'"));
        assertThat(scope).hasSizeLessThan(100);
        assertThat(scope).isSameAs(scope(Map.of("a.b", "SET a.b = '" + "x".repeat(250_000) + "'")));
        assertThat(scope).isNotEqualTo(scope(Map.of("a.b", "SET a.b = '" + "x".repeat(249_999) + "y'")));
    }

    @Test
    void settingsWithoutMeaningForATextMakeNoScope() {
        assertThat(scope(Map.of("application_name", "SET application_name = 'a'")))
                .isEmpty();
        assertThat(scope(Map.of())).isEmpty();
    }

    private static String scope(Map<String, String> settings) {
        return new ClientSettings(settings).scope();
    }
}
