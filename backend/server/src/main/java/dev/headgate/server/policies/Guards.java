package dev.headgate.server.policies;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The revisions that are on probation. A guard ends when its time has run out, when it has fired, and with any other change of
 * the set. It is kept in the store: after a restart it is armed again for the rest of its time, and looks only at what is
 * measured from then on. One whose time ran out while the service was down ends, and its revision stays: nothing was measured
 * that would speak against it.
 */
@Component
class Guards {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private final GuardStore store;
    private final Clock clock;
    private final Map<Scope, Armed> armed = new ConcurrentHashMap<>();

    Guards(GuardStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** @param watch called by one thread at a time: the governor of the scope's database */
    private record Armed(GuardStore.Row row, GuardWatch watch) {}

    /**
     * A guard that has fired.
     *
     * @param reason one sentence, without its full stop
     */
    record Fired(Scope scope, long revision, long restores, String reason) {}

    /** Arms the guards of the store that have time left, and removes the others. */
    void rearm() {
        Instant now = clock.instant();
        for (GuardStore.Row row : store.all()) {
            if (row.guard().until().isAfter(now)) {
                armed.put(row.scope(), new Armed(row, new GuardWatch(row.guard().bounds(), now)));
            } else {
                log.info(
                        "The guard of revision {} of {} ended while the service was down: the revision stays",
                        row.revision(),
                        row.scope().path());
                store.remove(row.scope());
            }
        }
    }

    /** Keeps or ends the scope's guard in the store, in the transaction that changes its set. */
    void keep(Scope scope, GuardStore.@Nullable Row row) {
        if (row == null) {
            store.remove(scope);
        } else {
            store.put(row);
        }
    }

    /** Arms or ends the scope's guard, after that transaction. */
    void arm(Scope scope, GuardStore.@Nullable Row row) {
        if (row == null) {
            armed.remove(scope);
        } else {
            armed.put(scope, new Armed(row, new GuardWatch(row.guard().bounds(), row.armedAt())));
        }
    }

    /** The guard of a revision; null if it is not on probation, or no longer. */
    @Nullable
    Guard of(Scope scope, long revision) {
        @Nullable Armed found = armed.get(scope);
        return found != null
                        && found.row().revision() == revision
                        && found.row().guard().until().isAfter(clock.instant())
                ? found.row().guard()
                : null;
    }

    /** The guards that have time left, as the store knows them. */
    List<GuardStore.Row> pending() {
        Instant now = clock.instant();
        return store.all().stream()
                .filter(row -> row.guard().until().isAfter(now))
                .toList();
    }

    /**
     * Takes a window in for the scope's guard, if it has one. Does not block. Fires once.
     *
     * @param end the window's, on the wall clock
     */
    Optional<Fired> window(Scope scope, Instant end, dev.headgate.spi.Window window) {
        @Nullable Armed found = armed.get(scope);
        if (found == null) {
            return Optional.empty();
        }
        if (end.isAfter(found.row().guard().until())) {
            armed.remove(scope, found);
            return Optional.empty();
        }
        Optional<String> reason = found.watch().add(end, window);
        if (reason.isEmpty() || !armed.remove(scope, found)) {
            return Optional.empty();
        }
        return Optional.of(
                new Fired(scope, found.row().revision(), found.row().guard().restores(), reason.get()));
    }
}
