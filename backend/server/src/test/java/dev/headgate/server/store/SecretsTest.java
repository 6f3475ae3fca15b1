package dev.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.HeadgateProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class SecretsTest {

    private static final String PLACE = "databases/main/password";

    @TempDir
    Path data;

    @Test
    void whatIsEncryptedComesBackWithTheSameKeyAfterARestart() {
        byte[] sealed;
        try (DataFolder folder = folder(data)) {
            sealed = new Secrets(folder).encrypt("geheim ✓", PLACE);
        }
        try (DataFolder folder = folder(data)) {
            assertThat(new Secrets(folder).decrypt(sealed, PLACE)).isEqualTo("geheim ✓");
        }
        assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("geheim");
    }

    @Test
    void theSamePasswordNeverLooksTheSame() {
        try (DataFolder folder = folder(data)) {
            Secrets secrets = new Secrets(folder);
            assertThat(secrets.encrypt("x", PLACE)).isNotEqualTo(secrets.encrypt("x", PLACE));
        }
    }

    @Test
    void aCiphertextMovedToAnotherRowOrChangedDoesNotDecrypt() {
        try (DataFolder folder = folder(data)) {
            Secrets secrets = new Secrets(folder);
            byte[] sealed = secrets.encrypt("x", PLACE);

            assertThatThrownBy(() -> secrets.decrypt(sealed, "databases/other/password"))
                    .isInstanceOf(Secrets.UndecryptableException.class);
            sealed[sealed.length - 1] ^= 1;
            assertThatThrownBy(() -> secrets.decrypt(sealed, PLACE)).isInstanceOf(Secrets.UndecryptableException.class);
            assertThatThrownBy(() -> secrets.decrypt(new byte[3], PLACE))
                    .isInstanceOf(Secrets.UndecryptableException.class);
        }
    }

    @Test
    void theKeyIsForItsOwnerAlone() throws IOException {
        try (DataFolder folder = folder(data)) {
            new Secrets(folder);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("secret.key"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aDamagedKeyIsToldInOneSentence() throws IOException {
        Files.writeString(data.resolve("secret.key"), "dG9vIHNob3J0");
        try (DataFolder folder = folder(data)) {
            assertThatThrownBy(() -> new Secrets(folder))
                    .isInstanceOf(CannotStart.class)
                    .hasMessageContaining("secret.key")
                    .hasMessageContaining("32 bytes");
        }
    }

    @Test
    void aFolderHasOneHeadgateAtATime() {
        try (DataFolder first = folder(data)) {
            assertThatThrownBy(() -> folder(data))
                    .isInstanceOf(CannotStart.class)
                    .hasMessageContaining("Another Headgate is running on the data folder " + first.path());
        }
        folder(data).close();
    }

    @Test
    void aFolderThatCannotBeOneIsToldInOneSentence() throws IOException {
        Path file = Files.createFile(data.resolve("file"));
        assertThatThrownBy(() -> folder(file))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("The data folder " + file + " cannot be used");
    }

    private static DataFolder folder(Path path) {
        return new DataFolder(new Binder(new MapConfigurationPropertySource(Map.of("headgate.data", path.toString())))
                .bindOrCreate("headgate", HeadgateProperties.class));
    }
}
