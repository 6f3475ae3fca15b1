package dev.headgate.wire.protocol;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.postgresql.core.Parser;

/**
 * What a text will leave in its session, as far as it tells. Statements are told apart by pgjdbc's parser and recognised
 * by their words: what cannot be repeated elsewhere for certain is taken for lasting, which costs a connection and not
 * correctness. What functions do inside cannot be seen.
 *
 * @param statements how many there are; 0 where they were not looked at
 * @param settings by name in lower case, the command that makes each so again; RESET as an empty command
 * @param parameters by name in lower case, which of the statement's parameters, from 1, is a setting's new value
 * @param resetsAll RESET ALL or DISCARD ALL
 * @param deallocates all prepared statements are dropped: DEALLOCATE ALL or DISCARD ALL
 * @param deallocated the prepared statements that are dropped by name
 * @param pinnedBy what binds the session to its connection from now on
 */
public record Effects(
        int statements,
        Map<String, String> settings,
        Map<String, Integer> parameters,
        boolean resetsAll,
        boolean deallocates,
        Set<String> deallocated,
        Optional<String> pinnedBy) {

    public static final Effects NONE = new Effects(0, Map.of(), Map.of(), false, false, Set.of(), Optional.empty());

    /** A statement that begins with none of these words leaves nothing behind, */
    private static final String[] FIRST_WORDS = {
        "set", "reset", "discard", "deallocate", "listen", "prepare", "load", "declare"
    };

    /** and has none of these in it, */
    private static final String[] WORDS = {"temp", "temporary"};

    /** nor these within a word. */
    private static final String[] PARTS = {"advisory_lock", "set_config"};

    private static final Pattern SET = Pattern.compile(
            "set\\s+(?:session\\s+)?(?<name>time\\s+zone|names|[a-z_][a-z0-9_.]*)(?:\\s*=\\s*|\\s+to\\s+|\\s+)(?<value>.+)",
            Pattern.DOTALL);
    private static final Pattern RESET = Pattern.compile("reset\\s+(?<name>time\\s+zone|[a-z_][a-z0-9_.]*)");
    private static final Pattern DEALLOCATE = Pattern.compile(
            "deallocate\\s+(?:prepare\\s+)?(?<name>[a-z_][a-z0-9_$]*|\"[^\"]+\")", Pattern.CASE_INSENSITIVE);
    private static final Pattern DISCARD_ALL = Pattern.compile("discard\\s+all");
    private static final Pattern RESET_ALL = Pattern.compile("reset\\s+all");
    private static final Pattern SET_CONFIG = Pattern.compile("set_config\\s*\\(", Pattern.CASE_INSENSITIVE);

    /** A call that can be repeated elsewhere, or sets for its transaction alone. */
    private static final Pattern SET_CONFIG_CALL = Pattern.compile(
            "set_config\\s*\\(\\s*'(?<name>[a-z_][a-z0-9_.]*)'\\s*,"
                    + "\\s*(?:(?<value>'(?:[^'\\\\]|'')*')|\\$(?<parameter>\\d{1,5}))(?:\\s*::\\s*\\w+)?\\s*,"
                    + "\\s*(?:(?<local>true|'t'|'true'|'on')|false|'f'|'false'|'off')(?:\\s*::\\s*bool(?:ean)?)?\\s*\\)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern TEMPORARY = Pattern.compile(
            "create\\s+(or\\s+replace\\s+)?((local|global)\\s+)?temp(orary)?\\b|\\binto\\s+temp(orary)?\\b",
            Pattern.DOTALL);

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
        return new Effects(statements, all, Map.of(), resetsAll, deallocates, deallocated, pinnedBy);
    }

    /** Of one or several statements. Takes some ten nanoseconds a word, and microseconds where one of them is telling. */
    public static Effects of(String sql) {
        if (!isWorthALook(sql)) {
            return NONE;
        }
        Collector found = new Collector();
        for (String each : statements(sql)) {
            found.look(each);
        }
        return found.effects();
    }

    /**
     * The text with other statements in place of some.
     *
     * @param instead what to say in place of a statement with such effects; empty to leave it
     */
    public static String replaced(String sql, Function<Effects, Optional<String>> instead) {
        return statements(sql).stream()
                .map(each -> instead.apply(of(each)).orElse(each))
                .collect(Collectors.joining("; "));
    }

    private static List<String> statements(String sql) {
        if (sql.indexOf(';') < 0) {
            return List.of(sql.strip());
        }
        try {
            return Parser.parseJdbcSql(sql, true, false, true, false, false).stream()
                    .map(each -> each.nativeSql.strip())
                    .filter(each -> !each.isEmpty())
                    .toList();
        } catch (SQLException _) {
            return List.of(sql.strip()); // the server will say what is wrong with it
        }
    }

    /** Looks at words alone. Nearly every statement ends here, so there is no pattern in it; quotes are not seen. */
    private static boolean isWorthALook(String sql) {
        int length = sql.length();
        boolean first = true;
        int at = 0;
        while (at < length) {
            char each = sql.charAt(at);
            if (isOfAWord(each)) {
                int from = at;
                boolean compound = false;
                while (at < length && isOfAWord(sql.charAt(at))) {
                    compound |= sql.charAt(at) == '_';
                    at++;
                }
                if (compound ? hasTellingPart(sql, from, at) : isOneOf(first ? FIRST_WORDS : WORDS, sql, from, at)) {
                    return true;
                }
                first = false;
            } else if (first && (each == '-' || each == '/')) {
                at = afterComment(sql, at);
            } else {
                first |= each == ';';
                at++;
            }
        }
        return false;
    }

    /** Where comments and blanks before a statement end. */
    private static int beginning(String sql) {
        int at = 0;
        while (at < sql.length()
                && (Character.isWhitespace(sql.charAt(at)) || sql.startsWith("--", at) || sql.startsWith("/*", at))) {
            at = afterComment(sql, at);
        }
        return at;
    }

    /** Behind the comment that begins here, or behind this character. */
    private static int afterComment(String sql, int at) {
        if (sql.startsWith("--", at)) {
            int end = sql.indexOf('\n', at);
            return end < 0 ? sql.length() : end + 1;
        }
        if (!sql.startsWith("/*", at)) {
            return at + 1;
        }
        int depth = 1;
        int next = at + 2;
        while (depth > 0 && next < sql.length()) {
            if (sql.startsWith("*/", next)) {
                depth--;
                next += 2;
            } else if (sql.startsWith("/*", next)) {
                depth++;
                next += 2;
            } else {
                next++;
            }
        }
        return next;
    }

    private static boolean isOfAWord(char each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || each == '_';
    }

    private static boolean isOneOf(String[] words, String sql, int from, int to) {
        for (String word : words) {
            if (word.length() == to - from && sql.regionMatches(true, from, word, 0, word.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTellingPart(String sql, int from, int to) {
        for (String part : PARTS) {
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
        private final Map<String, Integer> parameters = new LinkedHashMap<>();
        private final Set<String> deallocated = new HashSet<>();
        private int statements;
        private boolean resetsAll;
        private boolean deallocates;
        private Optional<String> pinnedBy = Optional.empty();

        void look(String text) {
            statements++;
            String sql = text.substring(beginning(text));
            String lower = sql.toLowerCase(Locale.ROOT);
            if (lower.startsWith("set ") || lower.startsWith("set\n") || lower.startsWith("set\t")) {
                set(sql, lower);
            } else if (lower.startsWith("reset")) {
                reset(lower);
            } else if (DISCARD_ALL.matcher(lower).matches()) {
                deallocates = true;
                resetAll();
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
            }
            if (lower.contains("pg_advisory_lock") || lower.contains("pg_try_advisory_lock")) {
                pin("an advisory lock of the session");
            }
            if (lower.contains("set_config")) {
                setConfig(sql);
            }
        }

        private void setConfig(String sql) {
            Matcher calls = SET_CONFIG_CALL.matcher(sql);
            long known = 0;
            while (calls.find()) {
                known++;
                if (calls.group("local") == null) {
                    String name = calls.group("name").toLowerCase(Locale.ROOT);
                    String value = calls.group("value");
                    if (value == null) {
                        parameters.put(name, Integer.parseInt(calls.group("parameter")));
                    } else {
                        settings.put(name, "SELECT pg_catalog.set_config('" + name + "', " + value + ", false)");
                    }
                }
            }
            if (SET_CONFIG.matcher(sql).results().count() > known) {
                pin("set_config that cannot be repeated elsewhere");
            }
        }

        private void deallocate(String sql) {
            Matcher parts = DEALLOCATE.matcher(sql);
            String name = parts.matches() ? parts.group("name") : "all";
            if (name.equalsIgnoreCase("all")) {
                deallocates = true;
            } else {
                deallocated.add(
                        name.startsWith("\"") ? name.substring(1, name.length() - 1) : name.toLowerCase(Locale.ROOT));
            }
        }

        private void set(String sql, String lower) {
            if (lower.startsWith("set local ")
                    || lower.startsWith("set transaction ")
                    || lower.startsWith("set constraints ")) {
                return;
            }
            Matcher parts = SET.matcher(lower);
            if (lower.startsWith("set session authorization")
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
            if (RESET_ALL.matcher(lower).matches()) {
                resetAll();
                return;
            }
            Matcher parts = RESET.matcher(lower);
            if (parts.matches()) {
                settings.put(named(parts.group("name")), "");
            } else {
                pin("RESET that cannot be repeated elsewhere");
            }
        }

        private void resetAll() {
            resetsAll = true;
            settings.clear();
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
            return new Effects(statements, settings, parameters, resetsAll, deallocates, deallocated, pinnedBy);
        }
    }
}
