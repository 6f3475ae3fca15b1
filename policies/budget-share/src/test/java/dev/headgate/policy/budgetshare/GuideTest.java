package dev.headgate.policy.budgetshare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The code that docs/policy-authoring.md shows is built here, to the letter. That it builds elsewhere: policies/outside.sh. */
class GuideTest {

    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path GUIDE = MODULE.resolve("../../docs/policy-authoring.md");

    @Test
    void theGuideQuotesThisPolicy() throws IOException {
        String guide = Files.readString(GUIDE);
        for (String file : new String[] {
            "src/main/java/dev/headgate/policy/budgetshare/BudgetShareFactory.java",
            "src/test/java/dev/headgate/policy/budgetshare/BudgetShareTest.java",
            "src/main/resources/META-INF/services/dev.headgate.spi.PolicyFactory"
        }) {
            assertThat(guide)
                    .as("docs/policy-authoring.md quotes policies/budget-share/%s", file)
                    .contains(Files.readString(MODULE.resolve(file)).strip());
        }
    }
}
