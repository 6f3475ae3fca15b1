package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TagsTest {

    @ParameterizedTest
    @CsvSource({
        "INSERT 0 3, INSERT, INSERT, 3",
        "SELECT 999999999999999999, SELECT, SELECT, 999999999999999999",
        "CREATE TABLE, CREATE TABLE, CREATE, -1",
        "INSERT 0 99999999999999999999, INSERT, INSERT, -1",
        "BEGIN, BEGIN, BEGIN, -1",
        "'', '', '', -1"
    })
    void aTagIsACommandAndPerhapsANumberOfRows(String tag, String command, String firstWord, long rows) {
        assertThat(Tags.command(tag)).isEqualTo(command);
        assertThat(Tags.firstWord(tag)).isEqualTo(firstWord);
        assertThat(Tags.rows(tag)).isEqualTo(rows);
    }
}
