package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.SqlScanner.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlScannerTest {

    @Test
    void tokens_are_told_apart() {
        assertThat(tokens("Select $1,$a$ ' $a$ , E'\\'' || u&'x'::te\u00fct<>1.5 -- end"))
                .containsExactly(
                        "WORD Select",
                        "PARAMETER $1",
                        "SYMBOL ,",
                        "STRING $a$ ' $a$",
                        "SYMBOL ,",
                        "STRING E'\\''",
                        "SYMBOL |",
                        "SYMBOL |",
                        "STRING u&'x'",
                        "SYMBOL :",
                        "SYMBOL :",
                        "WORD te\u00fct",
                        "SYMBOL <",
                        "SYMBOL >",
                        "NUMBER 1.5");
        assertThat(tokens("\"a\"\"b\"U&\"c\"$b 'x'--\n\n'y' 'z'"))
                .containsExactly(
                        "NAME \"a\"\"b\"", "NAME U&\"c\"", "SYMBOL $", "WORD b", "STRING 'x'--\n\n'y'", "STRING 'z'");
        assertThat(tokens("a(;);")).containsExactly("WORD a", "SYMBOL (", "SYMBOL ;", "SYMBOL )", "SEMICOLON ;");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'",
                "'a",
                "\"",
                "\"a",
                "$$",
                "$a$ $",
                "/*",
                "/* /* */",
                "--",
                "E'\\",
                "U&'",
                "U&\"",
                "$",
                "E",
                "u&",
                "e'",
                "'a'\n'",
                "-",
                "/"
            })
    void what_is_not_closed_reaches_to_the_end(String text) {
        for (String sql : List.of(text, "select " + text, "set a = 1; " + text)) {
            tokens(sql);
            assertThat(Effects.of(sql).pinnedBy()).isEmpty();
        }
    }

    @Test
    void statements_are_taken_apart() {
        assertThat(SqlScanner.statements(" select ';' ; -- a\n/* ; */ select 2 -- b\n;; /* c */"))
                .containsExactly("select ';'", "-- a\n/* ; */ select 2");
        assertThat(SqlScanner.statements("create function f() begin atomic select 1; end; select 2"))
                .containsExactly("create function f() begin atomic select 1; end", "select 2");
        assertThat(Effects.of("a; b;; /* */ ; 'c'; (d; e)").statements()).isEqualTo(4);
        assertThat(Effects.of("set a = 1; b;; /* */ ; 'c'; (d; e)").statements())
                .isEqualTo(4);
        assertThat(Effects.of(" -- \n ; /* */").statements()).isZero();
        assertThat(Effects.of("x;".repeat(100)).statements()).isEqualTo(100);
    }

    // ---- properties, over random texts

    private static final List<String> PIECES = List.of(
            "select",
            "set",
            "work_mem",
            "=",
            "'1'",
            "create",
            "temp",
            "table",
            "pg_temp",
            ".",
            "into",
            "insert",
            "local",
            "session",
            "role",
            "reset",
            "all",
            "discard",
            "deallocate",
            "\"S1\"",
            "listen",
            "prepare",
            "declare",
            "cursor",
            "with",
            "hold",
            "for",
            "set_config",
            "(",
            ")",
            "'a.b'",
            ",",
            "false",
            "$1",
            "pg_advisory_lock",
            "'now'",
            "$$ x $$",
            "E'\\''",
            "or",
            "replace",
            "function",
            "f",
            "begin",
            "atomic",
            "case",
            "end",
            "as",
            "to",
            "default",
            "time",
            "zone",
            "names",
            "authorization",
            "1.5",
            "drop",
            "alter",
            "::",
            "text",
            "\"pg_temp\"",
            ";",
            ";",
            ";");

    private static final List<String> BETWEEN =
            List.of(" ", "\n", "\t", " /* ; ' */ ", " /* /* \" */ $$ */ ", " -- ; ' $$ set x\n", "\r\n", " \f");

    @Test
    void comments_and_blanks_between_tokens_change_nothing() {
        for (int seed = 0; seed < 10_000; seed++) {
            Random random = new Random(seed);
            List<String> pieces = pieces(random);
            String plain = String.join(" ", pieces);
            StringBuilder adorned = new StringBuilder();
            for (String piece : pieces) {
                adorned.append(between(random)).append(piece);
            }
            adorned.append(between(random));
            Effects one = Effects.of(plain);
            Effects other = Effects.of(adorned.toString());
            assertThat(GoldenEffectsTest.summary(other)
                            .replace("volatile, ", "")
                            .replace(", volatile", "")
                            .replace("volatile", "-"))
                    .as("seed %d: %s", seed, adorned)
                    .isEqualTo(GoldenEffectsTest.summary(one)
                            .replace("volatile, ", "")
                            .replace(", volatile", "")
                            .replace("volatile", "-"));
            assertThat(other.statements()).as("seed %d: %s", seed, adorned).isEqualTo(one.statements());
        }
    }

    /** The quick look and the close one agree on all that both say, in a string as in a buffer. */
    @Test
    void a_closer_look_finds_no_less() {
        for (int seed = 0; seed < 10_000; seed++) {
            String sql = String.join(" ", pieces(new Random(seed)));
            int glance = Glance.at(sql);
            Effects read = Reading.of(sql);
            if ((glance & Glance.CLOSER) == 0) {
                assertThat(read).as("seed %d: %s", seed, sql).isEqualTo(Effects.of(sql));
                assertThat(read.isNothing()).as("seed %d: %s", seed, sql).isTrue();
            }
        }
    }

    @Test
    void what_is_quoted_or_in_a_comment_leaves_nothing() {
        List<UnaryOperator<String>> quotes = List.of(
                text -> "'" + text.replace("'", "''") + "'",
                text -> "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'",
                text -> "$q$" + text + "$q$",
                text -> "/*" + text + "*/ 1",
                text -> "--" + text.replace("\n", " ") + "\n 1",
                text -> "x$$" + text.replace("\"", "") + "$$"); // a name, and then some tokens: must not fail
        for (int seed = 0; seed < 10_000; seed++) {
            Random random = new Random(seed);
            String text = String.join(" ", pieces(random));
            int which = random.nextInt(quotes.size());
            Effects effects = Effects.of("select " + quotes.get(which).apply(text) + " as x");
            if (which < quotes.size() - 1) {
                assertThat(effects.isNothing()).as("seed %d: %s", seed, text).isTrue();
                assertThat(effects.definesOrChanges()).isFalse();
                assertThat(effects.statements()).isEqualTo(1);
            }
        }
    }

    @Test
    void taking_apart_and_joining_changes_no_token() {
        for (int seed = 0; seed < 10_000; seed++) {
            Random random = new Random(seed);
            StringBuilder adorned = new StringBuilder();
            for (String piece : pieces(random)) {
                adorned.append(between(random)).append(piece);
            }
            String sql = adorned.toString();
            String joined = String.join("; ", SqlScanner.statements(sql));
            assertThat(SqlScanner.statements(joined))
                    .as("seed %d: %s", seed, sql)
                    .isEqualTo(SqlScanner.statements(sql));
            assertThat(essence(joined)).as("seed %d: %s", seed, sql).isEqualTo(essence(sql));
            assertThat(Effects.of(joined)).as("seed %d: %s", seed, sql).satisfies(effects -> {
                assertThat(effects.statements()).isEqualTo(Effects.of(sql).statements());
                assertThat(effects.isNothing()).isEqualTo(Effects.of(sql).isNothing());
            });
        }
    }

    @Test
    void any_characters_at_all_are_taken() {
        String alphabet = "';$\"/*-\\eEuU&()ab1 \n\u00fc\0.:";
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            StringBuilder any = new StringBuilder("set ");
            for (int left = random.nextInt(30); left > 0; left--) {
                any.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String sql = any.toString();
            int end = 0;
            SqlScanner scanner = new SqlScanner(sql);
            while (scanner.next() != Kind.END) {
                assertThat(scanner.start()).isGreaterThanOrEqualTo(end);
                assertThat(scanner.end()).isGreaterThan(scanner.start()).isLessThanOrEqualTo(sql.length());
                end = scanner.end();
            }
            Effects.of(sql);
            int glanced = Glance.at(sql.substring(4)) >> Glance.COUNT;
            if ((Glance.at(sql.substring(4)) & Glance.CLOSER) == 0) {
                assertThat(Reading.of(sql.substring(4)).statements())
                        .as("seed %d: %s", seed, sql)
                        .isEqualTo(glanced);
            }
        }
    }

    // ---- work

    /** Texts that are long, or deep, or begin the same thing again and again. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                ")",
                "/*",
                "/**/",
                "*/",
                "'",
                "''",
                "\"",
                "$",
                "$$",
                "$a$",
                "$a",
                "a$",
                "--",
                "--\n",
                ";",
                "\\",
                "E'",
                "E'\\'",
                "U&\"",
                "U&\"\\0041\"",
                "'x'\n",
                "'x' ",
                "'x'--\n",
                "'x'-- ",
                "e",
                " ",
                "-",
                "/",
                "set_config(",
                "set_config('a','b'::c,",
                "set_config/**/(",
                "create ",
                "create temp ",
                "pg_temp ",
                "pg_temp.",
                "into ",
                "begin atomic ",
                "case ",
                "set a=",
                "a.",
                "deallocate x;",
                "declare c cursor ",
                "now ",
                "'now'",
                "$1",
                "é"
            })
    void work_and_stack_are_in_proportion(String piece) {
        for (String head : List.of(
                "", "set a = ", "create function f() begin atomic ", "listen x; select ", "declare ", "create ")) {
            proportionate(head, piece, 1 << 15);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "/*", "'", "\"", "''", "$a", "set_config('a',"})
    void a_megabyte_is_read_in_proportion(String piece) {
        proportionate("set a = ", piece, 1 << 20);
    }

    private static void proportionate(String head, String piece, int length) {
        long half = work(head + piece.repeat(length / 2 / piece.length()));
        long whole = work(head + piece.repeat(length / piece.length()));
        assertThat(whole).as(head).isLessThan(half * 2 + half / 10 + 1000).isLessThan(20L * length + 1000);
    }

    /** A tag that nearly ends at every dollar. */
    @Test
    void a_long_tag_is_not_compared_again_and_again() {
        String tag = "$" + "a".repeat(1000);
        assertThat(work(tag + "$" + (tag + "b").repeat(1000))).isLessThan(12 * 1_000_000);
    }

    /** How many characters are read. */
    private static long work(String sql) {
        Counted counted = new Counted(sql);
        Glance.at(counted);
        SqlScanner scanner = new SqlScanner(counted);
        while (scanner.next() != Kind.END) {
            scanner.following();
            if (scanner.isName()) {
                scanner.name();
            }
        }
        Reading.of(counted);
        SqlScanner.statements(sql);
        return counted.read;
    }

    private static final class Counted implements CharSequence {
        private final String text;
        private long read;

        Counted(String text) {
            this.text = text;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            read++;
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            read += end - start;
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    // ----

    private static List<String> pieces(Random random) {
        List<String> found = new ArrayList<>();
        for (int left = 1 + random.nextInt(14); left > 0; left--) {
            found.add(PIECES.get(random.nextInt(PIECES.size())));
        }
        return found;
    }

    private static String between(Random random) {
        StringBuilder found = new StringBuilder();
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            found.append(BETWEEN.get(random.nextInt(BETWEEN.size())));
        }
        return found.toString();
    }

    private static List<String> tokens(String sql) {
        List<String> found = new ArrayList<>();
        SqlScanner scanner = new SqlScanner(sql);
        while (scanner.next() != Kind.END) {
            found.add(scanner.kind() + " " + scanner.written());
        }
        return found;
    }

    /** All tokens, and one semicolon where there are several. */
    private static List<String> essence(String sql) {
        List<String> found = new ArrayList<>();
        for (String token : tokens(sql)) {
            if (!token.startsWith("SEMICOLON")
                    || (!found.isEmpty() && !found.getLast().startsWith("SEMICOLON"))) {
                found.add(token);
            }
        }
        if (!found.isEmpty() && found.getLast().startsWith("SEMICOLON")) {
            found.removeLast();
        }
        return found;
    }
}
