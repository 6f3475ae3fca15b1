package dev.headgate.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.recording.Recording.Arrival;
import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeaseRecorderTest {

    private static final long MS = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final LeaseRecorder recorder = new LeaseRecorder(time);

    @Test
    void givesTheLastStretchBackInTheOrderOfArrival() {
        time.advance(1_000 * MS);
        long now = time.nanoTime();
        recorder.lease(now - 900 * MS, 0, 5 * MS, 4 * MS, 2); // too long ago
        recorder.lease(now - 100 * MS, 3 * MS, 20 * MS, 12 * MS, 3);
        recorder.refused(now - 200 * MS, 50 * MS);
        Recording recording = recorder.last("bank", Duration.ofMillis(500));
        assertThat(recording.domain()).isEqualTo("bank");
        assertThat(recording.lengthNanos()).isEqualTo(500 * MS);
        assertThat(recording.from()).isEqualTo(time.now().minusMillis(500));
        assertThat(recording.arrivals())
                .containsExactly(
                        new Arrival(300 * MS, 50 * MS, 0, 0, 0), new Arrival(400 * MS, 3 * MS, 20 * MS, 12 * MS, 3));
        assertThat(recording.arrivals().getFirst().refused()).isTrue();
        assertThat(recorder.count(Duration.ofMillis(500))).isEqualTo(2);
        assertThat(recorder.count(Duration.ofMillis(150))).isEqualTo(1);
        assertThat(recorder.count(Duration.ofSeconds(1))).isEqualTo(3);
    }

    @Test
    void remembersTheSizesOfTheWindowsOfTheStretch() {
        for (int i = 1; i <= 20; i++) {
            recorder.windowEnded(i);
        }
        assertThat(recorder.last("bank", Duration.ofMillis(500)).sizes()).containsExactly(16, 17, 18, 19, 20);
        assertThat(recorder.last("bank", Duration.ofMinutes(5)).sizes()).hasSize(20);
    }

    @Test
    void saysHowFarItReachesWhenItHasGoneRound() {
        for (int i = 0; i < LeaseRecorder.CAPACITY + 500; i++) {
            time.advance(MS);
            recorder.lease(time.nanoTime(), 0, MS, MS, 1);
        }
        Recording recording = recorder.last("bank", Duration.ofMinutes(10));
        assertThat(recording.arrivals()).hasSize(LeaseRecorder.CAPACITY);
        assertThat(recorder.count(Duration.ofMinutes(10))).isEqualTo(LeaseRecorder.CAPACITY);
        assertThat(recording.lengthNanos()).isEqualTo((LeaseRecorder.CAPACITY - 1) * MS);
        assertThat(recording.arrivals().getFirst().atNanos()).isZero();
        assertThat(recording.arrivals().getLast().atNanos()).isEqualTo(recording.lengthNanos());
    }

    @Test
    void losesNothingThatManyThreadsWriteAndMixesNoTwoOfThem() throws Exception {
        int threads = 8;
        int each = 5_000;
        time.advance(3_600_000 * MS);
        long now = time.nanoTime();
        try (var pool = Executors.newFixedThreadPool(threads)) {
            IntStream.range(0, threads)
                    .forEach(t -> pool.execute(() -> IntStream.range(0, each).forEach(i -> {
                        long k = (long) t * each + i + 1;
                        recorder.lease(now - k * 1_000, k * 1_000, 2 * k * 1_000, k * 1_000, (int) k);
                    })));
            for (int i = 0; i < 50; i++) {
                recorder.last("bank", Duration.ofSeconds(1)).arrivals().forEach(LeaseRecorderTest::isWhole);
            }
            pool.shutdown();
            assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
        Recording recording = recorder.last("bank", Duration.ofSeconds(1));
        assertThat(recording.arrivals()).hasSize(threads * each).allSatisfy(LeaseRecorderTest::isWhole);
        assertThat(recording.arrivals().stream().map(Arrival::requests)).doesNotHaveDuplicates();
    }

    private static void isWhole(Arrival arrival) {
        long k = arrival.requests();
        assertThat(arrival.waitedNanos()).isEqualTo(k * 1_000);
        assertThat(arrival.holdNanos()).isEqualTo(2 * k * 1_000);
        assertThat(arrival.busyNanos()).isEqualTo(k * 1_000);
        assertThat(arrival.atNanos()).isEqualTo(1_000_000_000L - k * 1_000);
    }
}
