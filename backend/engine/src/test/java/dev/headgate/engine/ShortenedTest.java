package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShortenedTest {

    @Test
    void aTextIsNotCutWithinACharacter() {
        assertThat(Shortened.to(3, "abc")).isEqualTo("abc");
        assertThat(Shortened.to(3, "abcd")).isEqualTo("abc");
        assertThat(Shortened.to(3, "ab😀")).isEqualTo("ab");
        assertThat(Shortened.to(4, "ab😀")).isEqualTo("ab😀");
        assertThat(Shortened.to(0, "😀")).isEmpty();
        assertThat(Shortened.withEllipsis(3, "abc")).isEqualTo("abc");
        assertThat(Shortened.withEllipsis(3, "ab😀")).isEqualTo("ab…");
    }
}
