package dev.headgate.policy.budgetshare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BudgetShareTest extends PolicyContract {

    @Override
    protected PolicyFactory factory() {
        return new BudgetShareFactory();
    }

    @Override
    protected Map<String, Object> required() {
        return Map.of("percent", 30);
    }

    @Test
    void saysWhichShareOfWhat() {
        Limits limits = policy(Map.of()).limits(PoolViews.of(0, 0, 0));
        assertThat(limits.ceiling()).isEqualTo(30);
        assertThat(limits.reason()).isEqualTo("At most 30 connections: 30 % of the database's budget of 100.");
        assertThat(policy(Map.of("percent", 1)).limits(PoolViews.of(0, 0, 0)).reason())
                .isEqualTo("At most 1 connection: 1 % of the database's budget of 100.");
    }

    @Test
    void leavesTheRestOfTheBudgetToOthersInAFlood() {
        Run run = new Simulator(new SimulatedServer(ServiceTime.linear(5, 0.5), 0.6, 1), 40, 1)
                .domain("gallery", Load.perSecond(5_000), policy(Map.of("percent", 25)))
                .runFor(Duration.ofSeconds(10))
                .run("gallery");
        assertThat(run.rows()).allMatch(row -> row.window().size() <= 10);
        assertThat(run.rows().getLast().window().size()).isEqualTo(10);
    }
}
