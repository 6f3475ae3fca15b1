package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.supervision.SupervisedTask;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to whoever still uses a database when it is closed. */
@Timeout(60)
class ClosingTest extends OnServer {

    private static final Duration SOON = Duration.ofSeconds(10);

    /** The second that leases have, and more than it takes to cut them on a busy machine. */
    private static final Duration PROMPTLY = Duration.ofSeconds(4);

    @Test
    void aLeaseThatStaysOutIsCutAfterItsGrace() throws Exception {
        ManagedDatabase database = (ManagedDatabase) engine.open(server.target("main", 4));
        Pool pool = database.open("bank", Fixed.set(1, 2, 2));
        Lease out = pool.acquire(LeaseRequest.by("sleeper"));
        Gate gate = ((ManagedPool) pool).gate();

        assertThat(timeOf(() -> engine.close("main"))).isBetween(Duration.ofMillis(990), PROMPTLY);

        assertThat(gate.inUse()).isZero();
        assertThat(gate.debt()).isZero();
        assertThat(database.ledger().openNow()).isZero();
        assertThat(OpenSockets.to(server.port())).isZero();
        Await.until("no backend", SOON, () -> server.backendsOf("bank") == 0);
        assertThatThrownBy(() -> run(out, "SELECT 1")).isInstanceOf(SQLException.class);
        out.close();
        out.discard();
        assertThat(gate.inUse()).isZero();
        assertThat(gate.debt()).isZero();
    }

    @Test
    void hikaricpEndsNoLeaseThatIsNotCutYet() throws Exception {
        Supervisor supervisor = Supervisor.silent();
        MemoryAccount memory =
                new MemoryAccount(1 << 20, List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));
        try (Engine other = Engine.start("test", EngineListener.NONE, memory, supervisor)) {
            ManagedPool pool =
                    (ManagedPool) other.open(server.target("main", 4)).open("bank", Fixed.set(1, 2, 2));
            Lease out = pool.acquire(LeaseRequest.by("sleeper"));

            pool.cut();

            assertThat(out.hasEnded()).isTrue();
            assertThat(supervisor.tasks()).extracting(SupervisedTask::name).doesNotContain("headgate-shutdown");
        }
        assertThat(supervisor.tasks()).extracting(SupervisedTask::name).contains("headgate-shutdown");
    }

    @Test
    void theSupervisorForgetsTheThreadsOfADatabaseThatIsGone() throws Exception {
        Supervisor supervisor = Supervisor.silent();
        MemoryAccount memory =
                new MemoryAccount(1 << 20, List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));
        try (Engine other = Engine.start("test", EngineListener.NONE, memory, supervisor)) {
            other.open(server.target("main", 4));
            assertThat(supervisor.tasks()).extracting(SupervisedTask::name).contains("headgate-main-governor");
            other.close("main");
            // a look at the server that is under way ends by itself
            Await.until(
                    "nothing is left of it",
                    SOON,
                    () -> supervisor.tasks().stream()
                            .noneMatch(task -> task.name().startsWith("headgate-main-")));
        }
    }

    @Test
    void aLeaseThatEndsWithinItsGraceIsNotCut() throws Exception {
        Pool pool = engine.open(server.target("main", 4)).open("bank", Fixed.set(1, 1, 2));
        Lease out = pool.acquire(LeaseRequest.by("worker"));
        CompletableFuture<Void> worker = CompletableFuture.runAsync(() -> {
            try (out) {
                run(out, "SELECT pg_sleep(0.3)");
                run(out, "SELECT 1");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });

        engine.close("main");

        worker.get(10, TimeUnit.SECONDS);
    }

    @Test
    void databasesAreClosedAtTheSameTime() throws Exception {
        List<Lease> out = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Pool pool = engine.open(server.target("main-" + i, 2)).open("bank-" + i, Fixed.set(1, 0, 1));
            out.add(pool.acquire(LeaseRequest.by("sleeper")));
        }
        assertThat(timeOf(engine::close)).isLessThan(PROMPTLY);
        out.forEach(Lease::close);
    }

    @Test
    void whoeverWaitsForAConnectionThatDoesNotOpenIsTold() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            ManagedDatabase database = (ManagedDatabase)
                    engine.open(Target.of("silent", "127.0.0.1", silent.getLocalPort(), "x", "x", "x", 2));
            Pool pool = database.open("bank", Fixed.set(1, 1, 1, WhenExhausted.queue(30_000, 10)));
            CompletableFuture<LeaseException> refused = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("waiter"))));
            Await.until("it holds a permit", SOON, () -> pool.status().inUse() == 1);

            assertThat(timeOf(() -> engine.close("silent"))).isLessThan(PROMPTLY);

            assertThat(refused.get(1, TimeUnit.SECONDS).why()).isEqualTo(LeaseException.Cause.CLOSED);
            assertThat(((ManagedPool) pool).gate().inUse()).isZero();
            assertThat(database.ledger().openNow()).isZero();
        }
    }

    @Test
    void aDomainThatTheGovernorDoesNotTakeInLeavesItsNameFree() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (SystemTime clock = new SystemTime();
                Engine other = new Engine("test", brokenForCommands(clock, broken), EngineListener.NONE)) {
            Database database = other.open(server.target("main", 4));
            assertThatThrownBy(() -> database.open("bank", Fixed.set(1, 1, 1))).hasRootCauseMessage("of a test");
            broken.set(false);
            assertThat(database.pools()).isEmpty();
            try (Lease lease = database.open("bank", Fixed.set(1, 1, 1)).acquire(LeaseRequest.by("caller"))) {
                run(lease, "SELECT 1");
            }
        }
    }

    /** A clock that fails when a command of the governor's asks it. */
    private static Time brokenForCommands(Time clock, AtomicBoolean broken) {
        return new Time() {
            @Override
            public long nanoTime() {
                if (broken.get()
                        && StackWalker.getInstance()
                                .walk(frames -> frames.anyMatch(
                                        frame -> frame.getClassName().endsWith(".governor.Commands")))) {
                    throw new IllegalStateException("of a test");
                }
                return clock.nanoTime();
            }

            @Override
            public Instant now() {
                return clock.now();
            }

            @Override
            public Timer after(long delayNanos, Runnable task) {
                return clock.after(delayNanos, task);
            }
        };
    }

    @Test
    void aDomainThatIsClosedTwiceEndsOnce() throws Exception {
        Database database = engine.open(server.target("main", 4));
        AtomicInteger closed = new AtomicInteger();
        AtomicInteger retired = new AtomicInteger();
        Policy policy = new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                return Limits.unbounded().withCeiling(2);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        Pool pool = database.open(
                "bank",
                new PolicySet(
                        1,
                        List.of(new PolicySet.Member("counting", policy)),
                        WhenExhausted.queue(5_000, 10),
                        retired::incrementAndGet));
        Lease out = pool.acquire(LeaseRequest.by("worker"));
        CompletableFuture<Void> first = database.close("bank").toCompletableFuture();
        CompletableFuture<Void> second = database.close("bank").toCompletableFuture();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        out.close();
        first.get(10, TimeUnit.SECONDS);

        Pool namesake = database.open("bank", Fixed.set(2, 1, 1));
        second.get(10, TimeUnit.SECONDS);

        assertThat(engine.pool("bank")).contains(namesake);
        assertThat(closed).hasValue(1);
        assertThat(retired).hasValue(1);
        try (Lease lease = namesake.acquire(LeaseRequest.by("next"))) {
            run(lease, "SELECT 1");
        }
    }

    @Test
    void aClosedDatabaseOpensNothing() {
        Database database = engine.open(server.target("main", 4));
        engine.close("main");
        assertThatThrownBy(() -> database.open("bank", Fixed.set(1, 1, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("main");
    }

    private static Duration timeOf(Runnable action) {
        long began = System.nanoTime();
        action.run();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private static void run(Lease lease, String sql) throws SQLException {
        try (Statement statement = lease.connection().createStatement()) {
            statement.execute(sql);
        }
    }
}
