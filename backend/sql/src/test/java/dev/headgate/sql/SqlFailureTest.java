package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SqlFailureTest {

    /** A statement may raise an error of many megabytes, and many may wait for their reader. */
    @Test
    void aLongFieldIsCutBetweenTwoCharacters() {
        SqlFailure failure = read("CP0001\0M" + "x" + "é".repeat(1_000_000) + "\0D" + "short" + "\0\0");
        assertThat(failure.getMessage())
                .hasSizeLessThan(SqlFailure.LONGEST_FIELD)
                .startsWith("xé")
                .endsWith("é...");
        assertThat(failure.field('D')).isEqualTo("short");
        assertThat(failure.size()).isLessThan(2L * SqlFailure.LONGEST_FIELD);
    }

    @Test
    void aShortFieldIsWhole() {
        String message = "é".repeat(SqlFailure.LONGEST_FIELD / 2);
        assertThat(read("CP0001\0M" + message + "\0\0").getMessage()).isEqualTo(message);
    }

    @Test
    void aFailureThatIsKeptIsShort() {
        SqlFailure kept = read("CP0001\0Mno\0D" + "x".repeat(10_000) + "\0\0").cutTo(100);
        assertThat(kept.getMessage()).isEqualTo("no");
        assertThat(kept.field('D')).isEqualTo("x".repeat(100) + "...");
        assertThat(kept.sqlState()).isEqualTo("P0001");
    }

    @Test
    void whatIsKeptEndsWithAWholeCharacter() {
        SqlFailure failure = read("CP0001\0M" + "😀".repeat(100) + "\0\0");
        assertThat(failure.cutTo(11).getMessage()).isEqualTo("😀".repeat(5) + "...");
        assertThat(failure.cutTo(12).getMessage()).isEqualTo("😀".repeat(6) + "...");
    }

    private static SqlFailure read(String fields) {
        byte[] bytes = fields.getBytes(StandardCharsets.UTF_8);
        return SqlFailure.read(bytes, 0, bytes.length, null);
    }
}
