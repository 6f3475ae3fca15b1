package dev.headgate.server.live;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.SampleJson;
import dev.headgate.server.api.Second;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The data for all clients of one rate at one instant: every pool with measurements since the previous slice. Immutable.
 *
 * @param domains by name
 * @param seconds by domain: those that ended since the previous slice, oldest first
 * @param databases by name
 * @param summary what has changed of all domains; null in most slices
 */
record Slice(
        Instant time,
        Map<String, Domain> domains,
        Map<String, List<Encoded<Second>>> seconds,
        Map<String, DatabaseSummaryJson> databases,
        @Nullable Summary summary) {

    /** Estimates of the bytes of a pool with its distributions, and of a second. */
    private static final long DOMAIN_BYTES = 4_096;

    private static final long SECOND_BYTES = 512;

    /**
     * One pool.
     *
     * @param measured since the previous slice
     * @param columns its connections; null if no client asked for them
     */
    record Domain(
            PoolJson pool,
            MergedWindow measured,
            @Nullable Encoded<ConnectionColumns> columns,
            Encoded<PoolDelta> delta) {

        static Domain of(
                PoolJson pool, MergedWindow measured, @Nullable Encoded<ConnectionColumns> columns, JsonMapper mapper) {
            return new Domain(
                    pool, measured, columns, new Encoded<>(new PoolDelta(pool, SampleJson.of(measured)), mapper));
        }
    }

    /** The parts that a subscription covers. */
    Slice of(Subscription subscription) {
        Summary changes = subscription.summary() == null ? null : summary;
        Map<String, Domain> some = some(domains, subscription.domains(), subscription.all());
        Map<String, DatabaseSummaryJson> theirs = new LinkedHashMap<>();
        some.values().forEach(domain -> {
            DatabaseSummaryJson database = databases.get(domain.pool().database());
            if (database != null) {
                theirs.put(database.name(), database);
            }
        });
        if (changes != null) {
            theirs.putAll(changes.databases());
        }
        Map<String, List<Encoded<Second>>> over = new LinkedHashMap<>(seconds);
        over.keySet().removeIf(name -> !subscription.coversSeconds(name));
        return new Slice(time, some, over, subscription.all() ? databases : theirs, changes);
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
        Map<String, List<Encoded<Second>>> over = new LinkedHashMap<>(seconds);
        later.seconds.forEach((name, newer) -> over.merge(
                name,
                newer,
                (mine, theirs) -> Stream.concat(mine.stream(), theirs.stream()).toList()));
        Map<String, DatabaseSummaryJson> known = new LinkedHashMap<>(databases);
        known.putAll(later.databases);
        return new Slice(later.time, both, over, known, Summary.together(summary, later.summary, mapper));
    }

    private static Map<String, Domain> some(Map<String, Domain> of, Set<String> names, boolean all) {
        if (all) {
            return of;
        }
        Map<String, Domain> some = new LinkedHashMap<>();
        names.forEach(name -> {
            Domain domain = of.get(name);
            if (domain != null) {
                some.put(name, domain);
            }
        });
        return some;
    }

    /** The most seconds of any domain. */
    int length() {
        return seconds.values().stream().mapToInt(List::size).max().orElse(0);
    }

    /** An estimate of its memory. */
    long bytes() {
        long entries = seconds.values().stream().mapToLong(List::size).sum();
        return domains.size() * DOMAIN_BYTES + entries * SECOND_BYTES + (summary == null ? 0 : summary.bytes());
    }

    boolean isEmpty() {
        return domains.isEmpty() && seconds.isEmpty() && summary == null;
    }
}
