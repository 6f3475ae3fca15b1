package dev.headgate.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Reads the YAML file of a load within the limits that the service sets for policy files: 50 levels, and 100,000 values and 8 MB
 * with all that aliases stand for. A few lines of YAML can stand for gigabytes.
 */
final class LoadYaml {

    private static final int DEEPEST = 50;
    private static final int MOST_VALUES = 100_000;
    private static final int MOST_CHARACTERS = 8 << 20;

    private final String file;
    private int values;
    private int characters;

    private LoadYaml(String file) {
        this.file = file;
    }

    /**
     * The file's object. Only JSON's types; no tag loads a class.
     *
     * @param mostBytes the longest text
     * @throws CommandFailed if the text is no object, or beyond a limit
     */
    static Map<String, Object> read(String file, String text, int mostBytes) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setCodePointLimit(mostBytes)
                .setBufferSize(
                        text.length() + 1) // one that is full has no place for the second half of a surrogate pair
                .setMaxAliasesForCollections(MOST_VALUES) // what they stand for is counted below
                .build();
        LoadYaml reading = new LoadYaml(file);
        try {
            // The loader recurses for each level, so the depth comes first.
            reading.refuseDeep(new ParserImpl(settings, new StreamReader(settings, text)));
            if (new Load(settings).loadFromString(text) instanceof Map<?, ?> map) {
                reading.count(map, 0);
                Map<String, Object> body = new LinkedHashMap<>();
                map.forEach((key, value) -> body.put(String.valueOf(key), value));
                return body;
            }
        } catch (YamlEngineException e) {
            throw CommandFailed.notTried("'" + file + "' is not YAML: " + e.getMessage());
        }
        throw CommandFailed.notTried("'" + file + "' is not a load; it needs transactions");
    }

    private void refuseDeep(Parser parser) {
        int depth = 0;
        while (parser.hasNext()) {
            Event event = parser.next();
            if (event instanceof CollectionStartEvent && ++depth > DEEPEST) {
                throw tooDeep();
            } else if (event instanceof CollectionEndEvent) {
                depth--;
            }
        }
    }

    private void count(@Nullable Object value, int depth) {
        if (depth > DEEPEST) {
            throw tooDeep(); // aliases can make it deeper than its text
        }
        values++;
        if (value instanceof String text) {
            characters = Math.min(characters + text.length(), MOST_CHARACTERS + 1);
        }
        if (values > MOST_VALUES || characters > MOST_CHARACTERS) {
            throw CommandFailed.notTried("'" + file + "' is too large with all that its aliases stand for: at most "
                    + MOST_VALUES + " values and " + (MOST_CHARACTERS >> 20) + " MB are allowed");
        }
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> {
                count(key, depth + 1);
                count(each, depth + 1);
            });
        } else if (value instanceof Iterable<?> items) {
            items.forEach(each -> count(each, depth + 1));
        }
    }

    private CommandFailed tooDeep() {
        return CommandFailed.notTried(
                "'" + file + "' is nested too deeply, at most " + DEEPEST + " levels are allowed");
    }
}
