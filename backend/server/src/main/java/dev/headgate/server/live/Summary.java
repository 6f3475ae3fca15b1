package dev.headgate.server.live;

import dev.headgate.server.api.DatabaseSummaryJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What has changed of all domains and databases over a time. Immutable. All clients share it, so each of its two forms is
 * encoded once.
 *
 * @param states by domain, those that have changed; so are {@code loads}
 * @param databases by name, those that have changed
 */
record Summary(
        Map<String, SummaryJson.State> states,
        Map<String, SummaryJson.Load> loads,
        Map<String, DatabaseSummaryJson> databases,
        Encoded<SummaryJson> health,
        Encoded<SummaryJson> figures) {

    /** How much of it a client wants. */
    enum Part {
        /** The states alone. */
        HEALTH,
        /** The states and the figures. */
        FIGURES
    }

    /** An estimate of a row's bytes, without its labels. */
    private static final long ROW_BYTES = 256;

    static Summary of(
            Map<String, SummaryJson.State> states,
            Map<String, SummaryJson.Load> loads,
            Map<String, DatabaseSummaryJson> databases,
            JsonMapper mapper) {
        SummaryJson.States columns = SummaryJson.States.of(states.values());
        return new Summary(
                states,
                loads,
                databases,
                new Encoded<>(new SummaryJson(columns, null), mapper),
                new Encoded<>(new SummaryJson(columns, SummaryJson.Figures.of(loads.values())), mapper));
    }

    Encoded<SummaryJson> part(Part wanted) {
        return wanted == Part.HEALTH ? health : figures;
    }

    /** These changes and those of a later time: the later row of each domain. */
    Summary plus(Summary later, JsonMapper mapper) {
        return of(both(states, later.states), both(loads, later.loads), both(databases, later.databases), mapper);
    }

    /** An estimate of its memory. */
    long bytes() {
        long labels = states.values().stream()
                .mapToLong(state -> characters(state.labels()))
                .sum();
        return (states.size() + loads.size() + databases.size()) * ROW_BYTES + labels;
    }

    private static long characters(Map<String, String> labels) {
        return labels.entrySet().stream()
                .mapToLong(label -> label.getKey().length() + label.getValue().length())
                .sum();
    }

    /** A null is nothing. */
    static @Nullable Summary together(@Nullable Summary first, @Nullable Summary later, JsonMapper mapper) {
        if (first == null) {
            return later;
        }
        return later == null ? first : first.plus(later, mapper);
    }

    private static <V> Map<String, V> both(Map<String, V> first, Map<String, V> later) {
        Map<String, V> both = new LinkedHashMap<>(first);
        both.putAll(later);
        return both;
    }
}
