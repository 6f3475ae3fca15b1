package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TagsTest {

    @ParameterizedTest
    @CsvSource({
        "INSERT 0 3, INSERT, 3",
        "SELECT 999999999999999999, SELECT, 999999999999999999",
        "CREATE TABLE, CREATE TABLE, -1",
        "INSERT 0 99999999999999999999, INSERT, -1",
        "'', '', -1"
    })
    void aTagIsACommandAndPerhapsANumberOfRows(String tag, String command, long rows) {
        assertThat(Tags.command(tag)).isEqualTo(command);
        assertThat(Tags.rows(tag)).isEqualTo(rows);
    }
}
