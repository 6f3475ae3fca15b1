package dev.headgate.simulator.worlds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorldTest {

    private static final Policy FOUR = pool -> Limits.unbounded().withCeiling(4);

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theSameSeedMakesTheSameWorld(Kind kind) {
        for (long seed = 0; seed < 4; seed++) {
            World one = World.of(kind, seed);
            World other = World.of(kind, seed);
            assertThat(other).hasToString(one.toString());
            assertThat(other.capMs()).isEqualTo(one.capMs());
            assertThat(other.stretches()).isEqualTo(one.stretches());
            assertThat(World.of(kind, seed + 4).toString()).isNotEqualTo(one.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, mode = EnumSource.Mode.EXCLUDE, names = "DAY")
    void theSameSeedRunsTheSameWay(Kind kind) {
        World world = shortened(World.of(kind, 3));
        World.Score once = world.score(FOUR);
        assertThat(world.score(FOUR)).isEqualTo(once);
        assertThat(once.throughput()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyStretchHasASizeThatKeepsTheCap(Kind kind) {
        for (long seed = 0; seed < 4; seed++) {
            World world = World.of(kind, seed);
            assertThat(world.stretches()).as("%s", world).allMatch(stretch -> stretch.bestSize() >= 1);
        }
    }

    /** Its first 5 s alone. */
    private static World shortened(World world) {
        return new World(
                world.kind(),
                world.seed(),
                world.name(),
                world.server(),
                world.opening(),
                world.statistic(),
                world.capMs(),
                List.of(new World.Stretch(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5),
                        world.stretches().getFirst().bestSize())));
    }
}
