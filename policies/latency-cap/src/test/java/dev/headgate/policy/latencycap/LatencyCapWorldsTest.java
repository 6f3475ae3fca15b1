package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The policy on made-up databases beside the best fixed size; what is asserted is what it reaches, see the ADR. */
class LatencyCapWorldsTest {

    private static final int WORLDS = 40;
    private static final Duration LENGTH = Duration.ofSeconds(40);

    @Test
    void keepsTheCapAtNearlyTheThroughputOfTheBestFixedSize() {
        List<Worlds.Verdict> verdicts = LongStream.range(0, WORLDS)
                .parallel()
                .mapToObj(seed -> Worlds.judge(Worlds.world(seed), LENGTH))
                .toList();

        assertThat(verdicts.stream().filter(Worlds.Verdict::keepsTheCap).count())
                .as("worlds that keep the cap: %s", verdicts)
                .isGreaterThanOrEqualTo(WORLDS * 9 / 10);
        assertThat(verdicts.stream().filter(Worlds.Verdict::isFastEnough).count())
                .as("worlds that are fast enough: %s", verdicts)
                .isGreaterThanOrEqualTo(WORLDS * 9 / 10);
        assertThat(verdicts).allSatisfy(verdict -> {
            assertThat(verdict.relativeThroughput()).as("%s", verdict).isGreaterThan(0.5);
            assertThat(verdict.policy().within()).as("%s", verdict).isGreaterThan(0.4);
        });
    }

    @Test
    void repeatsItselfFromItsSeed() {
        Worlds.World world = Worlds.world(7);
        Duration length = Duration.ofSeconds(15);
        assertThat(Worlds.judge(world, length)).isEqualTo(Worlds.judge(world, length));
    }
}
