package dev.headgate.policy.schedule;

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
import dev.headgate.spi.PoolView;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScheduleTest extends PolicyContract {

    private static final Map<String, Object> NIGHT = Map.of("from", "22:00", "to", "06:00", "max", 5);
    private static final Map<String, Object> OFFICE = Map.of(
            "days", List.of("mon", "tue", "wed", "thu", "fri"), "from", "08:00", "to", "18:00", "min", 4, "max", 40);

    @Override
    protected PolicyFactory factory() {
        return new ScheduleFactory();
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("zone", "Europe/Berlin", "windows", List.of(OFFICE, NIGHT)),
                Map.of("otherwise", Map.of("min", 3, "max", 3)),
                Map.of("otherwise", Map.of("min", 0, "max", 1)));
    }

    @Test
    void holdsTheFirstWindowThatFitsAndTheRestOtherwise() {
        Policy policy = policy(Map.of("windows", List.of(OFFICE, NIGHT), "otherwise", Map.of("min", 1, "max", 10)));
        assertThat(ceiling(policy, "2026-11-20T07:59:59Z"))
                .as("Friday, before hours")
                .isEqualTo(10);
        assertThat(ceiling(policy, "2026-11-20T08:00:00Z")).isEqualTo(40);
        assertThat(ceiling(policy, "2026-11-20T18:00:00Z"))
                .as("the end is not in it")
                .isEqualTo(10);
        assertThat(ceiling(policy, "2026-11-21T09:00:00Z")).as("Saturday").isEqualTo(10);
        assertThat(ceiling(policy, "2026-11-21T23:00:00Z")).isEqualTo(5);
        assertThat(ceiling(policy, "2026-11-22T05:59:59Z")).isEqualTo(5);
        assertThat(ceiling(policy, "2026-11-22T06:00:00Z")).isEqualTo(10);
        Limits office = policy.limits(at("2026-11-20T12:00:00Z"));
        assertThat(office.floor()).isEqualTo(4);
        assertThat(office.reason()).isEqualTo("4 to 40 connections from 08:00 to 18:00 (UTC).");
    }

    @Test
    void countsANightToTheDayItBeganOn() {
        Policy policy = policy(
                Map.of("windows", List.of(Map.of("days", List.of("fri"), "from", "22:00", "to", "06:00", "max", 5))));
        assertThat(ceiling(policy, "2026-11-20T23:00:00Z")).as("Friday night").isEqualTo(5);
        assertThat(ceiling(policy, "2026-11-21T05:00:00Z"))
                .as("still that night")
                .isEqualTo(5);
        assertThat(ceiling(policy, "2026-11-20T05:00:00Z")).as("Thursday night").isEqualTo(10);
        assertThat(ceiling(policy, "2026-11-21T23:00:00Z")).as("Saturday night").isEqualTo(10);
    }

    @Test
    void goesByTheClockOnTheWallThroughBothChangesOfTheClock() {
        Policy policy = policy(Map.of("zone", "Europe/Berlin", "windows", List.of(NIGHT)));
        // put forward on 29 March 2026: 06:00 is 04:00 UTC, an hour earlier than the day before
        assertThat(ceiling(policy, "2026-03-28T04:30:00Z")).isEqualTo(5);
        assertThat(ceiling(policy, "2026-03-29T03:59:59Z")).isEqualTo(5);
        assertThat(ceiling(policy, "2026-03-29T04:00:00Z")).isEqualTo(10);
        // put back on 25 October 2026
        assertThat(ceiling(policy, "2026-10-25T04:59:59Z")).isEqualTo(5);
        assertThat(ceiling(policy, "2026-10-25T05:00:00Z")).isEqualTo(10);
        assertThat(hours(policy, "2026-03-28T20:00:00Z")).as("the short night").isEqualTo(7);
        assertThat(hours(policy, "2026-10-24T18:00:00Z")).as("the long night").isEqualTo(9);
    }

    @Test
    void leavesOutTheHourThatDoesNotHappenAndHoldsTwiceTheHourThatComesTwice() {
        Policy policy = policy(
                Map.of("zone", "Europe/Berlin", "windows", List.of(Map.of("from", "02:00", "to", "03:00", "max", 2))));
        assertThat(hours(policy, "2026-03-28T12:00:00Z")).isZero();
        assertThat(hours(policy, "2026-10-24T12:00:00Z")).isEqualTo(2);
    }

    @Test
    void movesAPoolUnderLoadAtTheAppointedSecond() {
        // virtual time begins at 12:00:00 UTC
        Policy policy = policy(Map.of(
                "windows", List.of(Map.of("from", "12:01", "to", "12:02", "max", 20)), "otherwise", Map.of("max", 8)));
        Run run = new Simulator(new SimulatedServer(ServiceTime.linear(10, 0), 0.5, 1), 100, 1)
                .domain("bank", Load.perSecond(4_000), policy)
                .runFor(Duration.ofSeconds(150))
                .run("bank");
        assertThat(run.changes()).extracting(Run.Change::to).containsExactly(20, 8);
        assertThat(run.rows(Duration.ofSeconds(2), Duration.ofSeconds(60)))
                .allMatch(row -> row.window().size() == 8);
        assertThat(run.rows(Duration.ofSeconds(62), Duration.ofSeconds(120)))
                .allMatch(row -> row.window().size() == 20);
        assertThat(run.rows(Duration.ofSeconds(121), Duration.ofSeconds(150)))
                .allMatch(row -> row.window().size() == 8);
    }

    @Test
    void namesEveryFaultWhereItIs() {
        assertThatThrownBy(() -> policy(Map.of(
                        "zone",
                        "Europe/Atlantis",
                        "windows",
                        List.of(
                                Map.of("from", "8:00", "to", "18:00", "max", 4),
                                Map.of("days", List.of("someday"), "from", "01:00", "to", "02:00", "min", 9, "max", 5)),
                        "otherwise",
                        Map.of("max", 0))))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .extracting(Fault::parameter)
                                .containsExactly(
                                        "zone", "windows/0/from", "windows/1/days", "windows/1/min", "otherwise/max"));
    }

    private static int hours(Policy policy, String from) {
        int quarters = 0;
        Instant start = Instant.parse(from);
        for (int i = 0; i < 4 * 24; i++) {
            if (policy.limits(at(start.plusSeconds(900L * i).toString())).ceiling() != 10) {
                quarters++;
            }
        }
        return quarters / 4;
    }

    private static int ceiling(Policy policy, String instant) {
        return policy.limits(at(instant)).ceiling();
    }

    private static PoolView at(String instant) {
        PoolView now = PoolViews.of(0, 0, 0);
        return new PoolView(
                now.domain(),
                now.revision(),
                Instant.parse(instant),
                now.nanoTime(),
                now.size(),
                now.inUse(),
                now.idle(),
                now.waiting(),
                now.longestWaitNanos(),
                now.window(),
                now.lastLimits(),
                now.database());
    }
}
