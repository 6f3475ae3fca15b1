package dev.headgate.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.Recording.Arrival;
import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeaseRecorderTest {

    private static final long MS = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final MemoryAccount roomy = account(LeaseRecorder.CAPACITY / LeaseRecorder.SEGMENT);
    private final LeaseRecorder recorder = recorder(roomy);

    private static MemoryAccount account(int segments) {
        return new MemoryAccount(
                segments * LeaseRecorder.SEGMENT_BYTES,
                List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));
    }

    private LeaseRecorder recorder(MemoryAccount account) {
        return new LeaseRecorder(time, account.share(LeaseRecorder.HOLDER, "bank"));
    }

    private void record(LeaseRecorder by, int leases, long everyNanos) {
        for (int i = 0; i < leases; i++) {
            time.advance(everyNanos);
            by.lease(time.nanoTime(), 0, MS, MS, 1);
        }
    }

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
        int kept = LeaseRecorder.CAPACITY - LeaseRecorder.SEGMENT + 100; // the newest segment is not full yet
        record(recorder, LeaseRecorder.CAPACITY + 100, MS);
        Recording recording = recorder.last("bank", Duration.ofMinutes(10));
        assertThat(recording.arrivals()).hasSize(kept);
        assertThat(recorder.count(Duration.ofMinutes(10))).isEqualTo(kept);
        assertThat(recording.lengthNanos()).isEqualTo((kept - 1) * MS);
        assertThat(recording.arrivals().getFirst().atNanos()).isZero();
        assertThat(recording.arrivals().getLast().atNanos()).isEqualTo(recording.lengthNanos());
    }

    @Test
    void remembersEveryWindowsSizeForTenMinutesAndNoLonger() {
        Random random = new Random(7);
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            all.add(i > 0 && random.nextInt(20) > 0 ? all.getLast() : random.nextInt(50));
            recorder.windowEnded(all.getLast());
            if (i % 997 == 0) {
                assertThat(recorder.last("bank", Duration.ofSeconds(30)).sizes())
                        .isEqualTo(all.subList(Math.max(0, all.size() - 300), all.size()));
            }
        }
        assertThat(recorder.last("bank", LeaseRecorder.REACH).sizes()).isEqualTo(all.subList(14_000, 20_000));
    }

    @Test
    void keepsAsMuchAsTheAccountHasRoomForAndSaysHowFarThatReaches() {
        MemoryAccount small = account(10);
        LeaseRecorder first = recorder(small);
        LeaseRecorder second = recorder(small);
        record(first, 8 * LeaseRecorder.SEGMENT, MS);
        record(second, 5 * LeaseRecorder.SEGMENT, MS);
        assertThat(small.reserved()).isEqualTo(10 * LeaseRecorder.SEGMENT_BYTES);
        assertThat(first.count(LeaseRecorder.REACH)).isEqualTo(8 * LeaseRecorder.SEGMENT);
        Recording recording = second.last("bank", Duration.ofSeconds(5));
        assertThat(recording.arrivals()).hasSize(2 * LeaseRecorder.SEGMENT);
        assertThat(recording.lengthNanos()).isEqualTo((2 * LeaseRecorder.SEGMENT - 1) * MS);
        assertThat(recording.arrivals().getLast().atNanos()).isEqualTo(recording.lengthNanos());
    }

    @Test
    void keepsTwoSegmentsEvenIfTheAccountHasNothing() {
        MemoryAccount full = account(1);
        LeaseRecorder late = recorder(full);
        record(late, 5 * LeaseRecorder.SEGMENT, MS);
        assertThat(late.count(LeaseRecorder.REACH)).isEqualTo(2 * LeaseRecorder.SEGMENT);
        assertThat(full.reserved()).isEqualTo(2 * LeaseRecorder.SEGMENT_BYTES);
    }

    @Test
    void dropsWhatNoRecordingReaches() {
        record(recorder, 20 * LeaseRecorder.SEGMENT, MS);
        recorder.windowEnded(1);
        assertThat(roomy.reserved()).isEqualTo(20 * LeaseRecorder.SEGMENT_BYTES);
        time.advance(LeaseRecorder.REACH.toNanos() - 2 * LeaseRecorder.SEGMENT * MS);
        recorder.windowEnded(1);
        assertThat(roomy.reserved()).isEqualTo(3 * LeaseRecorder.SEGMENT_BYTES);
        Recording recording = recorder.last("bank", LeaseRecorder.REACH);
        assertThat(recording.arrivals()).hasSize(2 * LeaseRecorder.SEGMENT + 1);
        assertThat(recording.lengthNanos()).isEqualTo(LeaseRecorder.REACH.toNanos());
        time.advance(LeaseRecorder.REACH.toNanos());
        recorder.windowEnded(1);
        assertThat(roomy.reserved()).isEqualTo(LeaseRecorder.SEGMENT_BYTES);
        assertThat(recorder.last("bank", LeaseRecorder.REACH).arrivals()).isEmpty();
    }

    @Test
    void holdsNothingWhenItIsClosed() {
        record(recorder, 5 * LeaseRecorder.SEGMENT, MS);
        recorder.close();
        record(recorder, 5 * LeaseRecorder.SEGMENT, MS);
        assertThat(roomy.reserved()).isZero();
        assertThat(recorder.count(LeaseRecorder.REACH)).isEqualTo(2 * LeaseRecorder.SEGMENT);
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
