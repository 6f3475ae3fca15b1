package dev.headgate.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineTest {

    @ParameterizedTest
    @CsvSource({
        "delay 20ms, DELAY, 20000000",
        "delay 500us, DELAY, 500000",
        "delay 1.5s, DELAY, 1500000000",
        "delay 60s, DELAY, 60000000000",
        "delay off, DELAY, 0",
        "'  jitter   5ms ', JITTER, 5000000",
        "bandwidth 1B/s, BANDWIDTH, 1",
        "bandwidth 0.5kB/s, BANDWIDTH, 500",
        "bandwidth 1MB/s, BANDWIDTH, 1000000",
        "bandwidth 2GB/s, BANDWIDTH, 2000000000",
        "pieces 3, PIECES, 3",
        "pieces off, PIECES, 0",
        "black-hole, BLACK_HOLE, 1",
        "black-hole on, BLACK_HOLE, 1",
        "black-hole off, BLACK_HOLE, 0",
        "drop, DROP, 0",
        "reset, RESET, 0",
        "clear, CLEAR, 0",
        "status, STATUS, 0",
        "help, HELP, 0",
    })
    void aLine(String text, Word word, long amount) {
        Word.Line line = Word.Line.parse(text);
        assertThat(line.word()).isEqualTo(word);
        assertThat(line.amount()).isEqualTo(amount);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dely 20ms | there is no 'dely'; allowed are delay, jitter, bandwidth, pieces, black-hole, drop, reset, clear, status, help",
                "Delay 20ms | there is no 'Delay'; allowed are delay, jitter, bandwidth, pieces, black-hole, drop, reset, clear, status, help",
                "delay | delay takes a time such as 500us, 20ms or 1.5s, at most 60s, or off; was ''",
                "delay 20 | delay takes a time such as 500us, 20ms or 1.5s, at most 60s, or off; was '20'",
                "delay 61s | delay takes a time such as 500us, 20ms or 1.5s, at most 60s, or off; was '61s'",
                "delay -1ms | delay takes a time such as 500us, 20ms or 1.5s, at most 60s, or off; was '-1ms'",
                "jitter 1 ms | jitter takes a time such as 500us, 20ms or 1.5s, at most 60s, or off; was '1 ms'",
                "bandwidth 1MB | bandwidth takes a rate such as 500B/s, 64kB/s or 1MB/s, or off; was '1MB'",
                "bandwidth 0B/s | bandwidth takes a rate such as 500B/s, 64kB/s or 1MB/s, or off; was '0B/s'",
                "bandwidth 999999GB/s | bandwidth takes a rate such as 500B/s, 64kB/s or 1MB/s, or off; was '999999GB/s'",
                "pieces 1.5 | pieces takes a number of bytes from 1 to 1000000, or off; was '1.5'",
                "pieces 0 | pieces takes a number of bytes from 1 to 1000000, or off; was '0'",
                "black-hole 3 | black-hole takes on, or off; was '3'",
                "drop all | drop takes no value, was 'all'",
            })
    void aWrongLineNamesWhatIsAllowed(String text, String message) {
        assertThatThrownBy(() -> Word.Line.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void theHelpNamesEveryWord() {
        for (Word word : Word.values()) {
            assertThat(Word.help()).contains("  " + word.spelling());
        }
    }
}
