package dev.headgate.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PluginVersionTest {

    private static final List<String> ASCENDING = List.of(
            "0.9",
            "1-alpha",
            "1-alpha.1",
            "1-alpha.2",
            "1-alpha.10",
            "1-alpha.beta",
            "1-beta",
            "1",
            "1.0",
            "1.0.0",
            "1.0.0.Final",
            "1.2.3-SNAPSHOT",
            "1.2.3",
            "1.2.3+5",
            "1.9",
            "1.10",
            "2.0.0-rc1",
            "2.0.0",
            "10",
            "99999999999999999999");

    @Test
    void areOrderedPartByPart() {
        for (int seed = 0; seed < 20; seed++) {
            List<PluginVersion> shuffled =
                    new ArrayList<>(ASCENDING.stream().map(PluginVersion::new).toList());
            Collections.shuffle(shuffled, new Random(seed));
            Collections.sort(shuffled);
            assertThat(shuffled).extracting(PluginVersion::text).containsExactlyElementsOf(ASCENDING);
        }
    }

    @Test
    void areWhatAFileAndAPathCanHold() {
        assertThat(ASCENDING).allMatch(PluginVersion::isAllowed);
        assertThat(List.of("", "v1", "1/2", "..", "1 2", "1_2", "1".repeat(65))).noneMatch(PluginVersion::isAllowed);
    }
}
