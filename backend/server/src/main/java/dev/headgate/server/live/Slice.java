package dev.headgate.server.live;

import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.history.Measured;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What there is to say at one instant to everyone who watches at one rate: every pool of which something was measured
 * since the slice before. Immutable.
 *
 * @param domains by name
 * @param databases by name
 */
record Slice(Instant time, Map<String, Domain> domains, Map<String, DatabaseSummaryJson> databases) {

    /**
     * One pool.
     *
     * @param measured since the slice before
     * @param columns its connections; null where nobody asked for them
     */
    record Domain(
            PoolJson pool, Measured measured, @Nullable Encoded<ConnectionColumns> columns, Encoded<PoolDelta> delta) {

        static Domain of(
                PoolJson pool, Measured measured, @Nullable Encoded<ConnectionColumns> columns, JsonMapper mapper) {
            return new Domain(pool, measured, columns, new Encoded<>(new PoolDelta(pool, measured.toSample()), mapper));
        }
    }

    /** The parts that a subscription is about. */
    Slice of(Subscription subscription) {
        Map<String, Domain> some = new LinkedHashMap<>();
        Map<String, DatabaseSummaryJson> theirs = new LinkedHashMap<>();
        domains.forEach((name, domain) -> {
            if (subscription.covers(name)) {
                some.put(name, domain);
                DatabaseSummaryJson database = databases.get(domain.pool().database());
                if (database != null) {
                    theirs.put(database.name(), database);
                }
            }
        });
        return new Slice(time, some, subscription.all() ? databases : theirs);
    }

    /** This slice and a later one that the client gets in the same frame: the later pool, both measurements. */
    Slice plus(Slice later, JsonMapper mapper) {
        Map<String, Domain> both = new LinkedHashMap<>(domains);
        later.domains.forEach((name, domain) -> both.merge(
                name,
                domain,
                (mine, newer) -> Domain.of(
                        newer.pool(),
                        mine.measured().plus(newer.measured()),
                        newer.columns() == null ? mine.columns() : newer.columns(),
                        mapper)));
        Map<String, DatabaseSummaryJson> known = new LinkedHashMap<>(databases);
        known.putAll(later.databases);
        return new Slice(later.time, both, known);
    }

    boolean isEmpty() {
        return domains.isEmpty();
    }
}
