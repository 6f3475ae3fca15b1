package dev.headgate.server.files;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import tools.jackson.core.JsonPointer;

/**
 * The lines of a document's values. They are looked up where one is told: a table of all of them would take several times the memory of
 * the values.
 *
 * @param root what was parsed
 */
record Lines(Node root) {

    /** The line of a node, counted from 1. */
    static int of(Node node) {
        return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }

    /**
     * The line of a value: that of its key, or of itself in an array. Where nothing is written there, of the value around it.
     *
     * @param pointer a JSON pointer
     */
    int at(String pointer) {
        return at(JsonPointer.compile(pointer), root, of(root));
    }

    /** @param line of the node */
    private static int at(JsonPointer rest, Node node, int line) {
        if (rest.matches()) {
            return line;
        }
        if (node instanceof MappingNode mapping) {
            NodeTuple pair = member(mapping, rest.getMatchingProperty());
            return pair == null ? line : at(rest.tail(), pair.getValueNode(), of(pair.getKeyNode()));
        }
        if (node instanceof SequenceNode sequence
                && rest.mayMatchElement()
                && rest.getMatchingIndex() < sequence.getValue().size()) {
            Node item = sequence.getValue().get(rest.getMatchingIndex());
            return at(rest.tail(), item, of(item));
        }
        return line;
    }

    private static @Nullable NodeTuple member(MappingNode mapping, String name) {
        for (NodeTuple pair : mapping.getValue()) {
            if (pair.getKeyNode() instanceof ScalarNode key && key.getValue().equals(name)) {
                return pair;
            }
        }
        return null;
    }
}
