package dev.headgate.server.plugins;

import java.util.List;
import java.util.Map;

/** The users of the plugins. Asked for when plugins are listed, and before one is removed. All methods block on the store. */
public interface PluginUsers {

    /** Keeps everyone from taking up a plugin until the caller's transaction ends; waits for those who are about to. */
    void lock();

    /** Who uses each version now, by its label ("fixed 1.2.3"): a domain's name; a database is written "database/main". */
    Map<String, List<String>> byLabel();

    /** Who may come to use a version again, each told in a few words. */
    List<String> comingBackTo(InstalledPlugin plugin);
}
