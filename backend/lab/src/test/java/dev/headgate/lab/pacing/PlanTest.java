package dev.headgate.lab.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.lab.pacing.Plan.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Duration TEN = Duration.ofSeconds(10);

    @Test
    void holdsStepsAndRamps() {
        Plan plan = new Plan(List.of(
                Phase.hold(20, TEN).asWarmUp(),
                Phase.hold(40, TEN),
                Phase.ramp(40, 240, TEN),
                Phase.ramp(100, 0, TEN)));
        assertThat(plan.at(0)).isEqualTo(20);
        assertThat(plan.at(10 * SECOND - 1)).isEqualTo(20);
        assertThat(plan.at(10 * SECOND)).isEqualTo(40);
        assertThat(plan.at(20 * SECOND)).isEqualTo(40);
        assertThat(plan.at(25 * SECOND)).isEqualTo(140);
        assertThat(plan.at(35 * SECOND)).isEqualTo(50);
        assertThat(plan.bound(9 * SECOND)).isEqualTo(new Course.Bound(20, 10 * SECOND));
        assertThat(plan.bound(20 * SECOND)).isEqualTo(new Course.Bound(240, 30 * SECOND));
        assertThat(plan.bound(39 * SECOND)).isEqualTo(new Course.Bound(100, 40 * SECOND));
        assertThat(plan.endNanos()).isEqualTo(40 * SECOND);
        assertThat(plan.warmUp()).isEqualTo(TEN);
        assertThat(plan.indexAt(9 * SECOND)).isZero();
        assertThat(plan.indexAt(10 * SECOND)).isEqualTo(1);
        assertThat(plan.indexAt(400 * SECOND)).isEqualTo(3);
    }

    @Test
    void refusesWhatIsNoPlan() {
        refused("a plan needs a phase that counts", List.of());
        refused("a plan needs a phase that counts", List.of(Phase.hold(1, TEN).asWarmUp()));
        refused(
                "phase 1 is a warm-up after a phase that counts",
                List.of(Phase.hold(1, TEN), Phase.hold(1, TEN).asWarmUp(), Phase.hold(1, TEN)));
        refused("a plan needs a level above 0", List.of(Phase.hold(0, TEN)));
        assertThatThrownBy(() -> Phase.hold(-1, TEN)).hasMessageContaining("-1.0");
        assertThatThrownBy(() -> Phase.hold(Double.NaN, TEN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> Phase.hold(1, Duration.ZERO)).hasMessageContaining("a length");
    }

    private static void refused(String why, List<Phase> phases) {
        assertThatThrownBy(() -> new Plan(phases))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(why);
    }
}
