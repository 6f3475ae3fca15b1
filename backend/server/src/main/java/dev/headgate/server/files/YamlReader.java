package dev.headgate.server.files;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.UnkeptText;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
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
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the documents of a file, in YAML 1.2: {@code yes} and {@code 22:30} are strings there. It creates only JSON's types, no tag
 * loads a class, and an {@link Expansion} bounds the total size of one call's files.
 */
final class YamlReader {

    private static final String TOO_LARGE = "makes the files too large with all that their aliases stand for";
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final SourceFile file;
    private final StreamReadConstraints asJson;
    private final Expansion expansion;
    private final Faults faults;

    /** The nodes with a tag. A node itself does not tell whether its tag was written or follows from its text. */
    private final Set<Begin> tagged = new HashSet<>();

    private YamlReader(SourceFile file, StreamReadConstraints asJson, Expansion expansion, Faults faults) {
        this.file = file;
        this.asJson = asJson;
        this.expansion = expansion;
        this.faults = faults;
    }

    /** Where a node begins. An object may begin where its first key does. */
    private record Begin(int index, boolean isScalar) {}

    /** Where a value is, from the root on; told only in a fault. */
    private record Path(@Nullable Path parent, Object part) {

        static final Path ROOT = new Path(null, "");

        Path at(Object member) {
            return new Path(this, member);
        }

        /** As a JSON pointer. */
        @Override
        public String toString() {
            return parent == null ? "" : Fault.pointer(parent.toString(), part.toString());
        }
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
     * @param asJson bounds depth, texts, numbers and names: what is stored must be readable as JSON
     * @param expansion the bound for all files of this call
     * @param faults receives the faults; after a syntax error or an exceeded limit the rest of the file is not read
     */
    static List<Document> read(SourceFile file, StreamReadConstraints asJson, Expansion expansion, Faults faults) {
        return new YamlReader(file, asJson, expansion, faults).documents();
    }

    private List<Document> documents() {
        List<Document> documents = new ArrayList<>();
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file.name())
                .setCodePointLimit(Integer.MAX_VALUE) // a body has its own limit, and nodes and texts are counted below
                .setMaxAliasesForCollections(Expansion.MOST_VALUES) // the expansion is bounded below
                .setAllowNonScalarKeys(true) // refused below, with their line
                .build();
        try {
            Iterator<Node> nodes = new Composer(settings, bounded(settings));
            while (nodes.hasNext()) {
                Node node = nodes.next();
                if (!Tag.NULL.equals(node.getTag())) {
                    documents.add(new Document(file.name(), value(node, Path.ROOT, 0), new Lines(node)));
                }
            }
        } catch (Abandoned e) {
            return documents;
        } catch (MarkedYamlEngineException e) {
            faults.add(Fault.at("", "is not YAML: " + e.getProblem())
                    .foundAt(file.name() + ":" + line(e.getProblemMark())));
        } catch (YamlEngineException e) {
            faults.add(Fault.at("", "is not YAML: " + e.getMessage()).foundAt(file.name()));
        }
        return documents;
    }

    /**
     * Counts nodes and refuses deep nesting during the parse: the composer makes a whole document of nodes before it returns, and recurses
     * for each level.
     */
    private Parser bounded(LoadSettings settings) {
        Parser parser = new ParserImpl(settings, new StreamReader(settings, new WholeCharacters(file.text())));
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
                if (event instanceof NodeEvent && !expansion.parses()) {
                    refuse(Fault.at("", TOO_LARGE, Expansion.ALLOWED), line(event.getStartMark()));
                    throw new Abandoned();
                }
                if (tag(event).isPresent()) {
                    begin(event.getStartMark(), event instanceof ScalarEvent).ifPresent(tagged::add);
                }
                if (event instanceof CollectionStartEvent && ++depth > asJson.getMaxNestingDepth()) {
                    throw new ParserException(
                            "it is nested too deeply, at most " + asJson.getMaxNestingDepth() + " levels are allowed",
                            event.getStartMark());
                }
                if (event instanceof CollectionEndEvent) {
                    depth--;
                }
                return event;
            }
        };
    }

    private static Optional<String> tag(Event event) {
        return switch (event) {
            case ScalarEvent scalar -> scalar.getTag();
            case CollectionStartEvent collection -> collection.getTag();
            default -> Optional.empty();
        };
    }

    private boolean isTagged(Node node) {
        return begin(node.getStartMark(), node instanceof ScalarNode)
                .filter(tagged::contains)
                .isPresent();
    }

    private static Optional<Begin> begin(Optional<Mark> mark, boolean isScalar) {
        return mark.map(at -> new Begin(at.getIndex(), isScalar));
    }

    private JsonNode refuseTag(Path path, Node node) {
        return refuse(path, node, "has the tag " + node.getTag().getValue(), "no tag");
    }

    private JsonNode value(Node node, Path path, int depth) {
        if (!expansion.holds(
                node instanceof ScalarNode scalar ? scalar.getValue().length() : 0)) {
            refuse(Path.ROOT, node, TOO_LARGE, Expansion.ALLOWED);
            throw new Abandoned();
        }
        if (depth > asJson.getMaxNestingDepth() || node.isRecursive()) {
            return refuse(path, node, "is nested too deeply", "at most " + asJson.getMaxNestingDepth() + " levels");
        }
        if (isTagged(node)) {
            return refuseTag(path, node);
        }
        return switch (node) {
            case MappingNode mapping -> object(mapping, path, depth);
            case SequenceNode sequence -> {
                ArrayNode array = JSON.arrayNode();
                for (Node item : sequence.getValue()) {
                    array.add(value(item, path.at(array.size()), depth + 1));
                }
                yield array;
            }
            case ScalarNode scalar -> scalar(scalar, path);
            default -> refuse(path, node, "cannot be read", "an object, an array or a value");
        };
    }

    private ObjectNode object(MappingNode mapping, Path path, int depth) {
        ObjectNode object = JSON.objectNode();
        for (NodeTuple pair : mapping.getValue()) {
            if (!(pair.getKeyNode() instanceof ScalarNode key)) {
                refuse(path, pair.getKeyNode(), "has a key that is not a name", "names as keys");
                continue;
            }
            if (isTagged(key)) {
                refuseTag(path, key);
                continue;
            }
            if (key.getValue().length() > asJson.getMaxNameLength()) {
                refuse(
                        path,
                        key,
                        "has a key of " + key.getValue().length() + " characters",
                        "at most " + asJson.getMaxNameLength());
                continue;
            }
            Optional<Fault> unkept = UnkeptText.fault(path.toString(), key.getValue());
            if (unkept.isPresent()) {
                refuse(unkept.get(), key);
                continue;
            }
            Path at = path.at(key.getValue());
            if (object.has(key.getValue())) {
                refuse(at, key, "appears twice", "once");
                continue;
            }
            object.set(key.getValue(), value(pair.getValueNode(), at, depth + 1));
        }
        return object;
    }

    private JsonNode scalar(ScalarNode scalar, Path path) {
        String text = scalar.getValue();
        Tag tag = scalar.getTag();
        int longest = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)
                ? asJson.getMaxNumberLength()
                : asJson.getMaxStringLength();
        if (text.length() > longest) {
            return refuse(path, scalar, "has " + text.length() + " characters", "at most " + longest);
        }
        Optional<Fault> unkept = UnkeptText.fault(path.toString(), text);
        if (unkept.isPresent()) {
            return refuse(unkept.get(), scalar);
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
            return refuse(path, scalar, "'" + text + "' is not a number", "a number such as 10 or 2.5");
        }
        return refuseTag(path, scalar);
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(Mark::getLine).orElse(0) + 1;
    }

    private JsonNode refuse(Path path, Node node, String message, String allowed) {
        return refuse(Fault.at(path.toString(), message, allowed), node);
    }

    private JsonNode refuse(Fault fault, Node node) {
        return refuse(fault, Lines.of(node));
    }

    private JsonNode refuse(Fault fault, int line) {
        if (faults.isFull()) {
            throw new Abandoned();
        }
        faults.add(fault.foundAt(file.name() + ":" + line));
        return JSON.nullNode();
    }
}
