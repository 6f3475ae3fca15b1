package dev.headgate.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.postgresql.util.PasswordUtil;

/**
 * A PostgreSQL server of Headgate's own, kept in the data folder: the default control store and the demo's database.
 *
 * <pre>
 * data/postgres/cluster     PostgreSQL's data directory; postgresql.conf and pg_hba.conf are written anew at each start
 * data/postgres/port        the port, chosen at the first start and kept; if it is in use, another is chosen
 * data/postgres/password    the superuser's, mode 0600
 * data/postgres/server.log  the server's log since its start; server.log.1 is the log before
 * data/postgres/lock        locked by the process that owns the server
 * </pre>
 *
 * <p>There is never a second server on the same files. The lock keeps two processes from using one data folder. A server
 * that outlived its JVM (which was killed and could not stop it) is found by its {@code postmaster.pid}. It is adopted if
 * it answers on its port, accepts our password and serves this directory. If it runs but does not answer, it is stopped
 * and a new one is started. PostgreSQL itself checks everything else at its start.
 *
 * <p>Listens on 127.0.0.1 alone and asks everyone for a password (SCRAM-SHA-256). Methods block; safe for use by
 * several threads.
 */
public final class EmbeddedServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final String SUPERUSER = "postgres";
    private static final String PASSWORD = "password";
    private static final int MAX_CONNECTIONS = 100;
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
    private static final int START_ATTEMPTS = 5;

    private final Path folder;
    private final Cluster cluster;
    private final PortChoice ports;
    private final FileChannel lockFile;
    private final int maxConnections;
    private final int maxPrepared;
    private final String password;
    private int port;
    private boolean keepsPort;
    private boolean adopted;
    private boolean closed;

    /**
     * Starts the server of a data folder, or adopts it if it is running; returns when it answers. Takes about 4 s the
     * first time, 0.5 s later.
     *
     * @throws IllegalStateException if it cannot be started, with PostgreSQL's own message
     */
    public static EmbeddedServer start(Path dataFolder) {
        return start(dataFolder, MAX_CONNECTIONS, 0);
    }

    /**
     * Starts a server for experiments, without anything of an earlier one in the folder. It allows as many prepared transactions as
     * connections.
     *
     * @throws IllegalStateException if it cannot be started, with PostgreSQL's own message
     */
    public static EmbeddedServer startFresh(Path folder, int maxConnections) {
        deleteLeft(folder);
        return start(folder, maxConnections, maxConnections);
    }

    /**
     * Stops the server for experiments that a killed process has left behind in the folder, and deletes all that it stored.
     *
     * @return whether there was anything
     * @throws IllegalStateException if it cannot be stopped
     */
    public static boolean deleteLeft(Path dataFolder) {
        Path folder = dataFolder.resolve("postgres");
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (FileChannel _ = lock(folder)) {
            Cluster cluster = new Cluster(folder.toRealPath());
            if (cluster.runs()) {
                cluster.stop("immediate");
            }
            PostgresBinaries.delete(folder);
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EmbeddedServer start(Path dataFolder, int maxConnections, int maxPrepared) {
        try {
            Path folder =
                    Files.createDirectories(dataFolder.resolve("postgres")).toRealPath();
            FileChannel lockFile = lock(folder);
            try {
                EmbeddedServer server = new EmbeddedServer(folder, lockFile, maxConnections, maxPrepared);
                try {
                    server.adoptOrStart();
                    return server;
                } catch (IOException | RuntimeException e) {
                    server.closeAfter(e);
                    throw e;
                }
            } catch (IOException | RuntimeException e) {
                lockFile.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL in " + dataFolder + " cannot be started: " + e, e);
        }
    }

    private EmbeddedServer(Path folder, FileChannel lockFile, int maxConnections, int maxPrepared) throws IOException {
        this.folder = folder;
        this.cluster = new Cluster(folder);
        this.ports = new PortChoice(InetAddress.ofLiteral(HOST), folder.resolve("port"));
        this.lockFile = lockFile;
        this.maxConnections = maxConnections;
        this.maxPrepared = maxPrepared;
        this.password = passwordIn(folder, cluster);
    }

    public String host() {
        return HOST;
    }

    public int port() {
        return port;
    }

    /** The superuser. */
    public String user() {
        return SUPERUSER;
    }

    public String password() {
        return password;
    }

    /** Whether the server was already running and was adopted. */
    public boolean wasAdopted() {
        return adopted;
    }

    /** The JDBC URL without user and password. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + database;
    }

    /**
     * Creates a login role and a database that it owns. If they exist, sets only the role's password.
     *
     * @param ownerPassword sent as a SCRAM verifier, so that the server's log can never hold it
     */
    public void ensureDatabase(String name, String owner, String ownerPassword) {
        try (Connection connection = connect(SUPERUSER)) {
            String verifier = PasswordUtil.encodePassword(owner, ownerPassword.toCharArray(), "scram-sha-256");
            boolean known = exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = ?", owner);
            execute(connection, (known ? "ALTER" : "CREATE") + " ROLE %I LOGIN PASSWORD %L", owner, verifier);
            if (!exists(connection, "SELECT 1 FROM pg_database WHERE datname = ?", name)) {
                execute(connection, "CREATE DATABASE %I OWNER %I", name, owner);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "database " + name + " of " + owner + " cannot be made on the embedded PostgreSQL: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Opens a connection as the superuser. */
    public Connection connect(String database) throws SQLException {
        return connect(port, database, Duration.ofSeconds(30));
    }

    /**
     * Restarts the server on its port if it has ended without being stopped, for instance by a full disk. Blocks until it
     * answers.
     *
     * @return whether it had ended
     * @throws IllegalStateException if it cannot be started, with PostgreSQL's own message
     */
    synchronized boolean revive() throws IOException {
        if (closed || cluster.runs()) {
            return false;
        }
        keepsPort = true; // addresses in use contain the port
        adoptOrStart();
        return true;
    }

    /** Stops the server: ends sessions, rolls back their transactions, writes everything to disk. Returns when it is down. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean interrupted = Thread.interrupted(); // files are not read by a thread that is interrupted
        try (lockFile) {
            if (cluster.runs()) {
                cluster.stop("fast");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Stops what has started in spite of a failure. */
    private void closeAfter(Exception failure) {
        try {
            close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Stops the server and deletes all that it stored. */
    public void closeAndDelete() {
        close();
        boolean interrupted = Thread.interrupted();
        try {
            PostgresBinaries.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Tells the server to end its sessions and stop, and does not wait for it. For a process that ends at once: takes at most
     * half a second, even while {@link #close} waits.
     */
    public void signalStop() {
        try {
            Optional<PostmasterFile> note = cluster.running();
            if (note.isPresent()) {
                new ProcessBuilder("kill", "-INT", Long.toString(note.get().pid())) // fast; SIGTERM waits for sessions
                        .start()
                        .waitFor(500, TimeUnit.MILLISECONDS);
            }
        } catch (IOException e) {
            // it goes on running, and the next start adopts it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void adoptOrStart() throws IOException {
        Optional<PostmasterFile> note = cluster.running();
        if (note.isPresent()) {
            if (answers(note.get())) {
                port = note.get().port();
                adopted = true;
                return;
            }
            if (cluster.runs()) {
                stopUnresponsive();
            }
        }
        if (!cluster.isComplete()) {
            cluster.create(SUPERUSER, folder.resolve(PASSWORD));
        }
        startPostmaster();
    }

    /** Waits until a running server is ready. Returns false if it ended meanwhile or never answered. */
    private boolean answers(PostmasterFile note) throws IOException {
        long deadline = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
        while (System.nanoTime() - deadline < 0 && note.mayBeServed()) {
            try (Connection connection = connect(note.port(), SUPERUSER, Duration.ofSeconds(2));
                    Statement statement = connection.createStatement();
                    ResultSet directory = statement.executeQuery("SHOW data_directory")) {
                directory.next();
                return cluster.isIn(Path.of(directory.getString(1)));
            } catch (SQLException e) {
                pause(Duration.ofMillis(100)); // starting up or shutting down: it will answer or end soon
            }
        }
        return false;
    }

    private void startPostmaster() throws IOException {
        for (int attempt = 1; ; attempt++) {
            cluster.disownForeign();
            port = keepsPort ? port : ports.choose();
            cluster.configure(HOST, port, maxConnections, maxPrepared);
            try {
                cluster.start();
                ports.remember(port);
                return;
            } catch (IllegalStateException e) {
                // Another process may have taken the port meanwhile, or backends of a killed server may still be
                // ending.
                if (attempt == START_ATTEMPTS) {
                    throw new IllegalStateException(
                            "The embedded PostgreSQL in " + folder + " does not start: " + e.getMessage()
                                    + cluster.lastWords(),
                            e);
                }
                pause(Duration.ofMillis(300L * attempt));
            }
        }
    }

    private void stopUnresponsive() throws IOException {
        try {
            cluster.stop("fast");
        } catch (IllegalStateException e) {
            cluster.stop("immediate"); // the next start recovers all commits from the write-ahead log
        }
    }

    private Connection connect(int port, String database, Duration timeout) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", SUPERUSER);
        properties.setProperty("password", password);
        properties.setProperty("connectTimeout", Long.toString(timeout.toSeconds()));
        properties.setProperty("socketTimeout", Long.toString(timeout.toSeconds()));
        properties.setProperty("ApplicationName", "headgate");
        return DriverManager.getConnection("jdbc:postgresql://" + HOST + ":" + port + "/" + database, properties);
    }

    /** Executes a statement without parameters. PostgreSQL's {@code format} quotes and inserts the two words. */
    private static void execute(Connection connection, String template, String first, String second)
            throws SQLException {
        String sql;
        try (PreparedStatement statement = connection.prepareStatement("SELECT format(?, ?, ?)")) {
            statement.setString(1, template);
            statement.setString(2, first);
            statement.setString(3, second);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                sql = row.getString(1);
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static boolean exists(Connection connection, String query, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, name);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
    }

    private static FileChannel lock(Path folder) throws IOException {
        FileChannel channel =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            channel.close();
            throw new IllegalStateException("Another Headgate is using the embedded PostgreSQL in " + folder
                    + ": stop it, or choose another data folder.");
        }
        return channel;
    }

    private static String passwordIn(Path folder, Cluster cluster) throws IOException {
        Path file = folder.resolve(PASSWORD);
        if (!Files.exists(file)) {
            if (cluster.exists()) {
                throw new IllegalStateException("The superuser's password of the embedded PostgreSQL is missing: "
                        + file + ". Put it back, or start with another data folder.");
            }
            byte[] random = new byte[24];
            new SecureRandom().nextBytes(random);
            Path halfDone = folder.resolve("password.new");
            Files.deleteIfExists(halfDone);
            Files.createFile(
                    halfDone, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(halfDone, Base64.getUrlEncoder().withoutPadding().encodeToString(random) + "\n");
            Files.move(halfDone, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.readString(file).strip();
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the embedded PostgreSQL was starting", e);
        }
    }
}
