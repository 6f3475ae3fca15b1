package dev.headgate.server.store;

import dev.headgate.server.HeadgateProperties;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The folder of everything that must outlive the process. Locked from construction to {@link #close()}, so that there is
 * one Headgate at a time on it.
 */
@Component
public final class DataFolder implements AutoCloseable {

    private final Path path;
    private final FileChannel lockFile;

    public DataFolder(HeadgateProperties properties) {
        this.path = properties.data().toAbsolutePath().normalize();
        try {
            Files.createDirectories(path);
            this.lockFile = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new CannotStart("The data folder " + path + " cannot be used: " + said(e) + ".", e);
        }
        if (!lock()) {
            close();
            throw new CannotStart(
                    "Another Headgate is running on the data folder " + path
                            + "; stop it, or start this one with another --data.",
                    CannotStart.EXIT_FAILED);
        }
    }

    public Path path() {
        return path;
    }

    /**
     * Reads a small file with a secret. If it does not exist, creates it with mode 0600 from {@code fresh}.
     *
     * @throws CannotStart if it can neither be read nor created
     */
    public String secretFile(String name, Supplier<String> fresh) {
        Path file = path.resolve(name);
        try {
            try {
                return Files.readString(file).strip();
            } catch (NoSuchFileException e) {
                String secret = fresh.get();
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.writeString(file, secret + "\n");
                return secret;
            }
        } catch (IOException e) {
            throw new CannotStart("The file " + file + " cannot be used: " + said(e) + ".", e);
        }
    }

    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private boolean lock() {
        try {
            @Nullable FileLock lock = lockFile.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw new CannotStart("The data folder " + path + " cannot be locked: " + said(e) + ".", e);
        }
    }

    private static String said(IOException e) {
        return switch (e) {
            case java.nio.file.AccessDeniedException denied -> "no permission for " + denied.getFile();
            case FileAlreadyExistsException exists -> exists.getFile() + " is not a folder";
            case java.nio.file.FileSystemException f when f.getReason() != null -> f.getFile() + ": " + f.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
