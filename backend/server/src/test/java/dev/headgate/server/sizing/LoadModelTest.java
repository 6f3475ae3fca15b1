package dev.headgate.server.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoadModelTest {

    /** A full pool: a lease takes 10 ms, and 1 ms more for each connection in use. */
    private static Seen full(int size) {
        double heldMs = 10 + size;
        double perSecond = 1e3 * size / heldMs;
        return new Seen(size, 1_000, perSecond, 0, 64_000 / perSecond, 64_000 / perSecond - heldMs, 1, "");
    }

    private static Seen waitless(int size, double perSecond, double heldMs) {
        return new Seen(size, 1_000, perSecond, 0, heldMs, 0, 1, "");
    }

    @Test
    void twoSizesTellTheLineAndTheThroughputOfAllOthers() {
        LoadModel model = LoadModel.of(List.of(full(4), full(20))).orElseThrow();
        assertThat(model.at(10).perSecond()).isCloseTo(500, within(0.1));
        assertThat(model.at(10).heldMs()).isCloseTo(20, within(0.01));
        assertThat(model.at(10).responseMs()).isGreaterThan(model.at(20).responseMs());
    }

    /** 100 a second of 20 ms keep 2 connections busy: 2 make a queue without end, with 4 hardly anybody waits. */
    @Test
    void whereASizeServesAllItKnowsTheArrivalsAndTheirWaits() {
        LoadModel model = LoadModel.of(List.of(waitless(8, 100, 20), waitless(16, 101, 20)))
                .orElseThrow();
        assertThat(model.at(2).waitMs()).isGreaterThan(100);
        assertThat(model.at(4).perSecond()).isEqualTo(101);
        assertThat(model.at(4).waitMs()).isBetween(0.1, 3.0);
    }

    @Test
    void fewerThanTwoSizesThatCountSayNothing() {
        Seen ruledOut = new Seen(3, 10, 1, 0, 1, 0, 1, "a caller waited too long");
        assertThat(LoadModel.of(List.of())).isEmpty();
        assertThat(LoadModel.of(List.of(full(4), ruledOut))).isEmpty();
        assertThat(LoadModel.of(List.of(waitless(4, 100, 20), waitless(8, 100, 20))))
                .as("the same number in use")
                .isEmpty();
    }

    @Test
    void latencyThatFallsWithLoadIsTakenForFlat() {
        LoadModel model = LoadModel.of(List.of(waitless(4, 100, 20), waitless(8, 200, 15)))
                .orElseThrow();
        assertThat(model.at(1).heldMs()).isCloseTo(17.5, within(0.01));
    }
}
