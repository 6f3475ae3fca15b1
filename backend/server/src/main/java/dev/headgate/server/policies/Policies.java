package dev.headgate.server.policies;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.api.Scope;
import dev.headgate.server.guards.GuardTerms;
import dev.headgate.server.guards.Guards;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** The policy sets and their revisions: reads the current and former ones, and puts new ones in force. */
@Service
public class Policies {

    /** Bytes of memory for each byte of a kept set. */
    private static final int ROOM = 4;

    private final PolicyStore store;
    private final RequestMemory memory;
    private final PolicySwaps swaps;
    private final FirstSets firsts;
    private final Guards guards;
    private final TransactionTemplate transactions;

    Policies(
            PolicyStore store,
            RequestMemory memory,
            PolicySwaps swaps,
            FirstSets firsts,
            Guards guards,
            TransactionTemplate transactions) {
        this.store = store;
        this.memory = memory;
        this.swaps = swaps;
        this.firsts = firsts;
        this.guards = guards;
        this.transactions = transactions;
    }

    /** The set in force. */
    public PolicySetRevision current(Scope scope) {
        PolicyStore.Head head = store.require(scope);
        return store.inForce(head).withManagedBy(head.managedBy()).withGuard(guards.of(scope, head.revision()));
    }

    /**
     * The set that was accepted last. If another set is being put in force, waits for the outcome, so that nothing is compared with a
     * set that is about to be replaced.
     */
    PolicySetRevision accepted(Scope scope) {
        return Objects.requireNonNull(transactions.execute(transaction -> {
            store.lock(store.require(scope).target());
            return current(scope);
        }));
    }

    /**
     * A page of revisions, newest first: as many as are asked for, or as there is memory for.
     *
     * @throws ProblemException if there is no memory for a single one
     */
    Page<PolicySetRevision> history(Scope scope, Paging<Long> paging) {
        PolicyStore.Head head = store.require(scope);
        long before = Objects.requireNonNullElse(paging.after(), Long.MAX_VALUE);
        List<PolicyStore.Size> sizes = store.sizes(scope, before, paging.fetch());
        int fitting = memory.holdPage(
                sizes.stream()
                        .limit(paging.limit())
                        .map(size -> size.bytes() * ROOM)
                        .toList(),
                "a revision");
        List<PolicySetRevision> revisions = fitting == 0
                ? List.of()
                : store.history(
                        scope,
                        sizes.getFirst().revision(),
                        sizes.get(fitting - 1).revision());
        return paging.page(revisions, fitting < sizes.size(), PolicySetRevision::revision)
                .map(revision ->
                        revision.revision() == head.revision() ? revision.withManagedBy(head.managedBy()) : revision);
    }

    /**
     * When revisions took effect: the newest of a range, oldest first. Empty if there is no such domain or database. Blocks on the
     * store.
     *
     * @param to not included
     */
    public List<HistoryJson.Marker> markers(Scope scope, Instant from, Instant to, int most) {
        return store.markers(scope, from, to, most);
    }

    /**
     * A revision that was in force.
     *
     * @param isEmpty whether its set has no policies
     */
    public record Former(long revision, boolean isEmpty) {}

    /**
     * The revision that was in force at an instant, while the domain or database existed. Empty if it is not kept. Blocks on the store.
     */
    public Optional<Former> at(Scope scope, Instant at) {
        return store.at(scope, at);
    }

    /**
     * Puts a set in force as the next revision. A policy that names no version keeps the one in force. Putting the set that is already
     * in force makes no revision.
     *
     * @param basedOn the revision that the caller has seen
     * @throws ProblemException managed-by-files if files own the set; stale-revision if another is in force;
     *     invalid-policy-set with every fault
     */
    public PolicySetRevision put(Scope scope, long basedOn, PolicySetRequest set) {
        return put(scope, basedOn, set, null);
    }

    /** As {@link #put}, with a probation.
     *
     * @param guard null for no probation
     */
    PolicySetRevision put(Scope scope, long basedOn, PolicySetRequest set, @Nullable GuardTerms guard) {
        return swaps.make(PolicyChange.put(scope, basedOn, set, guard));
    }

    /** As {@link #put}, for a set that only moves to another version of a plugin. */
    PolicySetRevision adopt(Scope scope, long basedOn, PolicySetRequest set) {
        return swaps.make(PolicyChange.adopt(scope, basedOn, set));
    }

    /** Throws what {@link #adopt} would throw. Changes nothing.
     *
     * @throws ProblemException as {@link #put}
     */
    void requireAdoptable(Scope scope, PolicySetRequest set) {
        PolicyStore.Head head = store.require(scope);
        if (head.managedBy() != null) {
            throw ManagedSets.refused(scope, head.managedBy());
        }
        Draft draft = swaps.draft(head, set);
        if (!draft.isValid()) {
            throw ProblemException.of(ProblemType.INVALID_POLICY_SET, draft.faults());
        }
    }

    /** Puts an earlier revision's set in force again, as the next revision. Throws as {@link #put}. */
    public PolicySetRevision restore(Scope scope, long earlier, long basedOn) {
        return swaps.make(PolicyChange.restore(scope, basedOn, earlier(scope, earlier)));
    }

    /**
     * As {@link #restore}, because a guard has fired.
     *
     * @param reason one sentence, stored with the revision and published in the event
     */
    PolicySetRevision restoreByGuard(Scope scope, long earlier, long basedOn, String reason) {
        return swaps.make(PolicyChange.restoreByGuard(scope, basedOn, earlier(scope, earlier), reason));
    }

    private PolicySetRevision earlier(Scope scope, long revision) {
        store.require(scope);
        return store.revision(scope, revision)
                .orElseThrow(() -> ProblemException.of(
                        ProblemType.NOT_FOUND, "There is no revision " + revision + " of " + scope.path() + "."));
    }

    /**
     * Makes a domain or a database and starts its revisions, in a transaction of its own. The set is checked before that, and again if
     * its surroundings change meanwhile.
     *
     * @param database the database the scope is on, or is
     * @param budget of the database, now
     * @param set revision 1; null for none
     * @param keep stores the domain or the database, in the transaction; may be called again after a rollback
     * @param open opens its pool, or the database, with the set: the last step of the transaction, called once
     * @throws ProblemException invalid-policy-set with every fault, under "/policySet"
     */
    public void found(
            Scope scope,
            String database,
            IntSupplier budget,
            @Nullable PolicySetRequest set,
            Runnable keep,
            Consumer<PolicySet> open) {
        firsts.found(scope, database, budget, set, keep, open);
    }

    /** Ends the revisions of a domain or database, in the transaction that deletes it. */
    @Transactional(propagation = Propagation.MANDATORY)
    public void forget(Scope scope) {
        guards.keep(scope, null);
        store.forget(scope);
        swaps.forget(scope);
    }

    /** The connections guaranteed on a database. Locks its sets until the caller's transaction ends. */
    @Transactional(propagation = Propagation.MANDATORY)
    public int guaranteedOn(String database) {
        store.lock(database);
        return store.guaranteedOn(database, null);
    }

    /**
     * The set for the engine after a restart. If a policy can no longer be created, because its plugin is missing or refuses
     * parameters that it once accepted, a stand-in takes its place that fails whenever it is asked. The pool is then shown as
     * degraded, with the reason.
     */
    public PolicySet inForce(Scope scope, int budget) {
        return swaps.inForce(scope, budget);
    }

    /** Reads and checks a set as for putting it in force. Changes nothing.
     *
     * @throws ProblemException not-found if there is no such domain or database
     */
    public Draft draft(Scope scope, PolicySetRequest set) {
        return swaps.draft(store.require(scope), set);
    }
}
