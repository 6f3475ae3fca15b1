package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that take turns on fewer connections than they are, as seeds would have it: none ever sees a setting, a
 * prepared statement, a lock, a temporary table or a transaction of another one, and each finds its own again.
 */
@Timeout(120)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2, 4})
class LeakageTest {

    private static final int CLIENTS = 5;
    private static final Map<String, List<String>> VALUES = Map.of(
            "work_mem", List.of("5MB", "6MB", "7MB"),
            "search_path", List.of("pg_catalog", "pg_catalog, public"),
            "timezone", List.of("Asia/Tokyo", "Europe/Berlin"),
            "extra_float_digits", List.of("0", "1"),
            "application_name", List.of("red", "green"));

    private static Port port;

    @Parameter
    private int loops;

    @BeforeParameterizedClassInvocation
    static void open(int loops) throws IOException {
        port = new Port(3, settings -> settings, loops);
    }

    @AfterParameterizedClassInvocation
    static void close() throws IOException {
        port.close();
    }

    /** What a client must see. */
    private static final class Client {
        final int number;
        Connection connection;
        final Map<String, String> settings = new HashMap<>();
        Map<String, String> before = Map.of();
        boolean inTransaction;
        final Set<Belonging> has = EnumSet.noneOf(Belonging.class);

        Client(int number) throws SQLException {
            this.number = number;
            this.connection = port.connect("bank", "prepareThreshold", "1");
        }

        void comeBack() throws SQLException {
            connection.close();
            connection = port.connect("bank", "prepareThreshold", "1");
            settings.clear();
            has.clear();
        }
    }

    /** What pins a client, how it comes by it, and how many of the kind are seen. */
    private enum Belonging {
        TABLE(
                "create temp table mine as select %d as owner",
                "select count(*) from pg_class where relname = 'mine' and pg_table_is_visible(oid)"),
        LOCK(
                "select pg_advisory_lock(%d)",
                "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"),
        STATEMENT("prepare mine as select %d", "select count(*) from pg_prepared_statements where name = 'mine'");

        final String made;
        final String seen;

        Belonging(String made, String seen) {
            this.made = made;
            this.seen = seen;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nobodySeesWhatIsAnothers(long seed) throws SQLException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Client> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(i));
            }
            Map<String, String> defaults = new HashMap<>();
            for (String name : VALUES.keySet()) {
                defaults.put(name, WirePortTest.text(clients.getFirst().connection, "show " + name));
            }
            for (int step = 0; step < 250; step++) {
                Client client = clients.get(random.nextInt(CLIENTS));
                act(client, clients, random);
                check(
                        client,
                        defaults,
                        "%d loops, seed %d, step %d, client %d".formatted(loops, seed, step, client.number));
            }
        } finally {
            for (Client client : clients) {
                client.connection.close();
            }
        }
    }

    private static void act(Client client, List<Client> all, SplittableRandom random) throws SQLException {
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                List<String> names = VALUES.keySet().stream().sorted().toList();
                String name = names.get(random.nextInt(names.size()));
                String value =
                        VALUES.get(name).get(random.nextInt(VALUES.get(name).size()));
                String written = name.equals("search_path") ? value : "'" + value + "'";
                switch (random.nextInt(3)) {
                    case 0 -> WirePortTest.run(client.connection, "SET " + name + " TO " + written);
                    case 1 ->
                        WirePortTest.run(
                                client.connection, "SELECT set_config('" + name + "', '" + value + "', false)");
                    default -> {
                        try (PreparedStatement call =
                                client.connection.prepareStatement("select set_config('" + name + "', ?, false)")) {
                            call.setString(1, value);
                            call.execute();
                        }
                    }
                }
                client.settings.put(name, value);
            }
            case 2 -> {
                WirePortTest.run(client.connection, "RESET work_mem");
                client.settings.remove("work_mem");
            }
            case 3 -> {
                if (!client.inTransaction && held(all) < 2) {
                    client.connection.setAutoCommit(false);
                    WirePortTest.run(client.connection, "select pg_current_xact_id()");
                    client.before = Map.copyOf(client.settings);
                    client.inTransaction = true;
                }
            }
            case 4 -> {
                if (client.inTransaction) {
                    if (random.nextBoolean()) {
                        client.connection.commit();
                    } else {
                        client.connection.rollback();
                        client.settings.clear();
                        client.settings.putAll(client.before);
                    }
                    client.connection.setAutoCommit(true);
                    client.inTransaction = false;
                }
            }
            case 5 -> {
                Belonging one = Belonging.values()[random.nextInt(3)];
                boolean mayHold = !client.has.isEmpty() || held(all) < 2;
                if (!client.inTransaction && mayHold && random.nextInt(2) == 0 && client.has.add(one)) {
                    WirePortTest.run(client.connection, one.made.formatted(client.number));
                }
            }
            case 6 -> {
                if (!client.inTransaction && random.nextInt(3) == 0) {
                    client.comeBack();
                }
            }
            default -> {
                try (PreparedStatement statement =
                        client.connection.prepareStatement("select ?::int + " + random.nextInt(3) * 100)) {
                    statement.setInt(1, client.number);
                    try (ResultSet row = statement.executeQuery()) {
                        row.next();
                        assertThat(row.getInt(1) % 100).isEqualTo(client.number);
                    }
                }
            }
        }
    }

    private static long held(List<Client> all) {
        return all.stream()
                .filter(each -> each.inTransaction || !each.has.isEmpty())
                .count();
    }

    private static void check(Client client, Map<String, String> defaults, String when) throws SQLException {
        for (String name : VALUES.keySet()) {
            assertThat(WirePortTest.text(client.connection, "show " + name))
                    .as("%s of %s", name, when)
                    .isEqualTo(client.settings.getOrDefault(name, defaults.get(name)));
        }
        for (Belonging each : Belonging.values()) {
            assertThat(WirePortTest.number(client.connection, each.seen))
                    .as("%s, %s", each, when)
                    .isEqualTo(client.has.contains(each) ? 1 : 0);
        }
        if (client.has.contains(Belonging.TABLE)) {
            assertThat(WirePortTest.number(client.connection, "select owner from mine"))
                    .as(when)
                    .isEqualTo(client.number);
        }
        assertThat(WirePortTest.text(client.connection, "select pg_current_xact_id_if_assigned() is not null"))
                .as("within a transaction, %s", when)
                .isEqualTo(client.inTransaction ? "t" : "f");
    }
}
