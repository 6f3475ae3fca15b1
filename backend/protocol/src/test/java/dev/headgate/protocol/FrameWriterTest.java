package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FrameWriterTest {

    private final Buffers buffers = new Buffers();
    private final FrameWriter writer = new FrameWriter(buffers);

    @Test
    void whatIsDrainedInAnyPortionsIsWhatWasWritten() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ByteArrayOutputStream drained = new ByteArrayOutputStream();
        for (int step = 0; step < 5_000; step++) {
            byte[] piece = new byte[random.nextInt(random.nextInt(20) == 0 ? 3 * Buffers.SIZE : 200)];
            random.nextBytes(piece);
            if (random.nextBoolean()) {
                writer.write(piece);
            } else {
                writer.share(piece);
            }
            writer.put(step);
            written.writeBytes(piece);
            written.write(step);
            assertThat(writer.size()).isEqualTo(written.size() - drained.size());
            if (random.nextInt(3) == 0) {
                int[] room = {random.nextInt(2 * Buffers.SIZE)};
                boolean all = writer.drain((bytes, offset, count) -> {
                    int taken = Math.min(room[0], count);
                    drained.write(bytes, offset, taken);
                    room[0] -= taken;
                    return taken;
                });
                assertThat(all).isEqualTo(writer.size() == 0);
            }
        }
        drained.writeBytes(writer.bytes());
        assertThat(drained.toByteArray()).isEqualTo(written.toByteArray());
        assertThat(writer.size()).isZero();
        assertThat(writer.bytes()).isEmpty();
    }

    @Test
    void whatIsDiscardedIsGoneAndNothingComesAfterIt() throws IOException {
        writer.message('Q', "select 1").write(new byte[3 * Buffers.SIZE]);
        writer.discard();
        writer.message('Z', (byte) 'I');
        assertThat(writer.size()).isZero();
        assertThat(writer.bytes()).isEmpty();
        assertThat(writer.drain((bytes, offset, count) -> 0)).isTrue();
    }

    @Test
    void buffersGoBackToWhoeverTheyAreOfAtThatTime() throws IOException {
        byte[] buffer = buffers.take();
        buffers.give(buffer, 0);
        writer.put(1);
        writer.drain((bytes, offset, count) -> count);
        assertThat(buffers.take()).as("given back").isSameAs(buffer);
        assertThat(buffer).as("what was written").containsOnly(0);
        Buffers others = new Buffers();
        byte[] other = others.take();
        others.give(other, 0);
        writer.use(others);
        writer.put(1);
        assertThat(others.take()).as("in use").isNotSameAs(other);
        assertThat(writer.bytes()).containsExactly(1);
        assertThat(others.take()).isSameAs(other);
    }

    @Test
    void aLongArrayIsSharedAndNeverBecomesABuffer() throws IOException {
        byte[] text = new byte[3 * Buffers.SIZE];
        List<byte[]> sent = new ArrayList<>();
        writer.put(1).share(text).put(2);
        writer.drain((bytes, offset, count) -> {
            sent.add(bytes);
            return count;
        });
        assertThat(sent).hasSize(3);
        assertThat(sent.get(1)).isSameAs(text);
        for (int i = 0; i < 4; i++) {
            assertThat(buffers.take()).hasSize(Buffers.SIZE);
        }
    }

    @Test
    void numbersAndTextsAreInTheNetworksOrder() {
        writer.header('R', 8)
                .int32(0x01020304)
                .int16(0xfffe)
                .cString("é")
                .message('C', "x")
                .reported("a", "b");
        assertThat(writer.bytes()).isEqualTo(new byte[] {
            'R',
            0,
            0,
            0,
            12,
            1,
            2,
            3,
            4,
            (byte) 0xff,
            (byte) 0xfe,
            (byte) 0xc3,
            (byte) 0xa9,
            0, //
            'C',
            0,
            0,
            0,
            6,
            'x',
            0,
            'S',
            0,
            0,
            0,
            8,
            'a',
            0,
            'b',
            0
        });
        assertThat(FrameWriter.sizeOf("é")).isEqualTo(3);
    }

    @Test
    void aMessageOfExactlyOneBufferIsWhole() throws IOException {
        byte[] body = new byte[Buffers.SIZE - 5];
        Arrays.fill(body, (byte) 'x');
        writer.message('d', body);
        int[] calls = {0};
        assertThat(writer.drain((bytes, offset, count) -> {
                    calls[0]++;
                    return count;
                }))
                .isTrue();
        assertThat(calls[0]).isEqualTo(1);
        writer.put(9);
        assertThat(writer.bytes()).containsExactly(9);
    }
}
