package dev.headgate.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.lab.pacing.Plan;
import dev.headgate.lab.script.ScriptedLoad;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The workload in virtual time: arrivals run on the timer's thread, or are held back. */
class WorkloadTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final List<String> statements = new ArrayList<>();
    private final List<String> holders = new ArrayList<>();

    private Transaction transaction = (connection, client) -> {};
    private Optional<LeaseException.Cause> refusal = Optional.empty();

    @Test
    void offersItsRateAndTimesFromTheScheduledArrival() {
        Workload workload = workload(Runnable::run);
        workload.setVaries(false);
        transaction = (connection, client) -> time.standStill(MILLI);
        workload.start();
        time.advance(60 * SECOND);

        WorkloadStatus status = workload.status();
        assertThat(status.running()).isTrue();
        assertThat(status.varies()).isFalse();
        assertThat(status.offeredPerSecond()).isCloseTo(20, within(5.0));
        assertThat(status.achievedPerSecond()).isCloseTo(status.offeredPerSecond(), within(0.2));
        assertThat(status.latency().count()).isBetween(150L, 250L);
        assertThat(status.latency().windowMs()).isBetween(9_500.0, 10_000.0);
        assertThat(status.latency().p50Ms()).isCloseTo(1, within(0.02));
        assertThat(status.inFlight()).isZero();
        assertThat(status.errors()).isZero();
        assertThat(holders).containsOnly("tester");
    }

    @Test
    void aPauseOfTheDatabaseShowsInTheLatencyOfAllThatArrivedMeanwhile() {
        Workload workload = workload(Runnable::run);
        workload.setVaries(false);
        workload.start();
        time.advance(20 * SECOND);
        time.standStill(4 * SECOND);
        time.advance(SECOND / 10);

        WorkloadStatus.Latency latency = workload.status().latency();
        assertThat(latency.maxMs()).isBetween(3_700.0, 4_050.0);
        // Some 80 of the last ten seconds' 200 came during the pause, evenly: a closed loop would show one of them.
        assertThat(latency.p95Ms()).isBetween(2_800.0, 3_900.0);
        assertThat(latency.p50Ms()).isLessThan(1_500.0);
    }

    @Test
    void shedsAtTheSourceWhatABoundedNumberInFlightCannotTake() {
        List<Runnable> stuck = new ArrayList<>();
        Workload workload = workload(stuck::add);
        workload.setRatePerSecond(1_000);
        workload.setVaries(false);
        workload.start();
        time.advance(3 * SECOND);

        assertThat(stuck).hasSize(Workload.MAX_IN_FLIGHT);
        WorkloadStatus status = workload.status();
        assertThat(status.inFlight()).isEqualTo(Workload.MAX_IN_FLIGHT);
        assertThat(status.refused()).isBetween(1_800L, 2_200L);
        assertThat(status.offeredPerSecond()).isCloseTo(1_000, within(100.0));

        workload.stop();
        stuck.forEach(Runnable::run);
        assertThat(workload.status().inFlight()).isZero();
        assertThat(workload.status().latency().count()).isEqualTo(Workload.MAX_IN_FLIGHT);
    }

    @Test
    void tellsRefusalsFromErrors() {
        Workload workload = workload(Runnable::run);
        workload.start();
        for (LeaseException.Cause cause : LeaseException.Cause.values()) {
            WorkloadStatus before = workload.status();
            refusal = Optional.of(cause);
            time.advance(SECOND);
            WorkloadStatus after = workload.status();
            boolean refused = switch (cause) {
                case REJECTED, FAILED, QUEUE_FULL, CLOSED, ENDED -> true;
                case TIMED_OUT, BUDGET_USED_UP, UNREACHABLE, INTERRUPTED -> false;
            };
            assertThat(after.refused() > before.refused())
                    .as("%s refused", cause)
                    .isEqualTo(refused);
            assertThat(after.errors() > before.errors())
                    .as("%s is an error", cause)
                    .isEqualTo(!refused);
        }
        assertThat(workload.status().latency().count()).isZero();
        assertThat(workload.status().latency().maxMs()).isZero();
    }

    @Test
    void commitsWhatWentWellAndRollsBackWhatDidNot() {
        Workload workload = workload(Runnable::run);
        workload.start();
        time.advance(SECOND);
        assertThat(statements.subList(0, 3)).containsExactly("autocommit false", "commit", "autocommit true");

        workload.stop();
        statements.clear();
        transaction = (connection, client) -> {
            throw new SQLException("deadlock detected");
        };
        workload.start();
        time.advance(SECOND);
        assertThat(statements.subList(0, 3)).containsExactly("autocommit false", "rollback", "autocommit true");
        assertThat(workload.status().errors()).isPositive();
        assertThat(workload.status().lastError()).contains("tester: deadlock detected");
    }

    @Test
    void countsAnErrorOfTheProgramAsAFailure() {
        Workload workload = workload(Runnable::run);
        transaction = (connection, client) -> {
            throw new AssertionError("a fault");
        };
        workload.start();
        time.advance(SECOND);

        assertThat(workload.status().errors()).isPositive();
        assertThat(workload.status().lastError()).contains("tester: a fault");
    }

    @Test
    void survivesThatItsDomainIsGone() {
        Workload workload =
                new Workload(new Tested(), Optional::empty, time, Runnable::run, nanos -> time.standStill(nanos), 1);
        workload.start();
        time.advance(SECOND);

        assertThat(workload.status().errors()).isPositive();
        assertThat(workload.status().lastError()).contains("tester: there is no domain tested");
    }

    @Test
    void doesTheSameAgainForTheSameSeed() {
        List<Integer> drawn = new ArrayList<>();
        transaction = (connection, client) -> drawn.add(client.oneOf(1_000_000));
        for (int run = 0; run < 2; run++) {
            Workload workload = workload(Runnable::run);
            workload.start();
            time.advance(10 * SECOND);
            workload.stop();
        }

        assertThat(drawn).hasSizeGreaterThan(100);
        assertThat(drawn.subList(0, drawn.size() / 2)).isEqualTo(drawn.subList(drawn.size() / 2, drawn.size()));
    }

    @Test
    void followsItsPhasesAndKeepsTheirResultsApart() {
        Plan plan = new Plan(List.of(
                Plan.Phase.hold(50, Duration.ofSeconds(10)).asWarmUp(),
                Plan.Phase.hold(100, Duration.ofSeconds(20)),
                Plan.Phase.ramp(100, 300, Duration.ofSeconds(10))));
        Workload workload = planned(Pace.ofRates(plan));
        transaction = (connection, client) -> {
            throw new SQLException("cold");
        };
        time.advance(5 * SECOND);
        workload.start();
        time.advance(9 * SECOND);
        time.standStill(500 * MILLI);
        time.advance(500 * MILLI);
        transaction = (connection, client) -> time.standStill(MILLI);
        time.advance(5 * SECOND);

        WorkloadStatus within = workload.status();
        assertThat(within.running()).isTrue();
        assertThat(within.phase()).hasValue(1);
        assertThat(within.ratePerSecond()).isEqualTo(100);
        assertThat(within.users()).isEmpty();
        assertThat(within.errors()).as("the warm-up does not count").isZero();
        assertThat(within.lastError()).contains("tester: cold");
        assertThat(within.lateMs()).isGreaterThan(100);
        assertThat(within.totalLateMs()).as("the warm-up does not count").isLessThan(10);
        assertThat(within.total().windowMs()).isCloseTo(5_000, within(1.0));
        assertThat(within.phases().get(1).latency().windowMs()).isCloseTo(5_000, within(1.0));

        time.advance(60 * SECOND);
        WorkloadStatus after = workload.status();
        assertThat(after.running()).isFalse();
        assertThat(after.ratePerSecond()).isZero();
        assertThat(after.phases()).extracting(WorkloadStatus.Phase::warmUp).containsExactly(true, false, false);
        assertThat(after.phases()).extracting(WorkloadStatus.Phase::seconds).containsExactly(10.0, 20.0, 10.0);
        assertThat(after.phases().get(0).offered())
                .isBetween(400L, 600L)
                .isEqualTo(after.phases().get(0).errors());
        assertThat(after.phases().get(1).offered()).isBetween(1_800L, 2_200L);
        assertThat(after.phases().get(2).offered()).isBetween(1_800L, 2_200L);
        assertThat(after.phases().get(2).to()).isEqualTo(300);
        assertThat(after.total().count())
                .isEqualTo(after.phases().get(1).latency().count()
                        + after.phases().get(2).latency().count());
        assertThat(after.total().windowMs()).isCloseTo(30_000, within(1.0));

        workload.start();
        time.advance(SECOND);
        assertThat(workload.status().phase()).hasValue(0);
        assertThat(workload.status().phases().get(1).offered()).isZero();
    }

    @Test
    void aPlannedLoadThatBeginsAgainForgetsTheErrorOfItsFormerRun() {
        Workload workload = planned(Pace.ofRates(Plan.of(50, Duration.ZERO, Duration.ofSeconds(2))));
        transaction = (connection, client) -> {
            throw new SQLException("no such table");
        };
        workload.start();
        time.advance(3 * SECOND);
        assertThat(workload.status().lastError()).hasValue("tester: no such table");

        transaction = (connection, client) -> {};
        workload.start();
        time.advance(SECOND);
        assertThat(workload.status().errors()).isZero();
        assertThat(workload.status().lastError()).isEmpty();
    }

    @Test
    void aPlannedLoadHasNoRateToSet() {
        Workload workload = planned(Pace.ofUsers(3, Duration.ZERO));
        assertThat(workload.isPlanned()).isTrue();
        assertThatThrownBy(() -> workload.setRatePerSecond(10)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> workload.setVaries(true)).isInstanceOf(IllegalStateException.class);
        assertThat(workload.status().varies()).isFalse();
    }

    @Test
    void usersThinkAndWaitForTheirAnswers() {
        Workload workload = planned(Pace.ofUsers(10, Duration.ofMillis(100)));
        workload.start();
        time.advance(60 * SECOND);

        WorkloadStatus status = workload.status();
        assertThat(status.users()).hasValue(10);
        assertThat(status.ratePerSecond()).isZero();
        assertThat(status.phases()).isEmpty();
        assertThat(status.phase()).isEmpty();
        assertThat(status.offeredPerSecond()).isCloseTo(100, within(10.0)); // ten users, each every 100 ms
        assertThat(status.total().count()).isBetween(5_600L, 6_400L);

        workload.stop();
        time.advance(SECOND);
        assertThat(workload.status().users()).hasValue(0);
        assertThat(workload.status().total().count()).isEqualTo(status.total().count());
    }

    private Workload planned(Pace pace) {
        Load load = new ScriptedLoad(
                "planned",
                "tested",
                "",
                pace,
                Mix.of("tester", (connection, client) -> transaction.run(connection, client)));
        return new Workload(load, () -> Optional.of(pool()), time, Runnable::run, time::standStill, 1);
    }

    @Test
    void refusesRatesOutOfBounds() {
        Workload workload = workload(Runnable::run);
        for (double rate : new double[] {0.09, 5_000.1, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> workload.setRatePerSecond(rate))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0.1..5000");
        }
        assertThat(workload.status().ratePerSecond()).isEqualTo(20);
    }

    @Test
    void awaitsThoseInFlight() throws Exception {
        List<Runnable> stuck = new ArrayList<>();
        Workload workload = workload(stuck::add);
        workload.start();
        time.advance(SECOND);

        assertThat(workload.stopAndAwait(Duration.ZERO)).isFalse();
        stuck.forEach(Runnable::run);
        assertThat(workload.stopAndAwait(Duration.ZERO)).isTrue();
        assertThat(workload.status().running()).isFalse();
        assertThat(workload.status().inFlight()).isZero();
    }

    private Workload workload(Executor threads) {
        return new Workload(new Tested(), () -> Optional.of(pool()), time, threads, time::standStill, 1);
    }

    /** One kind of transaction, the one in {@link #transaction}. */
    private final class Tested implements Application {

        @Override
        public String name() {
            return "tested";
        }

        @Override
        public String description() {
            return "for tests";
        }

        @Override
        public Pace pace() {
            return new Pace(20, true);
        }

        @Override
        public String schema() {
            return "tested";
        }

        @Override
        public Mix mix() {
            return Mix.of("tester", (connection, client) -> transaction.run(connection, client));
        }

        @Override
        public void setUp(Connection connection) {}
    }

    private Pool pool() {
        return fake(Pool.class, (method, arguments) -> {
            if (refusal.isPresent()) {
                throw StandInPool.refused(refusal.get());
            }
            holders.add(((LeaseRequest) arguments[0]).holder());
            return lease();
        });
    }

    private Lease lease() {
        Connection connection = fake(Connection.class, (method, arguments) -> {
            switch (method) {
                case "setAutoCommit" -> statements.add("autocommit " + arguments[0]);
                case "commit", "rollback" -> statements.add(method);
                default -> throw new UnsupportedOperationException(method);
            }
            return null;
        });
        return fake(Lease.class, (method, arguments) -> method.equals("connection") ? connection : null);
    }

    @FunctionalInterface
    private interface Answers {
        Object answer(String method, Object[] arguments) throws Throwable;
    }

    private static <T> T fake(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.answer(method.getName(), arguments)));
    }
}
