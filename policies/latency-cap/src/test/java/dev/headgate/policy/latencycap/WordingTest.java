package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WordingTest {

    @Test
    void choosesTheArticleByTheSpokenNumber() {
        assertThat(Wording.article(1)).isEqualTo("A 1st");
        assertThat(Wording.article(8)).isEqualTo("An 8th");
        assertThat(Wording.article(11)).isEqualTo("An 11th");
        assertThat(Wording.article(12)).isEqualTo("A 12th");
        assertThat(Wording.article(18)).isEqualTo("An 18th");
        assertThat(Wording.article(22)).isEqualTo("A 22nd");
        assertThat(Wording.article(83)).isEqualTo("An 83rd");
        assertThat(Wording.article(110)).isEqualTo("A 110th");
        assertThat(Wording.article(111)).isEqualTo("A 111th");
    }

    @Test
    void writesMillisecondsWithTheDigitsThatMatter() {
        assertThat(Wording.ms(22_936_000)).isEqualTo("22.9 ms");
        assertThat(Wording.ms(20_000_000)).isEqualTo("20 ms");
        assertThat(Wording.ms(350_000)).isEqualTo("0.35 ms");
        assertThat(Wording.ms(1_234_000_000)).isEqualTo("1234 ms");
        assertThat(Wording.ms(0)).isEqualTo("0 ms");
        assertThat(Wording.ms(9_996_000)).isEqualTo("10 ms");
        assertThat(Wording.ms(5_040_000)).isEqualTo("5.04 ms");
        assertThat(Wording.ms(1_005_000)).as("half a digit goes up").isEqualTo("1.01 ms");
    }

    @Test
    void tellsAFigureFromTheOneBesideIt() {
        assertThat(Wording.ms(20_040_000, 20_000_000)).isEqualTo("20.04 ms");
        assertThat(Wording.ms(19_960_000, 20_000_000)).isEqualTo("19.96 ms");
        assertThat(Wording.ms(20_000_000, 20_000_000)).isEqualTo("20 ms");
        assertThat(Wording.ms(25_040_000, 20_000_000)).isEqualTo("25 ms");
    }

    @Test
    void countsConnections() {
        assertThat(Wording.connections(1)).isEqualTo("1 connection");
        assertThat(Wording.connections(7)).isEqualTo("7 connections");
    }
}
