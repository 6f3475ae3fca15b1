package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.engine.connect.ServerWait;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine on a real PostgreSQL. */
@Timeout(60)
class EngineTest extends OnServer {

    private static final Duration SOON = Duration.ofSeconds(10);

    private Database database;

    @BeforeEach
    void openDatabase() {
        database = engine.open(server.target("main", 12));
    }

    @Test
    void leasesAConnectionThatWorksAndCountsItsRequests() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 4));
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
            long before = only(pool, lease).requests(); // HikariCP asks the first connection about itself
            assertThat(selectOne(lease)).isEqualTo(1);
            assertThat(selectOne(lease)).isEqualTo(1);
            ConnectionStatus connection = only(pool, lease);
            assertThat(connection.requests() - before).isEqualTo(2);
            assertThat(connection.errors()).isZero();
            assertThat(connection.bytesOut()).isPositive();
            assertThat(connection.bytesIn()).isPositive();
            assertThat(connection.backendPid()).isPositive();
            assertThat(connection.lease()).isPresent();
            assertThat(connection.lease().orElseThrow().holder()).isEqualTo("teller");
            assertThat(pool.status().inUse()).isEqualTo(1);
        }
        assertThat(pool.status().inUse()).isZero();
        Await.until("latency is summed up", SOON, () -> pool.status().latency().count() >= 2);
    }

    @Test
    void connectionsUnderAClientsOwnNameAreNotCountedAsThoseOfOthers() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 4));
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
            int before = database.probe().othersUse();
            execute(lease, "SET application_name = 'psql'");
            assertThat(database.probe().othersUse()).isEqualTo(before);
        }
    }

    /** Whose sessions PostgreSQL shows to an ordinary role without their kind. */
    @Test
    void connectionsOfOtherRolesAreCountedForAnOrdinaryRoleToo() throws Exception {
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement()) {
            statement.execute("CREATE ROLE ordinary LOGIN");
            Database its =
                    engine.open(Target.of("ordinary", "127.0.0.1", server.port(), "postgres", "ordinary", "postgres", 3)
                            .withSslMode(Target.SslMode.DISABLE));
            assertThat(its.probe().othersUse()).isPositive();
            engine.close("ordinary");
        }
    }

    /** Advisory locks, so that no other test's table is touched. */
    @Test
    void whatStatementsWaitForIsAskedWithWhoHoldsIt() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 2, 4));
        try (Lease holder = pool.acquire(LeaseRequest.by("holder"));
                Lease waiting = pool.acquire(LeaseRequest.by("waiting"))) {
            execute(holder, "SELECT pg_advisory_lock(42)");
            CompletableFuture<Void> blocked = CompletableFuture.runAsync(() -> {
                try {
                    execute(waiting, "SELECT pg_advisory_lock(42)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            int process = only(pool, holder).backendPid();
            Await.until("the wait", SOON, () -> {
                try {
                    return database.waits().equals(List.of(new ServerWait("Lock advisory", 1, List.of(process))));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            execute(holder, "SELECT pg_advisory_unlock(42)");
            blocked.get(10, TimeUnit.SECONDS);
            assertThat(database.waits()).isEmpty();
        }
    }

    @Test
    void countsErrorsAndTellsIdleInTransaction() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 2));
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
            lease.connection().setAutoCommit(false);
            selectOne(lease);
            assertThat(only(pool, lease).state()).isEqualTo(ConnectionStatus.State.IDLE_IN_TRANSACTION);
            assertThatThrownBy(() -> execute(lease, "SELECT no_such_column")).isInstanceOf(SQLException.class);
            lease.connection().rollback();
            assertThat(only(pool, lease).errors()).isEqualTo(1);
        }
        Await.until("the pool's total", SOON, () -> pool.status().totals().errors() == 1);
    }

    @Test
    void opensItsFloorByItself() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 5, 8));
        Await.until("five connections", SOON, () -> server.backendsOf("bank") == 5);
        assertThat(pool.status().floor()).isEqualTo(5);
        assertThat(pool.status().ceiling()).isEqualTo(8);
    }

    /** Its connections are free, so the policy with the rate is the one that binds, whatever its name and whosever set it is in. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whomARateAloneHeldBackIsToldTheRate(boolean ofDatabase) throws Exception {
        Limits slow = Limits.unbounded().withRate(0.1).withBurst(1).because("Slowly.");
        Limits two = Limits.unbounded().withFloor(1).withCeiling(2).because("Two.");
        WhenExhausted soon = WhenExhausted.queue(100, 10);
        PolicySet.Member few = new PolicySet.Member("few", Fixed.answering(two));
        PolicySet.Member paced = new PolicySet.Member("paced", Fixed.answering(slow));
        if (ofDatabase) {
            database.swap(PolicySet.of(2, soon, paced)).toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
        Pool pool = database.open("bank", ofDatabase ? PolicySet.of(3, soon, few) : PolicySet.of(3, soon, few, paced));
        Await.until(
                "a free connection, which is there in time",
                SOON,
                () -> pool.status().idle() == 1);
        try (Lease first = pool.acquire(LeaseRequest.by("first"))) {
            assertThat(selectOne(first)).isEqualTo(1);
        }
        LeaseException refused =
                catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("second")));
        assertThat(refused.why()).isEqualTo(LeaseException.Cause.TIMED_OUT);
        assertThat(refused.situation().rate()).isEqualTo(0.1);
        assertThat(refused.situation().policy()).isEqualTo(ofDatabase ? "database/paced" : "paced");
        assertThat(refused.situation().reason()).isEqualTo("Slowly.");
    }

    @Test
    void growsOnDemandUpToTheCeilingAndSaysWhyItWillNotGrowFurther() throws Exception {
        Pool pool = database.open("bank", Fixed.set(7, 0, 3, WhenExhausted.queue(200, 100)));
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(pool.acquire(LeaseRequest.by("holder")));
        }
        assertThat(pool.status().size()).isEqualTo(3);

        LeaseException refused =
                catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("one too many")));

        assertThat(refused.why()).isEqualTo(LeaseException.Cause.TIMED_OUT);
        assertThat(refused.getSQLState()).isEqualTo("53300");
        assertThat(refused.situation().domain()).isEqualTo("bank");
        assertThat(refused.situation().revision()).isEqualTo(7);
        assertThat(refused.situation().size()).isEqualTo(3);
        assertThat(refused.situation().inUse()).isEqualTo(3);
        assertThat(refused.situation().waitedNanos()).isGreaterThanOrEqualTo(200_000_000L);
        assertThat(refused.situation().policy()).isEqualTo("fixed");
        assertThat(refused.situation().rate()).isInfinite();
        assertThat(refused.getMessage()).contains("the test says 0..3.");
        held.forEach(Lease::close);
    }

    @Test
    void failsAndRejectsAtOnceWhereTheSetSaysSo() throws Exception {
        for (WhenExhausted.Mode mode : List.of(WhenExhausted.Mode.FAIL, WhenExhausted.Mode.REJECT)) {
            String domain = mode.name().toLowerCase(java.util.Locale.ROOT);
            Pool pool = database.open(
                    domain, Fixed.set(1, 0, 1, new WhenExhausted(mode, TimeUnit.SECONDS.toNanos(5), 100)));
            try (Lease held = pool.acquire(LeaseRequest.by("holder"))) {
                LeaseException refused =
                        catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("other")));
                assertThat(refused.why().name()).isEqualTo(mode == WhenExhausted.Mode.FAIL ? "FAILED" : "REJECTED");
                assertThat(refused.situation().waitedNanos()).isLessThan(1_000_000_000L);
                if (mode == WhenExhausted.Mode.REJECT) {
                    assertThatThrownBy(() -> pool.admit(LeaseRequest.by("other")))
                            .isInstanceOf(LeaseException.class);
                }
            }
            pool.admit(LeaseRequest.by("teller")).close();
        }
    }

    @Test
    void whoWasLetInGetsAConnectionAndNobodyElseIsLetInForIt() throws Exception {
        Pool pool = database.open(
                "door",
                Fixed.set(1, 0, 1, new WhenExhausted(WhenExhausted.Mode.REJECT, TimeUnit.SECONDS.toNanos(5), 100)));
        pool.acquire(LeaseRequest.by("first")).close(); // now the pool has all the connections that it may have
        try (Place place = pool.admit(LeaseRequest.by("in"))) {
            assertThatThrownBy(() -> pool.admit(LeaseRequest.by("out"))).isInstanceOf(LeaseException.class);
            Lease thief = pool.acquire(LeaseRequest.by("not through the door"));
            CompletableFuture<Lease> late = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    late.complete(place.acquire());
                } catch (LeaseException e) {
                    late.completeExceptionally(e);
                }
            });
            while (pool.occupancy().waiting() == 0) {
                Thread.onSpinWait();
            }
            thief.close();
            late.get(5, TimeUnit.SECONDS).close();
            assertThatThrownBy(place::acquire).isInstanceOf(IllegalStateException.class);
        }
        pool.admit(LeaseRequest.by("next")).close();
    }

    @Test
    void servesAsynchronousRequestsInTurn() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 0, 1));
        Lease first = pool.acquire(LeaseRequest.by("first"));
        CompletableFuture<Lease> second =
                pool.acquireAsync(LeaseRequest.by("second")).toCompletableFuture();
        CompletableFuture<Lease> third =
                pool.acquireAsync(LeaseRequest.by("third")).toCompletableFuture();
        assertThat(second).isNotDone();
        first.close();
        second.get(5, TimeUnit.SECONDS).close();
        third.get(5, TimeUnit.SECONDS).close();
        assertThat(pool.status().inUse()).isZero();
    }

    @Test
    void givesThePlaceUpWhenAnAsynchronousRequestIsCancelled() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 0, 1));
        Lease first = pool.acquire(LeaseRequest.by("first"));
        CompletableFuture<Lease> second =
                pool.acquireAsync(LeaseRequest.by("second")).toCompletableFuture();
        Await.until("it waits", SOON, () -> pool.status().waiting() == 1);
        second.cancel(true);
        assertThat(pool.status().waiting()).isZero();
        first.close();
        assertThat(pool.status().inUse()).isZero();
    }

    @Test
    void shrinksByDebtWithoutCuttingWork() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 0, 4));
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(pool.acquire(LeaseRequest.by("holder")));
        }
        pool.swap(Fixed.set(2, 0, 1)).toCompletableFuture().get(5, TimeUnit.SECONDS);
        assertThat(pool.status().size()).isEqualTo(4);
        assertThat(pool.status().target()).isEqualTo(1);
        for (Lease lease : held) {
            assertThat(selectOne(lease)).isEqualTo(1);
            lease.close();
        }
        Await.until("one connection", SOON, () -> server.backendsOf("bank") == 1);
        assertThat(pool.status().size()).isEqualTo(1);
    }

    @Test
    void closesWhatIsIdleWhenTheCeilingIsLowered() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 10, 10));
        Await.until("ten connections", SOON, () -> server.backendsOf("bank") == 10);
        pool.swap(Fixed.set(2, 0, 3)).toCompletableFuture().get(5, TimeUnit.SECONDS);
        Await.until("three connections", SOON, () -> server.backendsOf("bank") == 3);
        assertThat(selectOne(pool)).isEqualTo(1);
    }

    @Test
    void neverHoldsMoreThanTheBudgetOverAllDomains() throws Exception {
        Pool bank = database.open("bank", Fixed.set(1, 0, 20));
        Pool auction = database.open("auction", Fixed.set(1, 0, 20));
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(bank.acquireAsync(LeaseRequest.by("bank")).toCompletableFuture());
            asked.add(auction.acquireAsync(LeaseRequest.by("auction")).toCompletableFuture());
        }
        Await.until("the budget is used up", SOON, () -> database.status().open() == 12);
        // a place is taken before its connection is established
        Await.until("twelve at the server", SOON, () -> server.backendsOf("bank") + server.backendsOf("auction") == 12);
        assertThat(bank.status().size()).isEqualTo(6);
        assertThat(auction.status().size()).isEqualTo(6);
        int served = 0;
        while (served < 40) {
            for (CompletableFuture<Lease> each : asked) {
                if (each.isDone() && !each.isCompletedExceptionally()) {
                    each.join().close();
                }
            }
            served = (int) asked.stream().filter(CompletableFuture::isDone).count();
            assertThat(database.status().open()).isLessThanOrEqualTo(12);
        }
    }

    @Test
    void pausesWithoutCuttingLeasesAndResumes() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 2));
        Lease before = pool.acquire(LeaseRequest.by("before"));
        pool.pause();
        Await.until("paused", SOON, () -> pool.status().state() == PoolStatus.State.PAUSED);
        CompletableFuture<Lease> during =
                pool.acquireAsync(LeaseRequest.by("during")).toCompletableFuture();
        assertThat(selectOne(before)).isEqualTo(1);
        before.close();
        assertThat(during).isNotDone();
        pool.resume();
        during.get(5, TimeUnit.SECONDS).close();
    }

    @Test
    void flushReplacesEveryConnection() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 3, 3));
        Await.until("three connections", SOON, () -> pool.connections().size() == 3 && server.backendsOf("bank") == 3);
        List<String> old = pool.connections().stream().map(ConnectionStatus::id).toList();
        Lease held = pool.acquire(LeaseRequest.by("holder"));
        pool.flush();
        Await.until(
                "new ones but the leased",
                SOON,
                () -> pool.connections().stream()
                                        .filter(c -> old.contains(c.id()))
                                        .count()
                                == 1
                        && pool.connections().size() == 3);
        assertThat(selectOne(held)).isEqualTo(1);
        held.close();
        Await.until(
                "all new",
                SOON,
                () -> pool.connections().stream().noneMatch(c -> old.contains(c.id()))
                        && server.backendsOf("bank") == 3);
    }

    @Test
    void drainRefusesAndEmptiesAndResumeBringsItBack() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 2, 4));
        assertThat(selectOne(pool)).isEqualTo(1);
        pool.drain();
        Await.until("empty", SOON, () -> server.backendsOf("bank") == 0);
        LeaseException refused =
                catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("late")));
        assertThat(refused.why()).isEqualTo(LeaseException.Cause.CLOSED);
        assertThat(refused.situation().policy()).as("no policy has refused it").isEmpty();
        assertThat(refused.getMessage()).endsWith("; bank is draining");
        assertThat(pool.status().limitedBy().by()).isEqualTo(PoolStatus.Limit.By.DRAINING);
        pool.resume();
        Await.until("back", SOON, () -> server.backendsOf("bank") == 2);
        assertThat(selectOne(pool)).isEqualTo(1);
    }

    @Test
    void healsAfterItsBackendsWereKilled() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 3, 3));
        Await.until("three connections", SOON, () -> server.backendsOf("bank") == 3);
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'headgate bank'");
        }
        Await.until("a request works again", SOON, () -> {
            try {
                return selectOne(pool) == 1;
            } catch (SQLException e) {
                return false;
            }
        });
        Await.until("three connections again", SOON, () -> {
            selectOneOrNothing(pool);
            return server.backendsOf("bank") == 3;
        });
        assertThat(pool.status().inUse()).isZero();
        assertThat(pool.status().size()).isEqualTo(3);
    }

    @Test
    void saysThatTheDatabaseCannotBeReachedAndHealsWhenItCan() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0)) {
            port = taken.getLocalPort();
        }
        Target nowhere = new Target(
                "nowhere",
                "127.0.0.1",
                port,
                "postgres",
                "postgres",
                "postgres",
                Target.SslMode.DISABLE,
                5,
                Duration.ofSeconds(1),
                Duration.ofSeconds(5));
        Database lost = engine.open(nowhere);
        Pool pool = lost.open("lost", Fixed.set(1, 1, 2, WhenExhausted.queue(500, 10)));
        LeaseException refused =
                catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("caller")));
        assertThat(refused.why()).isEqualTo(LeaseException.Cause.UNREACHABLE);
        assertThat(refused.getSQLState()).isEqualTo("08001");
        assertThat(refused.situation().waitedNanos())
                .as("the time that connecting took is waited too")
                .isGreaterThan(200_000_000L);
        assertThat(refused.getMessage()).matches("(?s)lost: no lease, unreachable after [2-9]\\d\\d\\.\\d ms .*");
        Await.until(
                "an alarm",
                SOON,
                () -> pool.status().alarms().stream()
                        .anyMatch(alarm -> alarm.code().equals("unreachable")));
        assertThat(lost.status().unreachable()).isPresent();

        lost.retarget(new Target(
                "nowhere",
                "127.0.0.1",
                server.port(),
                "postgres",
                "postgres",
                "postgres",
                Target.SslMode.DISABLE,
                5,
                Duration.ofSeconds(1),
                Duration.ofSeconds(5)));
        Await.until("it works", SOON, () -> {
            try {
                return selectOne(pool) == 1;
            } catch (SQLException e) {
                return false;
            }
        });
        Await.until(
                "the alarm is about to end",
                SOON,
                () -> pool.status().alarms().stream()
                        .allMatch(alarm -> alarm.clearing().isPresent()));
    }

    @Test
    void worksAsADataSource() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 0, 2));
        try (Connection connection = pool.dataSource("legacy code").getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 42")) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(42);
            assertThat(pool.status().inUse()).isEqualTo(1);
        }
        assertThat(pool.status().inUse()).isZero();
    }

    @Test
    void keepsDomainNamesUniqueOverAllDatabases() throws Exception {
        database.open("bank", Fixed.set(1, 0, 2));
        Database other = engine.open(server.target("other", 3));
        assertThatThrownBy(() -> other.open("bank", Fixed.set(1, 0, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("main");
        database.close("bank").toCompletableFuture().get(10, TimeUnit.SECONDS);
        other.open("bank", Fixed.set(1, 0, 2));
        assertThat(engine.pool("bank").orElseThrow().database().name()).isEqualTo("other");
    }

    @Test
    void leavesNoConnectionBehind() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 4, 4));
        assertThat(selectOne(pool)).isEqualTo(1);
        engine.close();
        Await.until("none left", SOON, () -> server.backendsOf("bank") == 0);
    }

    private static ConnectionStatus only(Pool pool, Lease lease) {
        return pool.connections().stream()
                .filter(c -> c.id().equals(lease.connectionId()))
                .findFirst()
                .orElseThrow();
    }

    private static void selectOneOrNothing(Pool pool) {
        try {
            selectOne(pool);
        } catch (SQLException e) {
            // a killed backend is noticed by its first user
        }
    }

    private static int selectOne(Pool pool) throws SQLException {
        try (Lease lease = pool.acquire(LeaseRequest.by("test"))) {
            return selectOne(lease);
        }
    }

    private static int selectOne(Lease lease) throws SQLException {
        try (Statement statement = lease.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(Lease lease, String sql) throws SQLException {
        try (Statement statement = lease.connection().createStatement()) {
            statement.execute(sql);
        }
    }
}
