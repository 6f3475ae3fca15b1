package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.engine.meter.Ending;
import dev.headgate.spi.WhenExhausted;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** What an event loop needs of a pool: leases and bytes without waiting. The test's own thread runs the loop's tasks. */
@Timeout(60)
class RelayTest extends OnServer {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private Database database;

    @BeforeEach
    void openDatabase() {
        database = engine.open(server.target("main", 12));
    }

    // ---- leases

    @Test
    void leasesAFreeConnectionBeforeTheCallReturns() throws Exception {
        Pool pool = poolWith(2);
        Told told = new Told();
        pool.relay(LeaseRequest.by("client"), tasks::add, told);
        assertThat(told.lease).isNotNull();
        assertThat(ask(told.lease.channel(), "SELECT 42")).isEqualTo("42");
        told.lease.close();
        assertThat(pool.status().inUse()).isZero();
        assertThat(tasks).isEmpty();
    }

    @Test
    void leasesAReleasedConnectionByTheExecutorAndNotOnTheReleasingThread() throws Exception {
        Pool pool = poolWith(1);
        Lease held = pool.acquire(LeaseRequest.by("holder"));
        Told told = new Told();
        pool.relay(LeaseRequest.by("client"), tasks::add, told);
        held.close();
        assertThat(told.isTold()).isFalse();
        runTasksUntil(told::isTold);
        assertThat(told.thread).isEqualTo(Thread.currentThread());
        assertThat(told.lease.waitedNanos()).isPositive();
        told.lease.close();
    }

    @Test
    void waitsForAConnectionThatIsBeingOpenedOnAnotherThread() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 0, 2));
        Told told = new Told();
        pool.relay(LeaseRequest.by("client"), tasks::add, told);
        runTasksUntil(told::isTold);
        assertThat(told.thread).isEqualTo(Thread.currentThread());
        assertThat(ask(told.lease.channel(), "SELECT 1")).isEqualTo("1");
        told.lease.close();
    }

    @Test
    void refusesByTheExecutorWhenTheTimeIsOver() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 1, 1, WhenExhausted.queue(50, 10)));
        try (Lease _ = pool.acquire(LeaseRequest.by("holder"))) {
            Told told = new Told();
            pool.relay(LeaseRequest.by("client"), tasks::add, told);
            runTasksUntil(told::isTold);
            assertThat(told.refusal.why()).isEqualTo(LeaseException.Cause.TIMED_OUT);
            assertThat(told.thread).isEqualTo(Thread.currentThread());
        }
    }

    @Test
    void aRequestThatIsGivenUpIsNeverTold() throws Exception {
        Pool pool = poolWith(1);
        Lease held = pool.acquire(LeaseRequest.by("holder"));
        Told queued = new Told();
        Runnable leave = pool.relay(LeaseRequest.by("queued"), tasks::add, queued);
        Told admitted = new Told();
        Runnable tooLate = pool.relay(LeaseRequest.by("admitted"), tasks::add, admitted);
        leave.run();
        held.close();
        tooLate.run();
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        assertThat(queued.isTold()).isFalse();
        assertThat(admitted.isTold()).isFalse();
        assertThat(pool.status().inUse()).isZero();
        pool.acquire(LeaseRequest.by("next")).close();
    }

    @Test
    void anExecutorThatRejectsLosesNoPermit() throws Exception {
        Pool pool = poolWith(1);
        Lease held = pool.acquire(LeaseRequest.by("holder"));
        Told told = new Told();
        pool.relay(
                LeaseRequest.by("client"),
                task -> {
                    throw new RejectedExecutionException("the loop has ended");
                },
                told);
        held.close();
        assertThat(told.isTold()).isFalse();
        pool.acquire(LeaseRequest.by("next")).close();
        assertThat(pool.status().inUse()).isZero();
    }

    @Test
    void aListenerThatThrowsIsNotRefusedAndItsConnectionServesNobodyElse() throws Exception {
        Pool pool = poolWith(1);
        String id = pool.connections().getFirst().id();
        RelayListener broken = new RelayListener() {
            @Override
            public void leased(RelayLease lease) {
                throw new IllegalStateException("a defect");
            }

            @Override
            public void refused(LeaseException why) {
                throw new AssertionError("refused", why);
            }
        };
        assertThatThrownBy(() -> pool.relay(LeaseRequest.by("client"), tasks::add, broken))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a defect");
        try (Lease next = pool.acquire(LeaseRequest.by("next"))) {
            assertThat(next.connectionId()).isNotEqualTo(id);
            pool.relay(LeaseRequest.by("client"), tasks::add, broken);
        }
        Runnable granted = tasks.take();
        assertThatThrownBy(granted::run).hasMessage("a defect");
        assertThat(pool.status().inUse()).isZero();
        pool.acquire(LeaseRequest.by("next")).close();
    }

    @Test
    void whereNoThreadCanBeStartedNoPermitIsLost() throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, 0, 1));
        Lending lending = ((ManagedPool) pool).lending();
        Executor exhausted = task -> {
            throw new OutOfMemoryError("no thread");
        };
        Told told = new Told();
        RelayRequest.start(lending, exhausted, LeaseRequest.by("client"), tasks::add, told);
        runTasksUntil(told::isTold);
        assertThat((Throwable) told.refusal).hasRootCauseMessage("no thread");
        assertThat(pool.status().inUse()).isZero();
        assertThat(lending.gate().timedOutTotal()).isEqualTo(1);
        CompletableFuture<Lease> future = AsyncRequest.start(lending, exhausted, LeaseRequest.by("caller"));
        assertThat(future).failsWithin(SOON).withThrowableThat().withRootCauseInstanceOf(OutOfMemoryError.class);
        assertThat(pool.status().inUse()).isZero();
        assertThat(lending.gate().timedOutTotal()).isEqualTo(2);
        pool.acquire(LeaseRequest.by("next")).close();
    }

    @Test
    void aLoopThreadValidatesAnIdleConnectionByItsSocketAlone() throws Exception {
        Pool pool = poolWith(1);
        Lease first = pool.acquire(LeaseRequest.by("first"));
        first.close();
        long before = pool.connections().getFirst().requests();
        Await.until("idle for more than HikariCP trusts", SOON, idleFor(Duration.ofMillis(600)));
        AtomicReference<Told> told = new AtomicReference<>();
        Thread loop = new LoopThread(() -> {
            Told here = new Told();
            pool.relay(LeaseRequest.by("client"), tasks::add, here);
            told.set(here);
        });
        loop.start();
        loop.join();
        assertThat(told.get().lease).isNotNull();
        assertThat(pool.connections().getFirst().requests()).isEqualTo(before);
        told.get().lease.close();
    }

    @Test
    void tellsTheLeftoversWhenAConnectionIsValidatedByAQuery() throws Exception {
        Pool pool = poolWith(1);
        RelayLease first = pool.relay(LeaseRequest.by("first"));
        CompletableFuture<Void> disturbed = new CompletableFuture<>();
        first.leave(new Leftovers() {
            @Override
            public void remove(Connection connection) {}

            @Override
            public void disturbed() {
                disturbed.complete(null);
            }
        });
        first.close();
        pool.relay(LeaseRequest.by("at once")).close();
        assertThat(disturbed).isNotDone();
        Await.until("idle for more than HikariCP trusts", SOON, idleFor(Duration.ofMillis(600)));
        pool.relay(LeaseRequest.by("later")).close();
        assertThat(disturbed).isDone();
    }

    @Test
    void whoeverLeasesByJdbcGetsAnotherConnectionWhereLeftoversCannotBeRemoved() throws Exception {
        Pool pool = poolWith(1);
        RelayLease first = pool.relay(LeaseRequest.by("first"));
        first.leave(connection -> {
            throw new SQLException("terminating connection due to administrator command", "57P01");
        });
        String id = pool.connections().getFirst().id();
        first.close();
        try (Lease next = pool.acquire(LeaseRequest.by("jdbc"))) {
            assertThat(select(next, "SELECT 1")).isEqualTo("1");
            assertThat(pool.connections()).noneMatch(each -> each.id().equals(id));
        }
        assertThat(pool.status().inUse()).isZero();
    }

    @Test
    void aCallersDeadlineIsKeptAlsoWhereTheServerDoesNotRemoveLeftovers() throws Exception {
        Pool pool = poolWith(1);
        RelayLease first = pool.relay(LeaseRequest.by("first"));
        first.leave(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_sleep(30)");
            }
        });
        first.close();
        long began = System.nanoTime();
        assertThatThrownBy(() -> pool.acquire(new LeaseRequest("jdbc", TimeUnit.SECONDS.toNanos(1))))
                .isInstanceOf(LeaseException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
        Await.until("its end", SOON, () -> !pool.occupancy().closed().isEmpty());
        assertThat(pool.occupancy().closed().getFirst().why()).isEqualTo(Ending.RESET_FAILED);
    }

    @Test
    void whoeverLeasesGetsNoConnectionThatTheServerHasEnded() throws Exception {
        Pool pool = poolWith(8);
        for (int round = 0; round < 100; round++) {
            if (round % 20 == 0) {
                List<Lease> all = new ArrayList<>();
                while (all.size() < 8) {
                    all.add(pool.acquire(LeaseRequest.by("user")));
                }
                for (Lease one : all) {
                    assertThat(select(one, "SELECT 1")).isEqualTo("1");
                }
                all.forEach(Lease::close);
                terminateBackends();
            }
            if (round % 2 == 0) {
                try (Lease lease = pool.acquire(LeaseRequest.by("jdbc"))) {
                    assertThat(select(lease, "SELECT 1")).isEqualTo("1");
                }
            } else {
                Told told = new Told();
                pool.relay(LeaseRequest.by("relay"), tasks::add, told);
                runTasksUntil(told::isTold);
                assertThat(told.lease).isNotNull();
                assertThat(ask(told.lease.channel(), "SELECT 2")).isEqualTo("2");
                told.lease.close();
            }
        }
        Await.until("the floor again", SOON, () -> server.backendsOf("bank") == 8);
    }

    /** The next one leases it at once: before HikariCP asks for a connection that was idle. */
    @Test
    void whoeverLeasesNextGetsNoConnectionThatTheServerEndedInTheSilenceOfTheLeaseBefore() throws Exception {
        Pool pool = poolWith(1);
        for (boolean asks : List.of(true, false)) {
            Lease silent = pool.acquire(LeaseRequest.by("silent"));
            String id = silent.connectionId();
            if (asks) {
                assertThat(select(silent, "SELECT 1")).isEqualTo("1");
            } else {
                Await.until(
                        "a window has ended since",
                        SOON,
                        () -> pool.connections()
                                .getFirst()
                                .lease()
                                .filter(lease -> lease.ageNanos() > 0)
                                .isPresent());
            }
            terminateBackends();

            silent.close();
            try (Lease next = pool.acquire(LeaseRequest.by("next"))) {
                assertThat(next.connectionId()).isNotEqualTo(id);
                assertThat(select(next, "SELECT 1")).isEqualTo("1");
            }
            Await.until(
                    "its end is told",
                    SOON,
                    () -> pool.occupancy().closed().stream()
                            .anyMatch(closed -> closed.last().id().equals(id) && closed.why() == Ending.DATABASE));
        }
    }

    // ---- bytes

    @Test
    void passesTheMeterAndLeavesTheConnectionToJdbcInBetween() throws Exception {
        Pool pool = poolWith(1);
        RelayLease lease = pool.relay(LeaseRequest.by("client"));
        long before = pool.connections().getFirst().requests();
        assertThat(ask(lease.channel(), "SELECT 1")).isEqualTo("1");
        assertThat(select(lease, "SELECT 2")).isEqualTo("2");
        assertThat(ask(lease.channel(), "SELECT 3")).isEqualTo("3");
        assertThat(pool.connections().getFirst().requests()).isEqualTo(before + 3);
        lease.close();
    }

    @Test
    void takesNoMoreThanTheSocketHasRoomFor() throws Exception {
        Pool pool = poolWith(1);
        RelayLease lease = pool.relay(LeaseRequest.by("client"));
        ServerChannel channel = lease.channel();
        String text = "SELECT length('" + "x".repeat(20_000_000) + "')";
        byte[] query = query(text);
        int backend = pool.connections().getFirst().backendPid();
        signal("STOP", backend); // else it may read as fast as this writes
        int taken;
        try {
            taken = channel.write(query, 0, query.length);
        } finally {
            signal("CONT", backend);
        }
        assertThat(taken).isBetween(1, query.length - 1);
        assertThat(ask(channel, query, taken)).isEqualTo("20000000");
        lease.close();
    }

    private static void signal(String name, int process) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process)).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void aRequestIsCancelledWhileTheRelayReads() throws Exception {
        Pool pool = poolWith(1);
        RelayLease lease = pool.relay(LeaseRequest.by("client"));
        byte[] query = query("SELECT pg_sleep(50)");
        assertThat(lease.channel().write(query, 0, query.length)).isEqualTo(query.length);
        Await.until("it sleeps", SOON, () -> isAsleep());
        Thread canceller = Thread.ofPlatform().start(() -> {
            try {
                lease.connection().unwrap(PGConnection.class).cancelQuery();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(ask(lease.channel(), new byte[0], 0)).contains("57014");
        canceller.join();
        assertThat(ask(lease.channel(), "SELECT 1")).isEqualTo("1");
        lease.close();
    }

    @Test
    void aCancelThatNobodyAnswersIsGivenUpAfterTheConnectTimeout() throws Exception {
        engine.close("main"); // at the end, the forwarder's connections to the server would be taken for its own
        try (Forwarder forwarder = new Forwarder(server.port())) {
            Database far = engine.open(forwarder
                    .inFrontOf(server.target("far", 2))
                    .withTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(30)));
            Pool pool = far.open("bank", Fixed.set(1, 1, 1));
            try (Lease lease = pool.acquire(LeaseRequest.by("client"))) {
                forwarder.holdNew();
                long began = System.nanoTime();
                lease.connection().unwrap(PGConnection.class).cancelQuery();
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isBetween(Duration.ofMillis(900), Duration.ofSeconds(8));
            }
        }
    }

    @Test
    void asksOftenWhetherASilentServerIsStillThere() throws Exception {
        RelayLease lease = poolWith(1).relay(LeaseRequest.by("client"));
        assertThat(lease.channel().channel().getOption(StandardSocketOptions.SO_KEEPALIVE))
                .isTrue();
        assertThat(lease.channel().channel().getOption(ExtendedSocketOptions.TCP_KEEPIDLE))
                .isEqualTo(60);
        lease.close();
    }

    private static boolean isAsleep() throws SQLException {
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
            row.next();
            return row.getInt(1) > 0;
        }
    }

    // ---- support

    private Pool poolWith(int connections) throws Exception {
        Pool pool = database.open("bank", Fixed.set(1, connections, connections));
        Await.until(
                "all open",
                SOON,
                () -> pool.status().idle() == connections
                        && pool.connections().stream().allMatch(c -> c.requests() > 0 || c.backendPid() > 0));
        List<Lease> all = new ArrayList<>(); // HikariCP has them all when they were leased once
        for (int i = 0; i < connections; i++) {
            all.add(pool.acquire(LeaseRequest.by("first")));
        }
        all.forEach(Lease::close);
        return pool;
    }

    private static Callable<Boolean> idleFor(Duration length) {
        long began = System.nanoTime();
        return () -> System.nanoTime() - began > length.toNanos();
    }

    private void runTasksUntil(BooleanSupplier holds) throws InterruptedException {
        while (!holds.getAsBoolean()) {
            Runnable next = tasks.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("a task").isNotNull();
            next.run();
        }
    }

    private static void terminateBackends() throws SQLException {
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    + " WHERE application_name = 'headgate bank'");
        }
    }

    private static String select(Lease lease, String sql) throws SQLException {
        try (Statement statement = lease.connection().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    static byte[] query(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(text.length + 6)
                .put((byte) 'Q')
                .putInt(text.length + 5)
                .put(text)
                .put((byte) 0)
                .array();
    }

    static String ask(ServerChannel channel, String sql) throws IOException {
        return ask(channel, query(sql), 0);
    }

    /** As a loop does: writes the rest of a query and reads up to ReadyForQuery. Answers the last field, or the error. */
    static String ask(ServerChannel channel, byte[] query, int alreadyTaken) throws IOException {
        int taken = alreadyTaken;
        byte[] answer = new byte[1 << 16];
        int length = 0;
        try (Selector selector = Selector.open()) {
            SelectionKey key = channel.channel().register(selector, 0);
            for (; ; ) {
                while (taken < query.length) {
                    int now = channel.write(query, taken, Math.min(100_000, query.length - taken));
                    if (now == 0) {
                        break;
                    }
                    taken += now;
                }
                boolean all = channel.flush() && taken == query.length;
                for (int got = channel.read(answer, length, answer.length - length);
                        got != 0;
                        got = channel.read(answer, length, answer.length - length)) {
                    assertThat(got).as("the server ends the connection").isPositive();
                    length += got;
                }
                if (length >= 6 && answer[length - 6] == 'Z' && answer[length - 2] == 5) {
                    return answerOf(answer, length);
                }
                key.interestOps(all ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                selector.select();
            }
        }
    }

    private static String answerOf(byte[] bytes, int length) {
        ByteBuffer messages = ByteBuffer.wrap(bytes, 0, length);
        while (messages.hasRemaining()) {
            byte type = messages.get();
            int end = messages.position() + messages.getInt();
            if (type == 'D') {
                messages.getShort();
                byte[] field = new byte[messages.getInt()];
                messages.get(field);
                return new String(field, StandardCharsets.UTF_8);
            }
            if (type == 'E') {
                return new String(bytes, messages.position(), end - messages.position(), StandardCharsets.UTF_8);
            }
            messages.position(end);
        }
        return "";
    }

    private static final class LoopThread extends Thread implements NonBlockingThread {
        LoopThread(Runnable task) {
            super(task, "loop");
        }
    }

    private static final class Told implements RelayListener {
        RelayLease lease;
        LeaseException refusal;
        Thread thread;

        @Override
        public void leased(RelayLease given) {
            assertThat(isTold()).isFalse();
            thread = Thread.currentThread();
            lease = given;
        }

        @Override
        public void refused(LeaseException why) {
            assertThat(isTold()).isFalse();
            thread = Thread.currentThread();
            refusal = why;
        }

        boolean isTold() {
            return lease != null || refusal != null;
        }
    }
}
