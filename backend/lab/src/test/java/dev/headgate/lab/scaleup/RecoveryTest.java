package dev.headgate.lab.scaleup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.Client;
import dev.headgate.lab.demo.Sql;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.pools.FixedPool;
import dev.headgate.lab.scaleup.Coordinator.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two-phase commit over two databases of a real server. */
class RecoveryTest {

    private static final int SITES = 2;
    private static final int CONNECTIONS = 4;

    private static TestLaboratory laboratory;

    private final Supervisor supervisor = new Supervisor(InstantSource.system(), failure -> {});
    private Engine engine;
    private SplitBank bank;
    private SplitBank reserved;

    @BeforeAll
    static void start() throws Exception {
        laboratory = new TestLaboratory();
    }

    @AfterAll
    static void stop() throws Exception {
        laboratory.close();
    }

    @BeforeEach
    void setUp() throws Exception {
        engine = Engine.start("test", EngineListener.NONE, supervisor);
        List<Pool> pools = new ArrayList<>();
        List<Pool> recovery = new ArrayList<>();
        for (int i = 0; i < SITES; i++) {
            Database database = engine.open(laboratory.database("site-" + i, CONNECTIONS + 1));
            pools.add(FixedPool.open(database, "site-" + i, CONNECTIONS));
            recovery.add(FixedPool.open(database, "recovery-" + i, 1));
            SplitBank.setUp(pools.get(i));
        }
        bank = new SplitBank(pools);
        reserved = new SplitBank(recovery);
    }

    @AfterEach
    void tearDown() {
        engine.close();
    }

    private static Booking distributed(int branch, int amount) {
        return new Booking(1, 0, 17, 1 + branch * SplitBank.TELLERS_OF_BRANCH, amount);
    }

    private Coordinator endingAt(String name, Step end) {
        return new Coordinator(name, bank, step -> {
            if (step == end) {
                throw new Killed(step);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Step.class)
    void whereverACoordinatorIsKilledItsTransactionIsExecutedWhollyOrNotAtAll(Step step) throws Exception {
        Coordinator doomed = endingAt("doomed", step);
        assertThatThrownBy(() -> doomed.book(distributed(3, 100))).isInstanceOf(Killed.class);

        int parts = switch (step) {
            case EXECUTED, ALL_COMMITTED -> 0;
            case ACCOUNT_PREPARED, LOGGED, HOME_COMMITTED -> 1;
        };
        boolean committed = step.compareTo(Step.HOME_COMMITTED) >= 0;
        assertThat(Recovery.inDoubt(reserved, "doomed")).isEqualTo(parts);
        assertThat(Recovery.of(reserved, "doomed"))
                .isEqualTo(new Recovery(committed ? parts : 0, committed ? 0 : parts));

        assertThat(Recovery.inDoubt(reserved, "doomed")).isZero();
        assertThat(bank.balance())
                .isEqualTo(
                        committed
                                ? new SplitBank.Balance(100, 100, 100, 100, 1)
                                : new SplitBank.Balance(0, 0, 0, 0, 0));
        assertThat(Recovery.of(reserved, "doomed")).isEqualTo(new Recovery(0, 0));

        // its rows are free again, as is its connections' place in the pool
        new Coordinator("living", bank, each -> {}).book(distributed(3, 7));
        assertThat(bank.balance().accounts()).isEqualTo(committed ? 107 : 7);
        assertThat(bank.balance().addsUp()).isTrue();
    }

    /** A recovery that takes a slow coordinator for a crashed one must not tear its transaction apart. */
    @Test
    void aCoordinatorThatWasGivenUpCannotCommitAnyMore() throws Exception {
        List<Recovery> recovered = new ArrayList<>();
        Coordinator slow = new Coordinator("slow", bank, step -> {
            if (step == Step.ACCOUNT_PREPARED) {
                recovered.add(recover("slow"));
            }
        });
        assertThatThrownBy(() -> slow.book(distributed(0, 5)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("the recovery has decided to roll back headgate:slow:1:1");
        assertThat(recovered).containsExactly(new Recovery(0, 1));
        assertThat(bank.balance()).isEqualTo(new SplitBank.Balance(0, 0, 0, 0, 0));
        assertThat(Recovery.inDoubt(reserved, "slow")).isZero();
    }

    /** The decision is written and does not count yet: the recovery waits for it and does not write another one. */
    @Test
    void aRecoveryWaitsForACoordinatorThatIsAboutToDecide() throws Exception {
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Recovery>> recovering = new ArrayList<>();
            Coordinator slow = new Coordinator("slow", bank, step -> {
                if (step == Step.LOGGED) {
                    recovering.add(thread.submit(() -> recover("slow")));
                    await().atMost(Duration.ofSeconds(10)).until(() -> waitsForALock() == 1);
                } else if (step == Step.HOME_COMMITTED) {
                    await().atMost(Duration.ofSeconds(10)).until(recovering.getFirst()::isDone);
                }
            });
            assertThatThrownBy(() -> slow.book(distributed(0, 5))).hasMessageContaining("does not exist");
            assertThat(recovering.getFirst().get()).isEqualTo(new Recovery(1, 0));
        }
        assertThat(bank.balance()).isEqualTo(new SplitBank.Balance(5, 5, 5, 5, 1));
    }

    private long waitsForALock() throws SQLException {
        try (Lease lease = bank.lease(0)) {
            return Sql.query(lease.connection(), "SELECT count(*) FROM pg_locks WHERE NOT granted");
        }
    }

    /** It is killed while a booking of it waits to log its decision, so it leaves a part. Where its other threads are differs. */
    @Test
    void whatAKilledProcessLeavesIsResolvedWithinTenSeconds() throws Exception {
        String name = DoomedProcess.coordinator(1);
        List<Target> sites = List.of(
                engine.database("site-0").orElseThrow().target(),
                engine.database("site-1").orElseThrow().target());
        try (DoomedProcess process = DoomedProcess.start(1, sites);
                Lease lease = bank.lease(0)) {
            lease.connection().setAutoCommit(false);
            execute(lease.connection(), "LOCK TABLE bank.coordinator_log IN EXCLUSIVE MODE");
            await().atMost(Duration.ofSeconds(10)).until(this::waitsForTheLog);
            process.kill();
        }

        // its sessions end only when the server notices, and may prepare something until then
        AtomicReference<Recovery> resolved = new AtomicReference<>(new Recovery(0, 0));
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            boolean hasSessions = DoomedProcess.sessions(reserved) > 0;
            resolved.set(resolved.get().and(Recovery.of(reserved, name)));
            return !hasSessions;
        });

        assertThat(resolved.get().parts()).isPositive();
        assertThat(Recovery.inDoubt(reserved, name)).isZero();
        SplitBank.Balance balance = bank.balance();
        assertThat(balance.addsUp()).as("%s", balance).isTrue();
        assertThat(balance.bookings()).isGreaterThan(100);
    }

    private boolean waitsForTheLog() throws SQLException {
        try (Lease lease = reserved.lease(0)) {
            return Sql.query(
                            lease.connection(),
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'bank.coordinator_log'::regclass")
                    > 0;
        }
    }

    /** A service that ends in the middle of a run must not keep the next run from beginning. */
    @Test
    void aLaboratoryDropsADatabaseThatHasPreparedTransactions() throws Exception {
        assertThatThrownBy(() -> endingAt("doomed", Step.ACCOUNT_PREPARED).book(distributed(0, 1)))
                .isInstanceOf(Killed.class);
        for (int i = 0; i < SITES; i++) {
            engine.close("site-" + i);
            assertThat(laboratory.database("site-" + i, 1).database()).isEqualTo("site-" + i);
        }
    }

    /** Of one that decided before, nothing may be rolled back. */
    @Test
    void aRecoveryAfterTheDecisionCommitsForASlowCoordinator() throws Exception {
        List<Recovery> recovered = new ArrayList<>();
        Coordinator slow = new Coordinator("slow", bank, step -> {
            if (step == Step.HOME_COMMITTED) {
                recovered.add(recover("slow"));
            }
        });
        assertThatThrownBy(() -> slow.book(distributed(0, 5))).hasMessageContaining("does not exist");
        assertThat(recovered).containsExactly(new Recovery(1, 0));
        assertThat(bank.balance()).isEqualTo(new SplitBank.Balance(5, 5, 5, 5, 1));
    }

    private Recovery recover(String coordinator) {
        try {
            return Recovery.of(reserved, coordinator);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nobodyElsesPreparedTransactionIsTouched() throws Exception {
        assertThatThrownBy(() -> endingAt("doomed", Step.ACCOUNT_PREPARED).book(distributed(0, 1)))
                .isInstanceOf(Killed.class);
        assertThatThrownBy(() -> endingAt("doomed-2", Step.ACCOUNT_PREPARED).book(new Booking(1, 0, 18, 200, 1)))
                .isInstanceOf(Killed.class);
        prepareAsAnybody("somebody's");
        prepareAsAnybody("doomed");

        assertThat(Recovery.of(reserved, "doomed")).isEqualTo(new Recovery(0, 1));

        assertThat(prepared()).isEqualTo(3);
        assertThat(Recovery.of(reserved, "doomed-2")).isEqualTo(new Recovery(0, 1));
        endAsAnybody("somebody's");
        endAsAnybody("doomed");
    }

    private long prepared() throws SQLException {
        try (Lease lease = bank.lease(0)) {
            return Sql.query(lease.connection(), "SELECT count(*) FROM pg_prepared_xacts");
        }
    }

    private void prepareAsAnybody(String name) throws SQLException {
        try (Lease lease = bank.lease(0)) {
            Connection connection = lease.connection();
            connection.setAutoCommit(false);
            Sql.query(connection, "SELECT txid_current()");
            execute(connection, "PREPARE TRANSACTION '" + name.replace("'", "''") + "'");
        }
    }

    private void endAsAnybody(String name) throws SQLException {
        try (Lease lease = bank.lease(0)) {
            execute(lease.connection(), "ROLLBACK PREPARED '" + name.replace("'", "''") + "'");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aBookingThatFailsLeavesNothingPrepared() throws Exception {
        try (Lease lease = bank.lease(1)) {
            execute(lease.connection(), "DROP TABLE bank.pgbench_history CASCADE");
        }
        Coordinator living = new Coordinator("living", bank, step -> {});
        assertThatThrownBy(() -> living.book(distributed(0, 1))).hasMessageContaining("pgbench_history");
        assertThat(Recovery.inDoubt(reserved, "living")).isZero();
        try (Lease lease = bank.lease(0)) {
            assertThat(Sql.query(lease.connection(), "SELECT sum(abalance) FROM bank.pgbench_accounts"))
                    .isZero();
        }
    }

    /** In both directions at once, over few rows and no more connections than threads need. */
    @Test
    void bookingsInBothDirectionsDoNotLockEachOtherOut() throws Exception {
        Coordinator living = new Coordinator("living", bank, step -> {});
        int each = 40;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                SplittableRandom random = new SplittableRandom(i);
                all.add(threads.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        int home = random.nextInt(SITES);
                        int account = random.nextInt(SITES);
                        Booking booking = new Booking(
                                home, account, 1 + random.nextInt(3), 1 + random.nextInt(3), random.nextInt(-9, 10));
                        if (booking.isDistributed()) {
                            living.book(booking);
                        } else {
                            bank.book(booking);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        SplitBank.Balance balance = bank.balance();
        assertThat(balance.addsUp()).isTrue();
        assertThat(balance.bookings()).isEqualTo(6L * each);
        assertThat(Recovery.inDoubt(reserved, "living")).isZero();
    }

    @Test
    void drawsTheStatedShareOfDistributedBookingsAndEverySiteAlike() {
        Client client = new Client(new SplittableRandom(1), nanos -> {});
        int[] homes = new int[SITES];
        int distributed = 0;
        for (int i = 0; i < 20_000; i++) {
            Booking booking = bank.draw(client, 0.15);
            homes[booking.home()]++;
            distributed += booking.isDistributed() ? 1 : 0;
        }
        assertThat(distributed / 20_000.0).isBetween(0.14, 0.16);
        assertThat(homes[0] / 20_000.0).isBetween(0.48, 0.52);
        assertThat(bank.first(1).draw(client, 1).isDistributed()).isFalse();
    }

    @Test
    void aDispatcherExecutesEachBookingOnceAndTellsItsClient() throws Exception {
        for (Dispatcher.Dequeue dequeue : Dispatcher.Dequeue.values()) {
            try (Dispatcher dispatcher = new Dispatcher(bank, 0, dequeue, supervisor);
                    ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    Booking booking = new Booking(0, 0, 1 + i, 1 + i, 3);
                    all.add(clients.submit(() -> {
                        dispatcher.book(booking);
                        return null;
                    }));
                }
                for (Future<?> each : all) {
                    each.get();
                }
                assertThat(dispatcher.meanGroup()).isGreaterThanOrEqualTo(1);
            }
        }
        assertThat(bank.balance()).isEqualTo(new SplitBank.Balance(120, 120, 120, 120, 40));
        assertThat(supervisor.tasks())
                .anyMatch(task -> task.name().equals("lab-dispatcher-0"))
                .allMatch(task -> task.failures() == 0);
    }

    @Test
    void aDispatcherTellsAFailureToItsClientAlone() throws Exception {
        try (Dispatcher dispatcher = new Dispatcher(bank, 0, Dispatcher.Dequeue.GROUP, supervisor)) {
            try (Lease lease = bank.lease(0)) {
                execute(lease.connection(), "ALTER TABLE bank.pgbench_history ADD CHECK (delta < 1000)");
            }
            assertThatThrownBy(() -> dispatcher.book(new Booking(0, 0, 1, 1, 1_000)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("check");
            dispatcher.book(new Booking(0, 0, 1, 1, 999));
        }
        assertThat(bank.balance()).isEqualTo(new SplitBank.Balance(999, 999, 999, 999, 1));
    }

    @Test
    void tcpNoDelayIsSwitchedOnTheSocketsThatLaterLeasesUse() throws Exception {
        Pool pool = engine.pool("site-0").orElseThrow();
        for (boolean on : new boolean[] {false, true}) {
            Delays.setNoDelay(pool, CONNECTIONS, on);
            List<dev.headgate.engine.RelayLease> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(pool.relay(LeaseRequest.by("test")));
            }
            for (var lease : all) {
                assertThat(lease.socket().getTcpNoDelay()).isEqualTo(on);
                lease.close();
            }
            bank.book(new Booking(0, 0, 1, 1, 1));
        }
    }
}
