package dev.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DraftTest {

    private record Factory(String id, boolean refuses) implements PolicyFactory {

        @Override
        public String description() {
            return "A test's.";
        }

        @Override
        public String parameterSchema() {
            return "{}";
        }

        @Override
        public Policy create(Parameters parameters) {
            if (refuses) {
                throw new IllegalStateException("the licence is gone");
            }
            return view -> Limits.unbounded().withCeiling(3).because("Three.");
        }
    }

    private static Draft.Part part(String id, boolean refuses) {
        return new Draft.Part(id, "1", new Factory(id, refuses), new Parameters(Map.of()));
    }

    private static final Draft DRAFT = new Draft(
            new PolicySetRequest(List.of(), null, null),
            List.of(part("kept", false), part("gone", true)),
            WhenExhausted.queue(1_000, 10),
            List.of(),
            List.of(),
            0);

    @Test
    void aSetInForceOutlivesAPolicyThatCannotBeCreatedAnyMore() {
        PolicySet set = DRAFT.buildInForce(7);
        assertThat(set.revision()).isEqualTo(7);
        assertThat(set.members()).extracting(PolicySet.Member::plugin).containsExactly("kept", "gone");
        assertThatThrownBy(() -> set.members().getLast().policy().limits(null)).hasMessageContaining("licence is gone");
    }

    @Test
    void aNewSetIsRefusedForIt() {
        assertThatThrownBy(() -> DRAFT.build(7)).isInstanceOf(ProblemException.class);
    }
}
