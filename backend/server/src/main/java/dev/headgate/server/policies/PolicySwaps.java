package dev.headgate.server.policies;

import dev.headgate.engine.Engine;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.guards.Guards;
import dev.headgate.server.guards.Probation;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Puts policy sets in force: in the store and in the engine, or in neither.
 *
 * <p>Writers of sets on one database take turns: each holds a row lock from reading the current revision to commit, so that
 * of two changes based on the same revision exactly one is made, and the guarantees of siblings add up. A set is checked, and its
 * policies are created, before the lock is taken, because that runs the code of plugins. Under the lock the writer looks whether all
 * that the set was checked against is still so; if not, it starts again. The engine takes the new set as the last step before commit; where it does not, it is not kept, and where the commit fails, the old set
 * is put back. The number of a set that the engine was given and the store could not keep goes to no other set, until the
 * service is restarted: the store knows only what it has kept.
 */
@Component
class PolicySwaps {

    /** How often a set is checked without the lock. Whoever is overtaken as often checks it under the lock. */
    static final int CHECKS = 3;

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Logger log = LoggerFactory.getLogger(PolicySwaps.class);

    private final PolicyStore store;
    private final DraftReader drafts;
    private final UsedPlugins plugins;
    private final Guards guards;
    private final Engine engine;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final ApplicationEventPublisher events;

    /** The highest revision of each scope that the engine was given since the start. */
    private final Map<Scope, Long> seen = new ConcurrentHashMap<>();

    PolicySwaps(
            PolicyStore store,
            DraftReader drafts,
            UsedPlugins plugins,
            Guards guards,
            Engine engine,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            ApplicationEventPublisher events) {
        this.store = store;
        this.drafts = drafts;
        this.plugins = plugins;
        this.guards = guards;
        this.engine = engine;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.events = events;
    }

    /**
     * Makes a change and publishes it. If the set is already in force, it makes no revision: it returns the revision in force, whose
     * guard stays, and publishes and audits nothing.
     *
     * @throws ProblemException as {@link Policies#put}; unavailable if the engine does not take it
     */
    PolicySetRevision make(PolicyChange change) {
        Scope scope = change.scope();
        String database = store.require(scope).target();
        PolicySetRevision kept = checkedAndKept(change, database);
        if (kept.revision() == change.basedOn()) {
            return kept.withGuard(guards.of(scope, kept.revision()));
        }
        String actor = access.actor().name();
        events.publishEvent(new PolicyChanged(
                scope,
                database,
                kept.revision(),
                actor,
                Objects.requireNonNull(kept.createdAt()),
                change.told(actor, kept.revision())));
        return kept.withGuard(guards.of(scope, kept.revision()));
    }

    private PolicySetRevision checkedAndKept(PolicyChange change, String database) {
        for (int n = 0; n < CHECKS; n++) {
            try (Checked checked = new Checked(change)) {
                Optional<PolicySetRevision> kept =
                        locked(change.scope(), database, swap -> keep(change, checked, swap));
                if (kept.isPresent()) {
                    return kept.get();
                }
            }
        }
        return locked(change.scope(), database, swap -> {
                    try (Checked checked = new Checked(change)) {
                        return keep(change, checked, swap);
                    }
                })
                .orElseThrow(() -> ProblemException.retry(
                        ProblemType.UNAVAILABLE,
                        "The budget of the database '" + database + "' changed while the set was checked. Try again.",
                        RETRY));
    }

    private <T> T locked(Scope scope, String database, Function<Swap, T> change) {
        Swap swap = new Swap(scope, database);
        try {
            return Objects.requireNonNull(transactions.execute(transaction -> {
                store.lock(database);
                return change.apply(swap);
            }));
        } catch (RuntimeException e) {
            swap.takeBack();
            throw e;
        }
    }

    /** A change whose set was checked, and the policies of the set, until a governor gets them. */
    private final class Checked implements AutoCloseable {
        private final PolicyStore.Head head;
        private final Surroundings around;

        /** Null if somebody was faster: then nothing was checked. */
        private final @Nullable Draft draft;

        private @Nullable MadeSet made;

        /** @throws ProblemException invalid-policy-set; unavailable if a policy cannot be created */
        Checked(PolicyChange change) {
            this.head = store.require(change.scope());
            this.around = around(head);
            this.draft = isBasedOn(change, head) ? draft(head, around, change.set()) : null;
            if (draft != null) {
                if (!draft.isValid()) {
                    throw ProblemException.of(ProblemType.INVALID_POLICY_SET, draft.faults());
                }
                if (!changesNothing(change, head, draft, store.inForce(head))) {
                    made = draft.make();
                }
            }
        }

        /** The draft; empty if anything that it was checked against has changed. */
        Optional<Draft> draftAt(PolicyStore.Head now) {
            return now.equals(head) && around(now).equals(around)
                    ? Optional.ofNullable(draft).filter(drafts::areInstalled)
                    : Optional.empty();
        }

        /** For a governor, which closes it. */
        PolicySet take(long revision) {
            return Objects.requireNonNull(made).take(revision);
        }

        @Override
        public void close() {
            if (made != null) {
                made.close();
            }
        }
    }

    private static boolean isBasedOn(PolicyChange change, PolicyStore.Head head) {
        return head.revision() == change.basedOn()
                && (head.owner() == null || head.owner().equals(change.owner()));
    }

    /** Returns nothing, and changes nothing, if the set has to be checked again. */
    private Optional<PolicySetRevision> keep(PolicyChange change, Checked checked, Swap swap) {
        Scope scope = change.scope();
        PolicyStore.Head head = store.require(scope);
        PolicySetRevision before = store.inForce(head).withManagedBy(head.managedBy());
        if (head.owner() != null && !head.owner().equals(change.owner())) {
            throw ManagedSets.refused(scope, head.owner().name());
        }
        if (head.revision() != change.basedOn()) {
            throw ProblemException.stale(change.basedOn(), head.revision(), before.actor());
        }
        @Nullable Draft draft = checked.draftAt(head).orElse(null);
        if (draft == null) {
            return Optional.empty();
        }
        if (changesNothing(change, head, draft, before)) {
            return Optional.of(before);
        }
        PolicySetRevision next = next(draft, nextRevision(head), change.restores())
                .withManagedBy(change.owner() == null ? null : change.owner().name());
        Probation probation = probation(change, next);
        store.add(scope, next, draft.guaranteed());
        store.manage(scope, change.owner());
        guards.keep(scope, probation);
        audit.record(
                change.action(), scope.path(), before, probation == null ? next : next.withGuard(probation.guard()));
        swap.make(checked.take(next.revision()));
        return Optional.of(next);
    }

    /** Whether a change is none. Another comment alone is no change, because a comment explains a revision. */
    private boolean changesNothing(PolicyChange change, PolicyStore.Head head, Draft draft, PolicySetRevision before) {
        return !change.isByGuard()
                && Objects.equals(change.owner(), head.owner())
                && draft.request().withoutComment().equals(plugins.asInstalled(before.policySet()));
    }

    private static @Nullable Probation probation(PolicyChange change, PolicySetRevision watched) {
        return change.guard() == null
                ? null
                : change.guard()
                        .probation(
                                change.scope(),
                                watched.revision(),
                                Objects.requireNonNull(watched.createdAt()),
                                change.basedOn());
    }

    /** The next number. One that the engine has seen since the start is not used again, even if its revision could not be stored. */
    private long nextRevision(PolicyStore.Head head) {
        return Math.max(head.revision(), seen.getOrDefault(head.scope(), 0L)) + 1;
    }

    /** The engine's part of a change, which can be undone if the store's part fails. */
    private final class Swap {
        private final Scope scope;
        private final String database;
        private @Nullable CompletableFuture<Void> taken;

        Swap(Scope scope, String database) {
            this.scope = scope;
            this.database = database;
        }

        /** Blocks until the engine has taken the set. */
        void make(PolicySet set) {
            taken = swap(scope, set).toCompletableFuture();
            try {
                EngineAnswer.of(taken);
            } finally {
                if (!taken.isCancelled()) {
                    seen.merge(scope, set.revision(), Math::max);
                }
            }
        }

        /**
         * Gives the stored set back to the engine if the engine may have taken the new one. Other writers wait meanwhile, so none of
         * their sets is overwritten. The request is not cancelled if it takes long.
         */
        void takeBack() {
            if (taken == null || taken.isCancelled()) {
                return;
            }
            log.warn("The former set of {} is put back: its successor could not be kept", scope.path());
            try {
                transactions.executeWithoutResult(transaction -> {
                    store.lock(database);
                    swap(scope, inForce(scope, budget(database)))
                            .toCompletableFuture()
                            .copy()
                            .orTimeout(EngineAnswer.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .join();
                });
            } catch (RuntimeException e) {
                log.error("The former set of {} could not be put back", scope.path(), e);
            }
        }
    }

    /** Forgets a deleted domain or database. A new one of the same name starts with revision 1. */
    void forget(Scope scope) {
        seen.remove(scope);
    }

    /** Reads and checks a set as for putting it in force. Changes nothing. */
    Draft draft(PolicyStore.Head head, PolicySetRequest set) {
        return draft(head, around(head), set);
    }

    private Draft draft(PolicyStore.Head head, Surroundings around, PolicySetRequest set) {
        return drafts.read(plugins.keepingVersions(set, store.inForce(head).policySet()), around);
    }

    private Surroundings around(PolicyStore.Head head) {
        return new Surroundings(
                head.scope(), head.target(), budget(head.target()), store.guaranteedOn(head.target(), head.scope()));
    }

    /** A new revision. */
    PolicySetRevision next(Draft draft, long revision, @Nullable Long restoredFrom) {
        return new PolicySetRevision(
                revision,
                Instant.now().truncatedTo(ChronoUnit.MICROS),
                access.actor().name(),
                draft.request().comment(),
                null,
                restoredFrom,
                draft.request().withoutComment());
    }

    /** As {@link Policies#inForce}. */
    PolicySet inForce(Scope scope, int budget) {
        PolicyStore.Head head = store.require(scope);
        PolicySetRequest stored = store.inForce(head).policySet();
        PolicySetRequest installed = plugins.asInstalled(stored);
        tellReplaced(head, stored, installed);
        Draft draft = drafts.read(installed, new Surroundings(scope, head.target(), budget, 0));
        PolicySet partial = draft.buildInForce(head.revision());
        if (draft.isValid()) {
            return partial;
        }
        String reason = describe(draft.faults());
        log.warn(
                "The policy set of {} at revision {} is not valid any more: {}", scope.path(), head.revision(), reason);
        List<PolicySet.Member> members = new ArrayList<>(partial.members());
        members.add(new PolicySet.Member("policy set", view -> {
            throw new NotValidAnyMore(reason);
        }));
        return new PolicySet(head.revision(), members, partial.whenExhausted(), partial.onRetired());
    }

    /** Why a part of a set is not in force. Pages and alarms show it as text: "policy set failed with ...". */
    private static final class NotValidAnyMore extends RuntimeException {
        NotValidAnyMore(String reason) {
            super("a part that is not valid any more: " + reason);
        }

        @Override
        @SuppressWarnings("OverrideThrowableToString") // no class name for people
        public String toString() {
            return String.valueOf(getMessage());
        }
    }

    /** Logs which versions a newer release of the service has replaced. */
    private static void tellReplaced(PolicyStore.Head head, PolicySetRequest stored, PolicySetRequest installed) {
        for (int i = 0; i < stored.policies().size(); i++) {
            String before = stored.policies().get(i).version();
            String now = installed.policies().get(i).version();
            if (before != null && !before.equals(now)) {
                log.warn(
                        "{} runs {} {} of its set at revision {} in version {}, the one that ships with this Headgate",
                        head.scope().path(),
                        stored.policies().get(i).plugin(),
                        before,
                        head.revision(),
                        now);
            }
        }
    }

    private int budget(String database) {
        return engine.database(database)
                .orElseThrow(() -> ProblemException.notFound("database", database))
                .target()
                .budget();
    }

    private CompletionStage<Void> swap(Scope scope, PolicySet set) {
        String name = scope.name();
        return switch (scope.kind()) {
            case DOMAIN ->
                engine.pool(name)
                        .orElseThrow(() -> ProblemException.notFound("domain", name))
                        .swap(set);
            case DATABASE ->
                engine.database(name)
                        .orElseThrow(() -> ProblemException.notFound("database", name))
                        .swap(set);
        };
    }

    private static String describe(List<Fault> faults) {
        return faults.stream()
                .map(fault -> fault.pointer() + " " + fault.message())
                .collect(Collectors.joining("; "));
    }
}
