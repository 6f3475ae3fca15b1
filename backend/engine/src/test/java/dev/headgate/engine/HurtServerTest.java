package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.Ending;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that hang, restart, or speak TLS. */
@Timeout(90)
class HurtServerTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void aHungBackendCostsItsOwnCallerTheSocketTimeoutAndNobodyElseAnything() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database =
                    engine.open(server.target("main", 5).withTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(2)));
            Pool pool = database.open("bank", Fixed.set(1, 2, 2));
            Lease victim = pool.acquire(LeaseRequest.by("victim"));
            int pid = connection(pool, victim).backendPid();
            signal("STOP", pid);
            try {
                long began = System.nanoTime();
                assertThatThrownBy(() -> select(victim)).isInstanceOf(SQLException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isBetween(Duration.ofMillis(1_500), Duration.ofSeconds(10));
                victim.close();
                try (Lease other = pool.acquire(LeaseRequest.by("other"))) {
                    assertThat(select(other)).isEqualTo(1);
                }
            } finally {
                signal("CONT", pid);
            }
            Await.until("two connections again", SOON, () -> pool.status().idle() == 2);
            Ledgers.assertExact(engine);
        }
    }

    /** A server that was silent for half a second is asked before its connection is lent, and one that hangs does not answer. */
    @Test
    void aCallersDeadlineIsKeptAlsoWhereFreeConnectionsAreTestedBeforeThem() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 5));
            Pool pool = database.open("bank", Fixed.set(1, 3, 3));
            Await.until("three connections", SOON, () -> pool.status().idle() == 3);
            TimeUnit.MILLISECONDS.sleep(600); // the engine's clock is the real one here
            List<Integer> stopped = pool.connections().stream()
                    .map(ConnectionStatus::backendPid)
                    .toList();
            for (int pid : stopped) {
                signal("STOP", pid);
            }
            try {
                long began = System.nanoTime();
                assertThatThrownBy(() -> pool.acquire(new LeaseRequest("late", TimeUnit.SECONDS.toNanos(1))))
                        .isInstanceOf(SQLException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
            } finally {
                for (int pid : stopped) {
                    signal("CONT", pid);
                }
            }
            Ledgers.assertExact(engine);
        }
    }

    @Test
    void everyConnectionThatTheServerEndsLeavesItsPlaceInTheBudget() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 12));
            Pool pool = database.open("bank", Fixed.set(1, 8, 8));
            Pool sibling = database.open("shop", Fixed.set(1, 0, 4));
            for (int round = 0; round < 5; round++) {
                Await.until("the floor", SOON, () -> server.backendsOf("bank") == 8);
                try (Connection beside = server.beside();
                        Statement statement = beside.createStatement()) {
                    statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            + " WHERE application_name LIKE 'headgate %'");
                }
                replaceWhatIsDead(pool);
            }
            Await.until("the floor again", SOON, () -> server.backendsOf("bank") == 8);
            try (Lease lease = sibling.acquire(LeaseRequest.by("sibling"))) {
                assertThat(select(lease)).isEqualTo(1);
            }
            Ledgers.assertExact(engine);
        }
    }

    @Test
    void aServerThatIsGoneIsToldOfBeforeAnybodyAsksForAConnection(@TempDir Path folder) throws Exception {
        int port = freePort();
        PostgresServer server = start(folder, port);
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 4));
            Pool pool = database.open("bank", Fixed.set(1, 0, 2));
            Await.until("the first look", SOON, () -> database.status().facts().isPresent());
            assertThat(database.status().unreachable()).isEmpty();
            server.kill();
            Await.until(
                    "it is noticed", SOON, () -> database.status().unreachable().isPresent());
            Await.until(
                    "and an alarm",
                    SOON,
                    () -> pool.status().alarms().stream()
                            .anyMatch(alarm -> alarm.code().equals("unreachable")));
            server = start(folder, port);
            Await.until(
                    "it is back", SOON, () -> database.status().unreachable().isEmpty());
            Ledgers.assertExact(engine);
        } finally {
            server.close();
        }
    }

    /** The next look at the server, which would say so too, may be 5 s away. */
    @Test
    void aServerThatAPoolHearsFromAgainIsUnreachableNoLonger(@TempDir Path folder) throws Exception {
        int port = freePort();
        PostgresServer server = start(folder, port);
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 4));
            Pool pool = database.open("bank", Fixed.set(1, 0, 2));
            Await.until("the first look", SOON, () -> database.status().facts().isPresent());
            server.kill();
            Await.until(
                    "it is noticed", SOON, () -> database.status().unreachable().isPresent());
            server = start(folder, port);
            try (Lease lease = pool.acquire(LeaseRequest.by("caller"))) {
                assertThat(select(lease)).isEqualTo(1);
            }
            assertThat(database.status().unreachable()).isEmpty();
            Ledgers.assertExact(engine);
        } finally {
            server.close();
        }
    }

    @Test
    void aServerThatIsGoneIsToldOfAlsoWhereNoDomainUsesIt(@TempDir Path folder) throws Exception {
        try (PostgresServer server = start(folder, freePort());
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 4));
            Await.until("the first look", SOON, () -> database.status().facts().isPresent());
            assertThat(database.status().health().code()).isEqualTo("fine");
            server.kill();
            Await.until(
                    "its state",
                    SOON,
                    () -> database.status().health().sentence().equals("main has been unreachable"));
            assertThat(database.status().health().severity()).isEqualTo(PoolStatus.Severity.WARNING);
            Ledgers.assertExact(engine);
        }
    }

    /** There is no place for a probe then. */
    @Test
    void aServerThatIsGoneIsToldOfAlsoWhereFreeConnectionsFillTheBudget(@TempDir Path folder) throws Exception {
        try (PostgresServer server = start(folder, freePort());
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 4));
            Pool pool = database.open("bank", Fixed.set(1, 4, 4));
            Await.until("four connections", SOON, () -> pool.status().idle() == 4);
            server.kill();
            Await.until(
                    "it is noticed", SOON, () -> database.status().unreachable().isPresent());
            assertThat(pool.occupancy().closed())
                    .extracting(ClosedConnection::why)
                    .containsOnly(Ending.DATABASE);
            Ledgers.assertExact(engine);
        }
    }

    /** Nobody asks for one of them, and HikariCP would look at them after two minutes. */
    @Test
    void freeConnectionsOfAServerThatIsGoneAreNotTakenForOpenOnes(@TempDir Path folder) throws Exception {
        try (PostgresServer server = start(folder, freePort());
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 4));
            Pool pool = database.open("bank", Fixed.set(1, 2, 2));
            Await.until("two connections", SOON, () -> pool.status().size() == 2);
            server.kill();
            Await.until(
                    "it is noticed", SOON, () -> database.status().unreachable().isPresent());
            Await.until("none is open", SOON, () -> pool.status().size() == 0);
            Ledgers.assertExact(engine);
        }
    }

    @Test
    void aRequestWithoutAConnectionIsRefusedAndNoLease() throws Exception {
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Pool pool = engine.open(Target.of("main", "127.0.0.1", freePort(), "main", "main", "", 4))
                    .open("bank", Fixed.set(1, 0, 2));
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> pool.acquire(new LeaseRequest("caller", 500_000_000)))
                        .isInstanceOf(LeaseException.class);
            }
            assertThat(pool.status().totals().leases()).isZero();
            assertThat(pool.status().totals().refused() + pool.status().totals().timedOut())
                    .isEqualTo(3);
            assertThat(pool.status().inUse()).isZero();
            assertThat(pool.recorded(Duration.ofMinutes(1))).isEqualTo(3);
            Ledgers.assertExact(engine);
        }
    }

    @Test
    void aServerThatIsBackIsToldOfAlsoWhereNobodyAsksAnyMore(@TempDir Path folder) throws Exception {
        int port = freePort();
        PostgresServer server = start(folder, port);
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 4));
            Limits brief = Limits.unbounded()
                    .withFloor(0)
                    .withCeiling(2)
                    .withIdleTimeoutNanos(500_000_000)
                    .because("Nothing is kept.");
            WhenExhausted soon = WhenExhausted.queue(300, 10);
            Pool pool =
                    database.open("bank", PolicySet.of(1, soon, new PolicySet.Member("brief", Fixed.answering(brief))));
            server.kill();
            assertThatThrownBy(() -> pool.acquire(LeaseRequest.by("caller"))).isInstanceOf(LeaseException.class);
            Await.until("nobody tries", SOON, () -> pool.status().size() == 0);
            assertThat(database.status().unreachable()).isPresent();
            server = start(folder, port);
            Await.until(
                    "it is back", SOON, () -> database.status().unreachable().isEmpty());
            Ledgers.assertExact(engine);
        } finally {
            server.close();
        }
    }

    @Test
    void aServerThatIsKilledAndComesBackLeavesNothingInTheLedger(@TempDir Path folder) throws Exception {
        int port = freePort();
        PostgresServer server = start(folder, port);
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 12));
            Pool pool = database.open("bank", Fixed.set(1, 8, 8));
            Pool sibling = database.open("shop", Fixed.set(1, 0, 4));
            for (int round = 0; round < 3; round++) {
                PostgresServer present = server;
                Await.until("the floor", SOON, () -> present.backendsOf("bank") == 8);
                List<RelayLease> inUse = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    inUse.add(pool.relay(LeaseRequest.by("caller")));
                }
                server.kill();
                server = start(folder, port);
                for (RelayLease lease : inUse) {
                    assertThat(answers(lease.socket())).isFalse();
                    lease.discard();
                }
                replaceWhatIsDead(pool);
            }
            PostgresServer last = server;
            Await.until("the floor again", SOON, () -> last.backendsOf("bank") == 8);
            try (Lease lease = sibling.acquire(LeaseRequest.by("sibling"))) {
                assertThat(select(lease)).isEqualTo(1);
            }
            Ledgers.assertExact(engine);
        } finally {
            server.close();
        }
    }

    /** Uses each connection until every one of them works, as relays do: what is dead is discarded by its user. */
    private static void replaceWhatIsDead(Pool pool) throws Exception {
        Await.until("eight that work", SOON, () -> {
            List<RelayLease> leases = new ArrayList<>();
            try {
                while (leases.size() < 8) {
                    RelayLease lease = pool.relay(new LeaseRequest("caller", 2_000_000_000L));
                    leases.add(lease);
                    if (!answers(lease.socket())) {
                        lease.discard();
                        return false;
                    }
                }
                return true;
            } catch (SQLException e) {
                return false;
            } finally {
                leases.forEach(Lease::close);
            }
        });
    }

    /** Sends an empty query and reads what comes, up to ReadyForQuery or the end. */
    private static boolean answers(Socket socket) {
        try {
            socket.getOutputStream().write(new byte[] {'Q', 0, 0, 0, 5, 0});
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int type = in.read(); type >= 0; type = in.read()) {
                in.readNBytes(in.readInt() - 4);
                if (type == 'Z') {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void saysThatTheBudgetIsUsedUpWhereItIsAndRepairsALedgerThatIsWrong() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(server.target("main", 2));
            ((ManagedDatabase) database).ledger().open(); // nobody's
            Await.until("facts", SOON, () -> database.status().facts().isPresent());
            ((ManagedDatabase) database).ledger().open();
            Pool pool = database.open("bank", Fixed.set(1, 0, 2));
            LeaseException refused = catchThrowableOfType(
                    LeaseException.class, () -> pool.acquire(new LeaseRequest("caller", 300_000_000)));
            assertThat(refused.why()).isEqualTo(LeaseException.Cause.BUDGET_USED_UP);
            assertThat(refused.getSQLState()).isEqualTo("53300");
            assertThat(refused.getMessage()).contains("the budget of 2 connections is used up");
            assertThat(database.status().unreachable()).isEmpty();
            Await.until(
                    "an alarm",
                    SOON,
                    () -> pool.status().alarms().stream()
                            .anyMatch(alarm -> alarm.code().equals("ledger-differs")));
            try (Lease lease = pool.acquire(LeaseRequest.by("caller"))) {
                assertThat(select(lease)).isEqualTo(1);
            }
            Ledgers.awaitEveryEntryIsASocket(engine);
            assertThat(database.status().audit().repaired()).isEqualTo(2);
        }
    }

    @Test
    void healsWhenTheServerComesBack(@TempDir Path folder) throws Exception {
        int port = freePort();
        PostgresServer first = start(folder, port);
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Pool pool = engine.open(first.target("main", 5)).open("bank", Fixed.set(1, 2, 4));
            try (Lease lease = pool.acquire(LeaseRequest.by("before"))) {
                assertThat(select(lease)).isEqualTo(1);
            }
            first.close();
            assertThatThrownBy(() -> {
                        try (Lease lease = pool.acquire(new LeaseRequest("during", 300_000_000))) {
                            select(lease);
                        }
                    })
                    .isInstanceOf(SQLException.class);
            try (PostgresServer second = start(folder, port)) {
                Await.until("it works again", SOON, () -> {
                    try (Lease lease = pool.acquire(new LeaseRequest("after", 500_000_000))) {
                        return select(lease) == 1;
                    } catch (SQLException e) {
                        return false;
                    }
                });
                Await.until("the floor again", SOON, () -> second.backendsOf("bank") == 2);
                assertThat(pool.status().inUse()).isZero();
                Ledgers.assertExact(engine);
            }
        } finally {
            first.close();
        }
    }

    private static PostgresServer start(Path folder, int port) {
        return PostgresServer.start(builder -> builder.setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setPort(port));
    }

    @Test
    void metersAboveTlsAndVerifiesTheServer(@TempDir Path folder) throws Exception {
        try (PostgresServer server = TlsServer.start(folder);
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Target target = server.target("main", 5).withSslMode(Target.SslMode.REQUIRE);
            Pool pool = engine.open(target).open("bank", Fixed.set(1, 1, 1));
            try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
                long before = connection(pool, lease).requests();
                try (Statement statement = lease.connection().createStatement();
                        ResultSet row =
                                statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
                    row.next();
                    assertThat(row.getBoolean(1)).isTrue();
                }
                assertThatThrownBy(() -> execute(lease, "SELECT no_such_column"))
                        .isInstanceOf(SQLException.class);
                ConnectionStatus status = connection(pool, lease);
                assertThat(status.requests() - before).isEqualTo(2);
                assertThat(status.errors()).isEqualTo(1);
                assertThat(status.bytesIn()).isPositive();
            }
            assertThatThrownBy(() -> Engine.probe(server.target("strict", 5).withSslMode(Target.SslMode.VERIFY_FULL)))
                    .isInstanceOf(SQLException.class);
            Ledgers.assertExact(engine);
        }
    }

    private static void signal(String name, int pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static ConnectionStatus connection(Pool pool, Lease lease) {
        return pool.connections().stream()
                .filter(c -> c.id().equals(lease.connectionId()))
                .findFirst()
                .orElseThrow();
    }

    private static int select(Lease lease) throws SQLException {
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

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }
}
