package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.SettingsText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the values that a Bind message gives to the parameters of {@code set_config}. */
final class BoundSettings {

    /** The types that a client gives a text: none, text, varchar, unknown. Their binary form is the text (PostgreSQL's pg_type.dat). */
    private static final Set<Integer> TEXTS = Set.of(0, 25, 1043, 705);

    private BoundSettings() {}

    /**
     * The effects, filled in with the parameter values of the Bind message. Values that are not read pin the session; of values that are
     * missing the server says so.
     *
     * @param statement the text and its types, of a long one its beginning; null if it is unknown here, as where a session keeps its
     *     connection anyway
     * @param from the position of the parameter formats in the message
     */
    static Effects filled(Effects effects, byte @Nullable [] statement, byte[] bind, int from, int end) {
        if (effects.parameters().isEmpty()) {
            return effects;
        }
        if (statement != null
                && effects.parameters().values().stream().anyMatch(number -> !isText(statement, number))) {
            return effects.pinning("set_config with a value that is no text");
        }
        BoundParameters bound = BoundParameters.of(bind, from, end);
        if (bound == null) {
            return effects.pinning("set_config with long parameters");
        }
        Map<String, String> all = new LinkedHashMap<>(effects.settings());
        effects.parameters().forEach((name, number) -> {
            String value = bound.text(number);
            all.put(name, value == null ? "" : SettingsText.command(name, value));
        });
        return effects.with(all);
    }

    /** Whether the value of a statement's parameter, numbered from 1, is surely a text in both formats. */
    private static boolean isText(byte[] statement, int number) {
        int at = 0;
        while (at < statement.length && statement[at] != 0) {
            at++;
        }
        if (at == statement.length) {
            return false; // its types are not here
        }
        int types = at + 1;
        if (types + 2 > statement.length || number > FrameReader.int16(statement, types)) {
            return true;
        }
        int type = types + 2 + 4 * (number - 1);
        return type + 4 <= statement.length && TEXTS.contains(FrameReader.int32(statement, type));
    }
}
