package dev.headgate.wire.protocol;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a statement will leave in its session, as far as its text tells. Recognised by their words, without a parser: what
 * cannot be told apart is taken for lasting, which costs a connection and not correctness.
 *
 * @param settings by name in lower case, the command that makes each so again; RESET as an empty command
 * @param resetsAll RESET ALL or DISCARD ALL
 * @param deallocates all prepared statements are dropped: DEALLOCATE ALL or DISCARD
 * @param deallocated the prepared statement that is dropped
 * @param pinnedBy what binds the session to its connection from now on
 */
public record Effects(
        Map<String, String> settings,
        boolean resetsAll,
        boolean deallocates,
        Optional<String> deallocated,
        Optional<String> pinnedBy) {

    public static final Effects NONE = new Effects(Map.of(), false, false, Optional.empty(), Optional.empty());

    /** A statement without any of these words leaves nothing behind. */
    private static final String[] TELLING_WORDS = {
        "set", "reset", "discard", "deallocate", "listen", "prepare", "temp", "temporary", "hold", "load", "replication"
    };

    /** Nor without any of these within a word. */
    private static final String[] TELLING_PARTS = {"advisory_lock", "set_config"};

    private static final Pattern SET = Pattern.compile(
            "set\\s+(?:session\\s+)?(?<name>time\\s+zone|names|[a-z_][a-z0-9_.]*)(?:\\s*=\\s*|\\s+to\\s+|\\s+)(?<value>[^;]+?)",
            Pattern.DOTALL);
    private static final Pattern RESET = Pattern.compile("reset\\s+(?<name>time\\s+zone|[a-z_][a-z0-9_.]*)");
    private static final Pattern DEALLOCATE = Pattern.compile(
            "deallocate\\s+(?:prepare\\s+)?(?<name>[a-z_][a-z0-9_$]*|\"[^\"]+\")", Pattern.CASE_INSENSITIVE);
    private static final Pattern COMMENTS =
            Pattern.compile("(?:\\s+|--[^\\n]*(?:\\n|$)|/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/)+");
    private static final Pattern TEMPORARY = Pattern.compile(
            "create\\s+(or\\s+replace\\s+)?((local|global)\\s+)?temp(orary)?\\b|\\binto\\s+temp(orary)?\\b",
            Pattern.DOTALL);

    public boolean isNothing() {
        return settings.isEmpty() && !resetsAll && !deallocates && deallocated.isEmpty() && pinnedBy.isEmpty();
    }

    /** Of one or several statements. */
    public static Effects of(String sql) {
        if (!isWorthALook(sql)) {
            return NONE;
        }
        String lower = sql.toLowerCase(Locale.ROOT);
        Collector found = new Collector();
        boolean plain =
                lower.indexOf('\'') < 0 && lower.indexOf('"') < 0 && lower.indexOf('$') < 0 && lower.indexOf('-') < 0;
        if (plain && lower.indexOf(';') >= 0) {
            int from = 0;
            while (from < sql.length()) {
                int to = sql.indexOf(';', from);
                to = to < 0 ? sql.length() : to;
                found.look(sql.substring(from, to).strip(), false);
                from = to + 1;
            }
        } else {
            String one = sql.strip();
            while (one.endsWith(";")) {
                one = one.substring(0, one.length() - 1).stripTrailing();
            }
            found.look(one, one.indexOf(';') >= 0);
        }
        return found.effects();
    }

    /** Looks at words alone. Nearly every statement ends here, so it takes some ten nanoseconds a word, and no pattern. */
    private static boolean isWorthALook(String sql) {
        int length = sql.length();
        int at = 0;
        while (at < length) {
            int from = at;
            boolean compound = false;
            while (at < length && isOfAWord(sql.charAt(at))) {
                compound |= sql.charAt(at) == '_';
                at++;
            }
            if (at - from > 2 && (compound ? hasTellingPart(sql, from, at) : isTelling(sql, from, at))) {
                return true;
            }
            at++;
        }
        return false;
    }

    private static boolean isOfAWord(char each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || each == '_';
    }

    private static boolean isTelling(String sql, int from, int to) {
        for (String word : TELLING_WORDS) {
            if (word.length() == to - from && sql.regionMatches(true, from, word, 0, word.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTellingPart(String sql, int from, int to) {
        for (String part : TELLING_PARTS) {
            for (int at = from; at + part.length() <= to; at++) {
                if (sql.regionMatches(true, at, part, 0, part.length())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static final class Collector {
        private final Map<String, String> settings = new LinkedHashMap<>();
        private boolean resetsAll;
        private boolean deallocates;
        private Optional<String> deallocated = Optional.empty();
        private Optional<String> pinnedBy = Optional.empty();

        void look(String text, boolean several) {
            Matcher comments = COMMENTS.matcher(text);
            String sql = comments.lookingAt() ? text.substring(comments.end()) : text;
            String lower = sql.toLowerCase(Locale.ROOT);
            if (lower.startsWith("set ") || lower.startsWith("set\n") || lower.startsWith("set\t")) {
                set(sql, lower, several);
            } else if (lower.startsWith("reset")) {
                reset(lower);
            } else if (lower.startsWith("discard")) {
                deallocates = true;
                resetsAll |= lower.endsWith("all");
            } else if (lower.startsWith("deallocate")) {
                deallocate(sql);
            } else if (lower.startsWith("listen")) {
                pin("LISTEN");
            } else if (lower.startsWith("prepare") && !lower.startsWith("prepare transaction")) {
                pin("PREPARE");
            } else if (lower.startsWith("load")) {
                pin("LOAD");
            } else if (TEMPORARY.matcher(lower).find()) {
                pin("a temporary table");
            } else if (lower.startsWith("declare") && lower.contains("with hold")) {
                pin("a cursor WITH HOLD");
            } else if (several
                    && lower.contains("set ")
                    && !lower.startsWith("update")
                    && !lower.startsWith("insert")) {
                pin("SET among other statements");
            }
            if (lower.contains("pg_advisory_lock") || lower.contains("pg_try_advisory_lock")) {
                pin("an advisory lock of the session");
            }
        }

        private void deallocate(String sql) {
            Matcher parts = DEALLOCATE.matcher(sql);
            String name = parts.matches() ? parts.group("name") : "all";
            if (name.equalsIgnoreCase("all")) {
                deallocates = true;
            } else {
                deallocated = Optional.of(
                        name.startsWith("\"") ? name.substring(1, name.length() - 1) : name.toLowerCase(Locale.ROOT));
            }
        }

        private void set(String sql, String lower, boolean several) {
            if (lower.startsWith("set local ")
                    || lower.startsWith("set transaction ")
                    || lower.startsWith("set constraints ")) {
                return;
            }
            Matcher parts = SET.matcher(lower);
            if (several
                    || lower.startsWith("set session authorization")
                    || lower.startsWith("set session characteristics")
                    || !parts.matches()) {
                pin("SET that cannot be repeated elsewhere");
                return;
            }
            String value = parts.group("value");
            String name = named(parts.group("name"));
            boolean resets = value.equals("default") || (name.equals("timezone") && value.equals("local"));
            settings.put(name, resets ? "" : sql);
        }

        private void reset(String lower) {
            if (lower.matches("reset\\s+all")) {
                resetsAll = true;
                settings.clear();
                return;
            }
            Matcher parts = RESET.matcher(lower);
            if (parts.matches()) {
                settings.put(named(parts.group("name")), "");
            } else {
                pin("RESET that cannot be repeated elsewhere");
            }
        }

        private static String named(String name) {
            return name.startsWith("time") && name.endsWith("zone")
                    ? "timezone"
                    : name.equals("names") ? "client_encoding" : name;
        }

        private void pin(String why) {
            pinnedBy = Optional.of(pinnedBy.orElse(why));
        }

        Effects effects() {
            return new Effects(settings, resetsAll, deallocates, deallocated, pinnedBy);
        }
    }
}
