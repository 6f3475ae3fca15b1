package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The state that an SQL text leaves in its session, as far as the text shows it. Statements are recognised by their words.
 * An effect that may not be repeatable on another connection counts as lasting: that costs a connection, but never
 * correctness.
 *
 * <p>It cannot see what functions and procedures do, or what strings they execute.
 *
 * @param statements the number of statements with at least one token
 * @param settings lower-case name to the command that sets it; an empty command for RESET
 * @param parameters lower-case name to the number, from 1, of the statement's parameter with the setting's new value
 * @param resetsAll RESET ALL or DISCARD ALL
 * @param deallocates all prepared statements are dropped: DEALLOCATE ALL or DISCARD ALL
 * @param deallocated the names of the prepared statements that are dropped
 * @param pinnedBy what pins the session to its connection from now on
 * @param savepoint what the last statement that names a savepoint does with it
 * @param hasVolatileLiteral a string literal contains, or may contain, one of the words now, today, tomorrow and yesterday.
 *     PostgreSQL evaluates {@code 'now'::timestamp} when it parses it, so such a text must not be kept prepared
 * @param definesOrChanges a statement begins with CREATE, ALTER, DROP or IMPORT, or is a SELECT INTO
 * @param runsCode a statement is a DO block, which may leave anything
 */
public record Effects(
        int statements,
        Map<String, String> settings,
        Map<String, Integer> parameters,
        boolean resetsAll,
        boolean deallocates,
        Set<String> deallocated,
        Optional<String> pinnedBy,
        Optional<Savepoint> savepoint,
        boolean hasVolatileLiteral,
        boolean definesOrChanges,
        boolean runsCode) {

    private static final int ENTRY = 64;

    /** The effects of an empty text. */
    public static final Effects NONE = nothing(0, false, false);

    /** Cached instances without effects, as nearly every text has, by the number of statements and the two flags. */
    private static final List<Effects> NOTHING = nothings(16);

    public boolean isNothing() {
        return settings.isEmpty()
                && parameters.isEmpty()
                && !resetsAll
                && !deallocates
                && deallocated.isEmpty()
                && pinnedBy.isEmpty()
                && savepoint.isEmpty()
                && !runsCode;
    }

    /** About how many bytes its texts take in memory. */
    public long size() {
        if (isNothing()) {
            return 0;
        }
        long names = deallocated.stream().mapToLong(String::length).sum()
                + savepoint.map(each -> ENTRY + each.name().length()).orElse(0);
        return SettingsText.sizeOf(settings) + (long) ENTRY * (parameters.size() + deallocated.size()) + names;
    }

    /** Whether it is DISCARD ALL, which the server executes by itself only. RESET ALL leaves the role as it is, DISCARD ALL does not. */
    public boolean discardsAll() {
        return resetsAll && deallocates && statements == 1;
    }

    /** The same effects without parameters, and it pins the session. */
    public Effects pinning(String why) {
        return new Effects(
                statements,
                settings,
                Map.of(),
                resetsAll,
                deallocates,
                deallocated,
                Optional.of(pinnedBy.orElse(why)),
                savepoint,
                hasVolatileLiteral,
                definesOrChanges,
                runsCode);
    }

    /** The same effects with these settings and no parameters. */
    public Effects with(Map<String, String> all) {
        return new Effects(
                statements,
                all,
                Map.of(),
                resetsAll,
                deallocates,
                deallocated,
                pinnedBy,
                savepoint,
                hasVolatileLiteral,
                definesOrChanges,
                runsCode);
    }

    /** The same, of a text of which only the beginning was read: the rest may contain such a literal. */
    Effects withVolatileLiteral() {
        return new Effects(
                statements,
                settings,
                parameters,
                resetsAll,
                deallocates,
                deallocated,
                pinnedBy,
                savepoint,
                true,
                definesOrChanges,
                runsCode);
    }

    /**
     * The effects of one or several statements. For nearly every text it takes some ten nanoseconds per word and allocates
     * nothing. A text with a significant word is read fully, in time proportional to its length.
     */
    public static Effects of(String sql) {
        int seen = Glance.at(sql);
        return (seen & Glance.CLOSER) == 0 ? nothing(seen) : Reading.of(sql);
    }

    /**
     * The same for a text in a buffer, in UTF-8 or another superset of ASCII. A zero byte at its end is ignored.
     */
    public static Effects of(byte[] text, int from, int to) {
        int seen = Glance.at(new Bytes(text, from, to));
        return (seen & Glance.CLOSER) == 0
                ? nothing(seen)
                : Reading.of(new String(text, from, to - from, StandardCharsets.UTF_8));
    }

    /** The effects of each statement of a text that has at least one token, in their order. */
    public static List<Effects> ofEach(String sql) {
        return SqlScanner.statements(sql).stream().map(Effects::of).toList();
    }

    /**
     * Replaces statements in a text.
     *
     * @param instead gives the replacement for a statement with these effects; empty to keep it
     */
    public static String replaced(String sql, Function<Effects, Optional<String>> instead) {
        return SqlScanner.statements(sql).stream()
                .map(each -> instead.apply(of(each)).orElse(each))
                .collect(Collectors.joining("; "));
    }

    private static Effects nothing(int seen) {
        int kept = (seen >> Glance.COUNT) << 2 | (seen & (Glance.VOLATILE | Glance.DEFINES)) >> 1;
        return kept < NOTHING.size()
                ? NOTHING.get(kept)
                : nothing(seen >> Glance.COUNT, (seen & Glance.VOLATILE) != 0, (seen & Glance.DEFINES) != 0);
    }

    private static Effects nothing(int statements, boolean hasVolatileLiteral, boolean definesOrChanges) {
        return new Effects(
                statements,
                Map.of(),
                Map.of(),
                false,
                false,
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                hasVolatileLiteral,
                definesOrChanges,
                false);
    }

    private static List<Effects> nothings(int statements) {
        List<Effects> found = new ArrayList<>();
        for (int kept = 0; kept < statements << 2; kept++) {
            found.add(nothing(kept >> 2, (kept & 1) != 0, (kept & 2) != 0));
        }
        return List.copyOf(found);
    }

    /** A buffer as text, one character per byte. Bytes beyond ASCII count as letters. */
    private static final class Bytes implements CharSequence {

        private final byte[] text;
        private final int from;
        private final int to;

        Bytes(byte[] text, int from, int to) {
            this.text = text;
            this.from = from;
            this.to = to;
        }

        @Override
        public int length() {
            return to - from;
        }

        @Override
        public char charAt(int index) {
            return (char) (text[from + index] & 0xff);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Bytes(text, from + start, from + end);
        }

        @Override
        public String toString() {
            return new String(text, from, to - from, StandardCharsets.ISO_8859_1);
        }
    }
}
