package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.Samples;
import dev.headgate.spi.Latency;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkTest {

    private static final long NOON = Samples.NOON.getEpochSecond();

    /** Otherwise a stored distribution would be another one than was measured. */
    @Test
    void bucketsAreThoseOfTheEnginesHistograms() {
        Histogram histogram = HdrLatency.newHistogram();
        Random random = new Random(7);
        int before = -1;
        for (int bucket = 0; bucket < Buckets.COUNT; bucket++) {
            long shortest = Buckets.shortestNanos(bucket);
            if (shortest > HdrLatency.HIGHEST_NANOS) {
                break;
            }
            assertThat(histogram.lowestEquivalentValue(shortest)).isEqualTo(shortest);
            assertThat(Buckets.number(shortest)).isEqualTo(bucket).isGreaterThan(before);
            assertThat(Buckets.number(histogram.highestEquivalentValue(shortest)))
                    .isEqualTo(bucket);
            before = bucket;
        }
        for (int n = 0; n < 10_000; n++) {
            long nanos = (long) Math.exp(random.nextDouble() * Math.log(HdrLatency.HIGHEST_NANOS));
            assertThat(Buckets.shortestNanos(Buckets.number(nanos))).isEqualTo(histogram.lowestEquivalentValue(nanos));
        }
        assertThat(Buckets.number(HdrLatency.HIGHEST_NANOS)).isLessThan(Buckets.COUNT);
    }

    @ParameterizedTest
    @EnumSource(Resolution.class)
    void aChunkComesBackAsItWas(Resolution resolution) {
        Random random = new Random(resolution.ordinal());
        Periods periods = new Periods(resolution.ordinal(), 80);
        long start = resolution.chunkStart(NOON);
        List<Period> kept = new ArrayList<>();
        for (int row = 0; row < Chunk.ROWS; row++) {
            if (random.nextInt(4) > 0) {
                kept.add(periods.second(start + (long) row * resolution.seconds()));
            }
        }
        Chunk chunk = Chunk.of(resolution, start, kept);

        assertThat(new Chunk(resolution, start, chunk.body()).periods()).isEqualTo(kept);
        assertThat(Chunk.of(resolution, start, List.of()).periods()).isEmpty();
    }

    @Test
    void extremesComeBackToo() {
        Period extreme = new Period(
                NOON,
                Long.MAX_VALUE,
                0,
                Integer.MAX_VALUE,
                0,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                0,
                Long.MAX_VALUE,
                1,
                Distribution.of(Samples.latency(0, 1, HdrLatency.HIGHEST_NANOS)),
                Distribution.NONE);
        Period nothing = new Period(
                NOON + 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Distribution.NONE, Distribution.of(Samples.latency(5)));

        assertThat(Chunk.of(Resolution.SECONDS, NOON, List.of(extreme, nothing)).periods())
                .containsExactly(extreme, nothing);
    }

    /** A minute of an idle domain costs next to nothing, because there may be thousands of them. */
    @Test
    void anIdleMinuteIsSmall() {
        List<Period> idle = new ArrayList<>();
        for (int second = 0; second < Chunk.ROWS; second++) {
            idle.add(new Period(
                    NOON + second, 1_000_000, 0, 2, 2, 7, 0, 0, 0, 0, 0, Distribution.NONE, Distribution.NONE));
        }
        assertThat(Chunk.of(Resolution.SECONDS, NOON, idle).body()).hasSizeLessThan(200);
    }

    @Test
    void aDamagedChunkIsRefusedAndDoesNothingElse() {
        Periods periods = new Periods(3, 50);
        byte[] body = Chunk.of(
                        Resolution.SECONDS,
                        NOON,
                        List.of(periods.second(NOON), periods.second(NOON + 1), periods.second(NOON + 30)))
                .body();
        Random random = new Random(9);
        int refused = 0;
        for (int n = 0; n < 3_000; n++) {
            byte[] damaged = Arrays.copyOf(body, random.nextInt(3) > 0 ? body.length : random.nextInt(body.length));
            for (int flips = random.nextInt(4); flips > 0 && damaged.length > 0; flips--) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                new Chunk(Resolution.SECONDS, NOON, damaged).periods();
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
        byte[] newer = body.clone();
        newer[0]++;
        assertThatThrownBy(() -> new Chunk(Resolution.SECONDS, NOON, newer).periods())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version");
    }

    /** However it is rolled up and stored on its way, a range says what all its requests say together. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void rollingUpIsMergingAll(long seed) {
        Periods generated = new Periods(seed, 40);
        Random random = new Random(seed);
        List<Period> seconds = new ArrayList<>();
        List<Latency> latencies = new ArrayList<>();
        List<Latency> waits = new ArrayList<>();
        MergedWindow whole = null;
        for (int second = 0; second < 2_400; second++) {
            if (random.nextInt(10) == 0) {
                continue;
            }
            MergedWindow measured = generated.measured();
            seconds.add(Period.of(Periods.second(NOON + second, measured), measured));
            latencies.add(measured.latency());
            waits.add(measured.waits());
            whole = whole == null ? measured : whole.plus(measured);
        }
        List<Period> rolled = seconds;
        for (Resolution resolution = Resolution.SECONDS; resolution != null; ) {
            Resolution next = resolution.coarser().orElse(null);
            if (next != null) {
                rolled = stored(next, Sum.roll(rolled, next));
                assertThat(rolled).as("directly from the seconds to %s", next).isEqualTo(Sum.roll(seconds, next));
            }
            resolution = next;
        }
        assertThat(rolled).hasSize(4);
        Sum sum = new Sum();
        rolled.forEach(sum::add);
        MergedWindow total = sum.toMeasured();

        Latency latency = HdrLatency.sum(latencies);
        Latency wait = HdrLatency.sum(waits);
        for (double percentile : new double[] {0, 1, 50, 90, 95, 99, 99.9, 100}) {
            assertThat(total.latency().percentileNanos(percentile)).isEqualTo(latency.percentileNanos(percentile));
            assertThat(total.waits().percentileNanos(percentile)).isEqualTo(wait.percentileNanos(percentile));
        }
        assertThat(total.latency().count()).isEqualTo(latency.count());
        assertThat(total.latency().meanNanos()).isEqualTo(latency.meanNanos());
        assertThat(total.latency().minNanos()).isEqualTo(latency.minNanos());
        assertThat(total.latency().maxNanos()).isEqualTo(latency.maxNanos());
        assertThat(total.arrivals()).isEqualTo(whole.arrivals());
        assertThat(total.leases()).isEqualTo(whole.leases());
        assertThat(total.refused()).isEqualTo(whole.refused());
        assertThat(total.errors()).isEqualTo(whole.errors());
        assertThat(total.mostWaiting()).isEqualTo(whole.mostWaiting());
        assertThat(total.size()).isEqualTo(whole.size());
        assertThat(total.inUse()).isCloseTo(whole.inUse(), within(0.006));
    }

    /** What is read back after a restart is drawn beside what is measured then. */
    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    void aSecondIsTheSameWhetherItIsReadOrMeasured(long seed) {
        Periods generated = new Periods(seed, 60);
        for (int second = 0; second < 200; second++) {
            Instant end = Instant.ofEpochSecond(NOON + second + 1);
            MergedWindow measured = generated.measured();
            Second direct = Periods.second(NOON + second, measured);
            Sum sum = new Sum();
            sum.add(Period.of(direct, measured));
            Second read = sum.toSecond(end);

            assertThat(read)
                    .usingRecursiveComparison()
                    .withEqualsForFields(
                            (Double one, Double other) -> Math.abs(one - other) < 0.011,
                            "inUse",
                            "perSecond",
                            "leasesPerSecond")
                    .isEqualTo(direct);
        }
    }

    /** As the store gives them back. */
    private static List<Period> stored(Resolution resolution, List<Period> periods) {
        List<Period> read = new ArrayList<>();
        for (int from = 0; from < periods.size(); ) {
            long start = resolution.chunkStart(periods.get(from).start());
            int to = from;
            while (to < periods.size() && resolution.chunkStart(periods.get(to).start()) == start) {
                to++;
            }
            read.addAll(Chunk.of(resolution, start, periods.subList(from, to)).periods());
            from = to;
        }
        return read;
    }
}
