package dev.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.spi.Latency;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DurationsTest {

    private static final Latency HUNDRED =
            Durations.ofNanos(LongStream.rangeClosed(1, 100).map(i -> 101 - i).toArray());

    @Test
    void tellsTheFiguresOfWhatItHolds() {
        assertThat(HUNDRED.count()).isEqualTo(100);
        assertThat(HUNDRED.meanNanos()).isEqualTo(50.5);
        assertThat(HUNDRED.minNanos()).isEqualTo(1);
        assertThat(HUNDRED.maxNanos()).isEqualTo(100);
    }

    @Test
    void aPercentileIsTheLeastThatItsShareDoesNotExceed() {
        assertThat(HUNDRED.percentileNanos(0)).isEqualTo(1);
        assertThat(HUNDRED.percentileNanos(50)).isEqualTo(50);
        assertThat(HUNDRED.percentileNanos(98.5)).isEqualTo(99);
        assertThat(HUNDRED.percentileNanos(100)).isEqualTo(100);
    }

    @Test
    void mergesTheDistributionsAndNotTheirFigures() {
        Latency both = HUNDRED.plus(Durations.ofNanos(1_000, 2_000)).plus(Durations.none());
        assertThat(both.count()).isEqualTo(102);
        assertThat(both.percentileNanos(99)).isEqualTo(1_000);
        assertThat(both.maxNanos()).isEqualTo(2_000);
        assertThat(Durations.none().plus(HUNDRED)).isSameAs(HUNDRED);
    }

    @Test
    void everyFigureOfNoneIsZero() {
        Latency none = Durations.none();
        assertThat(none.count() + none.minNanos() + none.maxNanos() + none.percentileNanos(99))
                .isZero();
        assertThat(none.meanNanos()).isZero();
    }
}
