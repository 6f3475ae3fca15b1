package dev.headgate.server.plugins;

import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Uploads and removes plugins. A change and its audit entry succeed or fail together. All methods block on the store and on the
 * plugin's own code.
 */
@Service
class Plugins {

    private static final Logger log = LoggerFactory.getLogger(Plugins.class);
    private static final int MOST_UPLOADS = 2;
    private static final Duration RETRY_UPLOAD = Duration.ofSeconds(5);

    private final PluginCatalog catalog;
    private final PluginUsers users;
    private final List<PluginRehearsals> rehearsals;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final RequestMemory memory;
    private final Semaphore uploading = new Semaphore(MOST_UPLOADS);

    Plugins(
            PluginCatalog catalog,
            PluginUsers users,
            List<PluginRehearsals> rehearsals,
            Audit audit,
            TransactionTemplate transactions,
            RequestMemory memory) {
        this.memory = memory;
        this.catalog = catalog;
        this.users = users;
        this.rehearsals = rehearsals;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** The part of a plugin that the audit records. */
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
     * Installs a jar beside the other versions. Installing the same bytes again changes nothing. The jar is first written to a file in
     * the data folder.
     *
     * @param fileName the client's name for it, for messages and the audit; null for none
     * @param jar is read up to {@link PluginJar#MOST_BYTES}, and not closed
     * @throws ProblemException unavailable (too many are uploaded now, or there is no memory for it), payload-too-large,
     *     plugin-refused, conflict (this version
     *     has other content) or forbidden (not an allowed hash), with the reason; nothing is left behind
     */
    PluginCatalog.Installed upload(@Nullable String fileName, InputStream jar) {
        if (!uploading.tryAcquire()) {
            throw ProblemException.retry(
                    ProblemType.UNAVAILABLE,
                    "At most " + MOST_UPLOADS + " plugins are taken at once, and so many are. Try again.",
                    RETRY_UPLOAD);
        }
        try {
            Path file = catalog.newUpload();
            try {
                receive(jar, file);
                return upload(fileName, file);
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            log.error("An uploaded plugin cannot be kept", e);
            throw ProblemException.of(
                    ProblemType.UNAVAILABLE, "The jar cannot be kept in the data folder; the log says why.");
        } finally {
            uploading.release();
        }
    }

    private static void receive(InputStream jar, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            byte[] part = new byte[64 << 10];
            long received = 0;
            for (int count = read(jar, part); count >= 0; count = read(jar, part)) {
                received += count;
                if (received > PluginJar.MOST_BYTES) {
                    throw ProblemException.of(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "A plugin may have at most " + (PluginJar.MOST_BYTES >> 20) + " MiB; this one has more.");
                }
                out.write(part, 0, count);
            }
        }
    }

    private static int read(InputStream jar, byte[] part) {
        try {
            return jar.read(part);
        } catch (IOException e) {
            throw ProblemException.of(ProblemType.MALFORMED_REQUEST, "The jar did not arrive whole.");
        }
    }

    private PluginCatalog.Installed upload(@Nullable String fileName, Path jar) {
        String name = fileName == null ? "The jar" : fileName;
        try {
            PluginJar read = PluginJar.read(name, jar, bytes -> memory.hold(bytes, "the unpacked jar"));
            if (!catalog.allows(read.sha256())) {
                throw ProblemException.of(
                        ProblemType.FORBIDDEN,
                        name + " has the SHA-256 " + read.sha256()
                                + ", which is not in headgate.plugin-uploads.allowed-sha256.");
            }
            return install(read.load(false), jar, fileName);
        } catch (PluginRefused e) {
            throw ProblemException.of(ProblemType.PLUGIN_REFUSED, name + " " + e.reason() + ".");
        }
    }

    private PluginCatalog.Installed install(InstalledPlugin plugin, Path jar, @Nullable String fileName) {
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
                    log.error("An uploaded plugin cannot be stored", e);
                    throw ProblemException.of(
                            ProblemType.UNAVAILABLE, "The jar cannot be stored in the data folder; the log says why.");
                }
            }));
        } catch (RuntimeException e) {
            added.forEach(catalog::remove);
            throw e;
        }
    }

    /**
     * Removes an uploaded version that no set in force and no shadow set uses, and no guard may restore.
     *
     * @throws ProblemException not-found; conflict, with the users, or because it ships with the service
     */
    void remove(String id, String version) {
        InstalledPlugin plugin = catalog.require(id, version);
        if (plugin.builtIn()) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    plugin.label() + " ships with the service (" + plugin.source()
                            + " in its plugin folder) and cannot be removed.");
        }
        List<Runnable> undo = new ArrayList<>();
        try {
            transactions.executeWithoutResult(transaction -> {
                users.lock();
                List<String> using =
                        new ArrayList<>(users.byLabel(List.of(id)).getOrDefault(plugin.label(), List.of()));
                using.addAll(users.comingBackTo(plugin));
                rehearsals.forEach(each -> using.addAll(each.using(plugin)));
                if (!using.isEmpty()) {
                    throw ProblemException.of(
                            ProblemType.CONFLICT,
                            plugin.label() + " is used by " + Fault.names(using)
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

    private static String path(InstalledPlugin plugin) {
        return "policy-plugins/" + plugin.id() + "/" + plugin.version();
    }
}
