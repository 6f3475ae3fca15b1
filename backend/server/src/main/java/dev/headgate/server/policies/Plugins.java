package dev.headgate.server.policies;

import dev.headgate.server.audit.Audit;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * How plugins come and go: uploaded, taken by sets, given up, removed. Every change is audited, together with the change or not
 * at all. All methods block, on the store and on the plugin's own code.
 */
@Service
class Plugins {

    private static final Logger log = LoggerFactory.getLogger(Plugins.class);

    private final PluginCatalog catalog;
    private final Policies policies;
    private final PolicyStore store;
    private final Audit audit;
    private final TransactionTemplate transactions;

    Plugins(
            PluginCatalog catalog,
            Policies policies,
            PolicyStore store,
            Audit audit,
            TransactionTemplate transactions) {
        this.catalog = catalog;
        this.policies = policies;
        this.store = store;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** What the audit keeps of a plugin. */
    private record Facts(
            String id,
            String version,
            String sha256,
            @Nullable String fileName) {
        static Facts of(InstalledPlugin plugin, @Nullable String fileName) {
            return new Facts(plugin.id(), plugin.version().text(), plugin.sha256(), fileName);
        }
    }

    /**
     * Installs a jar beside the versions that are there. The very same bytes again change nothing.
     *
     * @param fileName as the client calls it, for messages and the audit; null if it does not say
     * @param jar at most {@link PluginJar#MOST_BYTES}
     * @throws ProblemException plugin-refused, conflict (this version has other content) or forbidden (not an allowed hash), with
     *     the reason; nothing is left behind
     */
    PluginCatalog.Installed upload(@Nullable String fileName, byte[] jar) {
        String name = fileName == null ? "The jar" : fileName;
        try {
            PluginJar read = PluginJar.of(name, jar);
            if (!catalog.allows(read.sha256())) {
                throw ProblemException.of(
                        ProblemType.FORBIDDEN,
                        name + " has the SHA-256 " + read.sha256()
                                + ", which is not among headgate.plugin-uploads.allowed-sha256.");
            }
            return install(read.load(false), jar, fileName);
        } catch (PluginRefused e) {
            throw ProblemException.of(ProblemType.PLUGIN_REFUSED, name + " " + e.reason() + ".");
        }
    }

    private PluginCatalog.Installed install(InstalledPlugin plugin, byte[] jar, @Nullable String fileName) {
        List<InstalledPlugin> added = new ArrayList<>();
        try {
            return java.util.Objects.requireNonNull(transactions.execute(transaction -> {
                try {
                    PluginCatalog.Installed installed = catalog.install(plugin, jar);
                    if (installed.fresh()) {
                        added.add(installed.plugin());
                        audit.record("plugins.upload", path(plugin), null, Facts.of(installed.plugin(), fileName));
                        log.info("Policy plugin {} was uploaded (sha256 {})", plugin.label(), plugin.sha256());
                    }
                    return installed;
                } catch (PluginRefused e) {
                    throw ProblemException.of(
                            ProblemType.CONFLICT, (fileName == null ? "The jar" : fileName) + " " + e.reason() + ".");
                } catch (UncheckedIOException e) {
                    log.error("An uploaded plugin cannot be kept", e);
                    throw ProblemException.of(
                            ProblemType.UNAVAILABLE, "The jar cannot be kept in the data folder; the log says why.");
                }
            }));
        } catch (RuntimeException e) {
            added.forEach(catalog::remove);
            throw e;
        }
    }

    /**
     * Removes an uploaded version that no set in force uses and no guard may bring back.
     *
     * @throws ProblemException not-found; conflict with the users named, or because it came with the service
     */
    void remove(String id, String version) {
        InstalledPlugin plugin = require(id, version);
        if (plugin.builtIn()) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    plugin.label() + " came with the service (" + plugin.source()
                            + " in its plugin folder) and cannot be removed.");
        }
        List<Runnable> undo = new ArrayList<>();
        try {
            transactions.executeWithoutResult(transaction -> {
                store.lockPlugins();
                List<String> users = new ArrayList<>(policies.users().getOrDefault(plugin.label(), List.of()));
                users.addAll(policies.guardsThatNeed(plugin));
                if (!users.isEmpty()) {
                    throw ProblemException.of(
                            ProblemType.CONFLICT,
                            plugin.label() + " is used by " + String.join(", ", users)
                                    + "; move them to another version first.");
                }
                audit.record("plugins.remove", path(plugin), Facts.of(plugin, null), null);
                try {
                    undo.add(catalog.remove(plugin));
                } catch (UncheckedIOException e) {
                    log.error("A plugin cannot be removed", e);
                    throw ProblemException.of(
                            ProblemType.UNAVAILABLE, plugin.source() + " cannot be deleted; the log says why.");
                }
            });
        } catch (RuntimeException e) {
            undo.forEach(Runnable::run);
            throw e;
        }
        log.info("Policy plugin {} was removed", plugin.label());
    }

    /**
     * What came of one scope's move.
     *
     * @param user a domain's name; a database is written "database/main"
     * @param from the versions it had, most often one
     * @param revision in force now
     * @param outcome "adopted", "unchanged" (it had that version alone) or "refused"
     * @param reason why it was refused; null if it was not
     */
    record Move(
            String user,
            List<String> from,
            long revision,
            String outcome,
            @Nullable String reason) {}

    /**
     * Moves sets to a version, each by a new revision of its own that changes nothing else. One that is refused keeps its set,
     * and does not keep the others from moving.
     *
     * @param users as {@link Move#user}; null for all that use an older version
     * @throws ProblemException not-found for the plugin; invalid-request if a named scope does not use it, and then none is moved
     */
    List<Move> adopt(String id, String version, @Nullable List<String> users) {
        InstalledPlugin target = require(id, version);
        List<Scope> scopes = users == null ? usersOfOlder(target) : named(target, users);
        return scopes.stream().map(scope -> move(scope, target)).toList();
    }

    private List<Scope> usersOfOlder(InstalledPlugin target) {
        return policies.scopes().stream()
                .filter(scope -> versionsIn(scope, target.id()).stream()
                        .anyMatch(used -> new PluginVersion(used).compareTo(target.version()) < 0))
                .toList();
    }

    private List<Scope> named(InstalledPlugin target, List<String> users) {
        List<Scope> using = policies.scopes().stream()
                .filter(scope -> !versionsIn(scope, target.id()).isEmpty())
                .toList();
        List<Fault> faults = new ArrayList<>();
        List<Scope> found = new ArrayList<>();
        for (int i = 0; i < users.size(); i++) {
            String user = users.get(i);
            Optional<Scope> scope = using.stream()
                    .filter(each -> Policies.user(each).equals(user))
                    .findFirst();
            scope.ifPresent(found::add);
            if (scope.isEmpty()) {
                faults.add(Fault.at(
                        "/domains/" + i,
                        "'" + user + "' does not use " + target.id(),
                        using.stream().map(Policies::user).collect(Collectors.joining(", "))));
            }
        }
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        return found.stream().distinct().toList();
    }

    private Move move(Scope scope, InstalledPlugin target) {
        PolicySetRevision before = policies.accepted(scope);
        List<String> from = versionsIn(before, target.id());
        String user = Policies.user(scope);
        if (from.equals(List.of(target.version().text()))) {
            return new Move(user, from, before.revision(), "unchanged", null);
        }
        PolicySetRequest set = policies.asInstalled(before.policySet());
        PolicySetRequest moved = set.withPolicies(set.policies().stream()
                        .map(use -> use.plugin().equals(target.id())
                                ? use.withVersion(target.version().text())
                                : use)
                        .toList())
                .withComment(target.id() + " " + String.join(", ", from) + " -> " + target.version());
        try {
            long revision = policies.adopt(scope, before.revision(), moved).revision();
            return new Move(user, from, revision, "adopted", null);
        } catch (ProblemException e) {
            return new Move(user, from, before.revision(), "refused", reason(e));
        }
    }

    private List<String> versionsIn(Scope scope, String id) {
        return versionsIn(policies.accepted(scope), id);
    }

    private List<String> versionsIn(PolicySetRevision revision, String id) {
        return policies.asInstalled(revision.policySet()).policies().stream()
                .filter(use -> use.plugin().equals(id))
                .flatMap(use -> Optional.ofNullable(use.version()).stream())
                .distinct()
                .toList();
    }

    private InstalledPlugin require(String id, String version) {
        return catalog.find(id, version)
                .orElseThrow(() -> ProblemException.of(
                        ProblemType.NOT_FOUND, "There is no version '" + version + "' of a plugin '" + id + "'."));
    }

    private static String path(InstalledPlugin plugin) {
        return "policy-plugins/" + plugin.id() + "/" + plugin.version();
    }

    private static String reason(ProblemException e) {
        return e.faults().isEmpty()
                ? String.valueOf(e.getMessage())
                : e.faults().stream()
                        .map(fault -> fault.pointer() + " " + fault.message())
                        .collect(Collectors.joining("; "));
    }
}
