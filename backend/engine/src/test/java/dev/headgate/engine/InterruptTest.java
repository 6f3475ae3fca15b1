package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.headgate.engine.meter.ConnectionStatus;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interrupt does a connection no more harm than it does over a plain socket: the call goes on, the flag stays. */
@Timeout(60)
class InterruptTest extends OnServer {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int TIMES = 20;

    /** Who is interrupted. */
    enum Kind {
        PLATFORM,
        VIRTUAL;

        Thread start(Runnable task) {
            return this == PLATFORM ? Thread.ofPlatform().start(task) : Thread.startVirtualThread(task);
        }
    }

    @BeforeEach
    void table() throws SQLException {
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS entry; CREATE TABLE entry (id int PRIMARY KEY)");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void insertsAndCommitsOfAnInterruptedThreadSucceedAsOverAPlainSocket(Kind kind) throws Exception {
        Pool pool = engine.open(server.target("main", 2)).open("bank", Fixed.set(1, 1, 1));
        try (Lease lease = pool.acquire(LeaseRequest.by("clerk"))) {
            int pid = only(pool).backendPid();
            assertThat(insertsAndCommits(kind, lease.connection())).isEqualTo(TIMES);
            assertThat(only(pool).backendPid()).isEqualTo(pid);
        }
        assertThat(rows()).isEqualTo(TIMES);
        table();
        try (Connection plain = DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres", "postgres", "postgres")) {
            assertThat(insertsAndCommits(Kind.PLATFORM, plain)).isEqualTo(TIMES);
        }
    }

    private static int insertsAndCommits(Kind kind, Connection connection) throws Exception {
        AtomicReference<Integer> done = new AtomicReference<>(0);
        Thread thread = kind.start(() -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO entry VALUES (?)")) {
                connection.setAutoCommit(false);
                for (int i = 0; i < TIMES; i++) {
                    insert.setInt(1, i);
                    Thread.currentThread().interrupt();
                    insert.executeUpdate();
                    assertThat(Thread.interrupted()).isTrue();
                    Thread.currentThread().interrupt();
                    connection.commit();
                    assertThat(Thread.interrupted()).isTrue();
                    done.set(i + 1);
                }
                connection.setAutoCommit(true);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.join();
        return done.get();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void anInterruptWhileTheServerWorksIsKeptUntilItHasAnswered(Kind kind) throws Exception {
        Pool pool = engine.open(server.target("main", 2)).open("bank", Fixed.set(1, 1, 1));
        try (Lease lease = pool.acquire(LeaseRequest.by("clerk"));
                Statement statement = lease.connection().createStatement()) {
            AtomicReference<String> outcome = new AtomicReference<>("");
            Thread thread = kind.start(() -> {
                try (ResultSet row = statement.executeQuery("SELECT 42 FROM pg_sleep(0.5)")) {
                    row.next();
                    outcome.set(row.getInt(1) + " " + Thread.currentThread().isInterrupted());
                } catch (SQLException e) {
                    outcome.set(e.toString());
                }
            });
            Await.until("it sleeps", SOON, () -> {
                try (Connection beside = server.beside();
                        Statement look = beside.createStatement();
                        ResultSet row =
                                look.executeQuery("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
                    return row.next();
                }
            });
            for (int i = 0; i < TIMES; i++) {
                thread.interrupt();
            }
            thread.join();
            assertThat(outcome.get()).isEqualTo("42 true");
        }
        assertThat(only(pool).state()).isEqualTo(ConnectionStatus.State.IDLE);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void closingFromAnotherThreadWakesAReader(Kind kind) throws Exception {
        Pool pool = engine.open(server.target("main", 2)).open("bank", Fixed.set(1, 1, 1));
        RelayLease lease = pool.relay(LeaseRequest.by("clerk"));
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        Thread thread = kind.start(() -> {
            try {
                int nothing = lease.socket().getInputStream().read();
                outcome.set(new AssertionError("read " + nothing));
            } catch (IOException e) {
                outcome.set(e);
            }
        });
        Await.until("it waits", SOON, () -> thread.getState() != Thread.State.RUNNABLE || isInSelect(thread));
        lease.socket().close();
        thread.join();
        assertThat(outcome.get()).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        lease.discard();
        Ledgers.assertExact(engine);
        engine.close("main");
        assertThat(OpenSockets.to(server.port())).isZero();
    }

    private static boolean isInSelect(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals("select")) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aReadThatTakesTooLongTimesOut() throws Exception {
        Pool pool = engine.open(server.target("main", 2)).open("bank", Fixed.set(1, 1, 1));
        RelayLease lease = pool.relay(LeaseRequest.by("clerk"));
        lease.socket().setSoTimeout(50);
        long began = System.nanoTime();
        assertThat(catchThrowable(() -> lease.socket().getInputStream().read()))
                .isInstanceOf(SocketTimeoutException.class);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(50_000_000L);
        lease.discard();
    }

    private static ConnectionStatus only(Pool pool) {
        return pool.connections().getFirst();
    }

    private static int rows() throws SQLException {
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM entry")) {
            row.next();
            return row.getInt(1);
        }
    }
}
