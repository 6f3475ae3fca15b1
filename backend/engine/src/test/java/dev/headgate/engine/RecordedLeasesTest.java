package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.supervision.Supervisor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The records of leases in the account of memory. */
@Timeout(60)
class RecordedLeasesTest {

    private final MemoryAccount memory =
            new MemoryAccount(100_000_000, List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));

    @Test
    void areInTheAccountUntilTheirPoolIsClosed() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE, memory, Supervisor.silent())) {
            Database database = engine.open(server.target("main", 4));
            Pool bank = database.open("bank", Fixed.set(1, 2, 2));
            Pool auction = database.open("auction", Fixed.set(1, 2, 2));
            assertThat(memory.reserved()).isZero();
            borrow(bank);
            long one = memory.reserved();
            assertThat(one).isPositive();
            borrow(auction);
            assertThat(memory.reserved()).isEqualTo(2 * one);

            database.close("bank").toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertThat(memory.reserved()).isEqualTo(one);
        }
        assertThat(memory.reserved()).isZero();
    }

    private static void borrow(Pool pool) throws Exception {
        try (Lease lease = pool.acquire(LeaseRequest.by("test"));
                var statement = lease.connection().createStatement()) {
            statement.execute("SELECT 1");
        }
    }
}
