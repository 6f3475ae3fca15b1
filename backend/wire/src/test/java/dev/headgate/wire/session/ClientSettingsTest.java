package dev.headgate.wire.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Effects;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The server reports what it has taken back with the ReadyForQuery, and a Parse may be handled before. */
    @ParameterizedTest
    @ValueSource(strings = {"ROLLBACK", "ROLLBACK TO one"})
    void whatIsTakenBackIsUncertainUntilItsRoundIsAnswered(String rollback) {
        Link link = new Link(Map.of("DateStyle", "ISO"), new Buffers());
        ClientSettings settings = new ClientSettings(Map.of());
        settings.reported("DateStyle", "ISO", link);
        String before = settings.scope();
        execute(settings, link, "SAVEPOINT one", "SAVEPOINT");
        execute(settings, link, "SET datestyle = 'German'", "SET");
        settings.reported("DateStyle", "German", link);
        settings.ready(false, link);

        execute(settings, link, rollback, "ROLLBACK");
        assertThat(settings.isCertain()).isFalse();
        settings.reported("DateStyle", "ISO", link);
        settings.ready(rollback.equals("ROLLBACK"), link);
        assertThat(settings.isCertain()).isTrue();
        assertThat(settings.scope()).isEqualTo(before);
    }

    private static void execute(ClientSettings settings, Link link, String sql, String tag) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        settings.executed(Effects.of(bytes, 0, bytes.length));
        settings.completed(tag, link);
    }

    private static String scope(Map<String, String> settings) {
        return new ClientSettings(settings).scope();
    }
}
