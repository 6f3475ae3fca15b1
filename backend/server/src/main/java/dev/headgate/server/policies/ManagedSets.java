package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.guards.Guard;
import dev.headgate.server.guards.Guards;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Policy sets that belong to an owner, such as policy files, and are not edited by hand. Only the owner may change its set. Callers
 * give the owner's name, which is shown to everybody ("files: headgate.yaml").
 */
@Service
public class ManagedSets {

    /** A domain or a database beside its set: its names, settings, labels and state. */
    private static final long SCOPE_BYTES = 2 << 10;

    /** Bytes of memory for each byte of a set's text. */
    private static final long SET_ROOM = 8;

    private final PolicySwaps swaps;
    private final PolicyStore store;
    private final DraftReader drafts;
    private final UsedPlugins plugins;
    private final Guards guards;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final ApplicationEventPublisher events;
    private final JsonMapper json;

    ManagedSets(
            PolicySwaps swaps,
            PolicyStore store,
            DraftReader drafts,
            UsedPlugins plugins,
            Guards guards,
            Audit audit,
            TransactionTemplate transactions,
            ApplicationEventPublisher events,
            JsonMapper json) {
        this.swaps = swaps;
        this.store = store;
        this.drafts = drafts;
        this.plugins = plugins;
        this.guards = guards;
        this.audit = audit;
        this.transactions = transactions;
        this.events = events;
        this.json = json;
    }

    /**
     * The owner of a set.
     *
     * @param name as it is shown ("files: headgate.yaml")
     * @param declared whether somebody chose the name; false if it is a file's name
     */
    public record Owner(String name, boolean declared) {}

    /**
     * The set in force in a scope.
     *
     * @param database that the scope is on, or is
     * @param guaranteed connections that the set guarantees
     * @param set each policy with the version that it runs with
     */
    public record InForce(
            Scope scope,
            String database,
            long revision,
            int guaranteed,
            @Nullable Owner owner,
            PolicySetRequest set) {}

    /**
     * Every scope with the set that was accepted last, databases before domains, by name. If another set is being put in force, waits
     * for the outcome, so that nothing is compared with a set that is about to be replaced.
     */
    public List<InForce> all() {
        return Objects.requireNonNull(transactions.execute(transaction -> {
            store.heads().stream().map(PolicyStore.Head::target).distinct().forEach(store::lock);
            return store.heads().stream().map(this::inForce).toList();
        }));
    }

    /** An estimate of the memory that {@link #all} takes, and what it is compared with. */
    public long bytesOfAll() {
        PolicyStore.Amount amount = store.amount();
        return amount.scopes() * SCOPE_BYTES + amount.bytes() * SET_ROOM;
    }

    /** Empty if there is no such scope. */
    public Optional<InForce> find(Scope scope) {
        return store.head(scope).map(this::inForce);
    }

    /** The guard of a set that is on probation. */
    public Optional<Guard> guard(InForce set) {
        return Optional.ofNullable(guards.of(set.scope(), set.revision()));
    }

    /** The owner of a set; empty if it is edited by hand, or if there is no such scope. */
    public Optional<String> owner(Scope scope) {
        return store.head(scope).map(PolicyStore.Head::managedBy);
    }

    /** The owners of those of these sets that have one. */
    public Map<Scope, String> owners(Collection<Scope> scopes) {
        return store.owners(scopes);
    }

    /** The owners of all sets that have one. */
    public Map<Scope, String> owners() {
        return store.owners();
    }

    /**
     * Checks a set for a scope that need not exist yet. A policy that names no version keeps the one in force.
     *
     * @param budget of the database after the change
     * @param promised connections that the scope's siblings will be guaranteed
     * @param set null for none
     */
    public Draft check(Scope scope, String database, int budget, int promised, @Nullable PolicySetRequest set) {
        PolicySetRequest wanted = set == null ? PolicySetRequest.empty() : set;
        return drafts.read(
                store.head(scope)
                        .map(head -> plugins.keepingVersions(
                                wanted, store.inForce(head).policySet()))
                        .orElse(wanted),
                new Surroundings(scope, database, budget, promised));
    }

    /** The differences between two sets of a scope. Omitted values count as their defaults; comments are ignored. */
    public List<Difference> differences(Scope scope, PolicySetRequest from, PolicySetRequest to) {
        return differences(
                WhenExhaustedReader.withDefaults(from, scope).withoutComment(),
                WhenExhaustedReader.withDefaults(to, scope).withoutComment());
    }

    /** The differences between two values in JSON. */
    public List<Difference> differences(Object from, Object to) {
        return Diff.between(from, to, json);
    }

    /** Puts a set in force for its owner, as the next revision. Throws as {@link Policies#put}. */
    public PolicySetRevision put(Owner owner, Scope scope, long basedOn, PolicySetRequest set) {
        return swaps.make(PolicyChange.putFor(owner, scope, basedOn, set));
    }

    /**
     * Gives a set to an owner without changing it and without a new revision. Ends its probation: from then on only its owner
     * changes it.
     *
     * @param basedOn the revision that the caller has seen
     * @param from the owner that the caller has seen; null for none
     * @throws ProblemException not-found; managed-by-files if it belongs to another one; stale-revision if another is in force
     */
    public void take(Owner owner, Scope scope, long basedOn, @Nullable Owner from) {
        transactions.executeWithoutResult(transaction -> {
            InForce before = lock(scope);
            if (before.owner() != null
                    && !before.owner().equals(owner)
                    && !before.owner().equals(from)) {
                throw refused(scope, before.owner().name());
            }
            if (before.revision() != basedOn) {
                throw ProblemException.stale(basedOn, before.revision(), null);
            }
            hand(before, owner);
        });
        events.publishEvent(OwnersChanged.of(Set.of(scope)));
    }

    /**
     * Takes sets from their owners: all of them or, if one does not exist, none.
     *
     * @return those that had an owner, before the change
     * @throws ProblemException not-found
     */
    public List<InForce> release(Set<Scope> scopes) {
        List<InForce> released = Objects.requireNonNull(transactions.execute(transaction -> scopes.stream()
                .map(this::lock)
                .filter(before -> before.owner() != null)
                .peek(before -> hand(before, null))
                .toList()));
        events.publishEvent(OwnersChanged.of(scopes));
        return released;
    }

    /**
     * Checks that a set is still as it was seen, in the transaction that deletes its scope.
     *
     * @throws ProblemException conflict if it has another owner; stale-revision if another is in force
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public void requireUnchanged(InForce seen) {
        InForce now = lock(seen.scope());
        if (!Objects.equals(now.owner(), seen.owner())) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "The policy set of " + seen.scope().path() + " has just been given to another owner, or released.");
        }
        if (now.revision() != seen.revision()) {
            throw ProblemException.stale(seen.revision(), now.revision(), null);
        }
    }

    /** The refusal for everybody except the owner. */
    static ProblemException refused(Scope scope, String owner) {
        return ProblemException.of(
                ProblemType.MANAGED_BY_FILES,
                "The policy set of " + scope.path() + " is managed by " + owner
                        + ": change it there and run './headgate apply', or take it back with './headgate apply --release "
                        + scope.label() + "'.");
    }

    private record Ownership(@Nullable String managedBy) {
        static Ownership of(@Nullable Owner owner) {
            return new Ownership(owner == null ? null : owner.name());
        }
    }

    private void hand(InForce before, @Nullable Owner owner) {
        store.manage(before.scope(), owner);
        if (owner != null && guards.isKept(before.scope(), before.revision())) {
            guards.keep(before.scope(), null);
        }
        audit.record(
                owner == null ? "policies.release" : "policies.manage",
                before.scope().path(),
                Ownership.of(before.owner()),
                Ownership.of(owner));
    }

    /** Reads a set and locks it until the transaction ends. */
    private InForce lock(Scope scope) {
        store.lock(store.require(scope).target());
        return inForce(store.require(scope));
    }

    private InForce inForce(PolicyStore.Head head) {
        return new InForce(
                head.scope(),
                head.target(),
                head.revision(),
                head.guaranteed(),
                head.owner(),
                plugins.asInstalled(store.inForce(head).policySet()));
    }
}
