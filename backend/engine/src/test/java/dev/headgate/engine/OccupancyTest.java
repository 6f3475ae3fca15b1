package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.Occupancy.Outcome;
import dev.headgate.engine.Occupancy.WaiterStatus;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PastLease;
import dev.headgate.spi.WhenExhausted;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator sees of a pool and may end, on a real PostgreSQL. */
@Timeout(60)
class OccupancyTest extends OnServer {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final WhenExhausted PATIENT =
            new WhenExhausted(WhenExhausted.Mode.QUEUE, TimeUnit.SECONDS.toNanos(30), 100);

    private Database database;

    @BeforeEach
    void openDatabase() {
        database = engine.open(server.target("main", 12));
    }

    private static void execute(Lease lease, String sql) throws SQLException {
        try (Statement statement = lease.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    private static LeaseStatus only(Pool pool) {
        List<LeaseStatus> leases = pool.occupancy().leases();
        assertThat(leases).hasSize(1);
        return leases.getFirst();
    }

    @Test
    void aLeaseIsShownWithItsHolderItsThreadAndItsStatement() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 4));
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
            assertThat(only(pool).statement()).isNull();
            lease.connection().setAutoCommit(false);
            execute(lease, "SELECT 1 /* first */");
            LeaseStatus shown = only(pool);
            assertThat(shown.statement()).isEqualTo("SELECT 1 /* first */");
            assertThat(shown.who()).isEqualTo(Who.inProcess("teller"));
            assertThat(shown.thread()).isEqualTo(Thread.currentThread().getName());
            assertThat(shown.connection().id()).isEqualTo(lease.connectionId());
            assertThat(shown.connection().state()).isEqualTo(ConnectionStatus.State.IDLE_IN_TRANSACTION);
            assertThat(pool.occupancy().lease(shown.id())).isPresent();
            lease.connection().rollback();
        }
        assertThat(pool.occupancy().leases()).isEmpty();
        try (Lease _ = pool.acquire(LeaseRequest.by("other"))) {
            assertThat(only(pool).statement())
                    .as("a statement of the lease before")
                    .isNull();
        }
    }

    @Test
    void aCancelHitsTheStatementAndNeverTheNextLease() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 1));
        String connection;
        String id;
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
            connection = lease.connectionId();
            id = only(pool).id();
            assertThat(pool.occupancy().cancel(id)).as("no statement was sent").isEqualTo(Outcome.DONE);
        }
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
            assertThat(lease.connectionId()).as("a late cancel could hit it").isNotEqualTo(connection);
            assertThat(pool.occupancy().cancel(id)).isEqualTo(Outcome.OVER);
            CompletableFuture<Void> sleeping = CompletableFuture.runAsync(() -> {
                try {
                    execute(lease, "SELECT pg_sleep(30)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e.getSQLState());
                }
            });
            Await.until(
                    "it sleeps",
                    SOON,
                    () -> "SELECT pg_sleep(30)".equals(only(pool).statement()) && server.backendsOf("bank") == 1);
            Await.until("cancelled", SOON, () -> {
                pool.occupancy().cancel(only(pool).id());
                return sleeping.isCompletedExceptionally();
            });
            assertThatThrownBy(sleeping::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("57014");
        }
    }

    @Test
    void anOperatorEndsALeaseAndItsConnection() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 1));
        Lease lease = pool.acquire(LeaseRequest.by("teller"));
        execute(lease, "BEGIN");
        String id = only(pool).id();
        assertThat(pool.occupancy().end(id, "enough")).isEqualTo(Outcome.DONE);
        assertThat(lease.hasEnded()).isTrue();
        assertThatThrownBy(() -> execute(lease, "SELECT 1")).isInstanceOf(SQLException.class);
        assertThat(pool.occupancy().end(id, "enough")).isEqualTo(Outcome.OVER);
        lease.close();
        try (Lease next = pool.acquire(LeaseRequest.by("next"))) {
            assertThat(next.connectionId()).isNotEqualTo(lease.connectionId());
        }
        Await.until("its end", SOON, () -> closed(pool, lease.connectionId()) == Ending.OPERATOR);
        assertThat(pool.status().inUse()).isZero();
    }

    /** The length of the last windows of a lease's connection. */
    private static long measured(Pool pool, Lease lease) {
        return pool.connections().stream()
                .filter(each -> each.id().equals(lease.connectionId()))
                .mapToLong(each -> each.second().windowNanos())
                .sum();
    }

    private static Ending closed(Pool pool, String connection) {
        return pool.occupancy().closed().stream()
                .filter(each -> each.last().id().equals(connection))
                .map(ClosedConnection::why)
                .findAny()
                .orElse(null);
    }

    @Test
    void theReasonOfAConnectionsEndIsKept() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 2));
        Lease killed = pool.acquire(LeaseRequest.by("killed"));
        Lease shed = pool.acquire(LeaseRequest.by("shed"));
        try (Lease kill = database.open("killer", Fixed.set(1, 1, 1)).acquire(LeaseRequest.by("killer"))) {
            int pid = pool.connections().stream()
                    .filter(each -> each.id().equals(killed.connectionId()))
                    .findAny()
                    .orElseThrow()
                    .backendPid();
            execute(kill, "SELECT pg_terminate_backend(" + pid + ", 5000)");
        }
        long measured = measured(pool, shed); // a lease that was within one window alone is not looked at
        Await.until("a window has ended", SOON, () -> measured(pool, shed) != measured);
        killed.close();
        try (Lease _ = pool.acquire(LeaseRequest.by("next"))) {
            Await.until("the database", SOON, () -> closed(pool, killed.connectionId()) == Ending.DATABASE);
        }
        pool.swap(Fixed.set(2, 1, 1)).toCompletableFuture().get(10, TimeUnit.SECONDS);
        shed.close();
        Await.until(
                "shrunk", SOON, () -> pool.occupancy().closed().stream().anyMatch(each -> each.why() == Ending.SHRUNK));
        Await.until("one is open", SOON, () -> pool.status().idle() == 1);
        String last = pool.connections().getFirst().id();
        pool.flush().toCompletableFuture().get(10, TimeUnit.SECONDS);
        Await.until("flushed", SOON, () -> closed(pool, last) == Ending.FLUSHED);
        Await.until("another is open", SOON, () -> pool.status().idle() == 1);
        pool.drain().toCompletableFuture().get(10, TimeUnit.SECONDS);
        // which one is not said: beside it one may be opened ahead that the pool finds it does not need
        Await.until(
                "drained",
                SOON,
                () -> pool.occupancy().closed().stream().anyMatch(each -> each.why() == Ending.DRAINED));
        assertThat(pool.occupancy().closed()).extracting(ClosedConnection::why).doesNotContain(Ending.UNTESTED);
    }

    @Test
    void waitersAreListedInOrderAndOneIsEnded() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 1, PATIENT));
        Lease held = pool.acquire(LeaseRequest.by("holder"));
        CompletableFuture<Lease> first =
                pool.acquireAsync(LeaseRequest.by("first")).toCompletableFuture();
        CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> {
            try (Lease lease = pool.acquire(LeaseRequest.by("second"))) {
                return lease.connectionId();
            } catch (LeaseException e) {
                return e.why().name();
            }
        });
        Await.until("both wait", SOON, () -> pool.occupancy().waiters(null, 10).size() == 2);
        List<WaiterStatus> waiting = pool.occupancy().waiters(null, 10);
        assertThat(waiting).extracting(each -> each.who().holder()).containsExactlyInAnyOrder("first", "second");
        assertThat(waiting).extracting(WaiterStatus::position).containsExactly(1, 2);
        assertThat(waiting.getFirst().leftNanos()).isBetween(1L, PATIENT.timeoutNanos());
        assertThat(pool.occupancy().waiters(null, 1)).hasSize(1);
        assertThat(pool.occupancy().waiters(waiting.getFirst().id(), 1)).hasSize(1);

        WaiterStatus blocked = waiting.stream()
                .filter(each -> each.who().holder().equals("second"))
                .findAny()
                .orElseThrow();
        assertThat(blocked.thread()).isNotEmpty();
        assertThat(pool.occupancy().endWaiter(blocked.id()).orElseThrow().holder())
                .isEqualTo("second");
        assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo("ENDED");
        assertThat(pool.occupancy().endWaiter(blocked.id())).isEmpty();
        held.close();
        first.get(10, TimeUnit.SECONDS).close();
    }

    @Test
    void whoIsTurnedAwayIsCountedByReason() throws Exception {
        Pool pool = database.open(
                "bank",
                Fixed.set(1, 1, 1, new WhenExhausted(WhenExhausted.Mode.FAIL, TimeUnit.SECONDS.toNanos(1), 100)));
        try (Lease _ = pool.acquire(LeaseRequest.by("holder"))) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> pool.acquire(LeaseRequest.by("batch"))).isInstanceOf(LeaseException.class);
            }
            assertThatThrownBy(() -> pool.acquire(LeaseRequest.by("web"))).isInstanceOf(LeaseException.class);
        }
        List<TurnedAway> away = pool.occupancy().turnedAway();
        assertThat(away)
                .extracting(each -> each.who().holder() + " " + each.why() + " " + each.count())
                .containsExactly("batch FAILED 3", "web FAILED 1");
        assertThat(pool.turnedAway()).isEqualTo(4);
        assertThat(away.getFirst().policy()).isNotEmpty();
        assertThat(away.getFirst().first()).isBeforeOrEqualTo(away.getFirst().last());
    }

    /** Not the one that was prepared last. */
    @Test
    void aLeaseTellsThePreparedStatementThatRuns() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 1));
        try (Lease lease = pool.acquire(LeaseRequest.by("teller"));
                PreparedStatement report = lease.connection().prepareStatement("SELECT 'größe 😀'");
                PreparedStatement booking = lease.connection().prepareStatement("SELECT 2")) {
            report.executeQuery().close();
            assertThat(only(pool).statement()).isEqualTo("SELECT 'größe 😀'");
            booking.execute();
            assertThat(only(pool).statement()).isEqualTo("SELECT 2");
            report.execute();
            assertThat(only(pool).statement()).isEqualTo("SELECT 'größe 😀'");
        }
    }

    @Test
    void aConnectionTellsItsLastLeasesAndItsLatencies() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 1));
        for (String holder : List.of("one", "two")) {
            try (Lease lease = pool.acquire(LeaseRequest.by(holder))) {
                execute(lease, "SELECT '" + holder + "'");
            }
        }
        String id = pool.connections().getFirst().id();
        List<PastLease> past = pool.occupancy().connection(id).orElseThrow().leases();
        assertThat(past).extracting(PastLease::holder).startsWith("two", "one");
        assertThat(past.getFirst().statement()).isEqualTo("SELECT 'two'");
        assertThat(past.getFirst().requests()).isEqualTo(1);
        assertThat(past.getFirst().agoNanos()).isPositive();
        Await.until(
                "latencies",
                SOON,
                () -> pool.occupancy().connection(id).orElseThrow().life().count() >= 2);
        assertThat(pool.occupancy().connection("bank-999")).isEmpty();
    }
}
