package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FrameReaderTest {

    private final FrameReader reader = new FrameReader();
    private final FrameWriter out = new FrameWriter(new Buffers());

    @Test
    void messagesCutAtEveryByteAreTheSameMessages() throws ProtocolException {
        byte[] stream = written(to -> to.message('Z', (byte) 'I')
                .message('S')
                .message('C', "SELECT 1")
                .message('D', new byte[300])
                .message('H')
                .message('Q', "select 'ä'"));
        List<String> whole = read(List.of(stream));
        assertThat(whole).hasSize(6).startsWith("Z:I", "S:").endsWith("Q:select 'ä'\0");
        for (int cut = 1; cut < stream.length; cut++) {
            assertThat(read(List.of(Arrays.copyOf(stream, cut), Arrays.copyOfRange(stream, cut, stream.length))))
                    .as("cut at %d", cut)
                    .isEqualTo(whole);
        }
        List<byte[]> single = new ArrayList<>();
        for (byte each : stream) {
            single.add(new byte[] {each});
        }
        assertThat(read(single)).isEqualTo(whole);
    }

    /** Reads whole messages; whatever was fed is overwritten once it has been given back. */
    private static List<String> read(List<byte[]> pieces) throws ProtocolException {
        FrameReader in = new FrameReader();
        List<String> all = new ArrayList<>();
        for (byte[] piece : pieces) {
            byte[] fed = piece.clone();
            in.feed(fed, 0, fed.length);
            while ((in.isOpen() || in.next()) && in.has(in.length())) {
                all.add(in.type() + ":" + new String(in.peek(in.length()), StandardCharsets.UTF_8));
                in.close();
            }
            in.keep();
            Arrays.fill(fed, (byte) '!');
        }
        return all;
    }

    @Test
    void aLargeMessagePassesInPiecesAndIsNotKept() throws ProtocolException {
        byte[] body = new byte[1_000_000];
        new SplittableRandom(1).nextBytes(body);
        byte[] stream = written(to -> to.message('d', body).message('c'));
        ByteArrayOutputStream passed = new ByteArrayOutputStream();
        for (int at = 0; at < stream.length; at += 7_919) {
            byte[] piece = Arrays.copyOfRange(stream, at, Math.min(stream.length, at + 7_919));
            reader.feed(piece, 0, piece.length);
            while (reader.isOpen() || reader.next()) {
                if (!(reader.isPassing() ? reader.passRest(out) : reader.pass(out))) {
                    assertThat(reader.isPassing()).isTrue();
                    break;
                }
            }
            assertThat(reader.buffered()).isLessThan(5);
            reader.keep();
            passed.writeBytes(out.bytes());
        }
        assertThat(passed.toByteArray()).isEqualTo(stream);
        assertThat(reader.isOpen()).isFalse();
    }

    @Test
    void theRestOfAClosedMessageIsSkippedAsItComes() throws ProtocolException {
        byte[] stream = written(to -> to.message('d', new byte[100]).message('Z', (byte) 'I'));
        reader.feed(stream, 0, 20);
        assertThat(reader.next()).isTrue();
        reader.skip(3);
        assertThat(reader.left()).isEqualTo(97);
        assertThatThrownBy(() -> reader.skip(50)).isInstanceOf(IllegalArgumentException.class);
        reader.close();
        assertThat(reader.next()).isFalse();
        reader.keep();
        reader.feed(stream, 20, stream.length - 20);
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo('Z');
        assertThat(reader.peek(10)).containsExactly('I');
    }

    @Test
    void whatIsKeptIsTheReadersOwn() throws ProtocolException {
        byte[] stream = written(to -> to.message('Q', "select 1"));
        byte[] fed = stream.clone();
        reader.feed(fed, 0, 7);
        assertThat(reader.next()).isTrue();
        reader.keep();
        Arrays.fill(fed, (byte) '!');
        reader.feed(stream, 7, stream.length - 7);
        reader.keep();
        assertThat(reader.has(reader.length())).isTrue();
        assertThat(new String(reader.peek(8), StandardCharsets.US_ASCII)).isEqualTo("select 1");
        reader.close();
        assertThat(reader.next()).isFalse();
        reader.keep();
        assertThat(reader.array()).as("nothing left to keep").isEmpty();
    }

    @Test
    void whatIsDiscardedIsForgottenAndAnotherStreamBegins() throws ProtocolException {
        byte[] stream = written(to -> to.message('Q', "select 1"));
        reader.feed(stream, 0, 9);
        assertThat(reader.next()).isTrue();
        reader.keep();
        byte[] kept = reader.array();
        reader.discard();
        assertThat(reader.isOpen()).isFalse();
        assertThat(reader.buffered()).isZero();
        assertThat(reader.array()).isEmpty();
        assertThat(kept).containsOnly(0);
        byte[] fed = stream.clone();
        reader.feed(fed, 0, 3);
        reader.discard();
        assertThat(fed).as("the feeder's own").isEqualTo(stream);
        reader.feed(fed, 0, fed.length);
        assertThat(reader.next()).isTrue();
        assertThat(new String(reader.peek(8), StandardCharsets.US_ASCII)).isEqualTo("select 1");
    }

    @Test
    void aLengthThatCountsLessThanItselfIsRefused() {
        for (int length : new int[] {3, 0, -1, Integer.MIN_VALUE}) {
            FrameReader each = new FrameReader();
            byte[] header = written(to -> to.put('Q').int32(length));
            each.feed(header, 0, header.length);
            assertThatThrownBy(each::next)
                    .isInstanceOf(ProtocolException.class)
                    .extracting(fault -> ((ProtocolException) fault).sqlState())
                    .isEqualTo("08P01");
        }
    }

    @Test
    void whatIsNoMessageIsTakenAsItIs() {
        assertThat(reader.startsWith((byte) 0)).as("nothing is here").isFalse();
        byte[] other = {22, 3, 1, 0, 45};
        reader.feed(other, 0, 2);
        reader.keep();
        reader.feed(other, 2, 3);
        assertThat(reader.startsWith((byte) 22)).isTrue();
        assertThat(reader.startsWith((byte) 3)).isFalse();
        assertThat(reader.takeRaw()).isEqualTo(other);
        assertThat(reader.buffered()).isZero();
        assertThat(reader.takeRaw()).isEmpty();
    }

    @Test
    void aStartupMessageComesWholeOrNotAtAll() throws ProtocolException {
        byte[] startup = written(to -> to.int32(12).int32(196_608).int32(7));
        for (int at = 0; at < startup.length - 1; at++) {
            reader.feed(new byte[] {startup[at]}, 0, 1);
            assertThat(reader.untyped(8, 100)).isNull();
            reader.keep();
        }
        reader.feed(startup, startup.length - 1, 1);
        assertThat(reader.untyped(8, 100)).isEqualTo(Arrays.copyOfRange(startup, 4, 12));
        assertThat(reader.buffered()).isZero();
        for (int size : new int[] {7, 101, -5}) {
            FrameReader each = new FrameReader();
            byte[] header = written(to -> to.int32(size));
            each.feed(header, 0, 4);
            assertThatThrownBy(() -> each.untyped(8, 100)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void textsEndWithAZeroByteWithinTheirBounds() throws ProtocolException {
        byte[] body = "one\0two\0three".getBytes(StandardCharsets.US_ASCII);
        int second = FrameReader.after(body, 0, body.length);
        assertThat(FrameReader.cString(body, 0)).isEqualTo("one");
        assertThat(FrameReader.cString(body, second, body.length)).isEqualTo("two");
        assertThatThrownBy(() -> FrameReader.cString(body, 8)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> FrameReader.after(body, 0, 3)).isInstanceOf(ProtocolException.class);
        assertThat(FrameReader.int32(new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1}, 0))
                .isEqualTo(0xfffe0001);
        assertThat(FrameReader.int16(new byte[] {(byte) 0xff, (byte) 0xfe}, 0)).isEqualTo(0xfffe);
    }

    private static byte[] written(java.util.function.Consumer<FrameWriter> by) {
        FrameWriter writer = new FrameWriter(new Buffers());
        by.accept(writer);
        return writer.bytes();
    }

    /** Else a message of 16 MB is copied sixteen times, on a loop with other clients. */
    @Test
    void aLongMessageThatIsExpectedIsNotCopiedAgainAndAgain() throws ProtocolException {
        byte[] stream = written(to -> to.message('P', new byte[5_000_000]).message('S'));
        byte[] scratch = new byte[64 * 1024];
        Set<byte[]> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int at = 0; at < stream.length; at += scratch.length) {
            int count = Math.min(scratch.length, stream.length - at);
            System.arraycopy(stream, at, scratch, 0, count);
            reader.feed(scratch, 0, count);
            if (reader.isOpen() || reader.next()) {
                reader.expect(reader.length());
            }
            reader.keep();
            buffers.add(reader.array());
        }
        assertThat(buffers).hasSizeLessThanOrEqualTo(3);
        assertThat(reader.has(5_000_000)).isTrue();
        reader.close();
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo('S');
    }

    @Test
    void noMoreIsExpectedThanTheMessageHas() throws ProtocolException {
        byte[] stream = written(to -> to.message('P', new byte[300]));
        reader.feed(stream, 0, 100);
        assertThat(reader.next()).isTrue();
        reader.expect(Integer.MAX_VALUE);
        reader.keep();
        assertThat(reader.array()).hasSizeLessThan(1_000);
    }
}
