package dev.headgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class BenchTest {

    @Test
    void allAreMeasuredQuicklyWhereTheyHaveAQuickForm() {
        assertThat(Bench.ofAll(List.of("--quick")))
                .containsOnlyKeys(Bench.names())
                .containsEntry("borrow", List.of())
                .containsEntry("peers", List.of("--quick"));
        assertThat(Bench.ofAll(List.of()).values()).containsOnly(List.of());
    }

    @Test
    void allRefusesTheOptionsOfOne() {
        assertThatThrownBy(() -> Bench.ofAll(List.of("--quick", "--rows", "borrow")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes --quick alone, was given --quick --rows borrow");
    }
}
