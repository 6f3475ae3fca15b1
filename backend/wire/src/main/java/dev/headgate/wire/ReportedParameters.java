package dev.headgate.wire;

import dev.headgate.engine.connect.Target;
import dev.headgate.protocol.SettingsText;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters that a server reports for a session's settings (ParameterStatus). A server is asked once for the same settings, whatever the
 * client's application name, which it reports as it is. When a connection begins with other parameters than the one before, another
 * server answers, or the same one after a change: it is asked again. Beyond a bound of bytes, the settings that nobody has used for
 * longest are forgotten. Safe for any number of threads.
 */
final class ReportedParameters {

    static final int MOST_BYTES = 1024 * 1024;

    private static final String APPLICATION = "application_name";
    private static final int LONGEST_NAME = 63;

    /** Bytes of an entry beside its characters, and of a pair of strings. */
    private static final int ENTRY = 200;

    private static final int PAIR = 150;

    /** A database where it is now. */
    private record Place(String name, String host, int port, String database, String user) {
        static Place of(Target target) {
            return new Place(target.name(), target.host(), target.port(), target.database(), target.user());
        }
    }

    private record Asked(Place place, Map<String, String> settings) {}

    /** The least recently used first. */
    private final LinkedHashMap<Asked, Map<String, String>> known = new LinkedHashMap<>(16, 0.75f, true);

    /** By the database's name: what its last new connection began with. */
    private final Map<String, Map<String, String>> begun = new HashMap<>();

    private long bytes;

    /**
     * What the server would report.
     *
     * @param settings the commands of the client's settings, by name
     * @param application the client's name for itself
     * @return null if the server must be asked
     */
    @Nullable
    synchronized Map<String, String> find(Target target, Map<String, String> settings, String application) {
        Map<String, String> found = known.get(asked(target, settings, application));
        if (found == null || !isReportedAsItIs(settings, application)) {
            return found;
        }
        Map<String, String> own = new HashMap<>(found);
        own.replace(APPLICATION, application);
        return own;
    }

    /** The server has reported these. */
    synchronized void keep(
            Target target, Map<String, String> settings, String application, Map<String, String> reported) {
        Asked asked = asked(target, settings, application);
        Map<String, String> before = known.put(asked, reported);
        bytes += bytes(asked, reported) - (before == null ? 0 : bytes(asked, before));
        Iterator<Map.Entry<Asked, Map<String, String>>> oldest =
                known.entrySet().iterator();
        while (bytes > MOST_BYTES && oldest.hasNext()) {
            Map.Entry<Asked, Map<String, String>> next = oldest.next();
            bytes -= bytes(next.getKey(), next.getValue());
            oldest.remove();
        }
    }

    /** A new connection has begun with these. */
    synchronized void connected(Target target, Map<String, String> reported) {
        Map<String, String> beginning = new HashMap<>(reported);
        beginning.remove(APPLICATION);
        if (beginning.equals(begun.put(target.name(), beginning))) {
            return;
        }
        known.entrySet().removeIf(each -> {
            boolean isOfIt = each.getKey().place().name().equals(target.name());
            bytes -= isOfIt ? bytes(each.getKey(), each.getValue()) : 0;
            return isOfIt;
        });
    }

    private static long bytes(Asked asked, Map<String, String> reported) {
        return ENTRY + bytes(asked.settings()) + bytes(reported);
    }

    private static long bytes(Map<String, String> texts) {
        long sum = 0;
        for (Map.Entry<String, String> each : texts.entrySet()) {
            sum += PAIR + 2L * (each.getKey().length() + each.getValue().length());
        }
        return sum;
    }

    private static Asked asked(Target target, Map<String, String> settings, String application) {
        Map<String, String> asked = new HashMap<>(settings);
        if (isReportedAsItIs(settings, application)) {
            asked.remove(APPLICATION);
        }
        return new Asked(Place.of(target), asked);
    }

    /** The server changes a name that is long or not plain ASCII. */
    private static boolean isReportedAsItIs(Map<String, String> settings, String application) {
        return application.length() <= LONGEST_NAME
                && application.chars().allMatch(each -> each >= ' ' && each <= '~')
                && SettingsText.command(APPLICATION, application).equals(settings.get(APPLICATION));
    }
}
