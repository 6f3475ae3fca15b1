package dev.headgate.lab.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Finding;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TenThousandTest {

    /** At half of the most, with this p99 in each round. */
    private static List<TenThousand.Step> half(int connections, int... millis) {
        return List.of(new TenThousand.Step(
                connections,
                0.5,
                4_000,
                IntStream.of(millis).mapToObj(TenThousandTest::load).toList()));
    }

    private static HttpConnections.Load load(int millis) {
        Histogram micros = new Histogram(3);
        micros.recordValue(1_000L * millis);
        return new HttpConnections.Load(1, micros, new Histogram(3), 0, null, 0.1);
    }

    /** Answers that say no come fast. */
    @Test
    void latencyBesideFailuresTellsNothing() {
        TenThousand.Step refused = new TenThousand.Step(
                10_000,
                0.5,
                4_000,
                List.of(new HttpConnections.Load(
                        1, new Histogram(3), new Histogram(3), 4_000, "the service answered 503", 0.1)));
        Finding found = TenThousand.asFast(half(100, 2), List.of(refused));
        assertThat(found.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(found.here())
                .startsWith("At 4000 requests a second 0 failed over 100 connections and 4000 over 10000");
    }

    @Test
    void oneRoundInWhichTheMachineStoodStillDecidesNothing() {
        assertThat(TenThousand.asFast(half(100, 2, 2, 3, 2), half(10_000, 2, 90, 3, 2))
                        .verdict())
                .isEqualTo(Finding.Verdict.HOLDS);
        assertThat(TenThousand.asFast(half(100, 90, 2, 2, 2), half(10_000, 8, 9, 8, 8))
                        .verdict())
                .isEqualTo(Finding.Verdict.DIFFERS);
    }
}
