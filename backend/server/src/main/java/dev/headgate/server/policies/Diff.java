package dev.headgate.server.policies;

import dev.headgate.server.problems.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The differences between two JSON values, leaf by leaf. */
public final class Diff {

    private final JsonMapper json;
    private final List<Difference> changes = new ArrayList<>();

    private Diff(JsonMapper json) {
        this.json = json;
    }

    public static List<Difference> between(Object from, Object to, JsonMapper json) {
        Diff diff = new Diff(json);
        diff.compare("", json.valueToTree(from), json.valueToTree(to));
        return List.copyOf(diff.changes);
    }

    private void compare(String pointer, @Nullable JsonNode from, @Nullable JsonNode to) {
        if (from != null && to != null && from.isObject() && to.isObject()) {
            TreeSet<String> names = new TreeSet<>(names(from));
            names.addAll(names(to));
            for (String name : names) {
                compare(Fault.pointer(pointer, name), from.get(name), to.get(name));
            }
        } else if (from != null && to != null && from.isArray() && to.isArray()) {
            for (int i = 0; i < Math.max(from.size(), to.size()); i++) {
                compare(pointer + "/" + i, from.get(i), to.get(i));
            }
        } else if (!java.util.Objects.equals(from, to)) {
            changes.add(new Difference(pointer, plain(from), plain(to)));
        }
    }

    private static java.util.Collection<String> names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).toList();
    }

    private @Nullable Object plain(@Nullable JsonNode node) {
        return node == null ? null : json.treeToValue(node, Object.class);
    }
}
