package dev.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two services that start for the first time at once unpack at once. */
class PostgresBinariesTest {

    @TempDir
    private Path parent;

    @Test
    void whoUnpackedFirstIsKept() throws Exception {
        Path folder = parent.resolve("postgres-1");
        PostgresBinaries.publish(unpacked("first"), folder);
        PostgresBinaries.publish(unpacked("second"), folder);
        assertThat(folder.resolve("bin/postgres")).hasContent("first");
    }

    @Test
    void aFolderThatCannotBePublishedIsAFault() throws Exception {
        Path missing = parent.resolve("missing");
        assertThatThrownBy(() -> PostgresBinaries.publish(missing, parent.resolve("postgres-1")))
                .isInstanceOf(FileSystemException.class);
    }

    @Test
    void whatVanishesWhileAFolderIsDeletedIsNoFault() throws Exception {
        Path folder = Files.createDirectory(parent.resolve("cluster"));
        for (int i = 0; i < 2_000; i++) {
            Files.createFile(
                    Files.createDirectories(folder.resolve("base/" + i / 50)).resolve("" + i));
        }
        Callable<Void> deletion = () -> {
            PostgresBinaries.delete(folder);
            return null;
        };
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (Future<Void> each : both.invokeAll(List.of(deletion, deletion))) {
                each.get();
            }
        }
        assertThat(folder).doesNotExist();
    }

    private Path unpacked(String content) throws Exception {
        Path folder = Files.createTempDirectory(parent, "unpacking-");
        Files.createDirectories(folder.resolve("bin"));
        Files.writeString(folder.resolve("bin/postgres"), content);
        return folder;
    }
}
