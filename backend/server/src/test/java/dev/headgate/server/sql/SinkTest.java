package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

class SinkTest {

    private final ByteArrayOutputStream left = new ByteArrayOutputStream();
    private long reserved;

    private Sink sink(int least, LongPredicate memory) {
        return new Sink(() -> left, least, memory);
    }

    private static void fill(Sink sink, int bytes) {
        byte[] some = new byte[1_000];
        for (int i = 0; i < bytes / some.length; i++) {
            sink.write(some, 0, some.length);
        }
    }

    @Test
    void nothingLeavesBeforeItsRelease() {
        Sink sink = sink(0, bytes -> {
            reserved += bytes;
            return true;
        });
        fill(sink, 500_000);
        sink.flush();
        assertThat(sink.isOpen()).isFalse();
        assertThat(reserved).as("what its array takes, but for 32 KB").isGreaterThan(500_000 - 32 * 1024);
        sink.release();
        sink.flush();
        assertThat(left.size()).isEqualTo(500_000);
        fill(sink, 50_000);
        assertThat(left.size()).as("by pieces of 16 KB").isGreaterThan(500_000);
        sink.end();
        assertThat(left.size()).isEqualTo(550_000);
    }

    @Test
    void moreThanMayBeHeldLeaves() {
        Sink sink = sink(0, bytes -> true);
        fill(sink, 1_000_000);
        assertThat(sink.isOpen()).isFalse();
        fill(sink, 100_000);
        assertThat(sink.isOpen()).isTrue();
    }

    @Test
    void whatThereIsNoMemoryForLeaves() {
        Sink sink = sink(0, bytes -> false);
        fill(sink, 16_000);
        assertThat(sink.isOpen()).isFalse();
        fill(sink, 40_000);
        assertThat(sink.isOpen()).isTrue();
    }

    @Test
    void aShortAnswerWaitsThoughItIsReleased() {
        Sink sink = sink(64 * 1024, bytes -> true);
        sink.release();
        fill(sink, 60_000);
        sink.flush();
        assertThat(sink.isOpen()).isFalse();
        fill(sink, 80_000);
        assertThat(sink.isOpen()).isTrue();
    }

    @Test
    void aWholeAnswerWaitsForItsEnd() {
        Sink sink = sink(Sink.WHOLE, bytes -> false);
        sink.release();
        fill(sink, 2_000_000);
        sink.flush();
        assertThat(sink.isOpen()).isFalse();
        sink.end();
        assertThat(left.size()).isEqualTo(2_000_000);
    }
}
