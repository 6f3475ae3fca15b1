package dev.headgate.server.store;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's programs. They are unpacked once from their jar into a folder that is named after the archive's content.
 * The folder appears by a rename when it is complete, so several processes may unpack at the same time.
 *
 * <p>PostgreSQL refuses to run as root. As root, each program runs in its own user namespace
 * ({@code unshare -U}): inside it is an ordinary user, while outside its files belong to root.
 */
final class PostgresBinaries {

    private final Path folder;

    private PostgresBinaries(Path folder) {
        this.folder = folder;
    }

    /**
     * Unpacks the programs if they are missing, which takes about 2 s.
     *
     * @param parent the folder that contains this version's folder
     */
    static PostgresBinaries unpackedIn(Path parent) throws IOException {
        byte[] archive = archive();
        Path folder = parent.resolve("postgres-" + digest(archive));
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(parent);
            Path halfDone = Files.createTempDirectory(parent, "unpacking-");
            try {
                unpack(archive, halfDone);
                publish(halfDone, folder);
            } finally {
                delete(halfDone);
            }
        }
        return new PostgresBinaries(folder);
    }

    /** The folder of unpacked programs, shared by all data folders of this user: {@code ~/.cache/headgate}, or XDG's. */
    static Path userCache() {
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path cache = xdg != null && !xdg.isBlank() ? Path.of(xdg) : Path.of(System.getProperty("user.home"), ".cache");
        return cache.resolve("headgate");
    }

    Path folder() {
        return folder;
    }

    /**
     * Runs one program until it ends and returns its output. An interrupt does not end the wait, because a server that is half started
     * or half stopped belongs to nobody; the thread is interrupted when it returns.
     *
     * @throws IllegalStateException with the output, if it failed or did not end in time
     */
    String run(Duration timeout, String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("unshare", "-U", "--"));
        }
        command.add(folder.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        process.getOutputStream().close();
        // These programs print little. All of it fits into the pipe, so waiting before reading cannot block them.
        if (!hasEnded(process, timeout)) {
            process.destroyForcibly();
            throw new IllegalStateException(program + " did not end within " + timeout.toSeconds() + " s");
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.exitValue() != 0) {
            String hint = output.contains("unshare")
                    ? " PostgreSQL refuses to run as root, and this machine grants no user namespaces:"
                            + " start Headgate as an ordinary user, or point it to a PostgreSQL server of yours."
                    : "";
            throw new IllegalStateException(
                    program + " failed with exit code " + process.exitValue() + ": " + output + hint);
        }
        return output;
    }

    private static boolean hasEnded(Process process, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isRoot() throws IOException {
        Path self = Path.of("/proc/self");
        return Files.exists(self) && Integer.valueOf(0).equals(Files.getAttribute(self, "unix:uid"));
    }

    private static byte[] archive() throws IOException {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "Darwin" : "Linux";
        String architecture = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        InputStream found = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(os, architecture);
        if (found == null) {
            throw new IllegalStateException("Headgate carries no PostgreSQL for " + os + " on " + architecture
                    + ": point it to a PostgreSQL server of yours.");
        }
        try (found) {
            return found.readAllBytes();
        }
    }

    private static String digest(byte[] archive) {
        try {
            byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(archive);
            return HexFormat.of().formatHex(sha256, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void unpack(byte[] archive, Path into) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path file = into.resolve(entry.getName()).normalize();
                if (!file.startsWith(into)) {
                    throw new IOException(
                            "the archive of PostgreSQL reaches outside of its folder: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(file);
                    continue;
                }
                Files.createDirectories(file.resolveSibling("."));
                if (entry.isSymbolicLink() || entry.isLink()) {
                    Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
                } else {
                    Files.copy(tar, file);
                    if (file.startsWith(into.resolve("bin")) && !file.toFile().setExecutable(true)) {
                        throw new IOException("cannot make " + file + " executable");
                    }
                }
            }
        }
    }

    /** Renames a complete folder, unless another process was faster and has unpacked the same files. */
    static void publish(Path halfDone, Path folder) throws IOException {
        try {
            Files.move(halfDone, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) { // which one says that a folder is there depends on the system
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }

    /** Deletes a folder and all in it. What vanishes meanwhile, such as the files of a server that is being stopped, is no error. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException why) throws IOException {
                return without(why);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException why) throws IOException {
                if (why != null) {
                    return without(why);
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }

            private static FileVisitResult without(IOException why) throws IOException {
                if (why instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw why;
            }
        });
    }
}
