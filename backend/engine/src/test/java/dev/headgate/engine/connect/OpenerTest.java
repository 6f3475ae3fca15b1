package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.Await;
import dev.headgate.engine.OpenSockets;
import dev.headgate.engine.PostgresServer;
import dev.headgate.engine.meter.AnswerBound;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.time.VirtualTime;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class OpenerTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final SocketLedger ledger = new SocketLedger(3, 0);
    private final Outage outage = new Outage(time);
    private final PoolMeter meters = new PoolMeter();
    private final AtomicInteger changes = new AtomicInteger();

    /** Else the pool stands without a connection and nobody is told why. */
    @Test
    void aFailureThatNobodyForesawIsAFailureToConnect() {
        Target halfMade = new Target(
                "main",
                "127.0.0.1",
                1,
                "main",
                "main",
                "",
                Target.SslMode.DISABLE,
                3,
                Target.DEFAULT_CONNECT_TIMEOUT,
                null);
        Opener opener = opener(halfMade);

        assertThatThrownBy(opener::open)
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("bank cannot connect: java.lang.NullPointerException")
                .hasCauseInstanceOf(NullPointerException.class);
        assertThat(opener.failure())
                .hasValueSatisfying(failure -> assertThat(failure.times()).isEqualTo(1));
        assertThat(changes).hasValue(1);
        assertThat(meters.open()).isZero();
        assertThat(ledger.openNow()).isZero();
    }

    /** HikariCP would pause for up to 5 s between the attempts. */
    @Test
    void triesAgainAtThePaceOfTheOutageWhileItIsNeeded() throws Exception {
        Opener opener = opener(Target.of("main", "127.0.0.1", closedPort(), "main", "main", "", 3));
        AtomicBoolean isNeeded = new AtomicBoolean(true);
        FutureTask<Connection> opening = new FutureTask<>(() -> opener.open(isNeeded::get));
        Thread _ = Thread.ofPlatform().daemon().start(opening);

        for (int times = 1; times <= 20; times++) {
            int expected = times;
            Await.until(
                    "attempt " + times,
                    SOON,
                    () -> opener.failure().map(Opener.Failure::times).orElse(0) == expected && outage.waiting() == 1);
            time.runFor(Duration.ofMillis(10));
        }
        isNeeded.set(false);
        Await.until("it gives up", SOON, () -> {
            time.runFor(Duration.ofMillis(10));
            return opening.isDone();
        });
        assertThatThrownBy(opening::get).hasCauseInstanceOf(SQLException.class);
        assertThat(ledger.openNow()).isZero();
    }

    /** Before its login, and before it answers whether it speaks TLS: nobody has set a deadline on the socket by then. */
    @ParameterizedTest
    @EnumSource(names = {"DISABLE", "REQUIRE"})
    void aServerThatAcceptsAndSaysNothingIsGivenUp(Target.SslMode mode) throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            Target target = Target.of("main", "127.0.0.1", silent.getLocalPort(), "main", "main", "", 3)
                    .withSslMode(mode)
                    .withTimeouts(Duration.ofHours(1), Duration.ofSeconds(1));
            FutureTask<Connection> opening = new FutureTask<>(opener(target)::open);
            Thread _ = Thread.ofPlatform().daemon().start(opening);
            assertThatThrownBy(() -> opening.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(SQLException.class)
                    .hasRootCauseInstanceOf(SocketTimeoutException.class);
            assertThat(ledger.openNow()).isZero();
        }
    }

    /** The driver makes room for as much as an error states, before anybody has shown a password. */
    @Test
    void aServerThatSendsALongErrorInsteadOfALoginIsGivenUp() throws Exception {
        try (ServerSocket hostile = new ServerSocket(0)) {
            Target target = Target.of("main", "127.0.0.1", hostile.getLocalPort(), "main", "main", "", 3)
                    .withSslMode(Target.SslMode.DISABLE);
            FutureTask<Connection> opening = new FutureTask<>(opener(target)::open);
            Thread _ = Thread.ofPlatform().daemon().start(opening);
            try (Socket client = hostile.accept()) {
                client.getOutputStream()
                        .write(ByteBuffer.allocate(5)
                                .put((byte) 'E')
                                .putInt(2 << 20)
                                .array());
                assertThatThrownBy(() -> opening.get(SOON.toSeconds(), TimeUnit.SECONDS))
                        .hasCauseInstanceOf(SQLException.class)
                        .hasRootCauseInstanceOf(AnswerBound.TooLongException.class);
            }
            assertThat(ledger.openNow()).isZero();
        }
    }

    @Test
    void closingEndsThePauseBetweenTwoAttempts() throws Exception {
        Opener opener = opener(Target.of("main", "127.0.0.1", closedPort(), "main", "main", "", 3));
        FutureTask<Connection> opening = new FutureTask<>(() -> opener.open(() -> true));
        Thread _ = Thread.ofPlatform().daemon().start(opening);
        Await.until("it pauses", SOON, () -> outage.waiting() == 1);

        opener.close(0);

        assertThatThrownBy(() -> opening.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(SQLException.class);
    }

    /** The one who borrows it knows how long there is time for an answer, and HikariCP does not. */
    @Test
    void asksTheServerNothingBeforeAConnectionIsBorrowedButForItsHolderAndWhereItIsLookedAfter() throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            Opener opener = opener(server.target("main", 1));
            try (Connection connection = opener.open()) {
                MeteredConnection metered = connection.unwrap(MeteredConnection.class);
                assertThat(metered.isValid(1)).isTrue();
                assertThat(metered.isDoubtful())
                        .as("it was opened a moment ago")
                        .isFalse();

                time.advance(Duration.ofMillis(500).toNanos());
                assertThat(metered.isValid(1)).isTrue();
                assertThat(metered.isDoubtful()).isTrue();
                assertThat(metered.isValid(1)).isTrue();
                assertThat(metered.isDoubtful()).as("a look is no answer").isTrue();
                assertThat(requests(metered)).isZero();

                assertThat(metered.answers()).isTrue();
                assertThat(metered.isDoubtful()).isFalse();
                assertThat(requests(metered)).isOne();

                MeteredConnection.lookingAfter(
                                () -> assertThat(isValid(metered)).isTrue())
                        .run();
                assertThat(requests(metered)).isEqualTo(2);
                metered.meter().leased(() -> "its holder");
                assertThat(metered.isValid(1)).isTrue();
                assertThat(requests(metered)).isEqualTo(3);
            }
        }
    }

    private static long requests(MeteredConnection connection) {
        return connection.meter().status().requests();
    }

    private static boolean isValid(Connection connection) {
        try {
            return connection.isValid(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void tellsThatTheDatabaseHasEndedAConnectionThatFailsItsTestOrIsClosed() throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            Opener opener = opener(server.target("main", 3));
            Connection tested = opener.open();
            Connection old = opener.open();
            Connection alive = opener.open();
            time.advance(HikariOnDemand.SHORTEST_LIFE_NANOS);
            end(server, tested);
            end(server, old);

            assertThat(tested.isValid(1)).isFalse();
            assertThat(alive.isValid(1)).isTrue();
            tested.close();
            old.close();
            alive.close();

            assertThat(meters.closed(time.now()))
                    .extracting(ClosedConnection::why)
                    .containsExactly(Ending.LIFETIME, Ending.DATABASE, Ending.DATABASE);
            assertThat(ledger.openNow()).isZero();
            assertThat(OpenSockets.to(server.port())).isZero();
        }
    }

    /** Returns when the connection's process is gone. */
    private static void end(PostgresServer server, Connection connection) throws SQLException {
        int pid = connection.unwrap(MeteredConnection.class).getBackendPID();
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(" + pid + ", 5000)");
        }
    }

    private Opener opener(Target target) {
        return new Opener("bank", target, time, ledger, meters, outage, OrphansTest.none(), changes::incrementAndGet);
    }

    private static int closedPort() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            return taken.getLocalPort();
        }
    }
}
