package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FieldsTest {

    @Test
    void anErrorIsReadAsItWasWritten() throws ProtocolException {
        FrameWriter out = new FrameWriter(new Buffers());
        Fields.error(out, "FATAL", "57P01", "the end", "why");
        byte[] message = out.bytes();
        FrameReader in = new FrameReader();
        in.feed(message, 0, message.length);
        assertThat(in.next()).isTrue();
        assertThat(in.type()).isEqualTo('E');
        assertThat(in.length()).isEqualTo(message.length - 5);
        assertThat(new String(in.peek(in.length()), StandardCharsets.UTF_8))
                .isEqualTo("SFATAL\0VFATAL\0C57P01\0Mthe end\0Dwhy\0\0");
        assertThat(Fields.failure(in.array(), in.position(), in.position() + in.here()))
                .isEqualTo(new Fields.Failure("FATAL", "57P01", "the end", ""));
    }

    @Test
    void aMessageThatIsNullIsEmpty() {
        FrameWriter out = new FrameWriter(new Buffers());
        Fields.error(out, "ERROR", "XX000", null, "");
        assertThat(new String(out.bytes(), 5, 24, StandardCharsets.UTF_8)).endsWith("CXX000\0M\0\0");
    }

    /** CVE-2026-6666: a server's error without an SQLSTATE must not end who reads it. */
    @Test
    void anErrorWithoutAnSqlStateIsAnError() {
        assertThat(failure("VERROR\0Mno state\0\0")).isEqualTo(new Fields.Failure("ERROR", "XX000", "no state", ""));
        assertThat(failure("\0")).isEqualTo(new Fields.Failure("", "XX000", "", ""));
        assertThat(failure("")).isEqualTo(new Fields.Failure("", "XX000", "", ""));
        assertThat(failure("C\0\0")).isEqualTo(new Fields.Failure("", "", "", ""));
    }

    @Test
    void anErrorThatIsCutAnywhereIsReadAsFarAsItGoes() {
        byte[] whole =
                "SFEHLER\0VERROR\0C0A000\0Mcached plan\0RRevalidateCachedQuery\0\0".getBytes(StandardCharsets.UTF_8);
        for (int to = 0; to <= whole.length; to++) {
            Fields.Failure seen = Fields.failure(Arrays.copyOf(whole, to), 0, to);
            assertThat("RevalidateCachedQuery").startsWith(seen.routine());
        }
        assertThat(Fields.failure(whole, 0, whole.length))
                .isEqualTo(new Fields.Failure("ERROR", "0A000", "cached plan", "RevalidateCachedQuery"));
    }

    @Test
    void aNameInItsMessageIsReplacedInAnyLanguage() {
        assertThat(renamed("SERROR\0C42P05\0Mvorbereitete Anweisung »our_1« existiert bereits\0Dour_1\0\0"))
                .isEqualTo("SERROR\0C42P05\0Mvorbereitete Anweisung »mine« existiert bereits\0Dour_1\0\0");
        assertThat(renamed("Mour_12, our_1\0\0")).isEqualTo("Mour_12, mine\0\0");
        assertThat(renamed("Mour_1\0\0")).isEqualTo("Mmine\0\0");
        for (String other : new String[] {"Mour_12\0\0", "Mour_\0\0", "Dour_1\0\0", "M\0\0", "\0", "Mour_"}) {
            assertThat(renamed(other)).as(other).isNull();
        }
    }

    private static @Nullable String renamed(String body) {
        byte[] bytes = ("x" + body + "1").getBytes(StandardCharsets.UTF_8);
        byte[] renamed = Fields.renamed(bytes, 1, bytes.length - 1, "our_1", "mine");
        return renamed == null ? null : new String(renamed, StandardCharsets.UTF_8);
    }

    @Test
    void whetherTheServerEndsItsConnectionIsSaidByItsSeverity() {
        assertThat(failure("SFATAL\0VFATAL\0\0").isLast()).isTrue();
        assertThat(failure("VPANIC\0\0").isLast()).isTrue();
        assertThat(failure("VERROR\0\0").isLast()).isFalse();
        assertThat(failure("MFATAL\0\0").isLast()).isFalse();
    }

    private static Fields.Failure failure(String fields) {
        byte[] bytes = fields.getBytes(StandardCharsets.UTF_8);
        return Fields.failure(bytes, 0, bytes.length);
    }
}
