package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.DataFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** A token that is no secret would open every door: of an empty file anybody knows the content. */
class TokenTest {

    @TempDir
    Path data;

    private DataFolder folder() {
        return new DataFolder(new Binder(new MapConfigurationPropertySource(Map.of("headgate.data", data.toString())))
                .bindOrCreate("headgate", HeadgateProperties.class));
    }

    @Test
    void aFileThatWasNotWrittenToItsEndHoldsNoToken() throws Exception {
        for (String name : new String[] {"reader-token", "admin-token"}) {
            Files.writeString(data.resolve(name), "short\n");
        }
        try (DataFolder folder = folder()) {
            assertThatThrownBy(() -> new ReaderToken(folder))
                    .isInstanceOf(CannotStart.class)
                    .hasMessageContaining("reader-token");
            assertThatThrownBy(() -> new AdminToken(folder))
                    .isInstanceOf(CannotStart.class)
                    .hasMessageContaining("admin-token");
            Files.delete(data.resolve("reader-token"));
            assertThat(new ReaderToken(folder).value()).hasSizeGreaterThan(16);
        }
    }
}
