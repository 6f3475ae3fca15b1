package dev.headgate.server.plugins;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins: those that ship with the service, in a folder that it only reads, and uploaded ones, in a folder of its own. Several
 * versions of one id stand side by side, each in a class loader of its own that sees the JDK and the SPI and
 * nothing else. An unusable jar is refused with the reason and does not affect the others.
 *
 * <p>A plugin is code, and there is no sandbox in a JVM: whoever may write to the folders or upload can do everything that the service
 * can. The class loader keeps a plugin from depending on the service by accident, not from harming it on purpose. With a list of
 * allowed hashes nothing is loaded out of the uploads that is not on it.
 *
 * <p>The catalog holds the only lasting reference to a plugin's factory. Once a version is removed and its last policy closed, its
 * class loader is garbage.
 *
 * <p>Safe for use by any number of threads: readers see one list or the next, writers take turns.
 */
public final class PluginCatalog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PluginCatalog.class);
    private static final int MOST_NAMED = 5;
    private static final String UNFINISHED = ".part";
    private static final Comparator<InstalledPlugin> ORDER =
            Comparator.comparing(InstalledPlugin::id).thenComparing(InstalledPlugin::version);

    private final Path uploads;
    private final Set<String> allowed;
    private final long most;
    private final List<Refused> refused;
    private volatile List<InstalledPlugin> plugins;

    /**
     * A jar that was not loaded.
     *
     * @param source the jar's name
     * @param reason what was wrong and what is allowed, in one sentence
     */
    record Refused(String source, String reason) {}

    /**
     * The result of an upload.
     *
     * @param fresh false if the same bytes were installed already
     */
    record Installed(InstalledPlugin plugin, boolean fresh) {}

    /**
     * Loads every jar of both folders, the service's own first; blocks while it reads them. A missing folder counts as empty.
     *
     * @param allowed hashes (SHA-256, lower-case hexadecimal) of the uploads that may be used; empty for all
     * @param most bytes of memory that all uploads may hold together
     */
    PluginCatalog(Path builtIn, Path uploads, Set<String> allowed, long most) {
        this.most = most;
        this.uploads = uploads;
        this.allowed = Set.copyOf(allowed);
        List<InstalledPlugin> loaded = new ArrayList<>();
        List<Refused> bad = new ArrayList<>();
        if (!Files.isDirectory(builtIn)) {
            log.warn("There is no plugin folder {}", builtIn);
        }
        for (Path jar : jarsOf(builtIn, bad)) {
            load(jar, true, loaded, bad);
        }
        removeUnfinished();
        for (Path jar : jarsOf(uploads, bad)) {
            load(jar, false, loaded, bad);
        }
        loaded.sort(ORDER);
        this.plugins = List.copyOf(loaded);
        this.refused = List.copyOf(bad);
    }

    /** All plugins, by id, then from the oldest version to the newest. */
    public List<InstalledPlugin> list() {
        return plugins;
    }

    /**
     * The version for sets that name none: the newest that ships with the service, or else the newest upload. An upload never replaces
     * a plugin that ships with the service.
     */
    Optional<InstalledPlugin> find(String id) {
        List<InstalledPlugin> versions = versions(id);
        return versions.stream()
                .filter(InstalledPlugin::builtIn)
                .reduce((older, newer) -> newer)
                .or(() -> versions.stream().reduce((older, newer) -> newer));
    }

    /** @throws ProblemException not-found if this version is not installed */
    public InstalledPlugin require(String id, String version) {
        return find(id, version)
                .orElseThrow(() -> ProblemException.of(
                        ProblemType.NOT_FOUND, "There is no version '" + version + "' of a plugin '" + id + "'."));
    }

    /** @param version null for the one that {@link #find(String)} gives */
    public Optional<InstalledPlugin> find(String id, @Nullable String version) {
        return version == null
                ? find(id)
                : versions(id).stream()
                        .filter(plugin -> plugin.version().text().equals(version))
                        .findFirst();
    }

    /**
     * The version that a stored set runs with. A set may name no version, because it was stored before versions existed: then it is
     * the result of {@link #find(String)}. It may name one that shipped with the service and that a newer release has replaced: then
     * it is the one that ships now. No other version takes the place of an upload that was not loaded, since nobody has asked for it.
     */
    public Optional<InstalledPlugin> findStored(String id, @Nullable String version) {
        return version == null ? find(id) : find(id, version).or(() -> find(id).filter(InstalledPlugin::builtIn));
    }

    /** The versions of one plugin, from the oldest to the newest. */
    public List<InstalledPlugin> versions(String id) {
        return plugins.stream().filter(plugin -> plugin.id().equals(id)).toList();
    }

    /** The jars that were not loaded at the start, in the order of their names. */
    List<Refused> refused() {
        return refused;
    }

    /** Whether bytes with this hash may be uploaded. */
    boolean allows(String sha256) {
        return allowed.isEmpty() || allowed.contains(sha256);
    }

    /**
     * A new, empty file for an unchecked upload. Leftover files are deleted at the next start.
     *
     * @throws IOException if the data folder cannot be written to
     */
    Path newUpload() throws IOException {
        Files.createDirectories(uploads);
        return Files.createTempFile(uploads, "upload", UNFINISHED);
    }

    /**
     * Adds an uploaded plugin that {@link PluginJar#load} has loaded, beside its other versions, and keeps the jar over restarts.
     *
     * @param jar is moved
     * @throws PluginRefused if this version is installed with other bytes, the id belongs to a plugin that ships with the service, or
     *     there is no room beside the other uploads; nothing was changed
     * @throws UncheckedIOException if the jar cannot be stored; nothing was changed
     */
    synchronized Installed install(InstalledPlugin plugin, Path jar) throws PluginRefused {
        Optional<InstalledPlugin> present = find(plugin.id(), plugin.version().text());
        if (present.isPresent()) {
            refuseUnlessSame(plugin, present.get());
            return new Installed(present.get(), false);
        }
        refuseReserved(plugin);
        refuseWithoutRoom(plugin, plugins);
        return new Installed(add(plugin, jar), true);
    }

    private InstalledPlugin add(InstalledPlugin plugin, Path jar) {
        InstalledPlugin kept = new InstalledPlugin(
                plugin.id(),
                plugin.version(),
                plugin.description(),
                plugin.id() + "_" + plugin.version() + ".jar",
                plugin.sha256(),
                false,
                plugin.bytes(),
                plugin.schema(),
                plugin.factory());
        keep(jar, uploads.resolve(kept.source()));
        List<InstalledPlugin> next = new ArrayList<>(plugins);
        next.add(kept);
        next.sort(ORDER);
        plugins = List.copyOf(next);
        return kept;
    }

    /**
     * Removes an uploaded version, also from disk. Its running policies continue.
     *
     * @return undoes the removal
     * @throws UncheckedIOException if its file cannot be deleted; nothing was changed
     */
    synchronized Runnable remove(InstalledPlugin plugin) {
        if (plugin.builtIn()) {
            throw new IllegalArgumentException(plugin.label() + " ships with the service");
        }
        Path file = uploads.resolve(plugin.source());
        byte[] bytes; // for undoing: at most PluginJar.MOST_BYTES
        try {
            bytes = Files.readAllBytes(file);
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        plugins = plugins.stream().filter(each -> !each.equals(plugin)).toList();
        return () -> putBack(plugin, bytes);
    }

    private synchronized void putBack(InstalledPlugin plugin, byte[] bytes) {
        try {
            add(plugin, Files.write(newUpload(), bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Forgets the plugins. Running policies continue; their classes are collected with the last of them. */
    @Override
    public void close() {
        plugins = List.of();
    }

    private void load(Path jar, boolean builtIn, List<InstalledPlugin> loaded, List<Refused> bad) {
        String source = String.valueOf(jar.getFileName());
        try {
            PluginJar read = PluginJar.read(jar);
            if (!builtIn && !allows(read.sha256())) {
                throw new PluginRefused("has the SHA-256 " + read.sha256()
                        + ", which is not in headgate.plugin-uploads.allowed-sha256");
            }
            InstalledPlugin plugin = read.load(builtIn);
            for (InstalledPlugin before : loaded) {
                if (before.id().equals(plugin.id()) && before.version().equals(plugin.version())) {
                    refuseUnlessSame(plugin, before);
                    return;
                }
            }
            if (!builtIn) {
                refuseWithoutRoom(plugin, loaded);
            }
            loaded.add(plugin);
            log.info("Policy plugin {} from {} (sha256 {})", plugin.label(), source, plugin.sha256());
        } catch (PluginRefused e) {
            refuse(bad, source, e.reason());
        }
    }

    private static void refuseUnlessSame(InstalledPlugin plugin, InstalledPlugin present) throws PluginRefused {
        if (!present.sha256().equals(plugin.sha256())) {
            throw new PluginRefused("has version " + plugin.version() + " of the plugin '" + plugin.id() + "', which "
                    + present.source() + " already has with other content (sha256 " + present.sha256()
                    + "); change the Plugin-Version");
        }
    }

    /** Refuses ids of plugins that ship with the service, because an upload could replace code that the operator trusts. */
    private void refuseReserved(InstalledPlugin plugin) throws PluginRefused {
        Set<String> reserved = plugins.stream()
                .filter(InstalledPlugin::builtIn)
                .map(InstalledPlugin::id)
                .collect(Collectors.toCollection(TreeSet::new));
        if (reserved.contains(plugin.id())) {
            throw new PluginRefused("has the Plugin-Id '" + plugin.id()
                    + "', which is reserved for a plugin that ships with the service; allowed is any id but "
                    + String.join(", ", reserved));
        }
    }

    /** @param present the plugins that there are; those that ship with the service do not count */
    private void refuseWithoutRoom(InstalledPlugin plugin, List<InstalledPlugin> present) throws PluginRefused {
        List<InstalledPlugin> largestFirst = present.stream()
                .filter(each -> !each.builtIn())
                .sorted(Comparator.comparingLong(InstalledPlugin::bytes).reversed())
                .toList();
        long held = largestFirst.stream().mapToLong(InstalledPlugin::bytes).sum();
        if (plugin.bytes() > most - held) {
            throw new PluginRefused("needs " + plugin.bytes() + " bytes of memory. All uploaded plugins may have "
                    + most
                    + " (headgate.plugin-uploads.memory), and the others have " + held
                    + largestFirst.stream()
                            .limit(MOST_NAMED)
                            .map(each -> each.label() + " (" + each.bytes() + ")")
                            .collect(Collectors.joining(", ", "; remove what nothing uses, the largest are: ", "")));
        }
    }

    /** Stores the file atomically, also if the machine crashes. */
    private static void keep(Path jar, Path file) {
        try (FileChannel channel = FileChannel.open(jar, StandardOpenOption.WRITE)) {
            channel.force(true);
            Files.move(jar, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void removeUnfinished() {
        if (!Files.isDirectory(uploads)) {
            return;
        }
        try (var files = Files.list(uploads)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(UNFINISHED)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            log.warn("Unfinished uploads in {} cannot be removed", uploads, e);
        }
    }

    private static List<Path> jarsOf(Path folder, List<Refused> bad) {
        if (!Files.isDirectory(folder)) {
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
