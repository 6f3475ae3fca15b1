package dev.headgate.policy.delegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted.Mode;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DelegateTest extends PolicyContract {

    /** 10 connections of 10 ms each: 1,000 leases a second. */
    private static final Policy TEN =
            pool -> Limits.unbounded().withFloor(10).withCeiling(10).because("Ten.");

    @Override
    protected PolicyFactory factory() {
        return new DelegateFactory();
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("waiting", 1, "waitMs", 0, "calmMs", 100), Map.of("waiting", 1_000_000, "waitMs", 600_000));
    }

    @Test
    void turnsAwayWhatAFloodBringsTooMuchServesTheRestAtFullRateAndRecovers() {
        Run run = run(
                Load.perSecond(0).then(seconds(1), 800).then(seconds(10), 3_000).then(seconds(20), 800));

        assertThat(run.rows(seconds(1), seconds(10)))
                .as("before the flood")
                .extracting(row -> row.limits().whenExhausted().mode())
                .containsOnly(Mode.QUEUE);
        assertThat(run.rows(seconds(11), seconds(20)))
                .as("no flapping between the two while the flood lasts")
                .extracting(row -> row.limits().whenExhausted().mode())
                .containsOnly(Mode.REJECT);
        assertThat(run.throughput(seconds(11), seconds(20))).isGreaterThan(0.92 * 1_000);
        assertThat(run.waits(seconds(11), seconds(20)).percentileNanos(99))
                .as("those who are served did not wait")
                .isLessThan(5_000_000);
        assertThat(run.rows(seconds(22), seconds(30)))
                .as("a second and a little after the flood")
                .extracting(row -> row.limits().whenExhausted().mode())
                .containsOnly(Mode.QUEUE);
        assertThat(run.refused(seconds(22), seconds(30))).isZero();
    }

    @Test
    void letsAShortBurstWait() {
        Run run = run(
                Load.perSecond(0).then(seconds(1), 500).then(seconds(5), 1_500).then(Duration.ofMillis(5_050), 500));
        assertThat(run.refused(seconds(0), seconds(30))).isZero();
        assertThat(run.rows().getLast().limits().whenExhausted().mode()).isEqualTo(Mode.QUEUE);
    }

    @Test
    void saysWhyRequestsAreTurnedAway() {
        Limits limits = policy(Map.of("waiting", 5, "waitMs", 0)).limits(PoolViews.of(10, 10, 7));
        assertThat(limits.whenExhausted().mode()).isEqualTo(Mode.REJECT);
        assertThat(limits.reason())
                .isEqualTo(
                        "7 requests waited, the oldest for 0 ms: more are turned away at the door until fewer come.");
    }

    @Test
    void namesEveryFault() {
        assertThatThrownBy(() -> policy(Map.of("waiting", 0, "waitMs", -1, "calmMs", 10)))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        new Fault("waiting", "must be at least 1, was 0"),
                                        new Fault("waitMs", "must not be negative, was -1"),
                                        new Fault("calmMs", "must be at least 100, the length of a window, was 10")));
    }

    private Run run(Load load) {
        return new Simulator(new SimulatedServer(ServiceTime.linear(10, 0), 0.3, 1), 100, 1)
                .domain("bank", load, TEN, policy(Map.of("waiting", 20, "waitMs", 50)))
                .runFor(seconds(30))
                .run("bank");
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
