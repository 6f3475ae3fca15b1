package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PasswordsTest {

    @TempDir
    Path data;

    @TempDir
    Path elsewhere;

    private Passwords passwords;

    @BeforeEach
    void make() {
        passwords = new Passwords(Map.of("SHOP", "s3cret", "EMPTY", "", "HEADGATE_STORE_PASSWORD", "own")::get, data);
    }

    @Test
    void aVariableOfTheEnvironmentIsRead() throws Exception {
        assertThat(passwords.fromEnvironment("SHOP")).isEqualTo("s3cret");
    }

    @ParameterizedTest
    @CsvSource({
        "MISSING,which is not set",
        "EMPTY,which is not set",
        "A B,cannot be",
        "HEADGATE_STORE_PASSWORD,own settings"
    })
    void anotherVariableIsRefused(String name, String why) {
        assertThatThrownBy(() -> passwords.fromEnvironment(name))
                .isInstanceOf(Passwords.NotFoundException.class)
                .hasMessageContaining(why)
                .hasMessageContaining(name);
    }

    @Test
    void aFileIsReadWithoutItsLineEnd() throws Exception {
        Path file = Files.writeString(elsewhere.resolve("password"), " s3cret \r\n");
        assertThat(passwords.fromFile(file.toString())).isEqualTo(" s3cret ");
    }

    @Test
    void noFileOfTheDataFolderIsReadNotEvenByALink() throws Exception {
        Path own = Files.writeString(data.resolve("admin-token"), "token");
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), own);
        for (Path file : new Path[] {own, link}) {
            assertThatThrownBy(() -> passwords.fromFile(file.toString())).hasMessageContaining("data folder");
        }
    }

    @Test
    void whatIsNoFileOfOneLineIsRefused() throws Exception {
        Path two = Files.writeString(elsewhere.resolve("two"), "a\nb\n");
        Path empty = Files.writeString(elsewhere.resolve("empty"), "\n");
        assertThatThrownBy(() -> passwords.fromFile(two.toString())).hasMessageContaining("not one line");
        assertThatThrownBy(() -> passwords.fromFile(empty.toString())).hasMessageContaining("not one line");
        assertThatThrownBy(() -> passwords.fromFile(elsewhere.toString())).hasMessageContaining("not a file");
        assertThatThrownBy(() -> passwords.fromFile(elsewhere + "/none")).hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> passwords.fromFile("password")).hasMessageContaining("cannot be 'password'");
    }
}
