package dev.headgate.lab.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpAnswerTest {

    private final HttpAnswer answer = new HttpAnswer();

    private boolean take(String text) throws IOException {
        return answer.take(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\n12345",
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
                "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n3\r\n0\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"
            })
    void anAnswerEndsWithItsLastByteHoweverItComes(String text) throws IOException {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < text.length() - 1; i++) {
                assertThat(take(text.substring(i, i + 1))).as("after byte " + i).isFalse();
            }
            assertThat(take(text.substring(text.length() - 1))).isTrue();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(take(text)).isTrue();
        }
    }

    @Test
    void theStatusIsTheLastAnswers() throws IOException {
        assertThat(take("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n")).isTrue();
        assertThat(take("HTTP/1.1 503 \r\nContent-Length: 2\r\n\r\nno")).isTrue();
        assertThat(answer.status()).isEqualTo(503);
    }

    @Test
    void whatIsNoAnswerIsAnError() {
        assertThatThrownBy(() -> take("SSH-2.0\r\n")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> new HttpAnswer()
                        .take(ByteBuffer.wrap(
                                "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\n12".getBytes(StandardCharsets.US_ASCII))))
                .hasMessage("bytes follow the answer");
    }
}
