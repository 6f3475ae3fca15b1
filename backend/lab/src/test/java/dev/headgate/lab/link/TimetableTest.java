package dev.headgate.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When chunks arrive, in virtual time. */
class TimetableTest {

    private static final long MILLI = 1_000_000;
    private static final long DELAY = 10 * MILLI;

    private final Timetable timetable = new Timetable();

    @Test
    void aGoodLineDelaysEachChunkByItself() {
        assertThat(timetable.due(0, DELAY, 1_000, Faults.NONE)).isEqualTo(DELAY);
        assertThat(timetable.due(1, DELAY, 1_000, Faults.NONE)).isEqualTo(DELAY + 1);
    }

    @Test
    void aNarrowLineTakesOneChunkAfterAnother() {
        Faults narrow = Faults.NONE.withBandwidth(1_000_000);
        assertThat(timetable.due(0, DELAY, 1_000, narrow)).isEqualTo(DELAY + MILLI);
        assertThat(timetable.due(0, DELAY, 2_000, narrow)).isEqualTo(DELAY + 3 * MILLI);
        assertThat(timetable.due(50 * MILLI, DELAY, 1_000, narrow))
                .as("after a pause the line is free")
                .isEqualTo(DELAY + 51 * MILLI);
    }

    @Test
    void jitterKeepsTheOrderAndIsTheSameForOneSeed() {
        Faults shaky = Faults.NONE.withJitter(Duration.ofMillis(5), 7);
        List<Long> arrivals = arrivals(shaky);
        assertThat(arrivals).isSorted().isEqualTo(arrivals(shaky));
        assertThat(arrivals).isNotEqualTo(arrivals(Faults.NONE.withJitter(Duration.ofMillis(5), 8)));
        for (int i = 0; i < arrivals.size(); i++) {
            assertThat(arrivals.get(i) - i * MILLI).isBetween(DELAY, DELAY + 5 * MILLI);
        }
        assertThat(arrivals.stream().distinct().count()).isGreaterThan(10);
    }

    private static List<Long> arrivals(Faults faults) {
        Timetable fresh = new Timetable();
        List<Long> arrivals = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            arrivals.add(fresh.due(i * MILLI, DELAY, 100, faults));
        }
        return arrivals;
    }

    @Test
    void whatIsSentBeforeTheLineGetsBetterStillArrivesFirst() {
        long first = timetable.due(0, DELAY, 1_000, Faults.NONE.withBandwidth(10_000));
        assertThat(timetable.due(1, DELAY, 1_000, Faults.NONE)).isEqualTo(first);
    }

    @Test
    void negativeFaultsAreRefused() {
        assertThatThrownBy(() -> Faults.NONE.withBandwidth(-1)).hasMessageContaining("must not be negative");
        assertThatThrownBy(() -> Faults.NONE.withPieces(-1)).hasMessageContaining("must not be negative");
        assertThatThrownBy(() -> Faults.NONE.withJitter(Duration.ofMillis(-1), 1))
                .hasMessageContaining("must not be negative");
    }
}
