package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DomainHistoryTest {

    private static final Instant NOON = Samples.NOON;

    /** Bytes that may be taken. */
    private long most = Long.MAX_VALUE;

    private long taken;

    private final DomainHistory history = new DomainHistory(new Rows.Room() {
        @Override
        public boolean take(long bytes) {
            while (bytes > most - taken) {
                if (!history().canDrop()) {
                    return false;
                }
                history().dropOldest();
            }
            taken += bytes;
            return true;
        }

        @Override
        public boolean takeFree(long bytes) {
            boolean free = bytes <= most - taken;
            taken += free ? bytes : 0;
            return free;
        }

        @Override
        public void give(long bytes) {
            taken -= bytes;
        }
    });

    private DomainHistory history() {
        return history;
    }

    @Test
    void theWindowsOfASecondMakeOneRow() {
        add(100, 0, 1, 2_000_000);
        add(500, 9, 2, 4_000_000, 6_000_000);
        add(900, 4, 3);
        finish(1_000);

        HistoryJson seen = last(Duration.ofMinutes(5), 1_000);
        assertThat(seen.stepMs()).isEqualTo(1_000);
        assertThat(seen.time()).containsExactly(NOON.plusSeconds(1));
        assertThat(seen.columns().inUse()).containsExactly(2.0);
        assertThat(seen.columns().waiting()).as("the most of any window").containsExactly(9.0);
        assertThat(seen.columns().size()).containsExactly(5.0);
        assertThat(seen.columns().floor()).containsExactly(2.0);
        assertThat(seen.columns().ceiling()).containsExactly(7.0);
        assertThat(seen.columns().p99Ms().getFirst()).isBetween(5.95, 6.05);
        assertThat(seen.columns().meanMs().getFirst()).isBetween(3.96, 4.04);
        assertThat(seen.columns().perSecond()).as("3 in 300 ms").containsExactly(10.0);
        assertThat(seen.columns().leasesPerSecond()).as("3 in 300 ms").containsExactly(10.0);
    }

    /** The stream and the history say the same of a second, whoever ends it. */
    @Test
    void aSecondIsToldOnceWhenItIsOver() {
        add(100, 0, 1, 2_000_000);
        Optional<DomainHistory.Over> byTheNext = add(1_100, 3, 2, 4_000_000);
        Optional<DomainHistory.Over> byTheClock = finish(2_000);

        assertThat(finish(3_000)).isEmpty();
        assertThat(byTheNext.orElseThrow().second().time()).isEqualTo(NOON.plusSeconds(1));
        HistoryJson.Columns kept = last(Duration.ofMinutes(5), 2_000).columns();
        Second told = byTheClock.orElseThrow().second();
        assertThat(told.time()).isEqualTo(NOON.plusSeconds(2));
        assertThat(List.of(told.inUse(), told.waiting(), told.ceiling()))
                .containsExactly(
                        kept.inUse().getLast(),
                        kept.waiting().getLast(),
                        kept.ceiling().getLast());
        assertThat(told.p99Ms()).isEqualTo(kept.p99Ms().getLast());
        assertThat(told.perSecond()).isEqualTo(kept.perSecond().getLast());
        assertThat(told.leasesPerSecond()).isEqualTo(kept.leasesPerSecond().getLast());
    }

    @Test
    void aSecondUnderWayIsNotShown() {
        add(100, 0, 1, 2_000_000);

        assertThat(last(Duration.ofMinutes(5), 900).time()).isEmpty();
    }

    @Test
    void aSecondWithoutRequestsHasNoLatencyAndOneWithoutWindowsHasNothing() {
        add(100, 0, 1, 2_000_000);
        add(2_100, 0, 1);
        finish(3_000);

        HistoryJson.Columns columns = last(Duration.ofMinutes(5), 3_000).columns();
        assertThat(columns.p50Ms()).hasSize(3).element(0).isNotNull();
        assertThat(columns.p50Ms().get(2)).isNull();
        assertThat(columns.perSecond()).containsExactly(10.0, null, 0.0);
        assertThat(columns.size()).containsExactly(5.0, null, 5.0);
    }

    @Test
    void onlyTheTimeAskedForIsShown() {
        for (int second = 0; second < 600; second++) {
            add(1_000L * second + 500, 0, second % 7, 1_000_000);
        }
        finish(600_000);

        HistoryJson seen = last(Duration.ofMinutes(1), 600_000);
        assertThat(seen.time()).hasSize(60).last().isEqualTo(NOON.plusSeconds(600));
        assertThat(last(Duration.ofMinutes(60), 600_000).time()).hasSize(600);
        assertThat(last(Duration.ofMinutes(1), 700_000).time())
                .as("it was silent since")
                .isEmpty();
    }

    @Test
    void aClockThatIsSetBackLosesNothingThatIsKept() {
        add(5_100, 0, 1, 2_000_000);
        add(1_100, 0, 1, 2_000_000);
        finish(6_000);
        add(2_500, 0, 1, 2_000_000);
        finish(3_000);

        HistoryJson seen = last(Duration.ofMinutes(5), 6_000);
        assertThat(seen.time()).containsExactly(NOON.plusSeconds(6));
        assertThat(seen.columns().perSecond()).containsExactly(10.0);
    }

    @Test
    void markersAreShownWithTheirTime() {
        history.mark(new HistoryJson.Marker(NOON.minusSeconds(400), 7, "admin"));
        history.mark(new HistoryJson.Marker(NOON.minusSeconds(4), 8, "admin"));

        assertThat(last(Duration.ofMinutes(5), 0).markers())
                .containsExactly(new HistoryJson.Marker(NOON.minusSeconds(4), 8, "admin"));
    }

    /** Against a plain list as the model: any gaps, any length, more than the ring holds. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void theRingShowsWhatAListWould(long seed) {
        Random random = new Random(seed);
        List<@Nullable Double> model = new ArrayList<>();
        int second = 0;
        while (second < 3 * DomainHistory.SECONDS) {
            int gap = random.nextInt(100) == 0 ? random.nextInt(5_000) : random.nextInt(3);
            for (int blank = 0; blank < gap && !model.isEmpty(); blank++) {
                model.add(null);
            }
            second += gap;
            double inUse = random.nextInt(1_000) / 10.0;
            add(1_000L * second + random.nextInt(1_000), 0, inUse);
            model.add(inUse);
            second++;
        }
        finish(1_000L * second);

        int kept = Math.min(DomainHistory.SECONDS, model.size());
        HistoryJson seen = last(Duration.ofSeconds(DomainHistory.SECONDS), 1_000L * second);
        assertThat(seen.columns().inUse()).containsExactlyElementsOf(model.subList(model.size() - kept, model.size()));
        assertThat(seen.time()).hasSize(kept).last().isEqualTo(NOON.plusSeconds(second));
    }

    @Test
    void whereRoomIsShortTheOldestSecondsGo() {
        most = 3 * (Rows.BLOCK_BYTES + 4L * Rows.COLUMN_BYTES);
        for (int second = 0; second < 3_000; second++) {
            add(1_000L * second + 500, 0, second % 7, 1_000_000 + 1_000L * second);
            assertThat(taken).isLessThanOrEqualTo(most);
        }
        finish(3_000_000);

        HistoryJson seen = last(Duration.ofMinutes(60), 3_000_000);
        assertThat(seen.time())
                .hasSizeBetween(Rows.BLOCK, 4 * Rows.BLOCK)
                .last()
                .isEqualTo(NOON.plusSeconds(3_000));
        assertThat(seen.columns().inUse()).doesNotContainNull().last().isEqualTo(2_999 % 7 * 1.0);
    }

    @Test
    void withoutAnyRoomNothingIsKeptAndSecondsAreToldAllTheSame() {
        most = 0;
        add(100, 0, 1, 2_000_000);
        assertThat(add(1_100, 0, 1, 2_000_000)).isPresent();
        assertThat(last(Duration.ofMinutes(5), 1_200).columns().inUse()).containsExactly((Double) null);
    }

    /** What an hour of one domain takes, at most. */
    @Test
    void anHourTakesLessThanAFifthOfAMegabyte() {
        for (int second = 0; second < 2 * DomainHistory.SECONDS; second++) {
            add(1_000L * second + 500, second % 3, second % 7, 1_000_000 + 1_000L * second);
        }
        assertThat(taken).isBetween(50_000L, 200_000L + 14L * Rows.BLOCK_BYTES);
    }

    /** In whichever order it comes: the service measures already while the former seconds are read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void secondsOfAFormerProcessAreRestoredAndTheTimeBetweenIsAGap(boolean first) {
        List<Second> former = List.of(Samples.second(0), Samples.second(1), Samples.second(400));
        List<HistoryJson.Marker> markers = List.of(new HistoryJson.Marker(NOON, 7, "admin"));
        if (first) {
            history.restore(former, markers);
        }
        add(500_100, 0, 1, 2_000_000);
        finish(501_000);
        history.restore(former, markers);

        HistoryJson seen = last(Duration.ofMinutes(60), 501_000);
        assertThat(seen.time()).hasSize(501).first().isEqualTo(NOON.plusSeconds(1));
        assertThat(seen.columns().p99Ms().getFirst()).isEqualTo(3.0);
        assertThat(seen.columns().size()).filteredOn(size -> size != null).hasSize(4);
        assertThat(seen.columns().p99Ms().getLast()).isBetween(1.98, 2.02);
        assertThat(seen.markers()).isEqualTo(markers);
    }

    @Test
    void whatWasMeasuredIsNotReplacedByWhatIsRestored() {
        add(100, 0, 1, 2_000_000);
        finish(1_000);
        history.restore(List.of(Samples.second(0)), List.of());

        assertThat(last(Duration.ofMinutes(5), 1_000).columns().p99Ms().getFirst())
                .isBetween(1.98, 2.02);
    }

    @Test
    void nothingIsDroppedForWhatIsRestored() {
        most = Rows.BLOCK_BYTES;
        add(900_100, 0, 1, 2_000_000);
        finish(901_000);
        history.restore(List.of(Samples.second(0)), List.of());

        assertThat(last(Duration.ofMinutes(60), 901_000).time()).containsExactly(NOON.plusSeconds(901));
    }

    private Optional<DomainHistory.Over> add(long millis, int waiting, double inUse, long... durations) {
        return history.add(
                NOON.plusMillis(millis),
                Samples.busy(0, waiting, inUse, durations),
                () -> Samples.status("bank", "main", 5));
    }

    private Optional<DomainHistory.Over> finish(long millis) {
        return history.finish(NOON.plusMillis(millis), () -> Samples.status("bank", "main", 5));
    }

    private HistoryJson last(Duration length, long nowMillis) {
        return history.last(length, NOON.plusMillis(nowMillis));
    }
}
