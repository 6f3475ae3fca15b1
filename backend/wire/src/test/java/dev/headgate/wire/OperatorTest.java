package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.LeaseStatus;
import dev.headgate.engine.Occupancy;
import dev.headgate.engine.Occupancy.Outcome;
import dev.headgate.engine.Requester;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.Prepared;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator sees of clients of the port, and what they notice when he acts. */
@Timeout(60)
class OperatorTest {

    private static Port port;

    @BeforeAll
    static void open() throws IOException {
        port = new Port(2);
    }

    @AfterAll
    static void close() throws IOException {
        port.close();
    }

    private static Occupancy occupancy() {
        return port.pool("bank").occupancy();
    }

    private static LeaseStatus leaseOf(String application) {
        List<LeaseStatus> theirs = occupancy().leases().stream()
                .filter(each -> each.who().application().equals(application))
                .toList();
        assertThat(theirs).hasSize(1);
        return theirs.getFirst();
    }

    private static CompletableFuture<String> run(Connection client, String sql) {
        return CompletableFuture.supplyAsync(() -> {
            try (Statement statement = client.createStatement()) {
                statement.execute(sql);
                return "done";
            } catch (SQLException e) {
                return e.getSQLState() + " " + e.getMessage();
            }
        });
    }

    private static void awaitStatement(String application, String text) {
        await().untilAsserted(() -> assertThat(leaseOf(application).statement()).isEqualTo(text));
    }

    @Test
    void aLeaseNamesItsClientAndACancelLeavesTheSessionAlive() throws Exception {
        for (String mode : List.of("simple", "extended")) {
            String name = "teller-" + mode;
            try (Connection client = port.connect("bank", "ApplicationName", name, "preferQueryMode", mode)) {
                CompletableFuture<String> sleeping = run(client, "select pg_sleep(30), 'secret'");
                awaitStatement(name, "select pg_sleep(30), 'secret'");
                LeaseStatus shown = leaseOf(name);
                assertThat(shown.who().kind()).isEqualTo(Requester.Kind.WIRE);
                assertThat(shown.who().user()).isNotEmpty();
                assertThat(shown.who().address()).startsWith("127.0.0.1:");
                assertThat(shown.thread()).isEmpty();
                await().until(() -> {
                    occupancy().cancel(shown.id());
                    return sleeping.isDone();
                });
                assertThat(sleeping.get()).startsWith("57014");
                assertThat(run(client, "select 1").get(10, TimeUnit.SECONDS)).isEqualTo("done");
                assertThat(occupancy().cancel(shown.id())).isEqualTo(Outcome.OVER);
                assertThat(client(name).errors()).isEqualTo(1);
                assertThat(client(name).bytesIn()).isPositive();
                assertThat(client(name).bytesOut()).isPositive();
                assertThat(client(name).tls()).isFalse();
            }
        }
    }

    private static ClientStatus client(String application) {
        return port.wire.clients().stream()
                .filter(each -> each.application().equals(application))
                .findAny()
                .orElseThrow();
    }

    @Test
    void anEndedLeaseTellsItsClientAndItsConnectionServesNobodyElse() throws Exception {
        try (Connection client = port.connect("bank", "ApplicationName", "stuck")) {
            client.setAutoCommit(false);
            assertThat(run(client, "select 7").get(10, TimeUnit.SECONDS)).isEqualTo("done");
            LeaseStatus idle = leaseOf("stuck");
            assertThat(occupancy().cancel(idle.id())).isEqualTo(Outcome.NOTHING_RUNS);
            assertThat(occupancy().end(idle.id(), "an operator ended this lease"))
                    .isEqualTo(Outcome.DONE);
            await().until(() -> occupancy().lease(idle.id()).isEmpty());
            assertThat(run(client, "select 8").get(10, TimeUnit.SECONDS))
                    .startsWith("57P01")
                    .contains("an operator ended this lease");
            await().until(() -> closed(idle.connection().id()) == Ending.OPERATOR);
        }
        try (Connection client = port.connect("bank", "ApplicationName", "long")) {
            CompletableFuture<String> sleeping = run(client, "select pg_sleep(30)");
            awaitStatement("long", "select pg_sleep(30)");
            LeaseStatus active = leaseOf("long");
            assertThat(occupancy().end(active.id(), "enough")).isEqualTo(Outcome.DONE);
            assertThat(sleeping.get(10, TimeUnit.SECONDS)).startsWith("57P01");
            await().until(() -> closed(active.connection().id()) == Ending.OPERATOR);
        }
    }

    private static Ending closed(String connection) {
        return occupancy().closed().stream()
                .filter(each -> each.last().id().equals(connection))
                .map(ClosedConnection::why)
                .findAny()
                .orElse(null);
    }

    @Test
    void aConnectionListsWhatIsPreparedOnIt() throws Exception {
        try (Connection client = port.connect("bank", "ApplicationName", "prepares", "prepareThreshold", "1")) {
            client.setAutoCommit(false);
            try (PreparedStatement statement = client.prepareStatement("select 'one', ?::int")) {
                for (int i = 0; i < 3; i++) {
                    statement.setInt(1, i);
                    statement.execute();
                }
            }
            Prepared prepared = occupancy()
                    .connection(leaseOf("prepares").connection().id())
                    .orElseThrow()
                    .prepared();
            assertThat(prepared).isNotNull();
            assertThat(prepared.statements())
                    .anySatisfy(each -> assertThat(each.text()).isEqualTo("select 'one', $1::int"));
            assertThat(prepared.count()).isEqualTo(prepared.statements().size());
            assertThat(prepared.hits()).isGreaterThanOrEqualTo(2);
            assertThat(prepared.bytes()).isPositive();
            client.rollback();
        }
    }
}
