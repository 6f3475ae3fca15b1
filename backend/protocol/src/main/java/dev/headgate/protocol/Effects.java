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
 * What a text will leave in its session, as far as it tells. Statements are recognised by their words: what cannot be
 * repeated elsewhere for certain is taken for lasting, which costs a connection and not correctness.
 *
 * <p>What functions and DO blocks do inside cannot be seen, nor what a string means that they execute.
 *
 * @param statements how many there are; one without any token does not count
 * @param settings by name in lower case, the command that makes each so again; RESET as an empty command
 * @param parameters by name in lower case, which of the statement's parameters, from 1, is a setting's new value
 * @param resetsAll RESET ALL or DISCARD ALL
 * @param deallocates all prepared statements are dropped: DEALLOCATE ALL or DISCARD ALL
 * @param deallocated the prepared statements that are dropped by name
 * @param pinnedBy what binds the session to its connection from now on
 * @param hasVolatileLiteral a string literal holds one of the words now, today, tomorrow and yesterday, or may hold it:
 *     {@code 'now'::timestamp} is the moment when PostgreSQL parses it, so that such a text must not be kept prepared
 * @param definesOrChanges a statement begins with CREATE, ALTER, DROP or IMPORT, or is a SELECT INTO
 */
public record Effects(
        int statements,
        Map<String, String> settings,
        Map<String, Integer> parameters,
        boolean resetsAll,
        boolean deallocates,
        Set<String> deallocated,
        Optional<String> pinnedBy,
        boolean hasVolatileLiteral,
        boolean definesOrChanges) {

    /** Of an empty text. */
    public static final Effects NONE = nothing(0, false, false);

    /** What nearly every text has, so that it need not be made each time: by count, and by the two facts. */
    private static final List<Effects> NOTHING = nothings(16);

    public boolean isNothing() {
        return settings.isEmpty()
                && parameters.isEmpty()
                && !resetsAll
                && !deallocates
                && deallocated.isEmpty()
                && pinnedBy.isEmpty();
    }

    /** The same with these settings, and no parameters. */
    public Effects with(Map<String, String> all) {
        return new Effects(
                statements,
                all,
                Map.of(),
                resetsAll,
                deallocates,
                deallocated,
                pinnedBy,
                hasVolatileLiteral,
                definesOrChanges);
    }

    /**
     * Of one or several statements. Takes some ten nanoseconds a word and allocates nothing for nearly every text; takes
     * time in proportion to the text where a word in it is telling.
     */
    public static Effects of(String sql) {
        int seen = Glance.at(sql);
        return (seen & Glance.CLOSER) == 0 ? nothing(seen) : Reading.of(sql);
    }

    /**
     * The same of a text in a buffer, in UTF-8 or any other encoding that has ASCII in it. A zero byte at its end does no
     * harm.
     */
    public static Effects of(byte[] text, int from, int to) {
        int seen = Glance.at(new Bytes(text, from, to));
        return (seen & Glance.CLOSER) == 0
                ? nothing(seen)
                : Reading.of(new String(text, from, to - from, StandardCharsets.UTF_8));
    }

    /**
     * The text with other statements in place of some.
     *
     * @param instead what to say in place of a statement with such effects; empty to leave it
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
                hasVolatileLiteral,
                definesOrChanges);
    }

    private static List<Effects> nothings(int statements) {
        List<Effects> found = new ArrayList<>();
        for (int kept = 0; kept < statements << 2; kept++) {
            found.add(nothing(kept >> 2, (kept & 1) != 0, (kept & 2) != 0));
        }
        return List.copyOf(found);
    }

    /** A buffer's bytes as one character each: what is not ASCII is some letter. */
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
