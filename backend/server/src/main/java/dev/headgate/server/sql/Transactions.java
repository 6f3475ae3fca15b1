package dev.headgate.server.sql;

import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.limits.Departures;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.sql.Answer;
import dev.headgate.sql.Query;
import dev.headgate.sql.SqlFailure;
import dev.headgate.sql.SqlSession;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Transactions that go on over several requests. Each holds a lease from its begin to its end, so the gate bounds their number.
 * One that is idle for too long is rolled back. Safe for any thread.
 */
@Component
final class Transactions {

    private static final int ID_BYTES = 16;

    /** Characters of the id that its lease shows: enough to tell one from another, and nobody can use it. */
    private static final int SHOWN = 8;

    private final Sql sql;
    private final Access access;
    private final Departures departures;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Transaction> open = new ConcurrentHashMap<>();

    Transactions(Sql sql, Access access, Departures departures, MeterRegistry meters) {
        this.sql = sql;
        this.access = access;
        this.departures = departures;
        Gauge.builder("headgate.sql.transactions", open, Map::size)
                .description("Transactions over several requests that are open")
                .register(meters);
    }

    /** An open transaction. */
    static final class Transaction {
        private final String id;
        private final String domain;
        private final Actor author;
        private final SqlSession session;
        private final boolean readOnly;
        private final Duration idle;
        private final Instant began = Instant.now();
        private final ReentrantLock lock = new ReentrantLock();
        private final AtomicInteger requests = new AtomicInteger();

        Transaction(String id, String domain, Actor author, SqlSession session, boolean readOnly, Duration idle) {
            this.id = id;
            this.domain = domain;
            this.author = author;
            this.session = session;
            this.readOnly = readOnly;
            this.idle = idle;
        }

        String id() {
            return id;
        }

        String domain() {
            return domain;
        }

        SqlSession session() {
            return session;
        }

        /** Whether it was begun so. It stays so. */
        boolean isReadOnly() {
            return readOnly;
        }

        Duration idle() {
            return idle;
        }

        Instant began() {
            return began;
        }

        int requests() {
            return requests.get();
        }
    }

    /**
     * Begins a transaction. Blocks until it has a connection, or its caller has gone.
     *
     * @param begin the command
     * @param readOnly whether the caller wants it so; it is in any case where the caller may only read
     * @param idle how long it may be idle
     * @throws SqlRun.Failed if it could not begin
     * @throws SqlRun.BrokenOff if its caller has gone: nothing is open then
     */
    Transaction begin(String domain, String begin, boolean readOnly, Duration idle) {
        boolean reads = sql.readsOnly(domain) || readOnly;
        String command = reads ? begin + " READ ONLY" : begin;
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = HexFormat.of().formatHex(bytes);
        SqlSession session = sql.open(domain, id.substring(0, SHOWN), null, idle);
        Transaction transaction = new Transaction(id, domain, access.actor(), session, reads, idle);
        try {
            execute(session, command, departures::ofCaller);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
        open.put(transaction.id(), transaction);
        session.ended().thenRun(() -> open.remove(transaction.id()));
        return transaction;
    }

    /** Those of a domain, in no order. */
    Collection<Transaction> of(String domain) {
        return open.values().stream()
                .filter(each -> each.domain().equals(domain))
                .toList();
    }

    /** Work on a transaction. */
    interface Work<E extends Exception> {
        void run(Transaction transaction) throws E;
    }

    /**
     * Does some work on a transaction, of which there is one at a time.
     *
     * @throws ProblemException not-found; forbidden if somebody else began it; conflict while another request uses it
     */
    <E extends Exception> void use(String domain, String id, Work<E> work) throws E {
        Transaction found = open.get(id);
        if (found == null || !found.domain().equals(domain)) {
            throw gone();
        }
        access.requireAuthor(found.author);
        if (!found.lock.tryLock()) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "Another request is being executed in this transaction; one at a time is possible.");
        }
        try {
            if (found.session.isOver()) { // its lease may take a moment to come back
                throw gone();
            }
            found.requests.incrementAndGet();
            work.run(found);
        } finally {
            found.lock.unlock();
        }
    }

    private static ProblemException gone() {
        return ProblemException.of(
                ProblemType.NOT_FOUND,
                "There is no such transaction: it has ended, or was rolled back while it was idle.");
    }

    /**
     * Sees to it that the domain's rules, which may have changed since it began, still allow a transaction.
     *
     * @throws ProblemException forbidden if they do not. It is rolled back then
     */
    void requireAllowed(Transaction transaction) {
        try {
            if (sql.readsOnly(transaction.domain()) && !transaction.isReadOnly()) {
                throw ProblemException.of(
                        ProblemType.FORBIDDEN,
                        "SQL over HTTP may only read the domain '" + transaction.domain()
                                + "' now (sql.access). This transaction was begun to write, and was rolled back.");
            }
        } catch (ProblemException refused) {
            rollBack(transaction);
            throw refused;
        }
    }

    /**
     * Commits. The transaction has ended in any case.
     *
     * @throws SqlRun.Failed if it was rolled back instead
     * @throws ProblemException as {@link #requireAllowed}
     */
    void commit(Transaction transaction) {
        requireAllowed(transaction);
        try (SqlSession session = transaction.session()) {
            if (transaction.isReadOnly()) {
                // fails if a statement had failed, which the answer to ROLLBACK does not tell
                execute(session, "SHOW transaction_read_only", () -> Transactions::goesOnAlone);
                execute(session, Batch.ROLLBACK, () -> Transactions::goesOnAlone);
                return;
            }
            String tag = execute(session, "COMMIT", () -> Transactions::goesOnAlone);
            if (!tag.equals("COMMIT")) { // so the server answers for a transaction that has failed
                throw new SqlRun.Failed(
                        SqlFailure.of("25P02", "a statement had failed, so the transaction was rolled back"), null);
            }
        } finally {
            open.remove(transaction.id());
        }
    }

    /** Ends it without its changes. */
    void rollBack(Transaction transaction) {
        try (SqlSession session = transaction.session()) {
            execute(session, "ROLLBACK", () -> Transactions::goesOnAlone);
        } catch (SqlRun.Failed failed) {
            // the end of the session rolls it back
        } finally {
            open.remove(transaction.id());
        }
    }

    /** What ends a transaction goes on without its caller. */
    private static boolean goesOnAlone() {
        return false;
    }

    private static String execute(SqlSession session, String command, Supplier<BooleanSupplier> departure) {
        AwaitedAnswers answers = new AwaitedAnswers(departure);
        session.submit(List.of(Query.of(command)), answers.from(session));
        String tag = "";
        while (true) {
            switch (answers.next(AwaitedAnswers.ANY).answer()) {
                case Answer.Done done -> tag = done.tag();
                case Answer.Failed failed -> throw new SqlRun.Failed(failed.why(), null);
                case Answer.Ended _ -> {
                    answers.requireCaller();
                    return tag;
                }
                case Answer.Columns _, Answer.Some _ -> {} // our commands have no rows
            }
        }
    }
}
