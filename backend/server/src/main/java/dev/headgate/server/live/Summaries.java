package dev.headgate.server.live;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.spi.Tier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of all domains as the clients know them, and what has changed since they were told. An idle domain never changes.
 *
 * <p>Snapshots show the same rows, not newer ones. Otherwise a figure that changes and changes back between two looks would
 * stay wrong at a client whose snapshot was made in between, because no delta would tell of it.
 *
 * <p>Only for the feed's thread, except both methods {@code of}.
 */
@Component
final class Summaries {

    private final Registry registry;
    private final JsonMapper mapper;
    private final Map<String, SummaryJson.State> states = new ConcurrentHashMap<>();
    private final Map<String, SummaryJson.Load> loads = new ConcurrentHashMap<>();
    private final Map<String, DatabaseSummaryJson> databases = new ConcurrentHashMap<>();
    private Map<String, SummaryJson.State> newStates = new LinkedHashMap<>();
    private Map<String, SummaryJson.Load> newLoads = new LinkedHashMap<>();
    private Map<String, DatabaseSummaryJson> newDatabases = new LinkedHashMap<>();

    Summaries(Registry registry, JsonMapper mapper) {
        this.registry = registry;
        this.mapper = mapper;
    }

    void look(Tier tier, PoolJson pool, long turnedAway) {
        SummaryJson.State state = SummaryJson.State.of(tier, registry.of(pool.domain()), pool);
        if (!state.equals(states.put(pool.domain(), state))) {
            newStates.put(pool.domain(), state);
        }
        SummaryJson.Load load = SummaryJson.Load.of(pool, turnedAway);
        if (!load.equals(loads.put(pool.domain(), load))) {
            newLoads.put(pool.domain(), load);
        }
    }

    void look(DatabaseSummaryJson database) {
        if (!database.equals(databases.put(database.name(), database))) {
            newDatabases.put(database.name(), database);
        }
    }

    /** The row of a database. One that was not looked at yet is read. Any thread. */
    DatabaseSummaryJson of(Database database) {
        DatabaseSummaryJson told = databases.get(database.name());
        return told == null ? DatabaseSummaryJson.withoutAnswers(database.status()) : told;
    }

    /** What has changed since the last call; empty if nothing has. */
    Summary changes() {
        Summary changes = Summary.of(newStates, newLoads, newDatabases, mapper);
        newStates = new LinkedHashMap<>();
        newLoads = new LinkedHashMap<>();
        newDatabases = new LinkedHashMap<>();
        return changes;
    }

    /** Forgets all other domains and databases. */
    void keep(Set<String> domains, Set<String> names) {
        states.keySet().retainAll(domains);
        loads.keySet().retainAll(domains);
        databases.keySet().retainAll(names);
    }

    /** The rows of these pools. A pool that was not looked at yet is read. Any thread. */
    SummaryJson of(Collection<Pool> pools, Summary.Part part) {
        List<SummaryJson.State> standing = new ArrayList<>();
        List<SummaryJson.Load> loaded = new ArrayList<>();
        for (Pool pool : pools) {
            SummaryJson.State state = states.get(pool.domain());
            SummaryJson.Load load = loads.get(pool.domain());
            if (state == null || load == null) {
                PoolStatus status = pool.status();
                PoolJson shown = PoolJson.of(status);
                state = SummaryJson.State.of(status.tier(), registry.of(pool.domain()), shown);
                load = SummaryJson.Load.of(shown, pool.turnedAway());
            }
            standing.add(state);
            loaded.add(load);
        }
        return new SummaryJson(
                SummaryJson.States.of(standing), part == Summary.Part.FIGURES ? SummaryJson.Figures.of(loaded) : null);
    }
}
