package dev.headgate.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PgConnection;

/**
 * A question to a pool's data source, after what the pools' own tests ask. Each is tried on a fresh pool of one connection whose
 * callers wait for a second, so the next lease gets the same connection. Answers are a few words.
 */
enum Clause {
    CLOSE_TWICE("close a connection twice", pool -> {
        Connection first = pool.source().getConnection();
        first.close();
        first.close();
        try (Connection second = pool.source().getConnection()) {
            first.close();
            return answers(second) ? "no effect" : "ends the next holder's lease";
        }
    }),
    USE_AFTER_CLOSE("use a connection after its close", pool -> {
        Connection former = pool.source().getConnection();
        former.close();
        return outcome(() -> former.createStatement().close(), "works");
    }),
    STATEMENT_AFTER_CLOSE("use a statement after its connection's close", pool -> {
        Connection former = pool.source().getConnection();
        Statement statement = former.createStatement();
        former.close();
        try (Connection _ = pool.source().getConnection()) {
            return outcome(() -> statement.execute("SELECT 1"), "runs on the next holder's connection");
        }
    }),
    CLOSES_STATEMENTS("statements and result sets close with their connection", pool -> {
        Connection connection = pool.source().getConnection();
        PGConnection _ = connection.unwrap(PGConnection.class);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT 1");
        connection.close();
        return statement.isClosed() && rows.isClosed() ? "yes" : "no";
    }),
    IS_CLOSED("isClosed, isValid after close", pool -> {
        Connection connection = pool.source().getConnection();
        connection.close();
        return connection.isClosed() + ", " + outcome(() -> String.valueOf(connection.isValid(1)));
    }),
    ABANDONED("a lease that is not returned", pool -> {
        try (Connection held = pool.source().getConnection()) {
            long began = System.nanoTime();
            String said = outcome(() -> pool.source().getConnection().close(), "another is opened");
            return answers(held) ? "others wait " + seconds(began) + ", then " + said : "it is taken away";
        }
    }),
    /** A request whose permit is taken away before it has its connection must not wait for a connection that never comes. */
    MAXIMUM_REACHED("the maximum is reached and lowered while a caller borrows", Clause::borrowsWhileLowered),
    VALIDATION_SOON("a connection dies, and is leased at once", pool -> {
        killIdle(pool);
        return served(pool);
    }),
    VALIDATION_LATER("a connection dies, and is leased after 1.5 s", pool -> {
        killIdle(pool);
        LockSupport.parkNanos(1_500_000_000L);
        return served(pool);
    }),
    DIES_IN_USE("a connection dies in use; the next lease", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            pool.server().terminate(Set.of(pid(connection)));
            String _ = outcome(() -> connection.createStatement().execute("SELECT 1"), "");
        } catch (SQLException e) {
            // a pool may fail the close
        }
        return served(pool);
    }),
    INTERRUPTED_BORROWER("borrow with the interrupt flag set, one is free", pool -> {
        Thread.currentThread().interrupt();
        String said = outcome(() -> pool.source().getConnection().close(), "served");
        return said + (Thread.interrupted() ? ", flag kept" : ", flag cleared");
    }),
    INTERRUPTED_COMMIT("commit with the interrupt flag set", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, "CREATE TABLE interrupted (n int)");
            Thread.currentThread().interrupt();
            String said = outcome(connection::commit, "commits");
            return said + (Thread.interrupted() ? ", flag kept" : ", flag cleared");
        } finally {
            boolean _ = Thread.interrupted();
            pool.drop("interrupted");
        }
    }),
    INTERRUPTED_WAITER("interrupt a waiter", pool -> {
        try (Connection held = pool.source().getConnection()) {
            CompletableFuture<String> said = new CompletableFuture<>();
            Thread waiter = Thread.ofPlatform().daemon().start(() -> {
                String outcome = outcome(() -> pool.source().getConnection().close(), "served");
                said.complete(outcome + (Thread.currentThread().isInterrupted() ? ", flag kept" : ", flag cleared"));
            });
            LockSupport.parkNanos(300_000_000);
            long began = System.nanoTime();
            waiter.interrupt();
            String outcome = said.get(10, TimeUnit.SECONDS);
            boolean soon = System.nanoTime() - began < 500_000_000;
            return (soon ? "ends: " : "waits on: ") + outcome + (answers(held) ? "" : ", breaks the lease");
        }
    }),
    UNWRAP("unwrap and isWrapperFor, driver's type", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            String unwraps = outcome(() -> connection.unwrap(PGConnection.class).getBackendPID(), "unwraps");
            return unwraps + ", " + outcome(() -> String.valueOf(connection.isWrapperFor(PGConnection.class)));
        }
    }),
    UNWRAP_SOURCE(
            "the source's unwrap, own type",
            pool -> outcome(() -> pool.source().unwrap(pool.source().getClass()), "unwraps")),
    WAY_BACK("a statement's connection is the leased one", pool -> {
        try (Connection connection = pool.source().getConnection();
                Statement statement = connection.createStatement()) {
            return statement.getConnection() == connection
                            && connection.getMetaData().getConnection() == connection
                    ? "yes, the metadata's too"
                    : statement.getConnection() == connection ? "yes, not the metadata's" : "no";
        }
    }),
    EQUALS("a leased connection equals itself, not the next lease", pool -> {
        Connection first = pool.source().getConnection();
        boolean itself = first.equals(first) && first.hashCode() == first.hashCode();
        first.close();
        try (Connection second = pool.source().getConnection()) {
            return itself ? first.equals(second) ? "equals the next one too" : "yes" : "not itself";
        }
    }),
    WARNINGS("warnings are cleared", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.unwrap(PgConnection.class).addWarning(new SQLWarning("of the driver"));
        }
        return next(pool, connection -> connection.getWarnings() == null);
    }),
    AUTO_COMMIT("auto-commit is reset", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setAutoCommit(false);
        }
        return next(pool, Connection::getAutoCommit);
    }),
    ISOLATION("isolation is reset", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        }
        return next(pool, connection -> connection.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED);
    }),
    READ_ONLY("read-only is reset", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setReadOnly(true);
        }
        return next(pool, connection -> !connection.isReadOnly());
    }),
    SCHEMA("setSchema is reset", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setSchema("pg_catalog");
        }
        return next(pool, connection -> "public".equals(connection.getSchema()));
    }),
    HOLDABILITY("holdability is reset", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
        }
        return next(pool, connection -> connection.getHoldability() == ResultSet.CLOSE_CURSORS_AT_COMMIT);
    }),
    NETWORK_TIMEOUT("network timeout is reset", pool -> {
        int former;
        try (Connection connection = pool.source().getConnection()) {
            former = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, 7_000);
        }
        return next(pool, connection -> connection.getNetworkTimeout() == former);
    }),
    CLIENT_INFO("client info is reset", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setClientInfo("ApplicationName", "left behind");
        }
        return next(pool, connection -> !"left behind".equals(one(connection, "SHOW application_name")));
    }),
    OPEN_TRANSACTION("an open transaction at close (auto-commit off)", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, "CREATE TABLE left_open (n int)");
        }
        return transaction(pool);
    }),
    OPEN_BEGIN("an open transaction at close (BEGIN as text)", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            execute(connection, "BEGIN");
            execute(connection, "CREATE TABLE left_open (n int)");
        }
        return transaction(pool);
    }),
    SETTING("SET is undone", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            execute(connection, "SET statement_timeout = '7s'");
        }
        return next(pool, connection -> "0".equals(one(connection, "SHOW statement_timeout")));
    }),
    TEMPORARY_TABLE("temporary tables are gone", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            execute(connection, "CREATE TEMPORARY TABLE left_behind (n int)");
        }
        return next(pool, connection -> one(connection, "SELECT to_regclass('left_behind')") == null);
    }),
    ADVISORY_LOCK("advisory locks are released", pool -> {
        try (Connection connection = pool.source().getConnection()) {
            execute(connection, "SELECT pg_advisory_lock(42)");
        }
        return next(
                pool,
                connection -> "0"
                        .equals(one(
                                connection,
                                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42")));
    }),
    LOGIN_TIMEOUT("setLoginTimeout(2) with a patience of 1 s", pool -> {
        String said = outcome(() -> pool.source().setLoginTimeout(2), "taken");
        if (!said.equals("taken")) {
            return said;
        }
        pool.source().setLoginTimeout(0);
        return pool.source().getLoginTimeout() == 0 ? "taken, 0 ends it" : "taken, 0 does not end it";
    }),
    USER_AND_PASSWORD(
            "getConnection(user, password), the pool's own",
            pool -> outcome(
                    () -> pool.source().getConnection("postgres", "postgres").close(), "served")),
    ABORT("abort; the next lease", pool -> {
        Connection connection = pool.source().getConnection();
        String said = outcome(() -> connection.abort(Runnable::run), "");
        String closed = outcome(connection::close, "");
        return (said.isEmpty() && closed.isEmpty() ? "" : "(" + said + closed + ") ") + served(pool);
    }),
    POOL_CLOSED("borrow from a closed pool", pool -> {
        pool.end();
        long began = System.nanoTime();
        String said = outcome(() -> pool.source().getConnection().close(), "served: it opens again");
        return System.nanoTime() - began > 500_000_000 ? said + " after " + seconds(began) : said;
    }),
    POOL_CLOSED_IN_USE("a lease when its pool is closed", pool -> {
        Connection held = pool.source().getConnection();
        long began = System.nanoTime();
        pool.end();
        boolean waits = System.nanoTime() - began > 500_000_000;
        return (answers(held) ? "goes on" : "ends") + (waits ? ", after " + seconds(began) : "");
    }),
    WATCHING("how it is watched, as documented", pool -> pool.peer().watching());

    /** A pool of one connection under trial. */
    interface Trial {
        Peer peer();

        PeerServer server();

        DataSource source();

        /** Changes the bounds of the pool. Returns before connections are opened or closed. */
        void resize(int least, int most) throws SQLException;

        /** Closes the pool. */
        void end() throws SQLException;

        /** Drops a table beside the pool. */
        default void drop(String table) throws SQLException {
            try (Connection beside = server().beside()) {
                execute(beside, "DROP TABLE IF EXISTS " + table);
            }
        }
    }

    private interface Question {
        String ask(Trial trial) throws Exception;
    }

    private interface Use {
        void run() throws Exception;
    }

    private interface Saying {
        String say() throws Exception;
    }

    private interface Check {
        boolean holds(Connection connection) throws SQLException;
    }

    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Of a clause whose answer is a matter of chance. */
    private static final int ROUNDS = 100;

    private final String label;
    private final Question question;

    Clause(String label, Question question) {
        this.label = label;
        this.question = question;
    }

    /** As tables call it. */
    String label() {
        return label;
    }

    /** Never throws: a failure is an answer. */
    String ask(Trial trial) {
        return outcome(() -> question.ask(trial));
    }

    private static String outcome(Use use, String done) {
        return outcome(() -> {
            use.run();
            return done;
        });
    }

    /** What is said, or how it fails. */
    private static String outcome(Saying saying) {
        try {
            return saying.say();
        } catch (SQLException e) {
            return e.getClass().getSimpleName() + (e.getSQLState() == null ? "" : " " + e.getSQLState());
        } catch (Exception | Error e) {
            return e.getClass().getSimpleName();
        }
    }

    private static String next(Trial pool, Check check) throws SQLException {
        try (Connection connection = pool.source().getConnection()) {
            return check.holds(connection) ? "yes" : "no";
        }
    }

    private static String transaction(Trial pool) throws SQLException {
        boolean there;
        try (Connection beside = pool.server().beside()) {
            there = one(beside, "SELECT to_regclass('left_open')") != null;
        }
        if (there) {
            pool.drop("left_open");
            return "committed";
        }
        return next(pool, connection -> one(connection, "SELECT to_regclass('left_open')") == null)
                        .equals("yes")
                ? "rolled back"
                : "left open for the next holder";
    }

    private static String borrowsWhileLowered(Trial pool) throws Exception {
        int served = 0;
        for (int round = 0; round < ROUNDS; round++) {
            pool.resize(1, 2);
            Connection held = pool.source().getConnection();
            CompletableFuture<String> said = new CompletableFuture<>();
            Thread _ = Thread.ofPlatform().daemon().start(() -> said.complete(served(pool)));
            LockSupport.parkNanos(round * 50_000L); // the caller may be anywhere between its permit and its connection
            pool.resize(1, 1);
            LockSupport.parkNanos(5_000_000);
            held.close();
            served += said.get().equals("a new connection") ? 1 : 0;
        }
        return served == ROUNDS ? "every caller is served" : served + " of " + ROUNDS + " callers are served";
    }

    private static String served(Trial pool) {
        return outcome(() -> {
            try (Connection connection = pool.source().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT 1")) {
                row.next();
                return "a new connection";
            }
        });
    }

    private static void killIdle(Trial pool) throws SQLException {
        long pid;
        try (Connection connection = pool.source().getConnection()) {
            pid = pid(connection);
        }
        pool.server().terminate(Set.of(pid));
        LockSupport.parkNanos(50_000_000);
    }

    private static long pid(Connection connection) throws SQLException {
        return Long.parseLong(java.util.Objects.requireNonNull(one(connection, "SELECT pg_backend_pid()")));
    }

    private static boolean answers(Connection connection) {
        return outcome(() -> String.valueOf("1".equals(one(connection, "SELECT 1"))))
                .equals("true");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static @org.jspecify.annotations.Nullable String one(Connection connection, String sql)
            throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static String seconds(long sinceNanos) {
        return "%.0f s".formatted((System.nanoTime() - sinceNanos) / 1e9);
    }
}
