package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import dev.headgate.spi.Window.ConnectionWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollingTest {

    private static final long WINDOW_NANOS = 100_000_000;

    private final Rolling rolling = new Rolling();

    @Test
    void untilASecondIsOverThereIsNothingToTell() {
        rolling.add(window(new Random(1)), 0);
        Rolling.Summary summary = rolling.summary();
        assertThat(summary.latency()).isEqualTo(LatencySummary.none());
        assertThat(summary.arrivalsPerSecond()).isZero();
        assertThat(summary.traffic()).isEqualTo(PoolStatus.Traffic.NONE);
    }

    /** What metrics and states say is what the history would say of the same ten seconds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void theSummaryIsThatOfTheLastTenSecondsAsOneWindow(long seed) {
        Random random = new Random(seed);
        List<MergedWindow> all = new ArrayList<>();
        int seconds = 1 + random.nextInt(15);
        for (int n = 0; n < 10 * seconds + 3; n++) {
            Window window = window(random);
            rolling.add(window, 7);
            all.add(MergedWindow.of(window));
            if (random.nextInt(10) == 0) {
                rolling.summary(); // a reader at any time changes nothing
            }
        }
        int kept = 10 * Math.min(10, seconds);
        MergedWindow last = MergedWindow.of(all.subList(10 * seconds - kept, 10 * seconds));

        Rolling.Summary summary = rolling.summary();
        assertThat(summary.latency()).isEqualTo(LatencySummary.of(last.latency(), kept * WINDOW_NANOS));
        assertThat(summary.waits()).isEqualTo(LatencySummary.of(last.waits(), kept * WINDOW_NANOS));
        assertThat(summary.arrivalsPerSecond()).isEqualTo(last.arrivals() * 10.0 / kept);
        assertThat(summary.errorsPerSecond()).isEqualTo(last.errors() * 10.0 / kept);
        assertThat(summary.refusedPerSecond()).isEqualTo(last.refused() * 10.0 / kept);
        assertThat(summary.traffic())
                .isEqualTo(new PoolStatus.Traffic(7.0 * kept / last.leases(), 10 * 30.0, 10 * 40.0));
    }

    /** A window without requests adds its length, and no distribution. */
    @Test
    void quietWindowsThinTheRates() {
        List<MergedWindow> measured = new ArrayList<>();
        for (int n = 0; n < 5; n++) {
            Window window = window(new Random(n));
            rolling.add(window, 0);
            rolling.add(quiet(), 0);
            measured.add(MergedWindow.of(window));
        }
        MergedWindow all = MergedWindow.of(measured);
        Rolling.Summary summary = rolling.summary();
        assertThat(summary.latency()).isEqualTo(LatencySummary.of(all.latency(), 10 * WINDOW_NANOS));
        assertThat(summary.arrivalsPerSecond()).isEqualTo(all.arrivals());
        assertThat(summary.traffic().bytesInPerSecond()).isEqualTo(5 * 30);

        for (int n = 0; n < 100; n++) {
            rolling.add(quiet(), 0);
        }
        assertThat(rolling.summary().latency()).isEqualTo(LatencySummary.of(HdrLatency.none(), 100 * WINDOW_NANOS));
        assertThat(rolling.summary().arrivalsPerSecond()).isZero();
        assertThat(rolling.summary().traffic()).isEqualTo(PoolStatus.Traffic.NONE);
    }

    private static Window quiet() {
        return new QuietWindows().of(0, WINDOW_NANOS, 0, 5);
    }

    private static Window window(Random random) {
        int leases = 1 + random.nextInt(30);
        ConnectionWindow connection = new ConnectionWindow("bank-1", HdrLatency.none(), 0, 30, 40);
        return new Window(
                0,
                WINDOW_NANOS,
                latency(random, random.nextInt(40)),
                latency(random, leases),
                random.nextInt(40),
                leases,
                random.nextInt(3),
                random.nextInt(2),
                1,
                1,
                5,
                random.nextInt(9),
                List.of(connection));
    }

    private static Latency latency(Random random, int count) {
        Histogram histogram = HdrLatency.newSum();
        for (int n = 0; n < count; n++) {
            histogram.recordValue(random.nextLong(1_000, 100_000_000));
        }
        return HdrLatency.of(histogram);
    }
}
