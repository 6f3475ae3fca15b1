package dev.headgate.bench.worlds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.bench.worlds.WorldsOptions.Row;
import dev.headgate.simulator.worlds.Kind;
import dev.headgate.simulator.worlds.World;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorldsBenchTest {

    @Test
    void runsAThousandSeedsUnlessFewerAreAskedFor() {
        assertThat(WorldsOptions.parse(List.of()).seeds()).isEqualTo(1_000);
        assertThat(WorldsOptions.parse(List.of("--quick")).seeds()).isEqualTo(2);
        WorldsOptions replay =
                WorldsOptions.parse(List.of("--rows", "pareto,storm", "--first", "1007", "--seeds", "1", "--watch"));
        assertThat(replay.rows()).containsExactly(Row.PARETO, Row.STORM);
        assertThat(replay.first()).isEqualTo(1_007);
        assertThat(replay.watch()).isTrue();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> WorldsOptions.parse(List.of("--seed", "3")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--seeds N");
        assertThatThrownBy(() -> WorldsOptions.parse(List.of("--seeds"))).hasMessageContaining("needs a value");
        assertThatThrownBy(() -> WorldsOptions.parse(List.of("--seeds", "0"))).hasMessageContaining("from 1");
        assertThatThrownBy(() -> WorldsOptions.parse(List.of("--rows", "mars"))).hasMessageContaining("mars");
    }

    @Test
    void everyKindOfWorldHasARow() {
        assertThat(Arrays.stream(Row.values()).map(Enum::name))
                .containsAll(Arrays.stream(Kind.values()).map(Enum::name).toList())
                .hasSize(Kind.values().length + 1);
    }

    @Test
    void aSeedReplays() {
        List<Verdict> once = WorldsBench.judge(World.of(Kind.BIMODAL, 1_000), EnumSet.allOf(Contender.class));
        List<Verdict> again = WorldsBench.judge(World.of(Kind.BIMODAL, 1_000), EnumSet.allOf(Contender.class));
        assertThat(again).hasSize(Contender.values().length).hasToString(once.toString());
    }
}
