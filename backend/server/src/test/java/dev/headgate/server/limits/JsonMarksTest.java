package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonMarksTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|1",
                "[{},{},{}]|6",
                "{\"a\":1,\"b\":[2,3]}|6",
                "{\"a\":\"b,c:{[\"}|2",
                "[\"a\\\",b\",1]|2",
                "[\"a\\\\\",1]|2"
            })
    void thereIsOneForEachValue(String json, int marks) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        assertThat(new JsonMarks().in(bytes, 0, bytes.length)).isEqualTo(marks);
        JsonMarks parts = new JsonMarks();
        int sum = 0;
        for (int at = 0; at < bytes.length; at++) {
            sum += parts.in(bytes, at, 1);
        }
        assertThat(sum).isEqualTo(marks);
    }

    /** Its first byte is that of a quote. */
    @ParameterizedTest
    @CsvSource({"UTF-16BE", "UTF-16LE", "UTF-32BE"})
    void aStrangeEncodingHidesNone(String charset) throws Exception {
        byte[] bytes = "[\"\u2200\",{},{}]".getBytes(charset);
        assertThat(new JsonMarks().in(bytes, 0, bytes.length)).isGreaterThanOrEqualTo(5);
    }
}
