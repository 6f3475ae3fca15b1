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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Puts policy sets in force: kept in the store and taken by the engine, or neither.
 *
 * <p>Writers of sets on one database take turns: each holds a row lock from reading the current revision to commit, so that
 * of two changes based on the same revision exactly one is made, and the guarantees of siblings add up. The engine takes
 * the new set as the last step before commit; where it does not, nothing was kept, and where the commit fails, the old set
 * is put back.
 */
@Component
class PolicySwaps {

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
     * Makes a change, and tells of it.
     *
     * @throws ProblemException as {@link Policies#put}; unavailable where the engine does not take it
     */
    PolicySetRevision make(PolicyChange change) {
        Scope scope = change.scope();
        String database = store.require(scope).target();
        SwapBack swapBack = new SwapBack();
        PolicySetRevision kept;
        try {
            kept = Objects.requireNonNull(transactions.execute(transaction -> {
                store.lock(database);
                return keep(change, swapBack);
            }));
        } catch (ProblemException e) {
            if (e.type() == ProblemType.UNAVAILABLE) {
                swapBack.run();
            }
            throw e;
        } catch (RuntimeException e) {
            swapBack.run();
            throw e;
        }
        guards.arm(scope, probation(change, kept));
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

    private PolicySetRevision keep(PolicyChange change, SwapBack swapBack) {
        Scope scope = change.scope();
        PolicyStore.Head head = store.require(scope);
        PolicySetRevision before = store.inForce(head).withManagedBy(head.managedBy());
        if (head.managedBy() != null && !head.managedBy().equals(change.owner())) {
            throw ManagedSets.refused(scope, head.managedBy());
        }
        if (head.revision() != change.basedOn()) {
            throw ProblemException.stale(change.basedOn(), head.revision(), before.actor());
        }
        Draft draft = draft(head, change.set());
        if (!draft.isValid()) {
            throw ProblemException.of(ProblemType.INVALID_POLICY_SET, draft.faults());
        }
        PolicySetRevision next =
                next(draft, head.revision() + 1, change.restores()).withManagedBy(change.owner());
        Probation probation = probation(change, next);
        store.add(scope, next, draft.guaranteed());
        store.manage(scope, change.owner());
        guards.keep(scope, probation);
        audit.record(
                change.action(), scope.path(), before, probation == null ? next : next.withGuard(probation.guard()));
        PolicySet fresh = draft.build(next.revision());
        swapBack.prepare(head);
        EngineAnswer.of(swap(scope, fresh));
        return next;
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

    /** Gives the engine the old set again, if it may have taken the new one and the store has not. */
    private final class SwapBack {
        private PolicyStore.@Nullable Head before;

        void prepare(PolicyStore.Head head) {
            before = head;
        }

        void run() {
            if (before != null) {
                Scope scope = before.scope();
                log.warn(
                        "Revision {} of {} is put back: its successor could not be kept",
                        before.revision(),
                        scope.path());
                try {
                    EngineAnswer.of(swap(scope, inForce(scope, budget(before.target()))));
                } catch (RuntimeException e) {
                    log.error("Revision {} of {} could not be put back", before.revision(), scope.path(), e);
                }
            }
        }
    }

    /** Reads a set as if it were to be put in force now, and changes nothing. */
    Draft draft(PolicyStore.Head head, PolicySetRequest set) {
        return drafts.read(
                set,
                new Surroundings(
                        head.scope(),
                        head.target(),
                        budget(head.target()),
                        store.guaranteedOn(head.target(), head.scope())));
    }

    /** A revision that is made now. */
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
        Draft draft = drafts.read(
                plugins.asInstalled(store.inForce(head).policySet()),
                new Surroundings(scope, head.target(), budget, 0));
        if (draft.isValid()) {
            return draft.build(head.revision());
        }
        String reason = describe(draft.faults());
        log.warn(
                "The policy set of {} at revision {} is not valid any more: {}", scope.path(), head.revision(), reason);
        PolicySet partial = draft.build(head.revision());
        List<PolicySet.Member> members = new ArrayList<>(partial.members());
        members.add(new PolicySet.Member("headgate", view -> {
            throw new IllegalStateException("The policy set is not valid any more: " + reason);
        }));
        return new PolicySet(head.revision(), members, partial.whenExhausted(), partial.onRetired());
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
