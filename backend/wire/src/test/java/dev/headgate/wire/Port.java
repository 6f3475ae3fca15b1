package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.wire.auth.ScramVerifier;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A wire port before a real PostgreSQL, with a domain per mode: {@code bank}, {@code session} and {@code statement}. */
final class Port implements AutoCloseable {

    static final String USER = "app";
    static final int MOST_CLIENTS = 6_000;
    static final String PASSWORD = "geheim-é-42";

    /** Of the server's data. */
    private final Path folder = Files.createTempDirectory("headgate-port");

    /** The one that runs: {@link #restartServer} replaces it. */
    volatile EmbeddedPostgres server = start(0);

    final Engine engine = Engine.start("test", EngineListener.NONE);
    final Database database;

    /** Of all clients: a client has a quarter of it. */
    final MemoryAccount memory = new MemoryAccount(128 << 20, RelayLoops.PORTIONS);

    final Map<String, Directory.Domain> domains = new ConcurrentHashMap<>();
    final WirePort wire;

    /** Who may connect to any of them. */
    volatile Function<String, Optional<ScramVerifier>> clients;

    Port(int connections) throws IOException {
        this(connections, settings -> settings);
    }

    Port(int connections, UnaryOperator<WireSettings> settings) throws IOException {
        this(connections, settings, 1);
    }

    /** @param loops that serve its clients */
    Port(int connections, UnaryOperator<WireSettings> settings, int loops) throws IOException {
        database = engine.open(Target.of("main", "127.0.0.1", server.getPort(), "postgres", "postgres", "postgres", 60)
                .withSslMode(Target.SslMode.DISABLE));
        open("bank", PoolMode.TRANSACTION, connections);
        open("session", PoolMode.SESSION, connections);
        open("statement", PoolMode.STATEMENT, connections);
        ScramVerifier verifier = ScramVerifier.of(PASSWORD, new SecureRandom());
        clients = user -> user.equals(USER) ? Optional.of(verifier) : Optional.empty();
        wire = WirePort.open(
                settings.apply(WireSettings.on(InetAddress.getLoopbackAddress(), 0))
                        .withLoops(loops),
                new Directory() {
                    @Override
                    public Optional<Domain> domain(String name) {
                        return Optional.ofNullable(domains.get(name));
                    }

                    @Override
                    public Optional<ScramVerifier> client(String domain, String user) {
                        return clients.apply(user);
                    }

                    @Override
                    public Operations operations() {
                        return Port.this.operations();
                    }
                },
                new WirePort.LoopLog(),
                memory,
                Supervisor.silent());
    }

    /** @param number of the server's port; 0 for a free one */
    private EmbeddedPostgres start(int number) throws IOException {
        return EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false) // it outlives a restart
                .setServerConfig("max_connections", "100")
                .setPort(number)
                .start();
    }

    /** Stops the server, which tells its clients, and starts it again on the same port. Nothing listens there meanwhile. */
    void restartServer(Duration down) throws IOException {
        server.close();
        LockSupport.parkNanos(down.toNanos());
        server = start(server.getPort());
    }

    Pool open(String name, PoolMode mode, int connections) {
        return open(name, mode, connections, WhenExhausted.queue(10_000, 10_000));
    }

    Pool open(String name, PoolMode mode, int connections, WhenExhausted exhausted) {
        Limits limits = Limits.unbounded().withFloor(1).withCeiling(connections).because("fixed for the test");
        Pool pool = database.open(name, PolicySet.of(1, exhausted, new PolicySet.Member("fixed", view -> limits)));
        domains.put(name, new Directory.Domain(pool, mode, MOST_CLIENTS, SessionState.PIN, UnnamedStatements.AUTO));
        return pool;
    }

    Pool pool(String domain) {
        return java.util.Objects.requireNonNull(domains.get(domain)).pool();
    }

    /** A connection by pgjdbc, through the port. */
    Connection connect(String domain, String... properties) throws SQLException {
        Properties all = new Properties();
        all.put("user", USER);
        all.put("password", PASSWORD);
        all.put("sslmode", "disable");
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + wire.port() + "/" + domain, all);
    }

    private Operations operations() {
        return new Operations() {
            @Override
            public List<Directory.Domain> domains() {
                return domains.keySet().stream()
                        .sorted()
                        .flatMap(name -> Optional.ofNullable(domains.get(name)).stream())
                        .toList();
            }

            @Override
            public int users() {
                return domains.size(); // each knows the same one
            }

            @Override
            public void act(Action action, String domain, String user) {
                if (!domains.containsKey(domain)) {
                    throw new IllegalArgumentException("there is no domain " + domain);
                }
                switch (action) {
                    case PAUSE -> pool(domain).pause().toCompletableFuture().join();
                    case RESUME -> pool(domain).resume().toCompletableFuture().join();
                    case RECONNECT -> pool(domain).flush().toCompletableFuture().join();
                }
            }

            @Override
            public String version() {
                return "test";
            }
        };
    }

    /** A connection past the port. */
    Connection direct() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    /** Compares the ledger with the open sockets, and ends. */
    @Override
    public void close() throws IOException {
        try {
            assertExactLedger();
        } finally {
            end();
        }
    }

    /**
     * Every entry is an open socket and a connection. Waits for what is being opened or closed just now, and for the probe to be gone.
     * The audit repairs a leak meanwhile, so one that has repaired anything fails the test.
     */
    void assertExactLedger() {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            int entries = database.status().open();
            assertThat(entries).as("entries of the ledger, and open sockets").isEqualTo(sockets());
            assertThat(entries)
                    .as("entries of the ledger, and connections")
                    .isEqualTo(database.pools().stream()
                            .mapToInt(pool -> pool.connections().size())
                            .sum());
        });
        assertThat(database.status().audit().repaired())
                .as("differences that the audit has repaired")
                .isZero();
    }

    /** Connections to the server as the operating system knows them (Linux). */
    private int sockets() throws IOException {
        String suffix = ":%04X".formatted(server.getPort());
        int count = 0;
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] columns = line.trim().split("\\s+");
                boolean open =
                        columns[3].equals("01") || columns[3].equals("08"); // connected, or left open by the peer
                count += open && columns[2].endsWith(suffix) ? 1 : 0;
            }
        }
        return count;
    }

    /** Ends. */
    void end() throws IOException {
        wire.close();
        engine.close();
        server.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Serves until it is ended, for psql and pgbench by hand: the port is printed. */
    public static void main(String[] arguments) throws Exception {
        try (Port port = new Port(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10)) {
            System.out.println("wire " + port.wire.port() + " server " + port.server.getPort());
            Thread.currentThread().join();
        }
    }
}
