package dev.headgate.server.live;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The part of the engine that the stream needs. */
@FunctionalInterface
interface Fleet {

    Collection<Database> databases();

    /** All pools, by domain's name. */
    default List<Pool> pools() {
        return databases().stream()
                .flatMap(database -> database.pools().stream())
                .sorted(Comparator.comparing(Pool::domain))
                .toList();
    }
}
