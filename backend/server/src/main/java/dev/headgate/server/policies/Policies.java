package dev.headgate.server.policies;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.spi.Limits;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The policy sets and their revisions.
 *
 * <p>Writers of sets on one database take turns: each holds a row lock from reading the current revision to commit, so that
 * of two changes based on the same revision exactly one is made, and the guarantees of siblings add up. The engine takes
 * the new set as the last step before commit; where it does not, nothing was kept, and where the commit fails, the old set
 * is put back.
 */
@Service
public class Policies {

    private static final Logger log = LoggerFactory.getLogger(Policies.class);
    private static final long SWAP_SECONDS = 5;
    private static final String GUARD = "policies.guard";

    private final PolicyStore store;
    private final DraftReader drafts;
    private final Guards guards;
    private final Engine engine;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final ApplicationEventPublisher events;
    private final tools.jackson.databind.json.JsonMapper json;

    Policies(
            PolicyStore store,
            DraftReader drafts,
            Guards guards,
            Engine engine,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            ApplicationEventPublisher events,
            tools.jackson.databind.json.JsonMapper json) {
        this.store = store;
        this.drafts = drafts;
        this.guards = guards;
        this.engine = engine;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.events = events;
        this.json = json;
    }

    /** The set in force. */
    public PolicySetRevision current(Scope scope) {
        PolicyStore.Head head = head(scope);
        return revision(scope, head.revision())
                .withManagedBy(head.managedBy())
                .withGuard(guards.of(scope, head.revision()));
    }

    /**
     * The set that was accepted last: where another is being put in force, waits until it is, or is given up. What is compared
     * with the set in force meanwhile is compared with one that is on its way out.
     */
    PolicySetRevision accepted(Scope scope) {
        return java.util.Objects.requireNonNull(transactions.execute(transaction -> {
            store.lock(head(scope).target());
            return current(scope);
        }));
    }

    /** Every revision, newest first. */
    public List<PolicySetRevision> history(Scope scope) {
        PolicyStore.Head head = head(scope);
        return store.history(scope).stream()
                .map(revision ->
                        revision.revision() == head.revision() ? revision.withManagedBy(head.managedBy()) : revision)
                .toList();
    }

    /**
     * Puts a set in force as the next revision.
     *
     * @param basedOn the revision that the caller has seen
     * @throws ProblemException managed-by-files if the set is theirs; stale-revision if another is in force;
     *     invalid-policy-set with every fault
     */
    public PolicySetRevision put(Scope scope, long basedOn, PolicySetRequest set) {
        return change(scope, basedOn, set, null, "policies.put", null, null);
    }

    /**
     * As {@link #put}, and on probation.
     *
     * @param guard null for no probation
     */
    PolicySetRevision put(Scope scope, long basedOn, PolicySetRequest set, @Nullable GuardTerms guard) {
        return change(scope, basedOn, set, null, "policies.put", null, guard);
    }

    /** As {@link #put}, for a set that only moves to another version of a plugin. */
    PolicySetRevision adopt(Scope scope, long basedOn, PolicySetRequest set) {
        return change(scope, basedOn, set, null, "policies.adopt", null, null);
    }

    /** As {@link #put}, in the name of the set's owner, to whom it belongs from then on. */
    PolicySetRevision putFor(String owner, Scope scope, long basedOn, PolicySetRequest set) {
        return change(scope, basedOn, set, null, "policies.put", owner, null);
    }

    /** Puts an earlier revision's set in force again, as the next revision. Throws as {@link #put}. */
    public PolicySetRevision restore(Scope scope, long earlier, long basedOn) {
        return restore(scope, earlier, basedOn, "Restored from revision " + earlier, "policies.restore");
    }

    /**
     * As {@link #restore}, because a guard has fired.
     *
     * @param reason one sentence; kept with the revision and told in the event
     */
    PolicySetRevision restoreByGuard(Scope scope, long earlier, long basedOn, String reason) {
        return restore(scope, earlier, basedOn, reason, GUARD);
    }

    private PolicySetRevision restore(Scope scope, long earlier, long basedOn, String comment, String action) {
        head(scope);
        PolicySetRevision found = store.revision(scope, earlier)
                .orElseThrow(() -> ProblemException.of(
                        ProblemType.NOT_FOUND, "There is no revision " + earlier + " of " + scope.path() + "."));
        return change(scope, basedOn, found.policySet().withComment(comment), earlier, action, null, null);
    }

    /**
     * Begins the revisions of a new domain or database, in the transaction that makes it.
     *
     * @param database the database the scope is on, or is
     * @param budget of the database
     * @param set revision 1; null for none
     * @return what its pool is to be opened with
     * @throws ProblemException invalid-policy-set with every fault, under "/policySet"
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public PolicySet found(Scope scope, String database, int budget, @Nullable PolicySetRequest set) {
        store.lock(database);
        store.found(scope, database);
        Draft draft = drafts.read(
                set == null ? PolicySetRequest.empty() : set,
                new DraftReader.Surroundings(scope, database, budget, store.guaranteedOn(database, scope)));
        if (!draft.isValid()) {
            throw ProblemException.of(
                    ProblemType.INVALID_POLICY_SET,
                    draft.faults().stream()
                            .map(fault -> fault.under("/policySet"))
                            .toList());
        }
        if (set == null) {
            return draft.build(0);
        }
        store.add(scope, next(draft, 1, null), draft.guaranteed());
        return draft.build(1);
    }

    /** Ends the revisions of a domain or database, in the transaction that deletes it. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void forget(Scope scope) {
        store.forget(scope);
    }

    /** Connections guaranteed on a database; keeps writers of its sets waiting until the caller's transaction ends. */
    @Transactional(propagation = Propagation.MANDATORY)
    public int guaranteedOn(String database) {
        store.lock(database);
        return store.guaranteedOn(database, null);
    }

    /**
     * What the engine is to be given for a scope after a restart. Where a policy can no longer be made, because its plugin
     * is gone or refuses the parameters it once took, one stands in for it that fails whenever it is asked: the pool is then
     * shown as degraded, with the reason.
     */
    public PolicySet inForce(Scope scope, int budget) {
        PolicyStore.Head head = head(scope);
        Draft draft = drafts.read(
                asInstalled(revision(scope, head.revision()).policySet()),
                new DraftReader.Surroundings(scope, head.target(), budget, 0));
        if (draft.isValid()) {
            return draft.build(head.revision());
        }
        String reason = describe(draft.faults());
        log.warn(
                "The policy set of {} at revision {} is not valid any more: {}", scope.path(), head.revision(), reason);
        PolicySet partial = draft.build(head.revision());
        List<PolicySet.Member> members = new java.util.ArrayList<>(partial.members());
        members.add(new PolicySet.Member("headgate", view -> {
            throw new IllegalStateException("The policy set is not valid any more: " + reason);
        }));
        return new PolicySet(head.revision(), members, partial.whenExhausted(), partial.onRetired());
    }

    /** Reads a set as if it were to be put in force now, and changes nothing. */
    Draft draft(Scope scope, PolicySetRequest set) {
        return drafts.read(set, surroundings(head(scope)));
    }

    /** What a set would change, changing nothing. */
    Plan plan(Scope scope, PolicySetRequest set) {
        PolicyStore.Head head = head(scope);
        Draft draft = drafts.read(set, surroundings(head));
        List<Plan.Change> diff = Diff.between(
                revision(scope, head.revision()).policySet().withoutComment(),
                draft.request().withoutComment(),
                json);
        Plan.@Nullable PlannedLimits planned =
                draft.isValid() ? limits(await(ask(scope, draft.build(head.revision() + 1))), budgetOf(head)) : null;
        return new Plan(head.revision(), diff, draft.faults(), now(head), planned, draft.warnings(), null);
    }

    /** Which scopes use each version of a plugin, by its label ("fixed 1.2.3"), as {@link #user} writes them. */
    Map<String, List<String>> users() {
        Map<String, List<String>> users = new java.util.TreeMap<>();
        for (PolicyStore.Head head : store.heads()) {
            plugins(revision(head.scope(), head.revision()))
                    .forEach(plugin -> users.computeIfAbsent(plugin, label -> new java.util.ArrayList<>())
                            .add(user(head.scope())));
        }
        return users;
    }

    /** The guards that may bring back a revision that uses a version of a plugin, each told in a few words. */
    List<String> guardsThatNeed(InstalledPlugin plugin) {
        return guards.pending().stream()
                .filter(row ->
                        plugins(revision(row.scope(), row.guard().restores())).contains(plugin.label()))
                .map(row -> "the guard of " + user(row.scope()) + " (revision "
                        + row.guard().restores() + " may come back until "
                        + row.guard().until() + ")")
                .toList();
    }

    /** Every domain and database that has policy sets. */
    List<Scope> scopes() {
        return store.heads().stream().map(PolicyStore.Head::scope).toList();
    }

    /** A domain's name; a database is written "database/main". */
    static String user(Scope scope) {
        return scope.kind() == Scope.Kind.DOMAIN ? scope.name() : "database/" + scope.name();
    }

    /** A set of the store, each policy with the version that it runs with. */
    PolicySetRequest asInstalled(PolicySetRequest stored) {
        return drafts.asInstalled(stored);
    }

    private Set<String> plugins(PolicySetRevision revision) {
        return asInstalled(revision.policySet()).policies().stream()
                .map(use -> use.plugin() + " " + use.version())
                .collect(Collectors.toCollection(java.util.TreeSet::new));
    }

    private PolicySetRevision change(
            Scope scope,
            long basedOn,
            PolicySetRequest set,
            @Nullable Long restoredFrom,
            String action,
            @Nullable String owner,
            @Nullable GuardTerms terms) {
        String database = head(scope).target();
        SwapBack swapBack = new SwapBack();
        PolicySetRevision kept;
        try {
            kept = java.util.Objects.requireNonNull(transactions.execute(transaction -> {
                store.lock(database);
                PolicyStore.Head head = head(scope);
                PolicySetRevision before = revision(scope, head.revision()).withManagedBy(head.managedBy());
                if (head.managedBy() != null && !head.managedBy().equals(owner)) {
                    throw ManagedSets.refused(scope, head.managedBy());
                }
                if (head.revision() != basedOn) {
                    throw ProblemException.stale(basedOn, head.revision(), before.actor());
                }
                Draft draft = drafts.read(set, surroundings(head));
                if (!draft.isValid()) {
                    throw ProblemException.of(ProblemType.INVALID_POLICY_SET, draft.faults());
                }
                PolicySetRevision next =
                        next(draft, head.revision() + 1, restoredFrom).withManagedBy(owner);
                GuardStore.@Nullable Row guard = terms == null ? null : guard(scope, next, head.revision(), terms);
                store.add(scope, next, draft.guaranteed());
                store.manage(scope, owner);
                guards.keep(scope, guard);
                audit.record(action, scope.path(), before, guard == null ? next : next.withGuard(guard.guard()));
                PolicySet fresh = draft.build(next.revision());
                swapBack.prepare(scope, head.revision());
                await(swap(scope, fresh));
                return next;
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
        guards.arm(scope, terms == null ? null : guard(scope, kept, basedOn, terms));
        String actor = access.actor().name();
        events.publishEvent(new PolicyChanged(
                scope,
                database,
                kept.revision(),
                actor,
                java.util.Objects.requireNonNull(kept.createdAt()),
                restoredFrom == null
                        ? actor + " put revision " + kept.revision() + " of " + scope.path() + " in force."
                        : actor + " restored revision " + restoredFrom + " of " + scope.path() + " as revision "
                                + kept.revision() + "."
                                + (action.equals(GUARD) ? " " + kept.comment() : "")));
        return kept.withGuard(guards.of(scope, kept.revision()));
    }

    private static GuardStore.Row guard(Scope scope, PolicySetRevision watched, long former, GuardTerms terms) {
        Instant armedAt = java.util.Objects.requireNonNull(watched.createdAt());
        return new GuardStore.Row(
                scope, watched.revision(), armedAt, new Guard(armedAt.plus(terms.within()), former, terms.bounds()));
    }

    /** Gives the engine the old set again, if it may have taken the new one and the store has not. */
    private final class SwapBack {
        private @Nullable Scope scope;
        private long revision;

        void prepare(Scope scope, long revision) {
            this.scope = scope;
            this.revision = revision;
        }

        void run() {
            if (scope != null) {
                log.warn("Revision {} of {} is put back: its successor could not be kept", revision, scope.path());
                try {
                    await(swap(scope, inForce(scope, budgetOf(head(scope)))));
                } catch (RuntimeException e) {
                    log.error("Revision {} of {} could not be put back", revision, scope.path(), e);
                }
            }
        }
    }

    private PolicySetRevision next(Draft draft, long revision, @Nullable Long restoredFrom) {
        return new PolicySetRevision(
                revision,
                Instant.now().truncatedTo(ChronoUnit.MICROS),
                access.actor().name(),
                draft.request().comment(),
                null,
                restoredFrom,
                draft.request().withoutComment());
    }

    private PolicyStore.Head head(Scope scope) {
        return store.head(scope)
                .orElseThrow(() -> ProblemException.notFound(scope.kind().label(), scope.name()));
    }

    private PolicySetRevision revision(Scope scope, long revision) {
        return store.revision(scope, revision)
                .orElseThrow(() -> new IllegalStateException(
                        "the store has no revision " + revision + " of " + scope.path() + ", and it is in force"));
    }

    private DraftReader.Surroundings surroundings(PolicyStore.Head head) {
        return new DraftReader.Surroundings(
                head.scope(), head.target(), budgetOf(head), store.guaranteedOn(head.target(), head.scope()));
    }

    private int budgetOf(PolicyStore.Head head) {
        return database(head.target()).target().budget();
    }

    private Database database(String name) {
        return engine.database(name).orElseThrow(() -> ProblemException.notFound("database", name));
    }

    private Pool pool(String domain) {
        return engine.pool(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
    }

    private CompletionStage<Void> swap(Scope scope, PolicySet set) {
        return switch (scope.kind()) {
            case DOMAIN -> pool(scope.name()).swap(set);
            case DATABASE -> database(scope.name()).swap(set);
        };
    }

    private CompletionStage<List<Answer>> ask(Scope scope, PolicySet set) {
        return switch (scope.kind()) {
            case DOMAIN -> pool(scope.name()).ask(set);
            case DATABASE -> database(scope.name()).ask(set);
        };
    }

    private Plan.PlannedLimits now(PolicyStore.Head head) {
        if (head.scope().kind() == Scope.Kind.DOMAIN) {
            PoolStatus status = pool(head.scope().name()).status();
            return new Plan.PlannedLimits(
                    Math.min(status.floor(), status.budget()),
                    Math.min(status.ceiling(), status.budget()),
                    AnswerJson.all(status.answers()));
        }
        List<PoolStatus> pools =
                database(head.scope().name()).pools().stream().map(Pool::status).toList();
        String prefix = "database/";
        List<Answer> answers = pools.stream()
                .flatMap(pool -> pool.answers().stream())
                .filter(answer -> answer.plugin().startsWith(prefix))
                .distinct()
                .toList();
        return limits(answers, budgetOf(head));
    }

    private static Plan.PlannedLimits limits(List<Answer> answers, int budget) {
        Limits combined = answers.stream().map(Answer::limits).reduce(Limits.unbounded(), Limits::and);
        int ceiling = Math.min(combined.ceiling(), budget);
        return new Plan.PlannedLimits(Math.min(combined.floor(), ceiling), ceiling, AnswerJson.all(answers));
    }

    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(SWAP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw ProblemException.of(
                    ProblemType.UNAVAILABLE, "The engine did not take the policy set: " + e.getCause() + ".");
        } catch (TimeoutException e) {
            throw ProblemException.of(
                    ProblemType.UNAVAILABLE,
                    "The engine did not take the policy set within " + SWAP_SECONDS + " s; nothing was changed.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(ProblemType.UNAVAILABLE, "The change was interrupted.");
        }
    }

    private static String describe(List<Fault> faults) {
        return faults.stream()
                .map(fault -> fault.pointer() + " " + fault.message())
                .collect(Collectors.joining("; "));
    }
}
