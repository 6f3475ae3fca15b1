package dev.headgate.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class MessagesTest {

    private static final int TEXT = 0x01;
    private static final int FINAL = 0x80;
    private static final int COMPRESSED = 0x40;
    private static final int PING = 0x89;
    private static final int CLOSE = 0x88;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    /** A service splits a large deflated message; only its first frame says that it is deflated. */
    @Test
    void aMessageOfManyFramesIsOneAndThoseAfterItCanBeRead() throws IOException {
        String large = "{\"type\":\"snapshot\"," + "\"bank\":1,".repeat(3_000) + "}";
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        byte[] deflated = deflated(deflater, large);
        frame(TEXT | COMPRESSED, Arrays.copyOf(deflated, 40));
        frame(PING, new byte[0]);
        frame(0, Arrays.copyOfRange(deflated, 40, 60));
        frame(FINAL, Arrays.copyOfRange(deflated, 60, deflated.length));
        byte[] second = deflated(deflater, "{\"type\":\"delta\"}");
        frame(FINAL | TEXT | COMPRESSED, second);
        deflater.end();

        try (Messages messages = messages()) {
            assertThat(new String(messages.next(), StandardCharsets.UTF_8)).isEqualTo(large);
            assertThat(messages.wireBytes()).isEqualTo(deflated.length + 4 * 2L);
            assertThat(new String(messages.next(), StandardCharsets.UTF_8)).isEqualTo("{\"type\":\"delta\"}");
            assertThat(messages.wireBytes()).isEqualTo(second.length + 2L);
        }
    }

    @Test
    void theEndSaysWhy() throws IOException {
        frame(CLOSE, new byte[] {0x03, (byte) 0xf5, 'f', 'u', 'l', 'l'});
        try (Messages messages = messages()) {
            assertThatThrownBy(messages::next).isInstanceOf(IOException.class).hasMessageContaining("1013 full");
        }
        sent.reset();
        sent.write(new byte[] {(byte) (FINAL | TEXT), 9, 'x'});
        try (Messages messages = messages()) {
            assertThatThrownBy(messages::next).hasMessageContaining("ended within a frame");
        }
    }

    private Messages messages() {
        return new Messages(new ByteArrayInputStream(sent.toByteArray()));
    }

    private void frame(int first, byte[] payload) {
        sent.write(first);
        if (payload.length < 126) {
            sent.write(payload.length);
        } else {
            sent.write(126);
            sent.write(payload.length >> 8);
            sent.write(payload.length);
        }
        sent.writeBytes(payload);
    }

    /** As permessage-deflate sends it: flushed, without its last four bytes. */
    private static byte[] deflated(Deflater deflater, String text) {
        byte[] made = new byte[65_536];
        deflater.setInput(text.getBytes(StandardCharsets.UTF_8));
        int length = deflater.deflate(made, 0, made.length, Deflater.SYNC_FLUSH);
        return Arrays.copyOf(made, length - 4);
    }
}
