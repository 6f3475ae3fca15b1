package dev.headgate.wire;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.wire.auth.ScramVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;

/**
 * A wire port before a fresh PostgreSQL, for the drivers' own test suites ({@code ./headgate check drivers}).
 *
 * <p>The suites compare what they read with what they connected as. So the domain has the name of the database on the server, and
 * the pool logs in to the server as the role that its clients name.
 */
final class SuiteServer {

    /** Of the database's budget; the server allows 100 connections, of which the suites need some past the port. */
    private static final int BUDGET = 70;

    private SuiteServer() {}

    /**
     * Prints {@code wire PORT server PORT} when it is ready, and serves until its standard input ends.
     *
     * @param arguments the pool mode, the number of connections, the name of the database and of the domain, the role, the
     *     clients' password, and a file with SQL to execute in the database first
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 6) {
            throw new IllegalArgumentException("expected: MODE CONNECTIONS DATABASE ROLE PASSWORD SQL-FILE");
        }
        PoolMode mode = PoolMode.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        int connections = Integer.parseInt(arguments[1]);
        String name = arguments[2];
        String role = arguments[3];
        ScramVerifier verifier = ScramVerifier.of(arguments[4], new SecureRandom());
        String preparation = Files.readString(Path.of(arguments[5]));
        Port port = new Port(1);
        try {
            try (Connection connection = port.direct()) {
                if (!role.equals("postgres")) {
                    execute(connection, "CREATE ROLE \"" + role + "\" SUPERUSER LOGIN");
                }
                if (!name.equals("postgres")) {
                    execute(connection, "CREATE DATABASE \"" + name + "\" OWNER \"" + role + "\"");
                }
            }
            try (Connection connection =
                    port.server.getDatabase("postgres", name).getConnection()) {
                execute(connection, preparation);
            }
            Database database = port.engine.open(
                    Target.of("suite", "127.0.0.1", port.server.getPort(), name, role, arguments[4], BUDGET)
                            .withSslMode(Target.SslMode.DISABLE));
            Limits limits =
                    Limits.unbounded().withFloor(1).withCeiling(connections).because("fixed for the suite");
            Pool pool = database.open(
                    name,
                    PolicySet.of(
                            1, WhenExhausted.queue(10_000, 10_000), new PolicySet.Member("fixed", view -> limits)));
            port.domains.put(
                    name,
                    new Directory.Domain(pool, mode, Port.MOST_CLIENTS, SessionState.PIN, UnnamedStatements.AUTO));
            port.clients = user -> user.equals(role) ? Optional.of(verifier) : Optional.empty();
            System.out.println("wire " + port.wire.port() + " server " + port.server.getPort());
            while (System.in.read() >= 0) {
                // Only its end matters: it says that whoever started this process has ended.
            }
        } finally {
            port.end(); // connections past it may have been left by the suite
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        if (!sql.isBlank()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }
    }
}
