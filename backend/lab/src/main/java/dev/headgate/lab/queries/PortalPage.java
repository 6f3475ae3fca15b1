package dev.headgate.lab.queries;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.lab.Client;
import dev.headgate.lab.load.Action;
import dev.headgate.sql.SqlSession;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** A page of the portal: five contacts by their keys from each of two databases, and the accesses of an hour from each of two. */
final class PortalPage implements Action, AutoCloseable {

    private static final int CONTACTS = 5;

    /** How a page asks its databases. */
    enum Way {
        SERIAL("one after another"),
        THREADS("a thread for each database"),
        ASYNCHRONOUS("asynchronous"),
        PIPELINED("asynchronous, pipelined");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private final PortalDatabases databases;
    private final Way way;
    private final ExecutorService threads;

    PortalPage(PortalDatabases databases, Way way) {
        this.databases = databases;
        this.way = way;
        this.threads = Executors.newFixedThreadPool(databases.connections());
    }

    /** What a page asks one database. */
    private static final class Part {
        private final Pool pool;
        private final String statement;

        /** One execution for each. */
        private final int[] keys;

        /** Of the first column of all rows. */
        private final long sum;

        Part(Pool pool, String statement, int[] keys, long sum) {
            this.pool = pool;
            this.statement = statement;
            this.keys = keys;
            this.sum = sum;
        }
    }

    @Override
    public Answer run(Client client) throws Exception {
        List<Part> parts = parts(client.random());
        switch (way) {
            case SERIAL -> {
                for (Part part : parts) {
                    block(part);
                }
            }
            case THREADS -> inThreads(parts);
            case ASYNCHRONOUS -> asynchronously(parts, false);
            case PIPELINED -> asynchronously(parts, true);
        }
        return Answer.DONE;
    }

    private List<Part> parts(RandomGenerator random) {
        List<Part> parts = new ArrayList<>();
        for (Pool pool : databases.contacts()) {
            int[] keys = random.ints(CONTACTS, 1, PortalDatabases.CONTACTS + 1).toArray();
            long sum = 0;
            for (int key : keys) {
                sum += key;
            }
            parts.add(new Part(pool, PortalDatabases.CONTACT, keys, sum));
        }
        for (Pool pool : databases.accesses()) {
            int[] hour = {random.nextInt(PortalDatabases.HOURS)};
            parts.add(new Part(pool, PortalDatabases.ACCESSES, hour, PortalDatabases.ACCESSES_PER_HOUR));
        }
        return parts;
    }

    private static void check(Part part, long sum) {
        if (sum != part.sum) {
            throw new IllegalStateException("other rows were returned than were asked for");
        }
    }

    private static void block(Part part) throws SQLException {
        long sum = 0;
        try (Lease lease = part.pool.acquire(LeaseRequest.by("portal"));
                PreparedStatement statement = lease.connection().prepareStatement(part.statement.replace("$1", "?"))) {
            for (int key : part.keys) {
                statement.setInt(1, key);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        sum += rows.getLong(1);
                    }
                }
            }
        }
        check(part, sum);
    }

    private void inThreads(List<Part> parts) throws Exception {
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Part part : parts) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            answers.add(answer);
            threads.execute(() -> {
                try {
                    block(part);
                    answer.complete(null);
                } catch (SQLException | RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
        }
        await(answers);
    }

    private void asynchronously(List<Part> parts, boolean pipelined) throws Exception {
        List<SqlSession> sessions = new ArrayList<>();
        try {
            List<CompletableFuture<Void>> answers = new ArrayList<>();
            for (Part part : parts) {
                SqlSession session = databases.engine().session(part.pool);
                sessions.add(session);
                answers.add(
                        Rounds.of(session, part.statement, part.keys, pipelined).thenAccept(sum -> check(part, sum)));
            }
            await(answers);
        } finally {
            sessions.forEach(SqlSession::close);
        }
    }

    private static void await(List<CompletableFuture<Void>> answers) throws Exception {
        for (CompletableFuture<Void> answer : answers) {
            answer.get(1, TimeUnit.MINUTES);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
