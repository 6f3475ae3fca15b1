package dev.headgate.server.rehearsals;

import dev.headgate.server.plugins.InstalledPlugin;
import dev.headgate.server.plugins.PluginRehearsals;
import java.util.List;
import org.springframework.stereotype.Component;

/** The plugins that shadow sets use. A shadow set names the version of each of its policies. */
@Component
final class ShadowPlugins implements PluginRehearsals {

    private final ShadowStore store;

    ShadowPlugins(ShadowStore store) {
        this.store = store;
    }

    @Override
    public List<String> using(InstalledPlugin plugin) {
        return store.all().stream()
                .filter(kept -> kept.policySet().policies().stream()
                        .anyMatch(use -> plugin.id().equals(use.plugin())
                                && plugin.version().text().equals(use.version())))
                .map(kept -> "the shadow set of " + kept.domain())
                .toList();
    }
}
