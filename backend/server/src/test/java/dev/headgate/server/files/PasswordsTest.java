package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.HeadgateProperties.Secrets;
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
        passwords = new Passwords(
                Map.of("SHOP", "s3cret", "EMPTY", "", "HEADGATE_STORE_PASSWORD", "own")::get,
                data,
                new Secrets(null, ""));
    }

    @Test
    void aVariableOfTheEnvironmentIsRead() throws Exception {
        assertThat(passwords.fromEnvironment("SHOP", Origin.START)).isEqualTo("s3cret");
    }

    @ParameterizedTest
    @CsvSource({
        "MISSING,which is not set",
        "EMPTY,which is not set",
        "A B,cannot be",
        "HEADGATE_STORE_PASSWORD,own settings"
    })
    void anotherVariableIsRefused(String name, String why) {
        assertThatThrownBy(() -> passwords.fromEnvironment(name, Origin.START))
                .isInstanceOf(Passwords.NotFoundException.class)
                .hasMessageContaining(why)
                .hasMessageContaining(name);
    }

    @Test
    void aFileIsReadWithoutItsLineEnd() throws Exception {
        Path file = Files.writeString(elsewhere.resolve("password"), " s3cret \r\n");
        assertThat(passwords.fromFile(file.toString(), Origin.START)).isEqualTo(" s3cret ");
    }

    @Test
    void noFileOfTheDataFolderIsReadNotEvenByALink() throws Exception {
        Path own = Files.writeString(data.resolve("admin-token"), "token");
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), own);
        for (Path file : new Path[] {own, link}) {
            assertThatThrownBy(() -> passwords.fromFile(file.toString(), Origin.START))
                    .isInstanceOf(Passwords.ForbiddenException.class)
                    .hasMessageContaining("data folder");
        }
    }

    @Test
    void whatIsNoFileOfOneLineIsRefused() throws Exception {
        Path two = Files.writeString(elsewhere.resolve("two"), "a\nb\n");
        Path blank = Files.writeString(elsewhere.resolve("blank"), "a\n\n");
        Path empty = Files.writeString(elsewhere.resolve("empty"), "\n");
        assertThatThrownBy(() -> passwords.fromFile(blank.toString(), Origin.START))
                .hasMessageContaining("not one line");
        assertThatThrownBy(() -> passwords.fromFile(two.toString(), Origin.START))
                .hasMessageContaining("not one line");
        assertThatThrownBy(() -> passwords.fromFile(empty.toString(), Origin.START))
                .hasMessageContaining("not one line");
        assertThatThrownBy(() -> passwords.fromFile(elsewhere.toString(), Origin.START))
                .hasMessageContaining("not a file");
        assertThatThrownBy(() -> passwords.fromFile(elsewhere + "/none", Origin.START))
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> passwords.fromFile("password", Origin.START))
                .hasMessageContaining("cannot be 'password'");
    }

    @Test
    void filesOfARequestNameNothingUntilTheOperatorAllowsIt() throws Exception {
        Path file = Files.writeString(elsewhere.resolve("password"), "s3cret");
        assertThatThrownBy(() -> passwords.fromEnvironment("SHOP", Origin.API))
                .isInstanceOfSatisfying(
                        Passwords.ForbiddenException.class,
                        e -> assertThat(e.allowed()).contains("headgate.secrets.env-prefix"));
        assertThatThrownBy(() -> passwords.fromFile(file.toString(), Origin.API))
                .isInstanceOfSatisfying(
                        Passwords.ForbiddenException.class,
                        e -> assertThat(e.allowed()).contains("headgate.secrets.folder"));
    }

    @Test
    void filesOfARequestNameWhatIsSetApartForThem() throws Exception {
        Path folder = Files.createDirectory(elsewhere.resolve("secrets"));
        Path inside = Files.writeString(folder.resolve("password"), "s3cret");
        Path outside = Files.writeString(elsewhere.resolve("password"), "other");
        Path link = Files.createSymbolicLink(folder.resolve("link"), outside);
        passwords = new Passwords(Map.of("SHOP_A", "s3cret", "PATH", "own")::get, data, new Secrets(folder, "SHOP_"));

        assertThat(passwords.fromEnvironment("SHOP_A", Origin.API)).isEqualTo("s3cret");
        assertThat(passwords.fromFile(inside.toString(), Origin.API)).isEqualTo("s3cret");
        assertThatThrownBy(() -> passwords.fromEnvironment("PATH", Origin.API))
                .isInstanceOf(Passwords.ForbiddenException.class);
        for (String name :
                new String[] {outside.toString(), folder + "/../password", link.toString(), "/etc/missing"}) {
            assertThatThrownBy(() -> passwords.fromFile(name, Origin.API))
                    .isInstanceOf(Passwords.ForbiddenException.class);
        }
    }
}
