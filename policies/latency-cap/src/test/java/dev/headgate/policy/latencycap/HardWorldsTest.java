package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.policy.latencycap.HardWorlds.Kind;
import dev.headgate.policy.latencycap.HardWorlds.Verdict;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A few of the hard worlds; what is asserted is what the policy reaches, see ADR 18. {@link HardWorlds#main} has the long form. */
class HardWorldsTest {

    private static final int SEEDS = 2;

    @Test
    void restsBesideTheStepBetweenTwoModes() {
        assertThat(judged(Kind.EDGE)).allSatisfy(verdict -> {
            assertThat(verdict.changesPerMinute()).as("%s", verdict).isLessThanOrEqualTo(14);
            assertThat(verdict.relativeThroughput()).as("%s", verdict).isGreaterThan(0.6);
        });
    }

    @Test
    void keepsTheCapOfManyCallersAndRests() {
        assertThat(judged(Kind.CALLERS)).allSatisfy(verdict -> {
            assertThat(verdict.changesPerMinute()).as("%s", verdict).isLessThanOrEqualTo(14);
            assertThat(verdict.shortestGapMillis()).as("%s", verdict).isGreaterThanOrEqualTo(900);
            assertThat(verdict.policy().within()).as("%s", verdict).isGreaterThanOrEqualTo(0.9);
            assertThat(verdict.relativeThroughput()).as("%s", verdict).isGreaterThan(0.95);
        });
    }

    @Test
    void keepsTheCapWhereTheWorkShifts() {
        assertThat(judged(Kind.SHIFT)).allSatisfy(verdict -> {
            assertThat(verdict.policy().within()).as("%s", verdict).isGreaterThanOrEqualTo(0.8);
            assertThat(verdict.relativeThroughput()).as("%s", verdict).isGreaterThan(0.9);
        });
    }

    private static List<Verdict> judged(Kind kind) {
        return LongStream.range(0, SEEDS)
                .mapToObj(seed -> HardWorlds.judge(HardWorlds.world(kind, seed)))
                .toList();
    }
}
