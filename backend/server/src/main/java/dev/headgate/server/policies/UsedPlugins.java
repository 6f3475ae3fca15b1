package dev.headgate.server.policies;

import dev.headgate.server.guards.Guards;
import dev.headgate.server.plugins.InstalledPlugin;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.plugins.PluginUsers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** The plugins that policy sets use: sets in force, and sets that a guard may restore. */
@Component
final class UsedPlugins implements PluginUsers {

    private final PolicyStore store;
    private final PluginCatalog catalog;
    private final Guards guards;

    UsedPlugins(PolicyStore store, PluginCatalog catalog, Guards guards) {
        this.store = store;
        this.catalog = catalog;
        this.guards = guards;
    }

    @Override
    public void lock() {
        store.lockPlugins();
    }

    @Override
    public Map<String, List<String>> byLabel(Collection<String> plugins) {
        Map<String, List<String>> users = new TreeMap<>();
        for (PolicyStore.Use use : store.uses(plugins)) {
            String label = catalog.findStored(use.plugin(), use.version())
                    .map(InstalledPlugin::label)
                    .orElse(use.plugin() + " " + use.version());
            List<String> its = users.computeIfAbsent(label, _ -> new ArrayList<>());
            String user = use.scope().label();
            if (its.isEmpty() || !its.getLast().equals(user)) { // a set may use it twice
                its.add(user);
            }
        }
        return users;
    }

    @Override
    public List<String> comingBackTo(InstalledPlugin plugin) {
        return guards.pending().stream()
                .filter(probation -> store.revision(
                                probation.scope(), probation.guard().restores())
                        .filter(former -> labels(former.policySet()).contains(plugin.label()))
                        .isPresent())
                .map(probation -> "the guard of " + probation.scope().label() + " (revision "
                        + probation.guard().restores() + " may come back until "
                        + probation.guard().until() + ")")
                .toList();
    }

    /**
     * A stored set, with the version that each policy runs with; see {@link PluginCatalog#findStored}. Policies whose plugin cannot be
     * found stay as they are.
     */
    PolicySetRequest asInstalled(PolicySetRequest stored) {
        return stored.withPolicies(stored.policies().stream()
                .map(use -> catalog.findStored(use.plugin(), use.version())
                        .map(plugin -> use.withVersion(plugin.version().text()))
                        .orElse(use))
                .toList());
    }

    /** A set that replaces a stored one: a policy that names no version keeps the one that it runs with. */
    PolicySetRequest keepingVersions(PolicySetRequest set, PolicySetRequest stored) {
        return set.keepingVersionsOf(asInstalled(stored));
    }

    /** The versions of one plugin that a stored set runs with. */
    List<String> versionsOf(String id, PolicySetRequest stored) {
        return asInstalled(stored).policies().stream()
                .filter(use -> use.plugin().equals(id))
                .flatMap(use -> Optional.ofNullable(use.version()).stream())
                .distinct()
                .toList();
    }

    private Set<String> labels(PolicySetRequest stored) {
        return asInstalled(stored).policies().stream()
                .map(use -> use.plugin() + " " + use.version())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
