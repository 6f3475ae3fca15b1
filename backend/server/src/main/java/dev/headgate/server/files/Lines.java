package dev.headgate.server.files;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

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
        Node node = root;
        int line = of(root);
        if (pointer.isEmpty()) {
            return line;
        }
        for (String part : pointer.substring(1).split("/", -1)) {
            String name = part.replace("~1", "/").replace("~0", "~");
            switch (node) {
                case MappingNode mapping -> {
                    NodeTuple pair = member(mapping, name);
                    if (pair == null) {
                        return line;
                    }
                    line = of(pair.getKeyNode());
                    node = pair.getValueNode();
                }
                case SequenceNode sequence -> {
                    Node item = item(sequence.getValue(), name);
                    if (item == null) {
                        return line;
                    }
                    line = of(item);
                    node = item;
                }
                default -> {
                    return line;
                }
            }
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

    private static @Nullable Node item(List<Node> items, String number) {
        try {
            int index = Integer.parseInt(number);
            return index >= 0 && index < items.size() ? items.get(index) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
