package dev.headgate.server.files;

import dev.headgate.server.problems.Fault;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the documents of a file, in YAML 1.2: {@code yes} and {@code 22:30} are strings there. It creates only JSON's types, no tag
 * loads a class, and an {@link Expansion} bounds the total size of one call's files.
 */
final class YamlReader {

    private static final int DEEPEST = 50;
    private static final int MOST_FAULTS = 100;

    /** The bounds of application.yaml for JSON, in characters: what is stored must be readable as JSON. */
    private static final int LONGEST_TEXT = 100_000;

    private static final int LONGEST_NUMBER = 100;
    private static final int LONGEST_NAME = 1_000;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final SourceFile file;
    private final Expansion expansion;
    private final List<Fault> faults;
    private Map<String, Integer> lines = new HashMap<>();

    private YamlReader(SourceFile file, Expansion expansion, List<Fault> faults) {
        this.file = file;
        this.expansion = expansion;
        this.faults = faults;
    }

    /** Ends the reading of a file after a reported fault. */
    private static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1;

        Abandoned() {
            super("the rest of the file is not read", null, false, false);
        }
    }

    /**
     * The documents of a file, without the empty ones.
     *
     * @param expansion the bound for all files of this call
     * @param faults receives the faults; after a syntax error or an exceeded limit the rest of the file is not read
     */
    static List<Document> read(SourceFile file, Expansion expansion, List<Fault> faults) {
        return new YamlReader(file, expansion, faults).documents();
    }

    private List<Document> documents() {
        List<Document> documents = new ArrayList<>();
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file.name())
                .setCodePointLimit(FilesController.MOST_BYTES)
                .setMaxAliasesForCollections(Expansion.MOST_VALUES) // the expansion is bounded below
                .setAllowNonScalarKeys(true) // refused below, with their line
                .build();
        try {
            Iterator<Node> nodes = new Composer(settings, shallow(settings));
            while (nodes.hasNext()) {
                Node node = nodes.next();
                if (!Tag.NULL.equals(node.getTag())) {
                    lines = new HashMap<>();
                    documents.add(new Document(file.name(), value(node, "", 0), lines));
                }
            }
        } catch (Abandoned e) {
            return documents;
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(Mark::getLine).orElse(0) + 1;
            faults.add(Fault.at("", "is not YAML: " + e.getProblem()).foundAt(file.name() + ":" + line));
        } catch (YamlEngineException e) {
            faults.add(Fault.at("", "is not YAML: " + e.getMessage()).foundAt(file.name()));
        }
        return documents;
    }

    /** Refuses deep nesting during the parse, because the composer recurses for each level. */
    private Parser shallow(LoadSettings settings) {
        Parser parser = new ParserImpl(settings, new StreamReader(settings, file.text()));
        return new Parser() {
            private int depth;

            @Override
            public boolean checkEvent(Event.ID choice) {
                return parser.checkEvent(choice);
            }

            @Override
            public Event peekEvent() {
                return parser.peekEvent();
            }

            @Override
            public boolean hasNext() {
                return parser.hasNext();
            }

            @Override
            public Event next() {
                Event event = parser.next();
                if (event instanceof CollectionStartEvent && ++depth > DEEPEST) {
                    throw new ParserException(
                            "it is nested too deeply, at most " + DEEPEST + " levels are allowed",
                            event.getStartMark());
                }
                if (event instanceof CollectionEndEvent) {
                    depth--;
                }
                return event;
            }
        };
    }

    private JsonNode value(Node node, String pointer, int depth) {
        if (!expansion.holds(pointer.length()
                + (node instanceof ScalarNode scalar ? scalar.getValue().length() : 0))) {
            refuse("", node, "makes the files too large with all that their aliases stand for", Expansion.ALLOWED);
            throw new Abandoned();
        }
        lines.putIfAbsent(pointer, line(node));
        if (depth > DEEPEST || node.isRecursive()) {
            return refuse(pointer, node, "is nested too deeply", "at most " + DEEPEST + " levels");
        }
        return switch (node) {
            case MappingNode mapping -> object(mapping, pointer, depth);
            case SequenceNode sequence -> {
                ArrayNode array = JSON.arrayNode();
                for (Node item : sequence.getValue()) {
                    array.add(value(item, pointer + "/" + array.size(), depth + 1));
                }
                yield array;
            }
            case ScalarNode scalar -> scalar(scalar, pointer);
            default -> refuse(pointer, node, "cannot be read", "an object, an array or a value");
        };
    }

    private ObjectNode object(MappingNode mapping, String pointer, int depth) {
        ObjectNode object = JSON.objectNode();
        for (NodeTuple pair : mapping.getValue()) {
            if (!(pair.getKeyNode() instanceof ScalarNode key)) {
                refuse(pointer, pair.getKeyNode(), "has a key that is not a name", "names as keys");
                continue;
            }
            if (key.getValue().length() > LONGEST_NAME) {
                refuse(
                        pointer,
                        key,
                        "has a key of " + key.getValue().length() + " characters",
                        "at most " + LONGEST_NAME);
                continue;
            }
            String at = pointer + "/" + key.getValue().replace("~", "~0").replace("/", "~1");
            if (object.has(key.getValue())) {
                refuse(at, key, "appears twice", "once");
                continue;
            }
            lines.putIfAbsent(at, line(key));
            object.set(key.getValue(), value(pair.getValueNode(), at, depth + 1));
        }
        return object;
    }

    private JsonNode scalar(ScalarNode scalar, String pointer) {
        String text = scalar.getValue();
        Tag tag = scalar.getTag();
        int longest = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT) ? LONGEST_NUMBER : LONGEST_TEXT;
        if (text.length() > longest) {
            return refuse(pointer, scalar, "has " + text.length() + " characters", "at most " + longest);
        }
        if (tag.equals(Tag.STR)) {
            return JSON.stringNode(text);
        }
        if (tag.equals(Tag.NULL)) {
            return JSON.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            return JSON.booleanNode(text.equals("true"));
        }
        try {
            if (tag.equals(Tag.INT)) {
                BigInteger number = new BigInteger(text);
                if (number.bitLength() < Integer.SIZE) {
                    return JSON.numberNode(number.intValueExact());
                }
                return number.bitLength() < Long.SIZE
                        ? JSON.numberNode(number.longValueExact())
                        : JSON.numberNode(number);
            }
            if (tag.equals(Tag.FLOAT)) {
                return JSON.numberNode(Double.parseDouble(text));
            }
        } catch (NumberFormatException e) {
            return refuse(pointer, scalar, "'" + text + "' is not a number", "a number such as 10 or 2.5");
        }
        return refuse(pointer, scalar, "has the tag " + tag.getValue(), "no tag");
    }

    private JsonNode refuse(String pointer, Node node, String message, String allowed) {
        if (faults.size() >= MOST_FAULTS) {
            throw new Abandoned();
        }
        faults.add(Fault.at(pointer, message, allowed).foundAt(file.name() + ":" + line(node)));
        return JSON.nullNode();
    }

    private static int line(Node node) {
        return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }
}
