package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.history.ConnectionChunkStore.Extent;
import dev.headgate.server.history.ConnectionChunkStore.Head;
import dev.headgate.server.history.ConnectionPeriod.Cell;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionChunkTest {

    private static final long HOUR = 1_795_000_000L / 3_600 * 3_600;

    /** What comes back is what was put in, whatever connections come and go, and whatever seconds are missing. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void itIsReadAsItWasWritten(long seed) {
        List<ConnectionPeriod> seconds = seconds(seed, 60);
        ConnectionChunk chunk =
                ConnectionChunk.of(Resolution.SECONDS, seconds.getFirst().start(), HOUR + 60, seconds);

        assertThat(sorted(chunk.periods())).isEqualTo(sorted(seconds));
    }

    /** Rolled up twice is rolled up at once, and nothing is lost or counted twice. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
    void rollingUpAddsAndKeepsTheWorst(long seed) {
        List<ConnectionPeriod> seconds = seconds(seed, 1_800);
        List<ConnectionPeriod> tens = ConnectionPeriod.roll(seconds, Resolution.TENS);
        List<ConnectionPeriod> minutes = ConnectionPeriod.roll(tens, Resolution.MINUTES);

        assertThat(sorted(minutes)).isEqualTo(sorted(ConnectionPeriod.roll(seconds, Resolution.MINUTES)));
        assertThat(total(minutes)).isEqualTo(total(tens)).isEqualTo(total(seconds));
        assertThat(minutes).extracting(ConnectionPeriod::start).isSorted().doesNotHaveDuplicates();
        assertThat(minutes)
                .allSatisfy(minute -> assertThat(minute.cells())
                        .allSatisfy(cell -> assertThat(cell.seconds()).isBetween(1, 60))
                        .extracting(Cell::id)
                        .doesNotHaveDuplicates());
        ConnectionPeriod first = minutes.getFirst();
        for (Cell cell : first.cells()) {
            assertThat(cell.p99Micros())
                    .isEqualTo(seconds.stream()
                            .filter(second -> second.start() < first.start() + 60)
                            .flatMap(second -> second.cells().stream())
                            .filter(each -> each.id().equals(cell.id()))
                            .mapToLong(Cell::p99Micros)
                            .max()
                            .orElseThrow());
        }
    }

    @Test
    void aDamagedOneIsRefused() {
        ConnectionChunk whole =
                ConnectionChunk.of(Resolution.SECONDS, HOUR, HOUR + 60, List.of(new ConnectionPeriod(HOUR, List.of())));
        byte[] newer = whole.body().clone();
        newer[0] = 9;
        for (byte[] body : List.of(new byte[0], newer, new byte[] {1, 7, 7}, new byte[] {1})) {
            assertThatThrownBy(() -> new ConnectionChunk(Resolution.SECONDS, HOUR, HOUR + 60, body).periods())
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Every instant is read from one resolution: the wanted one, and a finer one where that is not made yet. */
    @Test
    void aRangeIsReadFromTheWantedResolutionAndFinerOnes() {
        Head minutes = head(Resolution.MINUTES, 0, 3_600);
        Head tens = head(Resolution.TENS, 3_000, 3_600);
        Head later = head(Resolution.TENS, 3_600, 4_200);
        Head old = head(Resolution.SECONDS, 4_140, 4_200);
        Head newest = head(Resolution.SECONDS, 4_205, 4_260);
        List<Head> all = List.of(minutes, tens, later, old, newest);

        assertThat(ConnectionRanges.cover(all, Resolution.MINUTES)).containsExactly(minutes, later, newest);
        assertThat(ConnectionRanges.cover(all, Resolution.TENS)).containsExactly(tens, later, newest);
        assertThat(ConnectionRanges.cover(all, Resolution.SECONDS)).containsExactly(old, newest);
    }

    @Test
    void aResolutionIsKeptFromTheBeginningUntilACoarserOneReachesFurtherBack() {
        assertThat(ConnectionRanges.since(Map.of(), 100))
                .containsEntry(Resolution.SECONDS, 100L)
                .containsEntry(Resolution.TENS, 100L)
                .containsEntry(Resolution.MINUTES, 100L);
        assertThat(ConnectionRanges.since(
                        Map.of(
                                Resolution.SECONDS, new Extent(HOUR + 3_000, HOUR + 7_200),
                                Resolution.TENS, new Extent(HOUR, HOUR + 6_600)),
                        100))
                .containsEntry(Resolution.SECONDS, HOUR + 3_000)
                .containsEntry(Resolution.TENS, 100L);
        assertThat(ConnectionRanges.since(Map.of(Resolution.MINUTES, new Extent(HOUR, HOUR + 7_200)), 100))
                .as("after an hour without measurements")
                .containsEntry(Resolution.SECONDS, HOUR + 7_200)
                .containsEntry(Resolution.TENS, HOUR + 7_200)
                .containsEntry(Resolution.MINUTES, 100L);
    }

    private static Head head(Resolution resolution, long start, long finish) {
        return new Head(1, resolution, HOUR + start, HOUR + finish, 100);
    }

    /** Of which some are missing, with connections that come and go. */
    private static List<ConnectionPeriod> seconds(long seed, int number) {
        Random random = new Random(seed);
        CellsOfConnections generated = new CellsOfConnections(seed, 1 + random.nextInt(12), 20 * random.nextDouble());
        List<ConnectionPeriod> seconds = new ArrayList<>();
        for (int second = 0; second < number; second++) {
            ConnectionPeriod each = generated.second(HOUR + second);
            List<Cell> open = new ArrayList<>(each.cells());
            open.removeIf(cell -> random.nextInt(5) == 0);
            if (random.nextInt(10) > 0) {
                seconds.add(new ConnectionPeriod(each.start(), open));
            }
        }
        return seconds;
    }

    private static List<ConnectionPeriod> sorted(List<ConnectionPeriod> periods) {
        return periods.stream()
                .map(period -> new ConnectionPeriod(
                        period.start(),
                        period.cells().stream()
                                .sorted(Comparator.comparing(Cell::id))
                                .toList()))
                .toList();
    }

    private static List<Cell> total(List<ConnectionPeriod> periods) {
        return ConnectionPeriod.roll(
                        periods.stream()
                                .map(period -> new ConnectionPeriod(0, period.cells()))
                                .toList(),
                        Resolution.MINUTES)
                .stream()
                .flatMap(period -> period.cells().stream())
                .sorted(Comparator.comparing(Cell::id))
                .toList();
    }
}
