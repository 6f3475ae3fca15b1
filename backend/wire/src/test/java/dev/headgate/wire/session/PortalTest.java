package dev.headgate.wire.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.Statement;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortalTest {

    /** A parameter format, two parameters of which one is NULL, and the formats of the columns. */
    private static final byte[] BINARY = {0, 1, 0, 0, 0, 2, -1, -1, -1, -1, 0, 0, 0, 2, 'h', 'i', 0, 1, 0, 1};

    private static @Nullable Portal of(byte... bind) {
        return Portal.of(statement("SELECT 1"), "headgate_1", bind, 0, bind.length);
    }

    private static Statement statement(String sql) {
        return Statement.of((sql + "\0\0\0").getBytes(StandardCharsets.UTF_8), Statement.Scope.SHARED);
    }

    @Test
    void tellsTheFormatOfAllColumns() {
        assertThat(of(BINARY)).isNotNull().extracting(Portal::isBinary).isEqualTo(true);
        byte[] text = BINARY.clone();
        text[text.length - 1] = 0;
        assertThat(of(text)).isNotNull().extracting(Portal::isBinary).isEqualTo(false);
        byte[] none = Arrays.copyOf(BINARY, BINARY.length - 2);
        none[none.length - 1] = 0;
        assertThat(of(none)).isNotNull().extracting(Portal::isBinary).isEqualTo(false);
    }

    @Test
    void isUnknownWithSeveralFormatsOrOneThatDoesNotExist() {
        byte[] several = Arrays.copyOf(BINARY, BINARY.length + 2);
        several[BINARY.length - 3] = 2;
        assertThat(of(several)).isNull();
        byte[] strange = BINARY.clone();
        strange[strange.length - 1] = 7;
        assertThat(of(strange)).isNull();
    }

    /** Such a Bind goes to the server, which refuses it. */
    @Test
    void isUnknownOfABindThatIsTooShortOrTooLong() {
        for (int length = 0; length < BINARY.length; length++) {
            assertThat(of(Arrays.copyOf(BINARY, length))).as(length + " bytes").isNull();
        }
        assertThat(of(Arrays.copyOf(BINARY, BINARY.length + 1))).isNull();
        byte[] endless = BINARY.clone();
        endless[10] = 127;
        assertThat(of(endless)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "/* a */ (select 1)",
                "WITH a AS (SELECT 1) SELECT * FROM a",
                "insert into t values (1)"
            })
    void keepsTheColumnsOfQueries(String sql) {
        assertThat(new Portal(statement(sql), "headgate_1", false).keepsItsColumns())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"EXECUTE a", "FETCH ALL FROM c", "CALL p()", "SHOW all", "", "-- SELECT"})
    void doesNotKeepThoseOfOtherStatements(String sql) {
        assertThat(new Portal(statement(sql), "headgate_1", false).keepsItsColumns())
                .isFalse();
    }
}
