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
}
