package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.engine.connect.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A relay over TLS to the server, which the JDK speaks over streams alone. */
@Timeout(60)
class TlsRelayTest {

    private static PostgresServer server;

    @BeforeAll
    static void startServer(@TempDir Path folder) throws Exception {
        server = TlsServer.start(folder);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void asksAndAnswersWithJdbcInBetween() throws Exception {
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Target target = server.target("main", 5).withSslMode(Target.SslMode.REQUIRE);
            Pool pool = engine.open(target).open("bank", Fixed.set(1, 1, 1));
            RelayLease lease = pool.relay(LeaseRequest.by("client"));
            long before = pool.connections().getFirst().requests();
            ServerChannel channel = lease.channel();
            assertThat(RelayTest.ask(channel, "SELECT 42")).isEqualTo("42");
            try (var row = lease.connection().createStatement().executeQuery("SELECT 43")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(43);
            }
            assertThat(RelayTest.ask(channel, "SELECT length('" + "x".repeat(5_000_000) + "')"))
                    .isEqualTo("5000000");
            assertThat(RelayTest.ask(channel, "SELECT length(repeat('x', 60000)) FROM (SELECT repeat('y', 50000))"))
                    .isEqualTo("60000");
            assertThat(pool.connections().getFirst().requests()).isEqualTo(before + 4);
            lease.close();
            try (Lease next = pool.acquire(LeaseRequest.by("jdbc"));
                    var row = next.connection()
                            .createStatement()
                            .executeQuery("SELECT ssl FROM pg_stat_ssl" + " WHERE pid = pg_backend_pid()")) {
                row.next();
                assertThat(row.getBoolean(1)).isTrue();
            }
            Ledgers.assertExact(engine);
        }
    }

    @Test
    void noticesThatTheServerHasEndedAConnection() throws Exception {
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Target target = server.target("main", 5).withSslMode(Target.SslMode.REQUIRE);
            Pool pool = engine.open(target).open("bank", Fixed.set(1, 1, 1));
            RelayLease first = pool.relay(LeaseRequest.by("client"));
            assertThat(RelayTest.ask(first.channel(), "SELECT 1")).isEqualTo("1");
            String id = first.connectionId();
            first.close();
            try (Connection beside = server.beside();
                    Statement statement = beside.createStatement()) {
                statement.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                        + " WHERE application_name = 'headgate bank'");
            }
            RelayLease second = pool.relay(LeaseRequest.by("client"));
            assertThat(second.connectionId()).isNotEqualTo(id);
            assertThat(RelayTest.ask(second.channel(), "SELECT 2")).isEqualTo("2");
            second.close();
            Ledgers.assertExact(engine);
        }
    }

    @Test
    void goesOnWithARecordThatComesByteForByte() throws Exception {
        try (Forwarder drip = new Forwarder(server.port());
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Target target = drip.inFrontOf(server.target("main", 5)).withSslMode(Target.SslMode.REQUIRE);
            Pool pool = engine.open(target).open("bank", Fixed.set(1, 1, 1));
            RelayLease lease = pool.relay(LeaseRequest.by("client"));
            ServerChannel channel = lease.channel();
            drip.slowly();
            byte[] query = RelayTest.query("SELECT repeat('z', 300)");
            assertThat(channel.write(query, 0, query.length)).isEqualTo(query.length);
            assertThat(channel.flush()).isTrue();
            byte[] answer = new byte[4_096];
            int length = 0;
            int nothing = 0;
            while (length < 6 || answer[length - 6] != 'Z') {
                int got = channel.read(answer, length, answer.length - length);
                assertThat(got).isNotNegative();
                if (got == 0) {
                    nothing++;
                    drip.oneMore();
                }
                length += got;
            }
            assertThat(nothing).isGreaterThan(300);
            assertThat(length).isGreaterThan(300);
            drip.freely();
            assertThat(RelayTest.ask(channel, "SELECT 7")).isEqualTo("7");
            lease.close();
            Ledgers.assertExact(engine);
        }
    }
}
