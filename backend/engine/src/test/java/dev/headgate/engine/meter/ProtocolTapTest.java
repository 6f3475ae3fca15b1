package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolTapTest {

    private final List<String> told = new ArrayList<>();
    private final ProtocolTap tap = tap();

    private ProtocolTap tap() {
        return new ProtocolTap(new ProtocolTap.Listener() {
            @Override
            public void requestBegan() {
                told.add("began");
            }

            @Override
            public void requestEnded(boolean failed, byte transactionStatus) {
                told.add((failed ? "failed " : "ended ") + (char) transactionStatus);
            }

            @Override
            public void noticed() {
                told.add("noticed");
            }
        });
    }

    private static byte[] message(char type, byte... body) {
        return ByteBuffer.allocate(5 + body.length)
                .put((byte) type)
                .putInt(4 + body.length)
                .put(body)
                .array();
    }

    private static byte[] ready(char status) {
        return message('Z', (byte) status);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    @BeforeEach
    void startUp() {
        write(ByteBuffer.allocate(9).putInt(9).putInt(196608).put((byte) 0).array());
        read(join(message('R', new byte[4]), message('K', new byte[8]), ready('I')));
        assertThat(told).containsExactly("began", "ended I");
        told.clear();
    }

    private void write(byte[] bytes) {
        tap.written(bytes, 0, bytes.length);
    }

    private void read(byte[] bytes) {
        tap.read(bytes, 0, bytes.length);
    }

    @Test
    void aNoticeIsToldOnce() {
        write(message('Q', "VACUUM\0".getBytes(StandardCharsets.UTF_8)));
        read(join(message('N', "SWARNING\0\0".getBytes(StandardCharsets.UTF_8)), message('C'), ready('I')));

        assertThat(told).containsExactly("began", "noticed", "ended I");
    }

    @Test
    void oneRequestIsFromTheFirstByteWrittenToReadyForQuery() {
        write(message('Q', "SELECT 1\0".getBytes(StandardCharsets.UTF_8)));
        write(message('H'));
        read(join(message('T', new byte[30]), message('D', new byte[9]), message('C', new byte[9])));
        assertThat(told).containsExactly("began");
        read(ready('I'));
        assertThat(told).containsExactly("began", "ended I");
    }

    @Test
    void seesErrorsAndTransactionStates() {
        write(message('Q'));
        read(ready('T'));
        write(message('Q'));
        read(join(message('E', new byte[50]), ready('E')));
        write(message('Q'));
        read(ready('I'));
        assertThat(told).containsExactly("began", "ended T", "began", "failed E", "began", "ended I");
    }

    /** The second lasts from the end of the first, however the bytes were cut. */
    @Test
    void eachRequestOfAPipelineLastsToItsOwnReadyForQuery() {
        byte[] pipeline = join(
                message('Q', "BEGIN\0".getBytes(StandardCharsets.UTF_8)),
                message('P', new byte[20]),
                message('B', new byte[300]),
                message('E', new byte[5]),
                message('S'),
                message('F', new byte[9]));
        for (int cut = 1; cut < pipeline.length; cut++) {
            told.clear();
            tap.written(pipeline, 0, cut);
            tap.written(pipeline, cut, pipeline.length - cut);
            read(join(message('C'), ready('T')));
            assertThat(told).as("cut at %d", cut).containsExactly("began", "ended T", "began");
            read(join(message('1'), message('2'), message('E', new byte[5]), ready('E')));
            read(ready('E'));
            assertThat(told).containsExactly("began", "ended T", "began", "failed E", "began", "ended E");
        }
    }

    /** The server ignores every Sync while it takes a COPY; of the extended protocol also those before its answer. */
    @Test
    void aSyncWithinACopyIsOwedNothing() {
        write(join(message('P'), message('B'), message('E'), message('S')));
        read(message('G', new byte[3]));
        write(join(message('d', new byte[100]), message('S'), message('c'), message('S')));
        read(join(message('C'), ready('I')));
        write(message('Q'));
        read(message('G', new byte[3]));
        write(join(message('d', new byte[100]), message('c')));
        read(join(message('C'), ready('I')));
        assertThat(told).containsExactly("began", "ended I", "began", "ended I");
    }

    /** A client that broke the protocol, and whose connection was settled by whoever looked after it. */
    @Test
    void theNextLeaseBeginsWithNothingOwed() {
        write(join(message('Q'), message('Q')));
        read(ready('I'));
        tap.settled();
        told.clear();
        write(message('Q'));
        read(ready('I'));
        assertThat(told).containsExactly("began", "ended I");
    }

    @Test
    void terminateIsNoRequest() {
        write(message('X'));
        assertThat(told).isEmpty();
    }

    @Test
    void theAnswerToAnSslRequestIsASingleByte() {
        ProtocolTap fresh = tap();
        byte[] request = ByteBuffer.allocate(8).putInt(8).putInt(80877103).array();
        fresh.written(request, 0, request.length);
        fresh.read(new byte[] {'N'}, 0, 1);
        byte[] startup =
                ByteBuffer.allocate(9).putInt(9).putInt(196608).put((byte) 0).array();
        fresh.written(startup, 0, startup.length);
        byte[] answer = join(message('R', new byte[4]), message('K', new byte[8]), ready('I'));
        fresh.read(answer, 0, answer.length);
        assertThat(told).containsExactly("began", "ended I");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void findsEveryRequestHoweverTheBytesAreCut(long seed) {
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            List<byte[]> answer = new ArrayList<>();
            expected.add("began");
            boolean failed = random.nextInt(5) == 0;
            for (int m = random.nextInt(6); m > 0; m--) {
                byte[] body = new byte[random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(40)];
                random.nextBytes(body);
                char type = "TDCSNA123".charAt(random.nextInt(9));
                answer.add(message(type, body));
                if (type == 'N') {
                    expected.add("noticed");
                }
            }
            if (failed) {
                answer.add(message('E', new byte[random.nextInt(100)]));
            }
            char status = "ITE".charAt(random.nextInt(3));
            answer.add(ready(status));
            expected.add((failed ? "failed " : "ended ") + status);
            write(message('Q', new byte[10]));
            byte[] all = join(answer.toArray(byte[][]::new));
            for (int at = 0; at < all.length; ) {
                int count = Math.min(all.length - at, 1 + random.nextInt(random.nextBoolean() ? 7 : 8_192));
                tap.read(all, at, count);
                at += count;
            }
        }
        assertThat(told).isEqualTo(expected);
    }
}
