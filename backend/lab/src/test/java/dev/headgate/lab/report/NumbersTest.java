package dev.headgate.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumbersTest {

    @Test
    void countsOneInTheSingular() {
        assertThat(Numbers.counted(1, "databases")).isEqualTo("1 database");
        assertThat(Numbers.counted(0, "users")).isEqualTo("0 users");
        assertThat(Numbers.counted(8, "connections")).isEqualTo("8 connections");
    }

    /** "0.95 of it" beside "does not hold" contradicts a bar of 0.95. */
    @Test
    void aNumberBesideAVerdictStaysOnItsSideOfTheBar() {
        assertThat(Numbers.rounded(0.9512, 0.95)).isEqualTo("0.951");
        assertThat(Numbers.rounded(0.9482, 0.95)).isEqualTo("0.948");
        assertThat(Numbers.rounded(0.9449, 0.95)).isEqualTo("0.94");
        assertThat(Numbers.rounded(0.95, 0.95)).isEqualTo("0.95");
        assertThat(Numbers.percent(36.0 / 38, 0.95)).isEqualTo("94.7");
        assertThat(Numbers.percent(19.0 / 20, 0.95)).isEqualTo("95");
        assertThat(Numbers.percent(57.0 / 60, 0.95)).isEqualTo("95");
        assertThat(Numbers.percent(341.0 / 360, 0.95)).isEqualTo("94.7");
        assertThat(Numbers.percent(0.949_999_999_9, 0.95)).isEqualTo("95.000000");
    }
}
