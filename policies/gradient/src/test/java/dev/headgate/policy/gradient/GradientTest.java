package dev.headgate.policy.gradient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.simulator.Work;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.testkit.PolicyContract;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The method on a server it suits, and each of its published failures. */
class GradientTest extends PolicyContract {

    private static final ServiceTime EIGHT_CORES = ServiceTime.cores(8, 10);

    @Override
    protected PolicyFactory factory() {
        return new GradientFactory();
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("min", 3, "max", 3),
                Map.of("tolerance", 1, "smoothing", 1, "driftPercentPerMinute", 100, "max", 10_000, "startAt", 10_000));
    }

    @Test
    void findsTheKneeOfAServerWithoutBeingToldACap() {
        Run run = run(Load.perSecond(2_000), server(), 60, Map.of());
        assertThat(ceilings(run, 10, 60)).as("8 cores, and half as much again").allMatch(c -> c >= 9 && c <= 16);
        assertThat(run.throughput(seconds(10), seconds(60))).isGreaterThan(0.97 * 800);
    }

    @Test
    void doesNotDriftUpUnderLastingOverload() {
        Run run = run(Load.perSecond(2_000), server(), 600, Map.of());
        assertThat(ceilings(run, 540, 600))
                .as("ten minutes at 2 % a minute are a fifth more, not a ratchet")
                .allMatch(ceiling -> ceiling <= 19);
    }

    @Test
    void isNotCrushedByAFewFastRequests() {
        Run run = run(
                Load.perSecond(2_000)
                        .then(seconds(30), Work.single().heavier(0.2))
                        .then(seconds(32), Work.single()),
                server(),
                90,
                Map.of());
        assertThat(ceilings(run, 33, 90)).allMatch(ceiling -> ceiling >= 5);
        assertThat(run.throughput(seconds(40), seconds(90))).isGreaterThan(0.9 * 800);
    }

    @Test
    void doesNotGrowWithoutDemand() {
        Run run = run(Load.perSecond(100), server(), 60, Map.of("startAt", 4));
        assertThat(run.rows()).allMatch(row -> row.limits().ceiling() <= 4);
    }

    @Test
    void holdsItsFloorWhileTheDatabaseIsSlowAndComesBack() {
        SimulatedServer server = server().slower(5, seconds(30), seconds(60));
        Run run = run(Load.perSecond(2_000), server, 120, Map.of("min", 3));
        assertThat(run.rows()).allMatch(row -> row.limits().ceiling() >= 3);
        assertThat(ceilings(run, 80, 90))
                .as("what the method cannot tell apart")
                .allMatch(c -> c <= 5);
        assertThat(ceilings(run, 105, 120)).allMatch(ceiling -> ceiling >= 9);
    }

    @Test
    void standsStillOnAFewRequests() {
        Run run = run(Load.perSecond(2), server(), 120, Map.of());
        assertThat(run.changes()).isEmpty();
    }

    @Test
    void namesEveryFault() {
        assertThatThrownBy(() -> policy(Map.of("min", 9, "max", 5, "tolerance", 0.5)))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        new Fault("min", "must be between 1 and max (5), was 9"),
                                        new Fault("tolerance", "must be between 1 and 10, was 0.5")));
    }

    private static SimulatedServer server() {
        return new SimulatedServer(EIGHT_CORES, 0.5, 1);
    }

    private Run run(Load load, SimulatedServer server, int length, Map<String, Object> parameters) {
        return new Simulator(server, 100, 1)
                .domain("bank", load, policy(parameters))
                .runFor(seconds(length))
                .run("bank");
    }

    private static List<Integer> ceilings(Run run, int fromSecond, int toSecond) {
        return run.rows(seconds(fromSecond), seconds(toSecond)).stream()
                .map(row -> row.limits().ceiling())
                .toList();
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
