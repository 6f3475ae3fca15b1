package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.server.problems.ProblemException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesAtStartTest {

    @TempDir
    Path folder;

    /** A hidden file is an editor's or a copier's, and need not even be text. */
    @Test
    void aFolderIsReadAsTheCommandsReadIt() throws Exception {
        Files.writeString(folder.resolve("b.yml"), "b: 1");
        Files.writeString(folder.resolve("a.yaml"), "a: 1");
        Files.writeString(folder.resolve("notes.txt"), "not for Headgate");
        Files.write(folder.resolve("._a.yaml"), new byte[] {0, 5, 22, 7, (byte) 0xe9});
        Files.createDirectory(folder.resolve("c.yaml"));
        assertThat(FilesAtStart.read(folder))
                .containsExactly(new SourceFile("a.yaml", "a: 1"), new SourceFile("b.yml", "b: 1"));
    }

    @Test
    void aFileThatIsNotInUtf8IsNamed() throws Exception {
        Files.writeString(folder.resolve("a.yaml"), "a: 1");
        Files.write(folder.resolve("b.yaml"), "# caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
        ProblemException refused = catchThrowableOfType(ProblemException.class, () -> FilesAtStart.read(folder));
        assertThat(refused.faults()).singleElement().satisfies(fault -> {
            assertThat(fault.at()).isEqualTo("b.yaml");
            assertThat(fault.message()).isEqualTo("is not UTF-8");
        });
    }
}
