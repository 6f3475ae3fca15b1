package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.load.LoadResult;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PolicyUsersTest {

    private static final double CAP = 20;

    private static PolicyUsers.Step step(int users, double jdbcMs, int pageMs) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(pageMs * 1_000_000L, 100);
        return new PolicyUsers.Step(
                users,
                new Seconds(List.of(new Seconds.Second(jdbcMs, 100, 100, 5))),
                new LoadResult(latency, new Histogram(3), new Histogram(3), 0, 0, 0, 1, null));
    }

    @Test
    void whereTheCapIsReachedIsComparedWithTheHighestLoad() {
        List<PolicyUsers.Step> steps = List.of(step(8, 5, 10), step(16, 15, 40), step(64, 20, 44));
        assertThat(PolicyUsers.atTheDoor(steps, CAP).verdict()).isEqualTo(Finding.Verdict.HOLDS);
        List<PolicyUsers.Step> growing = List.of(step(8, 5, 10), step(16, 15, 40), step(64, 20, 80));
        assertThat(PolicyUsers.atTheDoor(growing, CAP).verdict()).isEqualTo(Finding.Verdict.DIFFERS);
    }

    @Test
    void aLoadIsNotComparedWithItself() {
        List<PolicyUsers.Step> never = List.of(step(1, 2, 5), step(8, 5, 10));
        Finding found = PolicyUsers.atTheDoor(never, CAP);
        assertThat(found.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(found.here()).isEqualTo("The cap of 20.0 ms was not reached below the highest load of 8 users.");
        List<PolicyUsers.Step> atLast = List.of(step(1, 2, 5), step(8, 19, 10));
        assertThat(PolicyUsers.atTheDoor(atLast, CAP).verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
    }
}
