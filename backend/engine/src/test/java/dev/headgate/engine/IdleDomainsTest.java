package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a domain costs HikariCP's housekeeping before anybody uses it, and what is seen of it until then. */
@Timeout(60)
class IdleDomainsTest {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MANY = 200;

    private static PostgresServer server;

    private final SystemTime time = new SystemTime();
    private final Supervisor supervisor = Supervisor.silent();
    private final Housekeeping housekeeping = new Housekeeping(supervisor);
    private final Map<String, Integer> windows = new ConcurrentHashMap<>();
    private ManagedDatabase database;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void open() {
        EngineListener counting = new EngineListener() {
            @Override
            public void window(Pool pool, Instant end, Window window) {
                windows.merge(pool.domain(), 1, Integer::sum);
            }
        };
        MemoryAccount memory =
                new MemoryAccount(1 << 24, List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));
        database = new ManagedDatabase(
                server.target("main", 8),
                "test",
                time,
                counting,
                memory,
                supervisor,
                housekeeping,
                new ConcurrentHashMap<>());
    }

    @AfterEach
    void close() {
        database.close();
        housekeeping.shutdownNow();
        time.close();
    }

    /** Waits until HikariCP has these pools and connections: each pool is one task, and each connection two. */
    private void awaitHousekeepingOf(int pools, int connections) throws Exception {
        Await.until(
                pools + " pools with " + connections + " connections",
                SOON,
                () -> housekeeping.getQueue().size() == pools + 2 * connections);
    }

    private void awaitWindows(int count) throws Exception {
        windows.clear();
        Await.until("windows have ended", SOON, () -> windows.getOrDefault("bank-0", 0) >= count);
    }

    @Test
    void onlyADomainThatIsUsedHasAPoolOfHikaricp() throws Exception {
        for (int i = 0; i < MANY; i++) {
            database.open("bank-" + i, Fixed.set(1, 0, 2));
        }
        awaitWindows(3);
        assertThat(housekeeping.getQueue()).isEmpty();

        Pool used = database.pools().iterator().next();
        try (Lease _ = used.acquire(LeaseRequest.by("first"))) {
            awaitHousekeepingOf(1, 1);
        }
        database.open("eager", Fixed.set(1, 1, 2));
        awaitHousekeepingOf(2, 2);
        assertThat(server.backendsOf("eager")).isEqualTo(1);
    }

    @Test
    void aDomainThatNobodyHasUsedAnswersLikeAnEmptyOne() throws Exception {
        ManagedPool pool = (ManagedPool) database.open("bank-0", Fixed.set(1, 0, 2));
        awaitWindows(2);

        assertThat(pool.status().size()).isZero();
        assertThat(pool.status().idle()).isZero();
        assertThat(pool.status().opening()).isZero();
        assertThat(pool.connections()).isEmpty();
        assertThat(database.ledger().openNow()).isZero();

        for (var done : List.of(pool.pause(), pool.flush(), pool.drain(), pool.resume())) {
            done.toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
        pool.swap(Fixed.set(2, 0, 4)).toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
        Target target = server.target("main", 6);
        database.retarget(target.withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(5)));
        pool.closeLost();
        awaitWindows(2);
        assertThat(housekeeping.getQueue()).isEmpty();

        database.close("bank-0").toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);

        assertThat(database.pools()).isEmpty();
        assertThat(housekeeping.getQueue()).isEmpty();
        assertThat(supervisor.tasks()).extracting(task -> task.name()).doesNotContain("headgate-shutdown");
    }

    @Test
    void theFirstConnectionGoesToATargetThatHasMovedBefore() throws Exception {
        Pool pool = database.open("bank-0", Fixed.set(1, 0, 2));
        try (PostgresServer other = PostgresServer.start()) {
            database.retarget(other.target("main", 8));
            try (Lease _ = pool.acquire(LeaseRequest.by("first"))) {
                assertThat(other.backendsOf("bank-0")).isEqualTo(1);
                assertThat(server.backendsOf("bank-0")).isZero();
            }
        }
    }
}
