package dev.headgate.server.policies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins that were in a folder when the service started, each in a class loader of its own that sees the JDK and the
 * SPI and nothing else. A jar that cannot be used is refused with the reason, is logged, and leaves the others alone.
 * Where two jars bring one id, the first by file name has it.
 *
 * <p>A plugin is code, and there is no sandbox in a JVM: whoever may write to the folder may do whatever the service
 * may. The class loader keeps a plugin from depending on the service by accident, not from harming it on purpose.
 *
 * <p>Safe for use by any number of threads.
 */
final class PluginCatalog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PluginCatalog.class);

    private final List<Refused> refused;
    private volatile Map<String, InstalledPlugin> plugins;

    /**
     * A jar that was not loaded.
     *
     * @param source the jar's name
     * @param reason what was wrong and what is allowed, in one sentence
     */
    record Refused(String source, String reason) {}

    /** Loads every jar of a folder; blocks while it reads them. A folder that is not there has no plugins. */
    PluginCatalog(Path folder) {
        Map<String, InstalledPlugin> loaded = new LinkedHashMap<>();
        List<Refused> bad = new ArrayList<>();
        for (Path jar : jarsOf(folder, bad)) {
            String source = String.valueOf(jar.getFileName());
            try {
                InstalledPlugin plugin = PluginJar.read(jar).load();
                InstalledPlugin first = loaded.putIfAbsent(plugin.id(), plugin);
                if (first == null) {
                    log.info(
                            "Policy plugin {} {} from {} (sha256 {})",
                            plugin.id(),
                            plugin.version(),
                            source,
                            plugin.sha256());
                } else {
                    refuse(
                            bad,
                            source,
                            "brings the plugin '" + plugin.id() + "', which " + first.source() + " brought already");
                }
            } catch (PluginRefused e) {
                refuse(bad, source, e.reason());
            }
        }
        this.plugins = loaded;
        this.refused = List.copyOf(bad);
    }

    List<InstalledPlugin> list() {
        return List.copyOf(plugins.values());
    }

    Optional<InstalledPlugin> find(String id) {
        return Optional.ofNullable(plugins.get(id));
    }

    /** The jars that were not loaded, in the order of their names. */
    List<Refused> refused() {
        return refused;
    }

    /** Forgets the plugins. Policies that are in use go on; their classes are collected with the last of them. */
    @Override
    public void close() {
        plugins = Map.of();
    }

    private static List<Path> jarsOf(Path folder, List<Refused> bad) {
        if (!Files.isDirectory(folder)) {
            log.warn("There is no plugin folder {}: no policy can be used", folder);
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            refuse(bad, folder.toString(), "cannot be listed: " + e);
            return List.of();
        }
    }

    private static void refuse(List<Refused> bad, String source, String reason) {
        log.warn("Policy plugin refused: {} {}", source, reason);
        bad.add(new Refused(source, reason));
    }
}
