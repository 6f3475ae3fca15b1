package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The revisions on probation. A guard ends when its time is over, when it fires, and with any other change of the set. A trial
 * fires at the end of its time. If another guard's time is over and it could not judge every bound, it reports that, or fires if it was
 * to do so.
 *
 * <p>Guards are stored, and what is armed follows what is stored. After a restart a guard is armed again for the rest of its time, and
 * judges only what is measured from then on. If its time was over while the service was down, it ends at once, and has not judged to
 * its end. Safe for any thread.
 */
@Service
public class Guards {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    /** The last window of a guard's time arrives this much later at most. Where no window arrives, the guard ends then. */
    private static final Duration LATENESS = Duration.ofSeconds(2);

    private final GuardStore store;
    private final Clock clock;
    private final Map<Scope, Armed> armed = new ConcurrentHashMap<>();

    /** The scopes whose stored guard may have changed since it was armed. */
    private final Set<Scope> changed = ConcurrentHashMap.newKeySet();

    private final Lock following = new ReentrantLock();

    Guards(GuardStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * @param begin since when it judges; of one whose time was over while the service was down, after its end
     * @param watch called by one thread at a time: the governor of the scope's database
     */
    private record Armed(Probation probation, Instant begin, GuardWatch watch) {

        static Armed since(Instant begin, Probation probation) {
            return new Armed(probation, begin, new GuardWatch(probation.guard().bounds(), begin));
        }

        /** As of {@link Ended}. */
        Optional<String> unjudged() {
            return begin.isAfter(probation.guard().until())
                    ? Optional.of("Not judged to its end: the service was down when its time was over")
                    : watch.unjudged();
        }
    }

    /** The end of a guard. */
    sealed interface Outcome permits GuardFired, Ended {}

    /**
     * The guard's time is over; its revision stays.
     *
     * @param unjudged the bounds that were not judged, and why, as a sentence without its full stop; empty if all were judged
     */
    record Ended(Scope scope, long revision, Optional<String> unjudged) implements Outcome {}

    /** Arms the stored guards, also those whose time is over: they end as any other does. */
    void rearm() {
        Instant now = clock.instant();
        store.all().forEach(probation -> armed.put(probation.scope(), Armed.since(now, probation)));
    }

    /** Stores or removes the scope's guard, in the transaction that changes its set. It is armed or ended when that is committed. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void keep(Scope scope, @Nullable Probation probation) {
        store.remove(scope);
        if (probation != null) {
            store.put(probation);
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                changed.add(scope);
                follow();
            }
        });
    }

    /**
     * Arms what is stored. Reads it, instead of being told, because changes that were committed one after another may arrive here in
     * any order. A scope whose guard cannot be read now is left for the next call. Blocks on the store.
     */
    void follow() {
        following.lock();
        try {
            for (Scope scope : List.copyOf(changed)) {
                changed.remove(scope);
                try {
                    follow(scope);
                } catch (RuntimeException e) {
                    changed.add(scope);
                    log.warn("The guard of {} cannot be read now", scope.path(), e);
                    return;
                }
            }
        } finally {
            following.unlock();
        }
    }

    private void follow(Scope scope) {
        Probation stored = store.find(scope).orElse(null);
        Armed known = armed.get(scope);
        if (stored == null) {
            armed.remove(scope);
        } else if (known == null || !known.probation().equals(stored)) {
            armed.put(scope, Armed.since(stored.armedAt(), stored));
        }
    }

    /** Whether a revision is still on probation in the store: nobody has replaced it, or deleted what it governs. */
    public boolean isKept(Scope scope, long revision) {
        return store.find(scope)
                .filter(probation -> probation.revision() == revision)
                .isPresent();
    }

    /** Ends the guards whose time is over and that no window has ended. */
    List<Outcome> overdue() {
        Instant latest = clock.instant().minus(LATENESS);
        return armed.entrySet().stream()
                .filter(each -> each.getValue().probation().guard().until().isBefore(latest))
                .filter(each -> armed.remove(each.getKey(), each.getValue()))
                .map(each -> over(each.getValue()))
                .toList();
    }

    /** Removes a guard that has ended, unless another has replaced it. */
    void forget(Ended ended) {
        store.remove(ended.scope(), ended.revision());
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

    /** The stored guards: those that have time left, and those that are about to end. */
    public List<Probation> pending() {
        return store.all();
    }

    /** The outcome of a guard whose time is over. */
    private static Outcome over(Armed ended) {
        Probation probation = ended.probation();
        Guard guard = probation.guard();
        if (guard.isTrial()) {
            return fired(
                    probation,
                    "The trial of %s is over"
                            .formatted(lengthOf(Duration.between(probation.armedAt(), guard.until()))));
        }
        Optional<String> unjudged = ended.unjudged();
        return guard.restoresUnjudged() && unjudged.isPresent()
                ? fired(probation, unjudged.get())
                : new Ended(probation.scope(), probation.revision(), unjudged);
    }

    private static GuardFired fired(Probation probation, String reason) {
        return new GuardFired(
                probation.scope(), probation.revision(), probation.guard().restores(), reason);
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
        return Optional.of(fired(probation, reason.get()));
    }
}
