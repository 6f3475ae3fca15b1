package dev.headgate.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Answers for a thread that waits for them, such as a virtual one that writes them to its caller. Holds few rows: while they
 * have more than a number of bytes the session reads no more.
 */
public final class AnswerQueue implements AnswerListener {

    private static final Duration FOREVER = Duration.ofDays(1);

    private final SqlSession session;
    private final int mostBytes;
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private int bytes;
    private boolean full;

    /** @param mostBytes of rows, beyond which the session reads no more; a longer row is held nevertheless */
    public AnswerQueue(SqlSession session, int mostBytes) {
        this.session = session;
        this.mostBytes = mostBytes;
    }

    @Override
    public boolean take(Answer answer) {
        lock.lock();
        try {
            answers.add(answer);
            if (answer instanceof Answer.Some some) {
                bytes += some.rows().size();
            }
            full = bytes >= mostBytes;
            return !full;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void arrived() {
        lock.lock();
        try {
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The next answer. Blocks until there is one. */
    public Answer next() throws InterruptedException {
        Answer next = null;
        while (next == null) {
            next = next(FOREVER);
        }
        return next;
    }

    /** The next answer. Blocks until there is one, at most that long; null if there is none by then. */
    public @Nullable Answer next(Duration atMost) throws InterruptedException {
        boolean empty = false;
        lock.lockInterruptibly();
        try {
            long left = atMost.toNanos();
            while (answers.isEmpty()) {
                if (left <= 0) {
                    return null;
                }
                left = arrived.awaitNanos(left);
            }
            Answer next = answers.remove();
            if (next instanceof Answer.Some some) {
                bytes -= some.rows().size();
            }
            if (full && bytes <= mostBytes / 2) {
                full = false;
                empty = true;
            }
            return next;
        } finally {
            lock.unlock();
            if (empty) {
                session.resume();
            }
        }
    }

    /** Whether an answer is here. */
    public boolean hasNext() {
        lock.lock();
        try {
            return !answers.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
