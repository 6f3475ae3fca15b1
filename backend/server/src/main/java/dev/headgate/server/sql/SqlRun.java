package dev.headgate.server.sql;

import dev.headgate.sql.Answer;
import dev.headgate.sql.AnswerListener;
import dev.headgate.sql.AnswerQueue;
import dev.headgate.sql.SqlFailure;
import dev.headgate.sql.SqlSession;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request's statements while they are executed. Belongs to the thread that answers the request. */
final class SqlRun implements AutoCloseable {

    private final SqlSession session;
    private final boolean keeps;
    private final AwaitedAnswers answers;
    private final Batch batch;
    private final SqlTimes times;
    private final LongPredicate memory;
    private final Runnable ended;
    private boolean complete;

    /** The server has described the answer to a statement of the caller's: it executes none before. */
    private boolean begun;

    private boolean doubtful;
    private Effect effect = Effect.UNKNOWN;

    /** What the statements did. */
    enum Effect {
        /** Nothing: none of it got a connection, or the server undid it. */
        NONE,
        /** The server has answered each of them. */
        ALL,
        /** Nobody knows whether all of it. */
        UNKNOWN
    }

    /**
     * @param keeps whether the session goes on when the run has come to its end
     * @param departure gives, for this thread's request, whether its caller has gone
     * @param memory reserves so many bytes until the run is closed; false if there are none
     * @param ended is told when the run is closed
     */
    SqlRun(
            SqlSession session,
            boolean keeps,
            Batch batch,
            Supplier<BooleanSupplier> departure,
            SqlTimes times,
            LongPredicate memory,
            Runnable ended) {
        this.session = session;
        this.keeps = keeps;
        this.batch = batch;
        this.times = times;
        this.memory = memory;
        this.ended = ended;
        this.answers = new AwaitedAnswers(departure);
        AnswerListener listener = answers.from(session);
        if (keeps) {
            batch.rounds().forEach(round -> session.submit(round.queries(), listener));
        } else {
            session.submitLast(batch.rounds().stream().map(Batch.Round::queries).toList(), listener);
        }
    }

    /**
     * Writes the answers as they arrive.
     *
     * @return false if the last record is a failure
     * @throws Failed if a failure that ends everything comes before anything was sent
     * @throws BrokenOff if a failure that ends everything comes later, and the format cannot tell it
     */
    boolean write(AnswerFormat format, Sink out) {
        try {
            writeAll(format, out);
            return true;
        } catch (Told failed) {
            return false;
        }
    }

    private void writeAll(AnswerFormat format, Sink out) {
        int statement = 0;
        long rows = 0;
        Answer.Ended last = new Answer.Ended('I', "", 0);
        for (int round = 0; round < batch.rounds().size(); round++) {
            Batch.Round its = batch.rounds().get(round);
            int place = 0;
            long ofStatement = 0;
            Answer.@Nullable Done uncommitted = null; // of an independent statement: the end of its round commits it
            while (true) {
                Answer answer = answers.next(AwaitedAnswers.ANY, out).answer();
                boolean hidden = its.isOwn(place);
                switch (answer) {
                    case Answer.Columns described -> {
                        if (!hidden) {
                            begun = true;
                            format.columns(statement, described.columns());
                        }
                    }
                    case Answer.Some some -> {
                        times.firstRow();
                        out.release();
                        ofStatement += some.rows().count();
                        format.rows(some.rows());
                    }
                    case Answer.Done done -> {
                        if (!hidden && batch.together()) {
                            rows += done(format, statement++, done, ofStatement);
                            ofStatement = 0;
                        } else if (!hidden) {
                            uncommitted = done;
                        }
                        place++;
                    }
                    case Answer.Failed failed -> {
                        uncommitted = null;
                        fail(format, out, round, hidden && batch.together() ? null : statement, failed.why());
                    }
                    case Answer.Ended ended -> last = ended;
                }
                if (answer instanceof Answer.Ended) {
                    break;
                }
            }
            if (!batch.together()) {
                rows += uncommitted == null ? 0 : done(format, statement, uncommitted, ofStatement);
                statement++;
                out.release(); // nobody waits with the answer to one statement for that to another
            }
        }
        complete = true;
        effect = !doubtful ? Effect.ALL : hadNoConnection(last) ? Effect.NONE : Effect.UNKNOWN;
        long waited = keeps ? 0 : last.waitedNanos(); // a transaction has waited before its first request
        times.waited(waited);
        format.end(new AnswerFormat.Ending(rows, times.elapsedMs(), waited / 1e6, last.connection()));
    }

    /** @return its rows: those that came, or that the server has counted */
    private static long done(AnswerFormat format, int statement, Answer.Done done, long came) {
        long counted = Tags.rows(done.tag());
        long rows = counted >= 0 && came == 0 ? counted : came;
        format.done(statement, done.tag(), rows, done.limited());
        return rows;
    }

    private void fail(AnswerFormat format, Sink out, int round, @Nullable Integer statement, SqlFailure why) {
        if (batch.together() || why.refusal().isPresent()) {
            Answer.@Nullable Ended end = keeps || !SqlStates.isOfServer(why) ? awaitEnd() : null;
            complete = keeps && end != null && end.transaction() != 'I';
            effect = isUndone(round, why, end) ? Effect.NONE : Effect.UNKNOWN;
            if (batch.together() ? !out.isOpen() : !out.isReleased()) {
                throw new Failed(why, statement);
            }
            if (!format.failed(statement, why)) {
                throw new BrokenOff();
            }
            throw new Told();
        }
        doubtful |= !SqlStates.isOfServer(why);
        boolean _ = format.failed(statement, why);
    }

    /** Whether a failure that ends everything came before anything could have an effect, or the server undid all of it. */
    private boolean isUndone(int round, SqlFailure why, Answer.@Nullable Ended end) {
        if (why.refusal().isPresent()) {
            return round == 0;
        }
        return SqlStates.isOfServer(why) ? batch.isAtomic() || !begun : end != null && hadNoConnection(end);
    }

    /** Whether the session never got a connection, such as one that waited at the gate until its deadline. */
    private static boolean hadNoConnection(Answer.Ended end) {
        return end.connection().isEmpty();
    }

    /** Reads the rest of the present round, after a failure. Null if this thread was interrupted. */
    private Answer.@Nullable Ended awaitEnd() {
        try {
            for (AnswerQueue.Arrival next = answers.next(); ; next = answers.next()) {
                if (next.answer() instanceof Answer.Ended ended) {
                    return ended;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    Effect effect() {
        return effect;
    }

    /** Reserves memory for its answer until it is closed. False if there is none. Does not wait. */
    boolean tryHold(long bytes) {
        return memory.test(bytes);
    }

    /** Ends the session and cancels its statement. Any thread. */
    void cancel() {
        session.end(SqlFailure.of("57014", "the request was cancelled"));
    }

    /** Ends the session, unless it goes on or ends by itself. A statement that is still being executed is cancelled. */
    @Override
    public void close() {
        if (!complete) {
            session.close();
        }
        ended.run();
    }

    /** A statement failed, and nothing was sent. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient SqlFailure why;
        private final transient @Nullable Integer statement;

        /** @param statement the number of the statement or branch; null for none of the caller's, such as COMMIT */
        Failed(SqlFailure why, @Nullable Integer statement) {
            super(why.getMessage(), why, false, false);
            this.why = why;
            this.statement = statement;
        }

        @Nullable
        Integer statement() {
            return statement;
        }

        SqlFailure why() {
            return why;
        }
    }

    /** The failure that ends everything is the last record. */
    static final class Told extends RuntimeException {
        private static final long serialVersionUID = 1;

        Told() {
            super("told", null, false, false);
        }
    }

    /** The answer is not complete and cannot say so, or its caller has gone. */
    static final class BrokenOff extends RuntimeException {
        private static final long serialVersionUID = 1;

        BrokenOff() {
            super("the answer was broken off", null, false, false);
        }
    }
}
