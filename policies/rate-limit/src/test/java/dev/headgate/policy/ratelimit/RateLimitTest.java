package dev.headgate.policy.ratelimit;

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
import dev.headgate.spi.PolicyFactory;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RateLimitTest extends PolicyContract {

    @Override
    protected PolicyFactory factory() {
        return new RateLimitFactory();
    }

    @Override
    protected Map<String, Object> required() {
        return Map.of("perSecond", 100);
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("perSecond", 1, "burst", 1),
                Map.of("perSecond", 0.5, "burst", 1),
                Map.of("perSecond", 1_000_000, "burst", 1_000_000));
    }

    @Test
    void answersWithRateAndBurstAndLeavesTheSizeToOthers() {
        Limits limits = policy(Map.of("perSecond", 20, "burst", 5)).limits(PoolViews.of(0, 0, 0));
        assertThat(limits)
                .isEqualTo(Limits.unbounded()
                        .withRate(20)
                        .withBurst(5)
                        .because("At most 20 leases per second, 5 at once."));
    }

    @Test
    void letsThroughWhatTheRateAllowsOfAFloodAndOpensNoConnectionsForTheRest() {
        Run run = new Simulator(new SimulatedServer(ServiceTime.linear(5, 0), 0.5, 1), 100, 1)
                .domain("gallery", Load.perSecond(500), policy(Map.of("perSecond", 100, "burst", 10)))
                .runFor(Duration.ofSeconds(20))
                .run("gallery");
        assertThat(run.rows(seconds(1), seconds(20)))
                .as("never more than the rate and the burst in a window of 100 ms")
                .allMatch(row -> row.window().leases() <= 10 + 10);
        long leases = run.rows(seconds(1), seconds(20)).stream()
                .mapToLong(row -> row.window().leases())
                .sum();
        assertThat(leases).isBetween(1_880L, 1_910L);
        assertThat(run.rows(seconds(1), seconds(20)))
                .as("100 a second of 5 ms each need hardly one connection at a time")
                .allMatch(row -> row.window().size() <= 12);
        assertThat(run.refused(seconds(2), seconds(20)))
                .as("the queue's depth and timeout turn the others away")
                .isGreaterThan(6_000);
    }

    @Test
    void givesABurstAtOnceAfterAQuietTime() {
        Run run = new Simulator(new SimulatedServer(ServiceTime.linear(5, 0), 0, 1), 100, 1)
                .domain(
                        "gallery",
                        Load.perSecond(0).then(seconds(5), 2_000).then(Duration.ofMillis(5_050), 0),
                        policy(Map.of("perSecond", 10, "burst", 40)),
                        pool -> Limits.unbounded().withFloor(40).withCeiling(40))
                .runFor(seconds(6))
                .run("gallery");
        assertThat(run.rows(seconds(5), Duration.ofMillis(5_100))
                        .getFirst()
                        .window()
                        .leases())
                .isBetween(40L, 41L);
    }

    @Test
    void namesEveryFault() {
        assertThatThrownBy(() -> policy(Map.of("perSecond", 0, "burst", 0)))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        new Fault("perSecond", "must be between 0.1 and 1000000, was 0.0"),
                                        new Fault("burst", "must be between 1 and 1000000, was 0")));
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
