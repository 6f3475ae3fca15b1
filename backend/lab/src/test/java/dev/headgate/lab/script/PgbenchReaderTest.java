package dev.headgate.lab.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PgbenchReaderTest {

    private static final String TPC_B = """
            -- TPC-B
            \\set aid random(1, 100000 * \\
                :scale)
            \\set delta random(-5000, 5000)
            BEGIN;
            UPDATE pgbench_accounts
              SET abalance = abalance + :delta WHERE aid = :aid;
            \\sleep 2 ms
            SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
            END;
            """;

    private static List<Step> read(String text) throws ScriptException {
        return new PgbenchReader(text, Set.of("scale")).steps();
    }

    @Test
    void aScriptIsReadStepByStep() throws ScriptException {
        List<Step> steps = read(TPC_B);
        assertThat(steps).hasSize(7);
        assertThat(steps.stream().map(Step::line)).containsExactly(2, 4, 5, 6, 8, 9, 10);
        assertThat(steps.get(0)).isInstanceOf(Step.Assignment.class);
        assertThat(steps.get(2)).isEqualTo(new Step.Begin(5));
        assertThat(steps.get(3))
                .isEqualTo(new Statement(
                        6,
                        "UPDATE pgbench_accounts\n  SET abalance = abalance + ? WHERE aid = ?",
                        List.of("delta", "aid")));
        assertThat(((Step.Sleep) steps.get(4)).unitNanos()).isEqualTo(1_000_000);
        assertThat(steps.get(6)).isEqualTo(new Step.End(10, true));
    }

    @Test
    void linesOfWindowsAndALastStatementWithoutSemicolonAreRead() throws ScriptException {
        assertThat(read("\\set a 1\r\nSELECT :a\r\n").get(1)).isEqualTo(new Statement(2, "SELECT ?", List.of("a")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "SELECT ':scale', \":scale\", :scale::int | SELECT ':scale', \":scale\", ?::int",
                "SELECT 'it''s :scale', :scale | SELECT 'it''s :scale', ?",
                "SELECT E'\\':scale', :scale | SELECT E'\\':scale', ?",
                "SELECT E'it''s \\':scale', :scale | SELECT E'it''s \\':scale', ?",
                "SELECT $a$ :scale; $a$, $1 | SELECT $a$ :scale; $a$, $1",
                "SELECT /* :scale /* ; */ */ 1 -- :scale | SELECT /* :scale /* ; */ */ 1 -- :scale",
                "SELECT j ? 'a', a[1:2] | SELECT j ?? 'a', a[1:2]",
                "SELECT 1 AS \"a?;\" | SELECT 1 AS \"a?;\""
            })
    void parametersAreFoundOutsideOfLiteralsAndComments(String text, String sql) throws ScriptException {
        assertThat(((Statement) read(text + "\n;").getFirst()).sql()).isEqualTo(sql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "SELECT 1;~\\gset | 2 | \\gset is not supported; allowed are \\set and \\sleep",
                "\\if :scale | 1 | \\if is not supported",
                "\\setshell a date | 1 | \\setshell is not supported",
                "\\set a | 1 | \\set needs a variable and an expression",
                "\\set a sin(1) | 1 | there is no function 'sin'",
                "\\sleep long | 1 | \\sleep needs a number",
                "SELECT 1 \\; SELECT 2; | 1 | a backslash is not expected in a statement",
                "~~SELECT :aid; | 3 | the variable :aid is not set before it is used",
                "SELECT 1,~  :aid; | 2 | the variable :aid is not set",
                "BEGIN;~SELECT 1; | 1 | the transaction that begins here has no END",
                "BEGIN;~BEGIN; | 2 | a transaction is begun already, in line 1",
                "SELECT 1;~COMMIT; | 2 | there is no transaction that could end here",
                "BEGIN ISOLATION LEVEL SERIALIZABLE; | 1 | is not supported; allowed are BEGIN, END, COMMIT and ROLLBACK alone",
                "SELECT 1;~SELECT 'a; | 2 | a text in quotes has no end",
                "SELECT 1;~/* | 2 | a comment has no end",
                "\\set a 1 | 1 | the script has no statement",
                "\\set a 1~; /* none */ ; | 1 | the script has no statement"
            })
    void whatIsNotSupportedIsRefusedByItsLine(String text, int line, String why) {
        assertThatThrownBy(() -> read(text.replace('~', '\n')))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining(why)
                .satisfies(refused ->
                        assertThat(((ScriptException) refused).line()).isEqualTo(line));
    }

    @Test
    void statementsOfAListAreCheckedOneByOne() {
        assertThatThrownBy(() -> Script.ofStatements(Map.of(), List.of("SELECT 1", "SELECT 2; SELECT 3"), 0, Map.of()))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("one statement");
        assertThatThrownBy(() -> Script.ofStatements(Map.of(), List.of("SELECT 1", "COMMIT"), 0, Map.of()))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("are one transaction by themselves");
        for (String none : List.of(" ", ";", "/* none */ ;")) {
            assertThatThrownBy(() -> Script.ofStatements(Map.of(), List.of(none), 0, Map.of()))
                    .isInstanceOf(ScriptException.class)
                    .hasMessageContaining("empty");
        }
    }

    @Test
    void sizesAreBoundedAndExpressionsAreTriedOnce() {
        assertThatThrownBy(() -> Script.ofPgbench("x".repeat(64_001), Map.of()))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("64001 characters, at most 64000");
        assertThatThrownBy(() -> Script.ofPgbench("SELECT 1;".repeat(201), Map.of()))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("201 steps, at most 200");
        assertThatThrownBy(() -> Script.ofPgbench("\\set n 0\n\\set a random(1, :n)\nSELECT :a", Map.of()))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("range that is not empty, was given 1 to 0")
                .satisfies(refused ->
                        assertThat(((ScriptException) refused).line()).isEqualTo(2));
    }
}
