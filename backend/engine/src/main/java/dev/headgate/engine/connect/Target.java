package dev.headgate.engine.connect;

import java.time.Duration;

/**
 * One PostgreSQL database on one server, and how Headgate reaches it. It has separate parts and never a JDBC URL: a URL can
 * name classes to load and files to write.
 *
 * @param name Headgate's name for it
 * @param database the database's name on the server
 * @param password never shown: {@link #toString} omits it
 * @param budget the most connections that Headgate opens to it, at least 1
 * @param connectTimeout for the TCP connection
 * @param socketTimeout how long a read may wait before the connection is ended; bounds the effect of a hung server
 */
public record Target(
        String name,
        String host,
        int port,
        String database,
        String user,
        String password,
        SslMode sslMode,
        int budget,
        Duration connectTimeout,
        Duration socketTimeout) {

    /** As in libpq. */
    public enum SslMode {
        DISABLE("disable"),
        PREFER("prefer"),
        REQUIRE("require"),
        VERIFY_CA("verify-ca"),
        VERIFY_FULL("verify-full");

        private final String label;

        SslMode(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    public static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);
    public static final Duration DEFAULT_SOCKET_TIMEOUT = Duration.ofMinutes(2);

    public static Target of(
            String name, String host, int port, String database, String user, String password, int budget) {
        return new Target(
                name,
                host,
                port,
                database,
                user,
                password,
                SslMode.PREFER,
                budget,
                DEFAULT_CONNECT_TIMEOUT,
                DEFAULT_SOCKET_TIMEOUT);
    }

    public Target withSslMode(SslMode mode) {
        return new Target(name, host, port, database, user, password, mode, budget, connectTimeout, socketTimeout);
    }

    public Target withBudget(int connections) {
        return new Target(
                name, host, port, database, user, password, sslMode, connections, connectTimeout, socketTimeout);
    }

    public Target withTimeouts(Duration connect, Duration socket) {
        return new Target(name, host, port, database, user, password, sslMode, budget, connect, socket);
    }

    @Override
    public String toString() {
        return "%s (%s@%s:%d/%s, ssl %s, budget %d)"
                .formatted(name, user, host, port, database, sslMode.label(), budget);
    }
}
