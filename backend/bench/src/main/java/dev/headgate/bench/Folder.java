package dev.headgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder, deleted with everything in it. */
public record Folder(Path path) implements AutoCloseable {

    public static Folder create(String name) throws IOException {
        return new Folder(Files.createTempDirectory("headgate-bench-" + name));
    }

    public Path write(String name, String content) throws IOException {
        return Files.writeString(path.resolve(name), content);
    }

    /** Lets every user of the machine read it: PgBouncer does not run as root. */
    public void publish() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.toList()) {
                boolean readable = file.toFile().setReadable(true, false);
                boolean entered = !Files.isDirectory(file) || file.toFile().setExecutable(true, false);
                if (!readable || !entered) {
                    throw new IOException("the permissions of " + file + " cannot be set");
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> files = Files.walk(path)) {
            deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : deepestFirst) {
            Files.deleteIfExists(file);
        }
    }
}
