package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FingerprintTest {

    private static final int MOST = 200;

    @Test
    void valuesAreGone() {
        assertThat(Fingerprint.of(
                        "SELECT name FROM People -- all\n WHERE id = 42 AND secret = 'hush' AND x > $1", MOST))
                .isEqualTo("select name from people where id = ? and secret = ? and x > ?");
        for (String number : List.of("4_111_111", "0xDEADBEEF", "1.5e-7", "1E+5", "2e3", "0b1_0")) {
            assertThat(Fingerprint.of("SELECT a+" + number + " FROM e", MOST)).isEqualTo("select a + ? from e");
        }
        for (String hidden : List.of("E'hu\\'sh'", "$$hush$$", "$a$hush$a$", "U&'hush'", "'hu''sh'", "'hush")) {
            assertThat(Fingerprint.of("SELECT " + hidden, MOST)).isEqualTo("select ?");
        }
    }

    @Test
    void statementsThatDifferInValuesAreOne() {
        assertThat(Fingerprint.of("select  1,'a' /* x */", MOST)).isEqualTo(Fingerprint.of("SELECT 2, 'bc'", MOST));
        assertThat(Fingerprint.of("SELECT \"A\"", MOST)).isNotEqualTo(Fingerprint.of("SELECT \"a\"", MOST));
    }

    @Test
    void itIsWrittenAsPeopleWriteIt() {
        assertThat(Fingerprint.of("INSERT INTO bank.history(tid , bid) VALUES ($1,$2);", MOST))
                .isEqualTo("insert into bank.history(tid, bid) values (?, ?);");
        assertThat(Fingerprint.of("select count(*), a[1], (b.c)::text from t where id>=1 and d <> 2", MOST))
                .isEqualTo("select count(*), a[?], (b.c)::text from t where id >= ? and d <> ?");
        assertThat(Fingerprint.of("select a -- one\n , b", MOST)).isEqualTo(Fingerprint.of("select a,b", MOST));
    }

    @Test
    void aLongOneIsCut() {
        assertThat(Fingerprint.of("SELECT " + "a,".repeat(1_000_000), MOST)).hasSize(MOST);
        assertThat(Fingerprint.of("\"" + "😀".repeat(10) + "\"", 6)).isEqualTo("\"😀😀");
        assertThat(Fingerprint.of("\"" + "😀".repeat(10) + "\"", 7)).isEqualTo("\"😀😀😀");
    }

    @Test
    void theFirstWordsAreFoundBehindComments() {
        assertThat(FirstWords.of("/* a */ -- b\n (SELECT 1)", 2)).containsExactly("SELECT");
        assertThat(FirstWords.of(" ; rollback to savepoint a", 3)).containsExactly("ROLLBACK", "TO", "SAVEPOINT");
        assertThat(FirstWords.of("", 2)).isEmpty();
    }
}
