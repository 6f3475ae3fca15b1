package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.gate.Gate;
import dev.headgate.spi.WhenExhausted;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests between the gate, which has admitted them, and HikariCP. */
@Timeout(60)
class AdmittedTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void anAdmittedRequestFindsRoomThoughItsPermitIsTakenAwayMeanwhile() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            ManagedPool pool =
                    (ManagedPool) engine.open(server.target("main", 4)).open("bank", Fixed.set(1, 3, 3));
            Gate gate = pool.gate();
            Await.until("three are open", SOON, () -> pool.status().idle() == 3);
            Lease first = pool.acquire(LeaseRequest.by("first"));
            Lease second = pool.acquire(LeaseRequest.by("second"));
            gate.acquire(SOON.toNanos()); // as far as a request is before it has its connection
            pool.swap(Fixed.set(2, 2, 2)).toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertThat(gate.debt()).isEqualTo(1);
            pool.flush().toCompletableFuture().get(10, TimeUnit.SECONDS);

            PooledLease late = pool.lending().lease(new LeaseRequest("late", TimeUnit.SECONDS.toNanos(2)), 0, false);

            assertThat(gate.inUse()).isEqualTo(3);
            late.close();
            assertThat(gate.debt()).isZero();
            first.close();
            second.close();
            Await.until("two are left", SOON, () -> server.backendsOf("bank") == 2);
        }
    }

    /** A call with a deadline of 2 s once took 2.25 s. */
    @Test
    void aRequestThatIsAdmittedAtItsDeadlineDoesNotOutliveIt() throws Exception {
        try (ServerSocket silent = new ServerSocket(0);
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            ManagedPool pool = poolOf(engine, silent);
            long timeout = TimeUnit.SECONDS.toNanos(2);
            pool.gate().acquire(SOON.toNanos()); // as far as a request is before it has its connection

            LeaseException refused = catchThrowableOfType(
                    LeaseException.class,
                    () -> pool.lending().lease(new LeaseRequest("late", timeout), timeout, false));

            assertThat(refused.situation().waitedNanos() - timeout)
                    .isLessThan(Duration.ofMillis(200).toNanos());
            assertThat(pool.gate().inUse()).isZero();
        }
    }

    @Test
    void aRequestThatIsInterruptedWhileItsConnectionOpensSaysSo() throws Exception {
        try (ServerSocket silent = new ServerSocket(0);
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            ManagedPool pool = poolOf(engine, silent);
            CompletableFuture<LeaseException> refused = new CompletableFuture<>();
            Thread waiter = Thread.ofVirtual()
                    .start(() -> refused.complete(
                            catchThrowableOfType(LeaseException.class, () -> pool.acquire(LeaseRequest.by("waiter")))));
            Await.until("it is admitted", SOON, () -> pool.gate().inUse() == 1);
            waiter.interrupt();
            LeaseException why = refused.get(10, TimeUnit.SECONDS);
            assertThat(why.why()).isEqualTo(LeaseException.Cause.INTERRUPTED);
            assertThat(why.getSQLState()).isEqualTo("57014");
            assertThat(pool.gate().inUse()).isZero();
        }
    }

    /** Of one connection, which never opens: its server takes it and says nothing. */
    private static ManagedPool poolOf(Engine engine, ServerSocket silent) {
        Target target = Target.of("silent", "127.0.0.1", silent.getLocalPort(), "x", "x", "x", 2);
        return (ManagedPool) engine.open(target).open("bank", Fixed.set(1, 1, 1, WhenExhausted.queue(30_000, 10)));
    }
}
