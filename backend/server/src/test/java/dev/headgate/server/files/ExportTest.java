package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Faults;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.databind.json.JsonMapper;

class ExportTest {

    /** The dashboard is held to the same bytes by {@code frontend/src/features/policies/setText.test.ts}. */
    @Test
    void aSetIsWrittenAsItIsRead() throws IOException {
        String text;
        try (InputStream file = Objects.requireNonNull(getClass().getResourceAsStream("/policy-set.yaml"))) {
            text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
        JsonMapper json = new JsonMapper();
        Faults faults = new Faults();

        Document document = YamlReader.read(
                        new SourceFile("file.yaml", text),
                        StreamReadConstraints.defaults(),
                        new Expansion(bytes -> {}),
                        faults)
                .getFirst();
        PolicySetRequest set = json.convertValue(document.root(), PolicySetRequest.class);

        assertThat(faults.list()).isEmpty();
        assertThat(Export.text(Objects.requireNonNull(Export.plain(set, json)))).isEqualTo(text);
    }
}
