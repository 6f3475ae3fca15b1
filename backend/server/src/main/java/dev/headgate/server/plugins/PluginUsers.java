package dev.headgate.server.plugins;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The users of the plugins, for the list of plugins and before one is removed. All methods block on the store. */
public interface PluginUsers {

    /** Prevents new uses of plugins until the caller's transaction ends. Waits for changes that are under way. */
    void lock();

    /**
     * The users of each version of some plugins, by its label ("fixed 1.2.3"): names of domains; a database is written "database/main".
     *
     * @param plugins their ids
     */
    Map<String, List<String>> byLabel(Collection<String> plugins);

    /** Those who may use a version again, each described in a few words. */
    List<String> comingBackTo(InstalledPlugin plugin);
}
