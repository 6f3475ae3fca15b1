package dev.headgate.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MixTest {

    @Test
    void drawsByWeight() {
        Mix mix = Mix.builder()
                .add("often", 7, (connection, client) -> {})
                .add("seldom", 2, (connection, client) -> {})
                .add("rarely", 1, (connection, client) -> {})
                .build();
        SplittableRandom random = new SplittableRandom(1);

        Map<String, Long> drawn = Stream.generate(() -> mix.draw(random).holder())
                .limit(100_000)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

        assertThat(drawn.get("often") / 1e5).isCloseTo(0.7, within(0.01));
        assertThat(drawn.get("seldom") / 1e5).isCloseTo(0.2, within(0.01));
        assertThat(drawn.get("rarely") / 1e5).isCloseTo(0.1, within(0.01));
    }

    @Test
    void refusesAWeightThatIsNone() {
        assertThatThrownBy(() -> Mix.builder().add("never", 0, (connection, client) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("never");
    }
}
