package dev.headgate.engine.connect;

import java.util.Locale;
import java.util.Set;

/**
 * Decides whether an SQL text may leave state in its session: settings, a role, temporary tables, locks, prepared
 * statements, LISTEN. It reads words and not grammar, and prefers an unnecessary reset to a missed one. A statement is clean
 * if its first word is known to leave nothing and it contains none of the few words that always may leave something. It does
 * not see what functions do.
 */
public final class Traces {

    private static final Set<String> CLEAN = Set.of(
            "select",
            "insert",
            "update",
            "delete",
            "merge",
            "with",
            "values",
            "table",
            "begin",
            "start",
            "commit",
            "end",
            "rollback",
            "abort",
            "savepoint",
            "release",
            "explain",
            "show",
            "copy",
            "fetch",
            "move",
            "close",
            "lock",
            "truncate",
            "analyze",
            "vacuum",
            "call",
            "notify",
            "execute");

    private Traces() {}

    /** Whether one or several statements may leave state. Takes some nanoseconds per word. */
    public static boolean mayBeLeftBy(String sql) {
        boolean first = true; // the next word starts a statement
        boolean quoted = false; // an apparent comment may be part of a literal
        int at = 0;
        while (at < sql.length()) {
            char each = sql.charAt(at);
            if (isOfWord(each)) {
                int from = at;
                while (at < sql.length() && isOfWord(sql.charAt(at))) {
                    at++;
                }
                if (first
                        ? !CLEAN.contains(sql.substring(from, at).toLowerCase(Locale.ROOT))
                        : isTelling(sql, from, at)) {
                    return true;
                }
                first = false;
            } else if (each == ';') {
                first = true;
                at++;
            } else if (first && (sql.startsWith("--", at) || sql.startsWith("/*", at))) {
                int end = each == '-' ? lineEnd(sql, at + 2) : sql.indexOf("*/", at + 2);
                boolean nests = each == '/' && sql.indexOf("/*", at + 2) > 0;
                if (quoted || nests) {
                    return true;
                }
                if (end < 0) {
                    return false; // a comment to the end
                }
                at = end + (each == '-' ? 1 : 2);
            } else if (first && !Character.isWhitespace(each) && "({?=".indexOf(each) < 0) {
                return true;
            } else if (each == '&' && sql.startsWith("\"", at + 1)) {
                return true; // U&"...": any name
            } else {
                quoted |= each == '\'' || each == '"' || each == '$';
                at++;
            }
        }
        return false;
    }

    /** Where a line ends; -1 if it is the last one. A carriage return ends a comment, too. */
    private static int lineEnd(String sql, int from) {
        for (int at = from; at < sql.length(); at++) {
            if (sql.charAt(at) == '\n' || sql.charAt(at) == '\r') {
                return at;
            }
        }
        return -1;
    }

    private static boolean isTelling(String sql, int from, int to) {
        return is("temp", sql, from, to)
                || is("temporary", sql, from, to)
                || is("set_config", sql, from, to)
                || is("pg_settings", sql, from, to)
                || begins("pg_temp", sql, from, to)
                || begins("pg_advisory_lock", sql, from, to)
                || begins("pg_try_advisory_lock", sql, from, to);
    }

    private static boolean is(String word, String sql, int from, int to) {
        return to - from == word.length() && begins(word, sql, from, to);
    }

    private static boolean begins(String word, String sql, int from, int to) {
        return to - from >= word.length() && sql.regionMatches(true, from, word, 0, word.length());
    }

    private static boolean isOfWord(char each) {
        return each == '_' || Character.isLetterOrDigit(each);
    }
}
