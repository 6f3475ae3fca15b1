package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Await;
import dev.headgate.engine.Forwarder;
import dev.headgate.engine.PostgresServer;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool that lacks connections, before a door that lets nobody in to the real server until it is opened. */
@Timeout(60)
class ParallelOpenerTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static PostgresServer server;

    private final SystemTime time = new SystemTime();
    private final SocketLedger ledger = new SocketLedger(10, 0);
    private final PoolMeter meters = new PoolMeter();
    private final ScheduledExecutorService housekeeping = Executors.newSingleThreadScheduledExecutor();
    private Forwarder door;
    private Opener opener;

    @BeforeAll
    static void startServer() throws Exception {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    @BeforeEach
    void open() throws IOException {
        Target target = server.target("main", 10);
        door = new Forwarder(target.port());
        door.holdNew();
        opener = new Opener(
                "bank", door.inFrontOf(target), time, ledger, meters, new Outage(time), OrphansTest.none(), () -> {});
    }

    @AfterEach
    void close() throws Exception {
        opener.close(0);
        door.close();
        housekeeping.shutdownNow();
        time.close();
        assertThat(ledger.openNow()).isZero();
    }

    private Reservoir reservoir() {
        return new Reservoir("bank", opener, 10, Supervisor.silent(), housekeeping);
    }

    @Test
    void opensSeveralAtOnceButNotAllOfThem() throws Exception {
        Reservoir reservoir = reservoir();

        reservoir.resize(7, 7);

        Await.until("several connect", SOON, () -> door.accepted() == ParallelOpener.AT_ONCE);
        assertThat(ledger.openNow()).isEqualTo(ParallelOpener.AT_ONCE);
        door.letIn();
        Await.until("the pool is full", SOON, () -> reservoir.held() == 7);
        assertThat(door.accepted()).isEqualTo(7);
        assertThat(ledger.openNow()).isEqualTo(7);
        reservoir.close();
    }

    @Test
    void oneThatHangsHoldsUpNoOther() throws Exception {
        door.holdNext(1);
        Reservoir reservoir = reservoir();

        reservoir.resize(3, 3);

        Await.until("the others are in the pool", SOON, () -> reservoir.idle() == 2);
        door.letIn();
        Await.until("the pool is full", SOON, () -> reservoir.idle() == 3);
        reservoir.close();
    }

    /** Why connections have ended. */
    private List<Ending> reasons() {
        return meters.closed(time.now()).stream().map(ClosedConnection::why).toList();
    }

    /** HikariCP has asked, and is answered once: no connection after the other is opened and closed. */
    @Test
    void whoeverAsksGetsAConnectionAlsoIfThePoolNeedsNoneAnyMore() throws Exception {
        AtomicInteger missing = new AtomicInteger(1);
        ParallelOpener openings = new ParallelOpener("bank", opener, missing::get, () -> {}, Supervisor.silent());
        FutureTask<Connection> asking = new FutureTask<>(openings::open);
        Thread _ = Thread.ofVirtual().start(asking);
        Await.until("it connects", SOON, () -> door.accepted() == 1);

        missing.set(0);
        door.letIn();

        asking.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
        assertThat(door.accepted()).isEqualTo(1);
    }

    /** The target may be another one since, or the password. */
    @Test
    void aFlushAlsoReplacesWhatIsBeingOpened() throws Exception {
        Reservoir reservoir = reservoir();
        reservoir.resize(2, 2);
        Await.until("both connect", SOON, () -> door.accepted() == 2);

        reservoir.flush();
        door.letIn();

        Await.until("the pool is full", SOON, () -> reservoir.idle() == 2 && ledger.openNow() == 2);
        assertThat(door.accepted()).isEqualTo(4);
        assertThat(reasons()).containsExactly(Ending.FLUSHED, Ending.FLUSHED);
        reservoir.close();
    }

    /** Nobody would ever take the others. */
    @Test
    void whatIsNotNeededAnyMoreIsClosed() throws Exception {
        Reservoir reservoir = reservoir();
        reservoir.resize(4, 4);
        Await.until("all connect", SOON, () -> door.accepted() == 4);

        reservoir.resize(1, 1);
        door.letIn();

        Await.until("one is left", SOON, () -> {
            reservoir.tidy();
            return ledger.openNow() == 1 && reservoir.held() == 1;
        });
        assertThat(reasons())
                .hasSize(3)
                .isSubsetOf(Ending.UNNEEDED, Ending.SHRUNK)
                .contains(Ending.UNNEEDED);
        reservoir.close();
    }

    @Test
    void whatWaitsToBeTakenIsClosedWhenNobodyNeedsIt() throws Exception {
        door.letIn();
        AtomicInteger missing = new AtomicInteger(2);
        ParallelOpener openings = new ParallelOpener("bank", opener, missing::get, () -> {}, Supervisor.silent());
        Connection taken = openings.open();
        Await.until("another is ready", SOON, () -> openings.ready() == 1);

        openings.tidy();
        assertThat(openings.ready()).isEqualTo(1);

        missing.set(0);
        openings.tidy();
        Await.until("it is closed", SOON, () -> ledger.openNow() == 1);
        assertThat(openings.ready()).isZero();
        taken.close();
    }

    @Test
    void aClosedPoolKeepsNothingThatWasBeingOpened() throws Exception {
        Reservoir reservoir = reservoir();
        reservoir.resize(4, 4);
        Await.until("all connect", SOON, () -> door.accepted() == 4);

        reservoir.close();
        opener.close(TimeUnit.SECONDS.toNanos(10));

        Await.until("every place of the budget is free", SOON, () -> ledger.openNow() == 0);
    }

    /** The outage paces one attempt at a time. */
    @Test
    void opensNothingAheadWhileTheDatabaseCannotBeReached() throws Exception {
        door.refuseNew();
        Reservoir reservoir = reservoir();
        reservoir.resize(4, 4);
        Await.until(
                "attempts fail",
                SOON,
                () -> opener.failure().map(Opener.Failure::times).orElse(0) > 8);

        assertThat(ledger.openNow()).isLessThanOrEqualTo(1);
        reservoir.close();
    }
}
