package dev.headgate.server.live;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** All that the stream needs of the engine. */
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
