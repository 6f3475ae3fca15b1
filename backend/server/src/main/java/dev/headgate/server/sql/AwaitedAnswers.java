package dev.headgate.server.sql;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.sql.AnswerListener;
import dev.headgate.sql.AnswerQueue;
import dev.headgate.sql.SqlSession;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answers that a request waits for. While it waits, what was written so far leaves, and it looks whether its caller is still
 * there. Belongs to the thread that answers the request.
 */
final class AwaitedAnswers {

    /** Bytes of rows of each session that wait for a slow caller, beside those in the relay. */
    private static final int WAITING = 16 * 1024;

    /** Of any session. */
    static final int ANY = -1;

    private final AnswerQueue answers = new AnswerQueue(WAITING);
    private final Supplier<BooleanSupplier> departure;
    private @Nullable BooleanSupplier gone;

    /** @param departure gives, for this thread's request, whether its caller has gone */
    AwaitedAnswers(Supplier<BooleanSupplier> departure) {
        this.departure = departure;
    }

    /** Adds a session. */
    AnswerListener from(SqlSession session) {
        return answers.from(session);
    }

    /** The next answer, whoever waits for it. */
    AnswerQueue.Arrival next() throws InterruptedException {
        return answers.next();
    }

    /**
     * The next answer of a session, or of {@link #ANY}. What was written leaves while it waits, once it is released.
     *
     * @throws SqlRun.BrokenOff if the caller has gone
     */
    AnswerQueue.Arrival next(int source, Sink out) {
        if (!answers.hasNext() && out.isReleased()) {
            out.flush();
        }
        return next(source);
    }

    /** The same where nothing was written. */
    AnswerQueue.Arrival next(int source) {
        try {
            AnswerQueue.Arrival next = answers.nextOrLook(source);
            while (next == null) {
                requireCaller();
                next = answers.nextOrLook(source);
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(ProblemType.UNAVAILABLE, "Headgate is stopping.");
        }
    }

    /** @throws SqlRun.BrokenOff if the caller has gone */
    void requireCaller() {
        if (gone == null) {
            gone = departure.get();
        }
        if (gone.getAsBoolean()) {
            throw new SqlRun.BrokenOff();
        }
    }
}
