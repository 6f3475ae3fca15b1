package dev.headgate.wire;

import dev.headgate.wire.auth.ScramVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;

/**
 * A wire port before a fresh PostgreSQL, for the drivers' own test suites ({@code ./headgate check drivers}).
 *
 * <p>The suites compare what they read with what they connected as. So the domain is named like the database on the server,
 * and every client gets the server's own user: both are {@code postgres}, directly and through the port.
 */
final class SuiteServer {

    private static final String DOMAIN = "postgres";
    private static final String USER = "postgres";

    private SuiteServer() {}

    /**
     * Prints {@code wire PORT server PORT} when it is ready, and serves until its standard input ends.
     *
     * @param arguments the pool mode, the number of connections, the password of the clients, and a file with SQL that the
     *     server executes first
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("expected: MODE CONNECTIONS PASSWORD SQL-FILE");
        }
        PoolMode mode = PoolMode.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        ScramVerifier verifier = ScramVerifier.of(arguments[2], new SecureRandom());
        String preparation = Files.readString(Path.of(arguments[3]));
        int connections = Integer.parseInt(arguments[1]);
        try (Port port = new Port(connections)) {
            try (Connection connection = port.direct();
                    Statement statement = connection.createStatement()) {
                if (!preparation.isBlank()) {
                    statement.execute(preparation);
                }
            }
            port.open(DOMAIN, mode, connections);
            port.clients = user -> user.equals(USER) ? Optional.of(verifier) : Optional.empty();
            System.out.println("wire " + port.wire.port() + " server " + port.server.getPort());
            while (System.in.read() >= 0) {
                // only its end matters: whoever started this one has ended
            }
        }
    }
}
