package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract between a session, which pauses when a listener takes no more, and the queue, which must then resume it. */
class AnswerQueueTest {

    private static final int MOST = 1_000;

    private final AtomicInteger resumed = new AtomicInteger();
    private final AnswerQueue queue = new AnswerQueue(MOST);
    private final AnswerListener source = queue.from(resumed::incrementAndGet);

    private static Answer rows(int bytes) {
        return new Answer.Some(new Rows(new byte[bytes], bytes, 1));
    }

    /** A session that was told to pause hands on what it had gathered: that it still fits must not make the queue forget. */
    @Test
    void aSourceThatSaidNoMoreResumesAlthoughMoreWasTakenMeanwhile() throws Exception {
        assertThat(source.take(rows(600))).isTrue();
        assertThat(source.take(rows(600))).isFalse();
        queue.next();

        assertThat(source.take(rows(100))).isFalse();
        assertThat(resumed).hasValue(0);
        queue.next();

        assertThat(resumed).hasValue(1);
        queue.next();
        assertThat(resumed).hasValue(1);
    }

    /** A session pauses at the first false, and goes on when it is resumed. It hands on at most one more before it pauses. */
    @Test
    void noOrderOfTakingAndGivingLeavesASessionPausedBeforeAnEmptyQueue() throws Exception {
        for (int seed = 0; seed < 20_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            boolean paused = false;
            boolean hasGathered = false;
            for (int step = 0; step < 40; step++) {
                if (random.nextBoolean() && queue.hasNext()) {
                    int before = resumed.get();
                    queue.next();
                    if (resumed.get() > before) {
                        paused = false;
                    }
                } else if (!paused) {
                    paused = !source.take(rows(random.nextInt(1, MOST)));
                    hasGathered = true;
                } else if (hasGathered) {
                    boolean _ = source.take(rows(random.nextInt(1, MOST / 2)));
                    hasGathered = false;
                }
            }
            int before = resumed.get();
            while (queue.hasNext()) {
                queue.next();
            }
            assertThat(paused && resumed.get() == before).as("seed %d", seed).isFalse();
        }
    }

    /** A request of many statements that raise long errors and have no rows. */
    @Test
    void failuresAndColumnsFillASourceToo() throws Exception {
        assertThat(source.take(new Answer.Failed(SqlFailure.of("P0001", "x".repeat(MOST)))))
                .isFalse();
        queue.next();
        assertThat(resumed).hasValue(1);

        assertThat(source.take(new Answer.Columns(List.of(new Column("x".repeat(MOST), 0, 0, 25, -1, -1)))))
                .isFalse();
        queue.next();
        assertThat(resumed).hasValue(2);

        int taken = 1;
        while (source.take(new Answer.Done("SELECT 0", false))) {
            taken++;
        }
        assertThat(taken).isLessThan(100);
    }

    /** Whoever took it is at it until then. */
    @Test
    void aLongRowCountsUntilTheNextAnswerIsAskedFor() throws Exception {
        assertThat(source.take(rows(Dialogue.FREE_ROW + 1))).isFalse();
        queue.next();
        assertThat(resumed).hasValue(0);
        assertThat(queue.next(Duration.ZERO)).isNull();
        assertThat(resumed).hasValue(1);
    }
}
