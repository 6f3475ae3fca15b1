package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepTimesTest {

    private static final long SECOND = 1_000_000_000L;

    private final StepTimes times = new StepTimes(0);

    @Test
    void stepsAreCountedAndAddedUp() {
        assertThat(times.figures()).isEqualTo(StepTimes.Figures.NONE);
        times.add(SECOND, 300);
        times.add(2 * SECOND, 100);
        assertThat(times.figures()).isEqualTo(new StepTimes.Figures(2, 400, 300));
    }

    @Test
    void aLongStepIsRememberedForTenToTwentySeconds() {
        times.add(9 * SECOND, 900);
        times.add(11 * SECOND, 10);
        times.add(20 * SECOND, 20);
        assertThat(times.figures().longestNanos()).isEqualTo(900);
        times.add(22 * SECOND, 30);
        assertThat(times.figures().longestNanos()).isEqualTo(30);
    }

    @Test
    void nothingIsRememberedOverAPause() {
        times.add(9 * SECOND, 900);
        times.add(60 * SECOND, 10);
        assertThat(times.figures().longestNanos()).isEqualTo(10);
    }
}
