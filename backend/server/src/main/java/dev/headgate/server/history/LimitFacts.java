package dev.headgate.server.history;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.api.DecisionJson;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Collects what {@link LimitTable} needs: of now from the engine, of the past from history and the decision log. */
@Component
class LimitFacts {

    private final Engine engine;
    private final Moments moments;

    LimitFacts(Engine engine, Moments moments) {
        this.engine = engine;
        this.moments = moments;
    }

    /** Of now; empty if the domain has no pool. */
    Optional<LimitTable.Facts> now(String domain) {
        return database(domain)
                .flatMap(database -> engine.pool(domain)
                        .map(pool -> new LimitTable.Facts(
                                database.name(),
                                AnswerJson.all(pool.status().answers()),
                                AnswerJson.all(database.status().answers()),
                                database.target().budget(),
                                false,
                                siblings(database, domain),
                                server(database))));
    }

    /**
     * Of the past. The budget is that of now, and the server is left out: nobody keeps what they were. Blocks on the control store.
     *
     * @param own the decision that set the domain's limits; null if it is not known any more
     * @param common the decision that set the database's; null if there is none
     */
    Optional<LimitTable.Facts> at(
            Instant at, String domain, @Nullable DecisionJson own, @Nullable DecisionJson common) {
        return database(domain)
                .map(database -> new LimitTable.Facts(
                        database.name(),
                        own == null ? null : own.answers(),
                        common == null ? List.of() : common.answers(),
                        database.target().budget(),
                        true,
                        siblings(database, domain, at),
                        null));
    }

    /** The database whose pool the domain has. */
    Optional<Database> database(String domain) {
        return engine.pool(domain).map(Pool::status).map(PoolStatus::database).flatMap(engine::database);
    }

    private static SortedMap<String, Integer> siblings(Database database, String domain) {
        SortedMap<String, Integer> sizes = new TreeMap<>();
        for (Pool pool : database.pools()) {
            if (!pool.domain().equals(domain)) {
                sizes.put(pool.domain(), pool.status().size());
            }
        }
        return sizes;
    }

    /** The sizes at that instant; null if one of them is not known. */
    private @Nullable SortedMap<String, Integer> siblings(Database database, String domain, Instant at) {
        SortedMap<String, Integer> sizes = new TreeMap<>();
        for (Pool pool : database.pools()) {
            if (!pool.domain().equals(domain)) {
                Double size = moments.of(pool.domain(), at)
                        .map(Explanation.Moment::size)
                        .orElse(null);
                if (size == null) {
                    return null;
                }
                sizes.put(pool.domain(), (int) Math.round(size));
            }
        }
        return sizes;
    }

    private LimitTable.@Nullable Server server(Database database) {
        Target target = database.target();
        ServerFacts facts = database.status().facts().orElse(null);
        if (facts == null) {
            return null;
        }
        int elsewhere = engine.databases().stream()
                .filter(other -> !other.name().equals(database.name())
                        && other.target().host().equals(target.host())
                        && other.target().port() == target.port())
                .mapToInt(other -> other.status().open())
                .sum();
        return new LimitTable.Server(
                target.host() + ":" + target.port(), facts.maxConnections(), facts.othersUse(), elsewhere);
    }
}
