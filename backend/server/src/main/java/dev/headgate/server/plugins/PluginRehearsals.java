package dev.headgate.server.plugins;

import java.util.List;

/** Those who use plugins without deciding anything, before a plugin is removed. Blocks on the store. */
public interface PluginRehearsals {

    /** Those who use a version, each described in a few words. */
    List<String> using(InstalledPlugin plugin);
}
