package dev.headgate.bench.worlds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.Policy;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NetflixLimitTest {

    private static final Duration LENGTH = Duration.ofSeconds(30);

    static Stream<Supplier<Policy>> limits() {
        return Stream.of(NetflixLimit::vegas, NetflixLimit::gradient2);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void startsAtFourAndGrowsWhereLatencyDoesNotRise(Supplier<Policy> limit) {
        Run run = run(limit.get(), ServiceTime.linear(10, 0.0001), 2_000);
        assertThat(run.rows().getFirst().limits().ceiling()).isEqualTo(4);
        assertThat(run.rows().getLast().limits().ceiling()).isGreaterThan(8);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void hardlyGrowsWhereNobodyAsksForMore(Supplier<Policy> limit) {
        Run run = run(limit.get(), ServiceTime.linear(10, 0.1), 30);
        assertThat(run.rows().getLast().limits().ceiling()).isBetween(1, 12);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void theSameSeedGivesTheSameRun(Supplier<Policy> limit) {
        assertThat(run(limit.get(), ServiceTime.cores(4, 10), 600).changes())
                .isEqualTo(run(limit.get(), ServiceTime.cores(4, 10), 600).changes());
    }

    private static Run run(Policy policy, ServiceTime serviceTime, double perSecond) {
        return new Simulator(new SimulatedServer(serviceTime, 0.3, 7), 500, 7)
                .domain("shop", Load.perSecond(perSecond), policy)
                .runFor(LENGTH)
                .run("shop");
    }
}
