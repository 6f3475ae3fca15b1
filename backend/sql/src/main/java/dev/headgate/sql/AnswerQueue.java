package dev.headgate.sql;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Answers for a thread that waits for them, such as a virtual one that writes them to its caller. Holds few rows: while they
 * have more than a number of bytes the session reads no more.
 */
public final class AnswerQueue implements AnswerListener {

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
            arrived.signal();
            full = bytes >= mostBytes;
            return !full;
        } finally {
            lock.unlock();
        }
    }

    /** The next answer. Blocks until there is one. */
    public Answer next() throws InterruptedException {
        boolean empty = false;
        lock.lockInterruptibly();
        try {
            while (answers.isEmpty()) {
                arrived.await();
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
