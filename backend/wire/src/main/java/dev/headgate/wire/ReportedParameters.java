package dev.headgate.wire;

import dev.headgate.protocol.SettingsText;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The parameters that a server reports for a session's settings (ParameterStatus). A server is asked once for the same settings, whatever the
 * client's application name, which it reports as it is. Safe for any number of threads.
 */
final class ReportedParameters {

    private static final int MOST = 1_000;
    private static final String APPLICATION = "application_name";
    private static final int LONGEST_NAME = 63;

    private record Asked(String database, Map<String, String> settings) {}

    private final Map<Asked, Map<String, String>> known = new ConcurrentHashMap<>();

    /**
     * What the server would report.
     *
     * @param settings the commands of the client's settings, by name
     * @param application the client's name for itself
     * @return null if the server must be asked
     */
    @Nullable
    Map<String, String> find(String database, Map<String, String> settings, String application) {
        Map<String, String> found = known.get(asked(database, settings, application));
        if (found == null || !isReportedAsItIs(settings, application)) {
            return found;
        }
        Map<String, String> own = new HashMap<>(found);
        own.replace(APPLICATION, application);
        return own;
    }

    /** The server has reported these. */
    void keep(String database, Map<String, String> settings, String application, Map<String, String> reported) {
        if (known.size() < MOST) {
            known.put(asked(database, settings, application), reported);
        }
    }

    private static Asked asked(String database, Map<String, String> settings, String application) {
        Map<String, String> asked = new HashMap<>(settings);
        if (isReportedAsItIs(settings, application)) {
            asked.remove(APPLICATION);
        }
        return new Asked(database, asked);
    }

    /** The server changes a name that is long or not plain ASCII. */
    private static boolean isReportedAsItIs(Map<String, String> settings, String application) {
        return application.length() <= LONGEST_NAME
                && application.chars().allMatch(each -> each >= ' ' && each <= '~')
                && SettingsText.command(APPLICATION, application).equals(settings.get(APPLICATION));
    }
}
