package dev.headgate.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Session settings as texts: those in a startup message, and the commands that set them. */
public final class SettingsText {

    /** Of a map's entry with two texts, without their letters. */
    private static final int ENTRY = 128;

    /** The entries of a startup message that are not settings. */
    private static final Set<String> NO_SETTINGS = Set.of("user", "database", "replication", "options");

    private SettingsText() {}

    /** The command that sets a setting. Its value is read as in a startup message or a configuration file: a list is one text. */
    public static String command(String name, String value) {
        return "SELECT pg_catalog.set_config('" + name + "', " + literal(value) + ", false)";
    }

    /**
     * The settings of a startup message, as lower-case name to command. Always contains application_name.
     *
     * @throws IllegalArgumentException if a name cannot be that of a setting
     */
    public static Map<String, String> of(Map<String, String> startup) {
        Map<String, String> found = new HashMap<>();
        options(startup.getOrDefault("options", "")).forEach((name, value) -> put(found, name, value));
        startup.forEach((name, value) -> {
            if (!NO_SETTINGS.contains(name)) {
                put(found, name, value);
            }
        });
        if (!found.containsKey("application_name")) { // else it would have ours, from the opening of the connection
            put(found, "application_name", "");
        }
        return found;
    }

    /**
     * The settings in the options of a startup message, by name as written, with underscores for hyphens. They have the forms
     * {@code -c name=value}, {@code -cname=value} and {@code --name=value}. Other options are ignored.
     */
    public static Map<String, String> options(String options) {
        Map<String, String> found = new LinkedHashMap<>();
        List<String> all = words(options);
        for (int at = 0; at < all.size(); at++) {
            String option = all.get(at);
            String assignment;
            if (option.equals("-c")) {
                at++;
                assignment = at < all.size() ? all.get(at) : "";
            } else if (option.startsWith("-c") || option.startsWith("--")) {
                assignment = option.substring(2);
            } else {
                assignment = "";
            }
            int equals = assignment.indexOf('=');
            if (equals > 0) {
                found.put(assignment.substring(0, equals).replace('-', '_'), assignment.substring(equals + 1));
            }
        }
        return found;
    }

    /** Splits at blanks. A backslash escapes the next character. */
    private static List<String> words(String options) {
        List<String> found = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean begun = false;
        for (int at = 0; at < options.length(); at++) {
            char each = options.charAt(at);
            if (Lexemes.isBlank(each)) {
                if (begun) {
                    found.add(word.toString());
                    word.setLength(0);
                    begun = false;
                }
                continue;
            }
            begun = true;
            if (each != '\\') {
                word.append(each);
            } else if (at + 1 < options.length()) {
                at++;
                word.append(options.charAt(at));
            }
        }
        if (begun) {
            found.add(word.toString());
        }
        return found;
    }

    /** Whether a setting can have this name: letters, digits, underscores, points and dollars; the first is a letter or underscore. */
    static boolean isName(String name) {
        if (name.isEmpty()) {
            return false;
        }
        for (int at = 0; at < name.length(); at++) {
            char each = name.charAt(at);
            boolean letter = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '_';
            boolean other = (each >= '0' && each <= '9') || each == '.' || each == '$';
            if (!letter && !(other && at > 0)) {
                return false;
            }
        }
        return true;
    }

    /** Changes a name's ASCII letters to lower case, whatever the locale. */
    static String lower(String name) {
        StringBuilder found = new StringBuilder(name.length());
        for (int at = 0; at < name.length(); at++) {
            char each = name.charAt(at);
            found.append(each >= 'A' && each <= 'Z' ? (char) (each + 32) : each);
        }
        return found.toString();
    }

    private static String literal(String text) {
        String doubled = text.replace("'", "''");
        return text.indexOf('\\') < 0 ? "'" + doubled + "'" : "E'" + doubled.replace("\\", "\\\\") + "'";
    }

    private static void put(Map<String, String> settings, String name, String value) {
        if (!isName(name)) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a setting");
        }
        String key = lower(name);
        settings.put(key, command(key, value));
    }

    /** Whether a text has the same bytes in every encoding of a client. */
    public static boolean isAscii(String text) {
        return text.chars().allMatch(letter -> letter < 128);
    }

    /** About how many bytes settings take in memory: names and commands. */
    public static long sizeOf(Map<String, String> settings) {
        long size = 0;
        for (Map.Entry<String, String> each : settings.entrySet()) {
            size += ENTRY + each.getKey().length() + each.getValue().length();
        }
        return size;
    }
}
