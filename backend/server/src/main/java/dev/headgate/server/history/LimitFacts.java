package dev.headgate.server.history;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.policies.Policies;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Collects what {@link LimitTable} needs: of now from the engine; of the past from the history, the decision log, the revisions, the
 * audit and the {@link ServerLog}.
 */
@Component
class LimitFacts {

    /** Decisions on a database that hold the answers of its policies. */
    private static final List<String> ANSWERING = List.of("limits", "policy");

    private final Engine engine;
    private final Domains domains;
    private final Databases databases;
    private final Policies policies;
    private final Moments moments;
    private final DecisionLog decisions;
    private final ServerLog servers;

    LimitFacts(
            Engine engine,
            Domains domains,
            Databases databases,
            Policies policies,
            Moments moments,
            DecisionLog decisions,
            ServerLog servers) {
        this.engine = engine;
        this.domains = domains;
        this.databases = databases;
        this.policies = policies;
        this.moments = moments;
        this.decisions = decisions;
        this.servers = servers;
    }

    /** Of now; empty if the domain has no pool. */
    Optional<LimitTable.Facts> now(String domain) {
        return engine.pool(domain)
                .map(pool -> new LimitTable.Facts(
                        false,
                        domain,
                        pool.database().name(),
                        pool.status().size(),
                        AnswerJson.all(pool.status().answers()),
                        AnswerJson.all(pool.database().status().answers()),
                        pool.database().target().budget(),
                        siblings(pool.database(), domain),
                        server(pool.database())));
    }

    /**
     * Of the past; empty if there was no such domain yet, or it has no pool. Blocks on the control store.
     *
     * @param moment the domain's figures; null if they are not known
     * @param own the last decision on the domain's limits; null if it is not kept
     */
    Optional<LimitTable.Facts> at(
            Instant at, String domain, Explanation.@Nullable Moment moment, @Nullable DecisionJson own) {
        if (domains.get(domain).createdAt().isAfter(at)) {
            return Optional.empty();
        }
        return engine.pool(domain).map(pool -> {
            String database = pool.database().name();
            Shared shared = new Shared(
                    at, domains.databasesAt(at).orElse(null), databases.at(at).orElse(null));
            Databases.@Nullable Former target = shared.target(database);
            DecisionJson common = decisions
                    .latestOfDatabase(database, ANSWERING, Explanations.after(at))
                    .orElse(null);
            return new LimitTable.Facts(
                    true,
                    domain,
                    database,
                    size(moment),
                    answers(Scope.domain(domain), at, own),
                    answers(Scope.database(database), at, common),
                    target == null ? null : target.budget(),
                    shared.siblings(domain, database),
                    target == null ? null : shared.server(target));
        });
    }

    private static @Nullable Integer size(Explanation.@Nullable Moment moment) {
        Double size = moment == null ? null : moment.size();
        return size == null ? null : (Integer) Math.toIntExact(Math.round(size));
    }

    /**
     * The answers of a set's policies; null if they are not kept.
     *
     * @param last the last decision that holds answers
     */
    private @Nullable List<AnswerJson> answers(Scope scope, Instant at, @Nullable DecisionJson last) {
        Policies.Former set = policies.at(scope, at).orElse(null);
        if (set == null) {
            return null;
        }
        if (set.isEmpty()) {
            return List.of();
        }
        return last == null
                        || last.revision() != set.revision()
                        || last.answers().isEmpty()
                ? null
                : last.answers();
    }

    /** What domains and databases shared at an instant. What is null is not known. */
    private final class Shared {
        private final Instant at;
        private final @Nullable Map<String, String> places;
        private final @Nullable Map<String, Databases.Former> targets;

        /**
         * @param places the database of each domain
         * @param targets the databases, by name
         */
        Shared(Instant at, @Nullable Map<String, String> places, @Nullable Map<String, Databases.Former> targets) {
            this.at = at;
            this.places = places;
            this.targets = targets;
        }

        Databases.@Nullable Former target(String database) {
            return targets == null ? null : targets.get(database);
        }

        LimitTable.@Nullable Held siblings(String domain, String database) {
            return places == null
                    ? null
                    : held(places.entrySet().stream()
                            .filter(place -> place.getValue().equals(database))
                            .map(Map.Entry::getKey)
                            .filter(other -> !other.equals(domain))
                            .toList());
        }

        LimitTable.@Nullable Server server(Databases.Former target) {
            return servers.at(target.name(), at)
                    .filter(given -> given.address().equals(ServerLog.place(target.host(), target.port())))
                    .map(given ->
                            new LimitTable.Server(given.address(), given.gives(), given.othersUse(), elsewhere(target)))
                    .orElse(null);
        }

        /** The connections of all domains on other databases of the same server. */
        private @Nullable Integer elsewhere(Databases.Former target) {
            if (places == null) {
                return null;
            }
            LimitTable.Held held = held(places.entrySet().stream()
                    .filter(place -> {
                        Databases.@Nullable Former other = target(place.getValue());
                        return other != null && target.isBeside(other);
                    })
                    .map(Map.Entry::getKey)
                    .toList());
            return held.unknown().isEmpty() ? (Integer) held.sum() : null;
        }

        private LimitTable.Held held(Collection<String> holders) {
            SortedMap<String, Integer> sizes = new TreeMap<>();
            List<String> unknown = new ArrayList<>();
            for (String holder : holders) {
                OptionalInt size = moments.size(holder, at);
                if (size.isPresent()) {
                    sizes.put(holder, size.getAsInt());
                } else {
                    unknown.add(holder);
                }
            }
            return new LimitTable.Held(sizes, unknown.stream().sorted().toList());
        }
    }

    private static LimitTable.Held siblings(Database database, String domain) {
        SortedMap<String, Integer> sizes = new TreeMap<>();
        for (Pool pool : database.pools()) {
            if (!pool.domain().equals(domain)) {
                sizes.put(pool.domain(), pool.status().size());
            }
        }
        return new LimitTable.Held(sizes, List.of());
    }

    private LimitTable.@Nullable Server server(Database database) {
        Target target = database.target();
        ServerFacts facts = database.status().facts().orElse(null);
        if (facts == null) {
            return null;
        }
        Databases.Former own = Databases.Former.of(target);
        int elsewhere = engine.databases().stream()
                .filter(other -> own.isBeside(Databases.Former.of(other.target())))
                .mapToInt(other -> other.status().open())
                .sum();
        return new LimitTable.Server(
                ServerLog.place(target.host(), target.port()), facts.maxConnections(), facts.othersUse(), elsewhere);
    }
}
