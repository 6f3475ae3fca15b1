package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.Progress;
import dev.headgate.server.plugins.InstalledPlugin;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.plugins.PluginVersion;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Moves policy sets to another version of a plugin. Blocks, on the store and on the plugin's own code. */
@Component
final class Adoption {

    private static final int MOST_REASONS = 5;

    private final Policies policies;
    private final PolicyStore store;
    private final PluginCatalog catalog;
    private final UsedPlugins used;
    private final PolicyReader reader;
    private final ManagedSets sets;
    private final JsonMapper json;

    Adoption(
            Policies policies,
            PolicyStore store,
            PluginCatalog catalog,
            UsedPlugins used,
            PolicyReader reader,
            ManagedSets sets,
            JsonMapper json) {
        this.policies = policies;
        this.store = store;
        this.catalog = catalog;
        this.used = used;
        this.reader = reader;
        this.sets = sets;
        this.json = json;
    }

    /** An estimate of the memory that moving sets, or planning that, takes. */
    long bytes() {
        return sets.bytesOfAll();
    }

    /**
     * The outcome of one scope's move.
     *
     * @param user a domain's name; a database is written "database/main"
     * @param from the versions that it had, usually one
     * @param revision in force now
     * @param outcome "adopted", "unchanged" (it had only that version) or "refused"
     * @param reason why it was refused; null if it was not
     * @param parameters whose value differs between the versions although the set does not: they are left out and have other
     *     defaults; pointers into the set
     */
    record Move(
            String user,
            List<String> from,
            long revision,
            String outcome,
            @Nullable String reason,
            List<Difference> parameters) {}

    /**
     * Moves sets to a version. Each set gets a new revision that changes nothing else. If one is refused, the others still move.
     * Once the first one is about to move, it runs to its end.
     *
     * @param users as {@link Move#user}; null for all that use an older version
     * @throws ProblemException not-found for the plugin; invalid-request if a named scope does not use it, and then none is moved
     */
    List<Move> adopt(String id, String version, @Nullable List<String> users, Progress progress) {
        InstalledPlugin target = catalog.require(id, version);
        List<Scope> scopes = scopes(target, users);
        progress.changes();
        return moves(
                scopes,
                target,
                (scope, before, moved) ->
                        policies.adopt(scope, before.revision(), moved).revision(),
                progress);
    }

    /** The answer that {@link #adopt} would give. Changes nothing. Throws the same. */
    List<Move> plan(String id, String version, @Nullable List<String> users, Progress progress) {
        InstalledPlugin target = catalog.require(id, version);
        return moves(
                scopes(target, users),
                target,
                (scope, before, moved) -> {
                    policies.requireAdoptable(scope, moved);
                    return before.revision();
                },
                progress);
    }

    private List<Move> moves(List<Scope> scopes, InstalledPlugin target, Step step, Progress progress) {
        List<Move> moves = new ArrayList<>();
        for (Scope scope : scopes) {
            moves.add(move(scope, target, step));
            progress.at(moves.size(), scopes.size());
        }
        return moves;
    }

    private List<Scope> scopes(InstalledPlugin target, @Nullable List<String> users) {
        return users == null ? usersOfOlder(target) : named(target, users);
    }

    private List<Scope> usersOfOlder(InstalledPlugin target) {
        return store.heads().stream()
                .map(PolicyStore.Head::scope)
                .filter(scope -> versionsIn(scope, target.id()).stream()
                        .anyMatch(version -> new PluginVersion(version).compareTo(target.version()) < 0))
                .toList();
    }

    private List<Scope> named(InstalledPlugin target, List<String> users) {
        SequencedMap<String, Scope> using = new LinkedHashMap<>();
        store.heads().stream()
                .map(PolicyStore.Head::scope)
                .filter(scope -> !versionsIn(scope, target.id()).isEmpty())
                .forEach(scope -> using.put(scope.label(), scope));
        String allowed = Fault.names(using.keySet());
        Faults faults = new Faults();
        SequencedSet<Scope> found = new LinkedHashSet<>();
        for (int i = 0; i < users.size(); i++) {
            Scope scope = using.get(users.get(i));
            if (scope == null) {
                faults.add(Fault.at("/domains/" + i, "'" + users.get(i) + "' does not use " + target.id(), allowed));
            } else {
                found.add(scope);
            }
        }
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        return List.copyOf(found);
    }

    /** Puts a moved set in force, or only checks it. Returns the revision in force afterwards. */
    private interface Step {
        long take(Scope scope, PolicySetRevision before, PolicySetRequest moved);
    }

    private Move move(Scope scope, InstalledPlugin target, Step step) {
        PolicySetRevision before = policies.accepted(scope);
        List<String> from = used.versionsOf(target.id(), before.policySet());
        String user = scope.label();
        if (from.equals(List.of(target.version().text()))) {
            return new Move(user, from, before.revision(), "unchanged", null, List.of());
        }
        PolicySetRequest set = used.asInstalled(before.policySet());
        PolicySetRequest moved = set.withPolicies(set.policies().stream()
                        .map(use -> use.plugin().equals(target.id())
                                ? use.withVersion(target.version().text())
                                : use)
                        .toList())
                .withComment(target.id() + " " + String.join(", ", from) + " -> " + target.version());
        List<Difference> parameters = changed(set, moved);
        try {
            return new Move(user, from, step.take(scope, before, moved), "adopted", null, parameters);
        } catch (ProblemException e) {
            return new Move(user, from, before.revision(), "refused", reason(e), parameters);
        }
    }

    private List<Difference> changed(PolicySetRequest set, PolicySetRequest moved) {
        List<Difference> changed = new ArrayList<>();
        for (int i = 0; i < set.policies().size(); i++) {
            String at = "/policies/" + i + "/parameters";
            Diff.between(
                            reader.effective(set.policies().get(i)),
                            reader.effective(moved.policies().get(i)),
                            json)
                    .forEach(difference ->
                            changed.add(new Difference(at + difference.pointer(), difference.from(), difference.to())));
        }
        return changed;
    }

    private List<String> versionsIn(Scope scope, String id) {
        return used.versionsOf(id, policies.accepted(scope).policySet());
    }

    /** The first faults: there may be as many for each of thousands of scopes. */
    private static String reason(ProblemException e) {
        return e.faults().isEmpty()
                ? String.valueOf(e.getMessage())
                : e.faults().stream()
                        .limit(MOST_REASONS)
                        .map(fault -> fault.pointer() + " " + fault.message())
                        .collect(Collectors.joining("; "));
    }
}
