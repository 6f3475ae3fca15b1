package dev.headgate.server.log;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which lines to list. Null fields match everything.
 *
 * @param level the least
 * @param text part of the message or the trace, in any case
 */
record LogFilter(
        @Nullable String domain,
        @Nullable String level,
        @Nullable String text) {

    private static final List<String> LEVELS = List.of("debug", "info", "warn", "error");

    boolean matches(LogLine line) {
        return (domain == null || domain.equals(line.domain()))
                && (level == null || LEVELS.indexOf(line.level()) >= LEVELS.indexOf(level))
                && (text == null || has(line.message(), text) || (line.trace() != null && has(line.trace(), text)));
    }

    private static boolean has(String where, String what) {
        return where.toLowerCase(Locale.ROOT).contains(what.toLowerCase(Locale.ROOT));
    }
}
