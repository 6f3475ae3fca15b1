package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class WordsTest {

    /** The files of a folder may declare several sources; their folder's name is nobody's source. */
    @Test
    void whatIsLeftIsNotSaidToBelongToTheFolder() {
        FilesAnswer answer = new FilesAnswer("pools", "1", false, List.of(), List.of("domain old"), List.of());
        assertThat(new Words(new JsonMapper()).answer(answer)).isEqualTo("""
                        ! domain old was applied from a source of these files and is not in them any more; --prune deletes it, --release gives it back
                        Nothing to do: everything is as pools says.
                        """);
    }
}
