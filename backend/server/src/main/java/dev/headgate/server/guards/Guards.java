package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * The revisions that are on probation. A guard ends when its time has run out, when it has fired, and with any other change of
 * the set; where its time has run out and it could not judge, it says so. It is kept in the store: after a restart it is armed again for the rest of its time, and looks only at what is
 * measured from then on. One whose time ran out while the service was down ends, and its revision stays: nothing was measured
 * that would speak against it.
 */
@Service
public class Guards {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private final GuardStore store;
    private final Clock clock;
    private final Map<Scope, Armed> armed = new ConcurrentHashMap<>();

    Guards(GuardStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** @param watch called by one thread at a time: the governor of the scope's database */
    private record Armed(Probation probation, GuardWatch watch) {}

    /** What has become of a guard. */
    sealed interface Outcome permits GuardFired, Ended {}

    /**
     * A guard whose time has run out; its revision stays.
     *
     * @param unjudged which bounds were not judged, and why, as a sentence without its full stop; empty where all were
     */
    record Ended(Scope scope, long revision, Optional<String> unjudged) implements Outcome {}

    /** Arms the guards of the store that have time left, and removes the others. */
    void rearm() {
        Instant now = clock.instant();
        for (Probation probation : store.all()) {
            if (probation.guard().until().isAfter(now)) {
                armed.put(
                        probation.scope(),
                        new Armed(probation, new GuardWatch(probation.guard().bounds(), now)));
            } else {
                log.info(
                        "The guard of revision {} of {} ended while the service was down: the revision stays",
                        probation.revision(),
                        probation.scope().path());
                store.remove(probation.scope());
            }
        }
    }

    /** Keeps or ends the scope's guard in the store, in the transaction that changes its set. */
    public void keep(Scope scope, @Nullable Probation probation) {
        if (probation == null) {
            store.remove(scope);
        } else {
            store.put(probation);
        }
    }

    /** Forgets a guard that has ended, unless another has taken its place. */
    void forget(Ended ended) {
        store.remove(ended.scope(), ended.revision());
    }

    /** Arms or ends the scope's guard, after that transaction. */
    public void arm(Scope scope, @Nullable Probation probation) {
        if (probation == null) {
            armed.remove(scope);
        } else {
            armed.put(
                    scope, new Armed(probation, new GuardWatch(probation.guard().bounds(), probation.armedAt())));
        }
    }

    /** The guard of a revision; null if it is not on probation, or no longer. */
    public @Nullable Guard of(Scope scope, long revision) {
        @Nullable Armed found = armed.get(scope);
        return found != null
                        && found.probation().revision() == revision
                        && found.probation().guard().until().isAfter(clock.instant())
                ? found.probation().guard()
                : null;
    }

    /** The guards that have time left, as the store knows them. */
    public List<Probation> pending() {
        Instant now = clock.instant();
        return store.all().stream()
                .filter(probation -> probation.guard().until().isAfter(now))
                .toList();
    }

    /**
     * Takes a window in for the scope's guard, if it has one. Does not block. A guard has one outcome.
     *
     * @param domain whose pool the window is of
     * @param end the window's, on the wall clock
     * @param timedOutTotal tells how many requests have timed out at that pool so far; asked only where there is a guard
     */
    Optional<Outcome> window(
            Scope scope, String domain, Instant end, dev.headgate.spi.Window window, LongSupplier timedOutTotal) {
        @Nullable Armed found = armed.get(scope);
        if (found == null) {
            return Optional.empty();
        }
        Probation probation = found.probation();
        if (end.isAfter(probation.guard().until())) {
            return armed.remove(scope, found)
                    ? Optional.of(
                            new Ended(scope, probation.revision(), found.watch().unjudged()))
                    : Optional.empty();
        }
        Optional<String> reason = found.watch().add(domain, end, window, timedOutTotal.getAsLong());
        if (reason.isEmpty() || !armed.remove(scope, found)) {
            return Optional.empty();
        }
        return Optional.of(
                new GuardFired(scope, probation.revision(), probation.guard().restores(), reason.get()));
    }
}
