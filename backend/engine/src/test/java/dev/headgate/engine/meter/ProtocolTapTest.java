package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolTapTest {

    private final List<String> told = new ArrayList<>();
    private final ProtocolTap tap = new ProtocolTap(new ProtocolTap.Listener() {
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

    @Test
    void terminateIsNoRequest() {
        write(message('X'));
        assertThat(told).isEmpty();
    }

    @Test
    void theAnswerToAnSslRequestIsASingleByte() {
        write(ByteBuffer.allocate(8).putInt(8).putInt(80877103).array());
        read(new byte[] {'N'});
        write(ByteBuffer.allocate(9).putInt(9).putInt(196608).put((byte) 0).array());
        read(join(message('R', new byte[4]), message('K', new byte[8]), ready('I')));
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
