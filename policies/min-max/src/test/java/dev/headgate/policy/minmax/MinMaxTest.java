package dev.headgate.policy.minmax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.PoolView;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MinMaxTest extends PolicyContract {

    @Override
    protected PolicyFactory factory() {
        return new MinMaxFactory();
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("min", 2, "max", 20, "initial", 5),
                Map.of("min", 3, "max", 3),
                Map.of("max", 1, "idleTimeoutMs", 0));
    }

    @Test
    void keepsInitialConnectionsUntilThePoolHeldThemOnceAndMinFromThenOn() {
        Policy policy = policy(Map.of("initial", 5, "min", 2, "max", 20));
        assertThat(policy.limits(size(0)).floor()).isEqualTo(5);
        assertThat(policy.limits(size(4)).floor()).isEqualTo(5);
        assertThat(policy.limits(size(5)).floor()).isEqualTo(2);
        assertThat(policy.limits(size(0)).floor()).as("it was filled once").isEqualTo(2);
    }

    @Test
    void saysWhatItAllowsInWordsAndFigures() {
        Limits limits =
                policy(Map.of("min", 2, "max", 20, "idleTimeoutMs", 30_000)).limits(size(0));
        assertThat(limits.ceiling()).isEqualTo(20);
        assertThat(limits.idleTimeoutNanos()).isEqualTo(30_000_000_000L);
        assertThat(limits.reason())
                .isEqualTo("At most 20 connections (max), 2 kept when idle (min), the others closed after 30 s.");
    }

    @Test
    void saysWhatIsKeptUntilThePoolWasFilledOnce() {
        Policy policy = policy(Map.of("initial", 5, "min", 2, "max", 20, "idleTimeoutMs", 30_000));
        assertThat(policy.limits(size(0)).reason())
                .isEqualTo(
                        "At most 20 connections (max), 5 kept from the start (initial), the others closed after 30 s.");
        assertThat(policy.limits(size(5)).reason()).contains("2 kept when idle (min)");
    }

    @Test
    void neverClosesIdleConnectionsWhereTheTimeoutIsZero() {
        Limits limits = policy(Map.of("max", 1, "idleTimeoutMs", 0)).limits(size(0));
        assertThat(limits.idleTimeoutNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(limits.reason()).isEqualTo("At most 1 connection (max), and none closed for being idle.");
    }

    @Test
    void namesEveryFaultAtOnce() {
        assertThatThrownBy(() -> policy(Map.of("min", 30, "max", 20, "initial", 40)))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        new Fault("min", "must be between 0 and max (20), was 30"),
                                        new Fault("initial", "must be 0 or between min (30) and max (20), was 40")));
    }

    private static PoolView size(int size) {
        return PoolViews.of(size, 0, 0);
    }
}
