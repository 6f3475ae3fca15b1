package dev.headgate.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.WhenExhausted;
import java.io.BufferedReader;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Who asks: callers in a closed loop, clients that try again, traces, tides; and neighbours, who do not ask us. */
class DemandTest {

    private static final Duration WARM = Duration.ofSeconds(2);

    @Test
    void callersWaitForTheirAnswerBeforeTheyAskAgain() {
        Simulator simulator = new Simulator(flat(10), 100, 1)
                .domain("a", Callers.of(30), fixed(5))
                .runFor(Duration.ofSeconds(20));
        Run run = simulator.run("a");
        assertThat(run.throughput(WARM, Duration.ofSeconds(20)))
                .as("5 at 10 ms each")
                .isCloseTo(500, Percentage.withPercentage(2));
        assertThat(simulator.inUse("a") + simulator.waiting("a")).isEqualTo(30);
    }

    @Test
    void callersPause() {
        Run run = new Simulator(flat(10), 100, 1)
                .domain("a", new Callers(10, Duration.ofMillis(90), Work.single()), fixed(20))
                .runFor(Duration.ofSeconds(60))
                .run("a");
        assertThat(run.throughput(WARM, Duration.ofSeconds(60)))
                .as("10 callers, 100 ms a round")
                .isCloseTo(100, Percentage.withPercentage(4));
    }

    @Test
    void clientsAreAnsweredWhileThereIsRoom() {
        Clients clients = storm(WhenExhausted.queue(10_000, 100_000), 1);
        assertThat(clients.goodput(WARM, Duration.ofSeconds(20))).isCloseTo(180, within(6.0));
    }

    @Test
    void clientsThatTryAgainKeepALongQueueDownAfterTheCauseHasGone() {
        Clients down = storm(WhenExhausted.queue(10_000, 100_000), 10);
        assertThat(down.offered(Duration.ofSeconds(40), Duration.ofSeconds(55))).isCloseTo(180, within(6.0));
        assertThat(down.goodput(Duration.ofSeconds(40), Duration.ofSeconds(55)))
                .as("10 to 25 s after the slowdown")
                .isLessThan(30);
        Clients up = storm(WhenExhausted.queue(300, 100_000), 10);
        assertThat(up.goodput(Duration.ofSeconds(40), Duration.ofSeconds(55))).isCloseTo(180, within(6.0));
    }

    /** 250 a second at most, 180 clients a second with a patience of a second and four attempts; slow from 20 s to 30 s. */
    private static Clients storm(WhenExhausted queue, double slower) {
        Clients clients = Clients.of(Load.perSecond(180), Duration.ofSeconds(1), 4, Duration.ofMillis(200));
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(40, 0), 0.3, 1)
                .slower(slower, Duration.ofSeconds(20), Duration.ofSeconds(10));
        PolicySet set = PolicySet.of(1, queue, new PolicySet.Member("fixed", fixed(10)));
        new Simulator(server, 100, 1).domain("a", clients, set).runFor(Duration.ofSeconds(55));
        return clients;
    }

    @Test
    void aTraceComesOverAndOverAtTheRateThatIsAskedFor() {
        Trace trace = Trace.read(new BufferedReader(new StringReader("""
                # microseconds since the last arrival, microseconds on the server
                100000 1000
                100000 3000
                """)));
        assertThat(trace.perSecond()).isCloseTo(10, within(1e-9));
        assertThat(trace.arrivals()).extracting(Trace.Arrival::heaviness).containsExactly(0.5, 1.5);
        Run run = new Simulator(flat(10), 100, 1)
                .domain("a", trace.atRate(50), fixed(20))
                .runFor(Duration.ofSeconds(10))
                .run("a");
        Duration end = Duration.ofSeconds(10);
        assertThat(run.throughput(WARM, end)).isCloseTo(50, Percentage.withPercentage(1));
        assertThat(run.latency(WARM, end).minNanos()).isCloseTo(5_000_000, Percentage.withPercentage(1));
        assertThat(run.latency(WARM, end).maxNanos()).isCloseTo(15_000_000, Percentage.withPercentage(1));
    }

    @Test
    void aTraceHasArrivalsAndAnEndAfterThem() {
        assertThatThrownBy(() -> new Trace(List.of(), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Trace(List.of(new Trace.Arrival(2, 1)), Duration.ofNanos(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTideRisesAndFalls() {
        Load load = Load.tide(10, 110, Duration.ofHours(2), Duration.ofHours(2));
        assertThat(load.perSecondAt(0)).isCloseTo(10, within(1e-9));
        assertThat(load.perSecondAt(Duration.ofMinutes(30).toNanos())).isCloseTo(60, within(1e-6));
        assertThat(load.perSecondAt(Duration.ofMinutes(60).toNanos())).isCloseTo(110, within(1e-6));
        assertThat(load.perSecondAt(Duration.ofMinutes(119).toNanos())).isLessThan(11);
    }

    @Test
    void neighboursCountAsRequestsUnderWay() {
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(5, 1), 0, 1)
                .neighbour(10, Duration.ofSeconds(10), Duration.ofSeconds(10));
        Run run = new Simulator(server, 100, 1)
                .domain("a", Load.perSecond(1), fixed(1))
                .runFor(Duration.ofSeconds(30))
                .run("a");
        assertThat(run.latency(Duration.ZERO, Duration.ofSeconds(10)).meanNanos())
                .isCloseTo(6e6, Percentage.withPercentage(1));
        assertThat(run.latency(Duration.ofSeconds(11), Duration.ofSeconds(20)).meanNanos())
                .isCloseTo(16e6, Percentage.withPercentage(1));
        assertThat(run.latency(Duration.ofSeconds(21), Duration.ofSeconds(30)).meanNanos())
                .isCloseTo(6e6, Percentage.withPercentage(1));
    }

    private static SimulatedServer flat(double ms) {
        return new SimulatedServer(ServiceTime.linear(ms, 0), 0, 1);
    }

    private static Policy fixed(int size) {
        return pool -> Limits.unbounded().withFloor(size).withCeiling(size).because("Fixed.");
    }
}
