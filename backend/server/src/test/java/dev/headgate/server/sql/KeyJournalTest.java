package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.store.CannotStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyJournalTest {

    private static final KeyJournal.Entry ONE =
            new KeyJournal.Entry("one", "1", Instant.ofEpochMilli(1), KeyJournal.State.began, "east");
    private static final KeyJournal.Entry TWO =
            new KeyJournal.Entry("two", "2", Instant.ofEpochMilli(2), KeyJournal.State.unknown, "");

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void place() {
        file = folder.resolve("keys");
    }

    @Test
    void itTellsWhatWasWritten() {
        KeyJournal journal = new KeyJournal(file);
        journal.write(ONE);
        journal.write(TWO);
        journal.forget("one");
        journal.close();
        assertThat(new KeyJournal(file).read()).hasSize(1).containsValue(TWO);
    }

    /** The disk was full, or the process was killed. */
    @Test
    void halfALineAtTheEndIsNoEntry() throws IOException {
        KeyJournal journal = new KeyJournal(file);
        journal.write(ONE);
        journal.close();
        for (String half : List.of("ended one 1", "began three 3 17", "forgot on")) {
            Files.writeString(file, half, StandardOpenOption.APPEND);
            KeyJournal next = new KeyJournal(file);
            assertThat(next.read()).hasSize(1).containsValue(ONE);
            next.write(TWO);
            next.forget("two");
            next.close();
            assertThat(new KeyJournal(file).read()).hasSize(1).containsValue(ONE);
        }
    }

    @Test
    void aFileThatIsNoneIsNotTakenForEmpty() throws IOException {
        Files.writeString(file, "ended one\n" + "began two 2 2\n");
        assertThatThrownBy(() -> new KeyJournal(file))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("keys");
    }
}
