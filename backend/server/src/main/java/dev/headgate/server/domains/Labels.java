package dev.headgate.server.domains;

import dev.headgate.server.problems.Fault;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the labels of a domain are made of: the rules of REST and of policy files. */
public final class Labels {

    static final int MOST = 16;

    private static final String SOME_NAME = "[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?";
    private static final String SOME_VALUE = "[^\\x00-\\x20\\x7f]([^\\x00-\\x1f\\x7f]{0,61}[^\\x00-\\x20\\x7f])?";
    static final String NAME = "^" + SOME_NAME + "$";
    static final String VALUE = "^" + SOME_VALUE + "$";

    /** A name with or without a value. */
    static final String FILTER = "^" + SOME_NAME + "(:" + SOME_VALUE + ")?$";

    private static final Pattern NAMES = Pattern.compile(NAME);
    private static final Pattern VALUES = Pattern.compile(VALUE);
    private static final String ALLOWED_NAME =
            "1 to 63 characters of a-z, 0-9, '-', '_' and '.', beginning and ending with a letter or a digit";
    private static final String ALLOWED_VALUE =
            "1 to 63 characters, no control characters, no blank at the beginning or the end";

    private Labels() {}

    /** Every fault, at {@code /labels} if they are too many and else at the label. */
    public static List<Fault> faults(Map<String, @Nullable String> labels) {
        if (labels.size() > MOST) {
            return List.of(
                    Fault.at("/labels", "must be at most " + MOST + " labels, was " + labels.size(), "0.." + MOST));
        }
        List<Fault> faults = new ArrayList<>();
        labels.forEach((name, value) -> {
            String pointer = Fault.pointer("/labels", name);
            if (!NAMES.matcher(name).matches()) {
                faults.add(Fault.at(pointer, "must be a label's name, was " + name, ALLOWED_NAME));
            } else if (value == null) {
                faults.add(Fault.at(pointer, "is missing", ALLOWED_VALUE));
            } else if (!VALUES.matcher(value).matches()) {
                faults.add(Fault.at(pointer, "must be a label's value, was " + value, ALLOWED_VALUE));
            }
        });
        return faults;
    }

    /** Valid labels by name. Null is none. */
    public static SortedMap<String, String> sorted(@Nullable Map<String, @Nullable String> labels) {
        SortedMap<String, String> sorted = new TreeMap<>();
        if (labels != null) {
            labels.forEach((name, value) -> sorted.put(name, Objects.requireNonNull(value)));
        }
        return Collections.unmodifiableSortedMap(sorted);
    }
}
