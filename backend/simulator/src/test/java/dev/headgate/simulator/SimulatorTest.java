package dev.headgate.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.time.Duration;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class SimulatorTest {

    private static final Duration WARM = Duration.ofSeconds(2);
    private static final Duration END = Duration.ofSeconds(30);

    @Test
    void obeysLittlesLawBelowSaturation() {
        Run run = simulate(ServiceTime.linear(10, 0), Load.perSecond(200), 20);
        assertThat(run.latency(WARM, END).meanNanos()).isCloseTo(10e6, Percentage.withPercentage(3));
        assertThat(run.throughput(WARM, END)).isCloseTo(200, Percentage.withPercentage(5));
        assertThat(run.rows(WARM, END).stream()
                        .mapToDouble(row -> row.window().meanActive())
                        .average()
                        .orElse(0))
                .as("200 a second for 10 ms each")
                .isCloseTo(2, within(0.15));
        assertThat(run.refused(WARM, END)).isZero();
    }

    @Test
    void servesAtTheRateOfTheServerWhenSaturatedAndRefusesTheRest() {
        Run run = simulate(ServiceTime.linear(5, 0.5), Load.perSecond(3_000), 20);
        assertThat(run.throughput(WARM, END)).as("20 at 15 ms each").isCloseTo(1_333, Percentage.withPercentage(3));
        assertThat(run.rows(WARM, END)).allMatch(row -> row.window().size() == 20);
        assertThat(run.refused(WARM, END) / 28.0).isCloseTo(3_000 - 1_333, Percentage.withPercentage(5));
    }

    @Test
    void slowsTheServerForAsLongAsIsAsked() {
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(10, 0), 0, 1)
                .slower(3, Duration.ofSeconds(10), Duration.ofSeconds(10));
        Run run = new Simulator(server, 100, 1)
                .domain("a", Load.perSecond(100), fixed(20))
                .runFor(END)
                .run("a");
        assertThat(run.latency(WARM, Duration.ofSeconds(10)).meanNanos()).isCloseTo(10e6, Percentage.withPercentage(1));
        assertThat(run.latency(Duration.ofSeconds(11), Duration.ofSeconds(20)).meanNanos())
                .isCloseTo(30e6, Percentage.withPercentage(1));
        assertThat(run.latency(Duration.ofSeconds(21), END).meanNanos()).isCloseTo(10e6, Percentage.withPercentage(1));
    }

    @Test
    void failsTheShareOfRequestsThatIsAskedForAndEndsTheirLeases() {
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(10, 0), 0, 1)
                .failing(0.25, Duration.ofSeconds(10), Duration.ofSeconds(10));
        Run run = new Simulator(server, 100, 1)
                .domain("a", Load.perSecond(100, Work.transaction(2, Duration.ZERO)), fixed(20))
                .runFor(END)
                .run("a");
        Duration from = Duration.ofSeconds(10);
        Duration to = Duration.ofSeconds(20);
        assertThat(run.errors(WARM, from)).isZero();
        assertThat(run.errors(to.plusMillis(100), END)).isZero();
        double requests = run.throughput(from, to) * 10;
        assertThat(run.errors(from, to) / requests).isCloseTo(0.25, within(0.03));
        assertThat(requests).as("a transaction is over with its first error").isCloseTo(1_750, within(80.0));
    }

    @Test
    void tellsWhatApplicationsSawIncludingTheWait() {
        // one connection of 10 ms, and 50 arrivals a second: the queue adds what M/D/1 says, 0.5 / (2 (1 - 0.5)) x 10
        // ms
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(10, 0), 0, 1);
        Run run = new Simulator(server, 1, 1)
                .domain("a", Load.perSecond(50), fixed(1))
                .runFor(Duration.ofSeconds(200))
                .run("a");
        assertThat(run.responses(WARM, Duration.ofSeconds(200)).meanNanos())
                .isCloseTo(15e6, Percentage.withPercentage(6));
    }

    @Test
    void sharesTheBudgetAmongDomainsAsTheEngineDoes() {
        Simulator simulator = new Simulator(new SimulatedServer(ServiceTime.linear(10, 0), 0.5, 1), 12, 1)
                .domain(
                        "heavy",
                        Load.perSecond(4_000),
                        pool -> fixed(100).limits(pool).withWeight(2))
                .domain(
                        "light",
                        Load.perSecond(4_000),
                        pool -> fixed(100).limits(pool).withWeight(1))
                .runFor(END);
        assertThat(simulator.run("heavy").rows(WARM, END)).allMatch(row -> row.target() == 8);
        assertThat(simulator.run("light").rows(WARM, END)).allMatch(row -> row.target() == 4);
    }

    @Test
    void repeatsItselfFromItsSeed() {
        Run one = simulate(ServiceTime.usl(3, 0.05, 0.001), Load.perSecond(1_500), 10);
        Run two = simulate(ServiceTime.usl(3, 0.05, 0.001), Load.perSecond(1_500), 10);
        assertThat(one.perSecond()).isEqualTo(two.perSecond());
    }

    private static Run simulate(ServiceTime serviceTime, Load load, int ceiling) {
        return new Simulator(new SimulatedServer(serviceTime, 0.5, 1), 100, 1)
                .domain("a", load, fixed(ceiling))
                .runFor(END)
                .run("a");
    }

    private static Policy fixed(int ceiling) {
        return pool -> Limits.unbounded().withCeiling(ceiling).because("Fixed.");
    }
}
