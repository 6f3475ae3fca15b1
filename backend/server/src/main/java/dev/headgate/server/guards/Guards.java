package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;
import java.time.Clock;
import java.time.Duration;
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
 * The revisions on probation. A guard ends when its time is over, when it fires, and with any other change of the set. A trial fires at
 * the end of its time. If another guard's time is over and it could not judge every bound, it reports that. It is stored: after a restart it is armed again for the rest of its time,
 * and judges only what is measured from then on. If its time ended while the service was down, a trial fires at once; another revision
 * stays, because nothing was measured against it.
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

    /** The end of a guard. */
    sealed interface Outcome permits GuardFired, Ended {}

    /**
     * The guard's time is over; its revision stays.
     *
     * @param unjudged the bounds that were not judged, and why, as a sentence without its full stop; empty if all were judged
     */
    record Ended(Scope scope, long revision, Optional<String> unjudged) implements Outcome {}

    /** Arms the stored trials and the guards that have time left, and removes the others. */
    void rearm() {
        Instant now = clock.instant();
        for (Probation probation : store.all()) {
            if (probation.guard().isTrial() || probation.guard().until().isAfter(now)) {
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

    /** Stores or removes the scope's guard, in the transaction that changes its set. */
    public void keep(Scope scope, @Nullable Probation probation) {
        if (probation == null) {
            store.remove(scope);
        } else {
            store.put(probation);
        }
    }

    /** Removes a guard that has ended, unless another has replaced it. */
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

    /** The guard of a revision; null if it is not on probation. */
    public @Nullable Guard of(Scope scope, long revision) {
        @Nullable Armed found = armed.get(scope);
        return found != null
                        && found.probation().revision() == revision
                        && found.probation().guard().until().isAfter(clock.instant())
                ? found.probation().guard()
                : null;
    }

    /** The stored guards that have time left, and trials. */
    public List<Probation> pending() {
        Instant now = clock.instant();
        return store.all().stream()
                .filter(probation ->
                        probation.guard().isTrial() || probation.guard().until().isAfter(now))
                .toList();
    }

    /** The outcome of a guard whose time is over. */
    private static Outcome over(Armed ended) {
        Probation probation = ended.probation();
        Guard guard = probation.guard();
        return guard.isTrial()
                ? new GuardFired(
                        probation.scope(),
                        probation.revision(),
                        guard.restores(),
                        "The trial of %s is over"
                                .formatted(lengthOf(Duration.between(probation.armedAt(), guard.until()))))
                : new Ended(
                        probation.scope(), probation.revision(), ended.watch().unjudged());
    }

    private static String lengthOf(Duration time) {
        return time.toSecondsPart() == 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
    }

    /**
     * Adds a window for the scope's guard, if it has one. Does not block. A guard has one outcome.
     *
     * @param domain whose pool the window is of
     * @param end the window's, on the wall clock
     * @param timedOutTotal supplies how many requests have timed out at that pool so far; called only if there is a guard
     */
    Optional<Outcome> window(
            Scope scope, String domain, Instant end, dev.headgate.spi.Window window, LongSupplier timedOutTotal) {
        @Nullable Armed found = armed.get(scope);
        if (found == null) {
            return Optional.empty();
        }
        Probation probation = found.probation();
        if (end.isAfter(probation.guard().until())) {
            return armed.remove(scope, found) ? Optional.of(over(found)) : Optional.empty();
        }
        Optional<String> reason = found.watch().add(domain, end, window, timedOutTotal.getAsLong());
        if (reason.isEmpty() || !armed.remove(scope, found)) {
            return Optional.empty();
        }
        return Optional.of(
                new GuardFired(scope, probation.revision(), probation.guard().restores(), reason.get()));
    }
}
