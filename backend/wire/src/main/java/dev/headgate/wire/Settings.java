package dev.headgate.wire;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Session settings as commands that make them so. */
final class Settings {

    /** Reported by every supported server, so that it is known what they are however they were set. */
    static final Set<String> CARRIED_BY_REPORT = Set.of(
            "application_name",
            "client_encoding",
            "datestyle",
            "intervalstyle",
            "timezone",
            "standard_conforming_strings");

    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_.$]*");
    private static final Set<String> NO_SETTINGS = Set.of("user", "database", "replication", "options");
    private static final Pattern OPTION = Pattern.compile("(?:-c\\s*|--)([A-Za-z_][\\w.-]*)=((?:\\\\.|[^\\s\\\\])*)");

    private Settings() {}

    /** Values are taken as in a startup message or a configuration file, where a list is one text. */
    static String command(String name, String value) {
        return "SELECT pg_catalog.set_config('" + name + "', " + literal(value) + ", false)";
    }

    private static String literal(String text) {
        String doubled = text.replace("'", "''");
        return text.indexOf('\\') < 0 ? "'" + doubled + "'" : "E'" + doubled.replace("\\", "\\\\") + "'";
    }

    /**
     * What a startup message sets, by name, as commands; the application's name always.
     *
     * @throws IllegalArgumentException if it names something that cannot be the name of a setting
     */
    static Map<String, String> of(Map<String, String> startup) {
        Map<String, String> found = new HashMap<>();
        var options = OPTION.matcher(startup.getOrDefault("options", ""));
        while (options.find()) {
            put(found, options.group(1).replace('-', '_'), options.group(2).replaceAll("\\\\(.)", "$1"));
        }
        startup.forEach((name, value) -> {
            if (!NO_SETTINGS.contains(name)) {
                put(found, name, value);
            }
        });
        if (!found.containsKey("application_name")) { // or it would go by ours, which the connection was opened with
            put(found, "application_name", "");
        }
        return found;
    }

    private static void put(Map<String, String> settings, String name, String value) {
        String key = name.toLowerCase(Locale.ROOT);
        if (!NAME.matcher(key).matches()) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a setting");
        }
        settings.put(key, command(key, value));
    }
}
