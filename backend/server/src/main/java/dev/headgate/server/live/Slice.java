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

    /** The same of a connection: the figures of its columns, which are objects, its texts, and their JSON. */
    static final long CONNECTION_BYTES = 640;

    /**
     * One pool.
     *
     * @param measured since the previous slice
     * @param columns its connections; null if nobody asked for them
     * @param rests whether whoever has many domains can do without it, as it was told within the last second
     */
    record Domain(
            PoolJson pool,
            MergedWindow measured,
            @Nullable Encoded<ConnectionColumns> columns,
            Encoded<PoolDelta> delta,
            boolean rests) {

        static Domain of(
                PoolJson pool,
                MergedWindow measured,
                @Nullable Encoded<ConnectionColumns> columns,
                boolean rests,
                JsonMapper mapper) {
            return new Domain(
                    pool,
                    measured,
                    columns,
                    new Encoded<>(new PoolDelta(pool, SampleJson.of(measured)), mapper),
                    rests);
        }

        /** Without its connections, which another client has asked for. */
        Domain alone() {
            return columns == null ? this : new Domain(pool, measured, null, delta, rests);
        }

        private long bytes() {
            int connections = columns == null ? 0 : columns.value().id().size();
            return DOMAIN_BYTES + connections * CONNECTION_BYTES;
        }
    }

    /** The parts that a subscription covers; of many domains without those that rest, so that a fleet of them costs little. */
    Slice of(Subscription subscription) {
        Summary changes = subscription.summary() == null ? null : summary;
        Map<String, Domain> some = some(domains, subscription);
        Map<String, DatabaseSummaryJson> theirs = new LinkedHashMap<>();
        some.values().forEach(domain -> {
            DatabaseSummaryJson database = databases.get(domain.pool().database());
            if (database != null) {
                theirs.put(database.name(), database);
            }
        });
        if (changes != null) {
            changes.databases().forEach(theirs::putIfAbsent); // which has no answers
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
                        mine.rests() && newer.rests(),
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

    private static Map<String, Domain> some(Map<String, Domain> of, Subscription subscription) {
        boolean many = subscription.isWide() && of.size() > Subscription.FEW_DOMAINS;
        Map<String, Domain> some = new LinkedHashMap<>();
        for (String name : subscription.all() ? of.keySet() : subscription.domains()) {
            Domain domain = of.get(name);
            boolean withConnections = subscription.coversConnections(name); // their ages grow
            if (domain != null && (withConnections || !many || !domain.rests())) {
                some.put(name, withConnections ? domain : domain.alone());
            }
        }
        return some;
    }

    /** The most seconds of any domain. */
    int length() {
        return seconds.values().stream().mapToInt(List::size).max().orElse(0);
    }

    /** An estimate of its memory. */
    long bytes() {
        long entries = seconds.values().stream().mapToLong(List::size).sum();
        return domains.values().stream().mapToLong(Domain::bytes).sum()
                + entries * SECOND_BYTES
                + (summary == null ? 0 : summary.bytes());
    }

    boolean isEmpty() {
        return domains.isEmpty() && seconds.isEmpty() && summary == null;
    }
}
