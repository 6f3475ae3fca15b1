package dev.headgate.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Answers of one or several sessions for a thread that waits for them, such as a virtual one that writes them to its caller.
 * Holds little: while the answers of a session have more than a number of bytes, that session reads no more. A long row counts
 * until the thread asks for the next answer, because its memory is needed until then.
 */
public final class AnswerQueue {

    private static final Duration FOREVER = Duration.ofDays(1);

    /** @param source the number of the session, in the order of {@link #from} */
    public record Arrival(int source, Answer answer) {}

    private final int mostBytes;
    private final List<Source> sources = new ArrayList<>(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    /** The source after the one that was taken from last. */
    private int turn;

    /** Whether a source has told that its answer is still to come. */
    private boolean awaited;

    /** @param mostBytes of the answers of each session, beyond which it reads no more; a longer row is held nevertheless */
    public AnswerQueue(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Adds a source: a listener for rounds of that session. To be called before {@link #next}. */
    public AnswerListener from(SqlSession session) {
        return from(session::resume);
    }

    /** @param resume called when a source that was full takes rows again */
    AnswerListener from(Runnable resume) {
        lock.lock();
        try {
            Source source = new Source(resume);
            sources.add(source);
            return source;
        } finally {
            lock.unlock();
        }
    }

    private final class Source implements AnswerListener {

        private final Runnable resume;
        private final ArrayDeque<Answer> answers = new ArrayDeque<>();
        private long bytes;

        /** Of a long row that was taken: its taker uses it until it asks for the next answer. */
        private long bytesInUse;

        /** From when it said that it takes no more until it resumes, whatever arrives meanwhile. */
        private boolean full;

        Source(Runnable resume) {
            this.resume = resume;
        }

        @Override
        public boolean take(Answer answer) {
            lock.lock();
            try {
                answers.add(answer);
                bytes += answer.size();
                full |= bytes >= mostBytes;
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

        @Override
        public void awaited() {
            lock.lock();
            try {
                awaited = true;
                arrived.signal();
            } finally {
                lock.unlock();
            }
        }

        /** The lock is held. */
        Answer remove() {
            Answer next = answers.remove();
            if (next instanceof Answer.Some some && some.rows().isLong()) {
                bytesInUse = next.size();
            } else {
                used(next.size());
            }
            return next;
        }

        /** The next answer is asked for. The lock is held. */
        void asked() {
            if (bytesInUse > 0) {
                long before = bytesInUse;
                bytesInUse = 0;
                used(before);
            }
        }

        private void used(long count) {
            bytes -= count;
            if (full && bytes <= mostBytes / 2) {
                full = false;
                resume.run();
            }
        }
    }

    /** The next answer of any session; those that have one take turns. Blocks until there is one. */
    public Arrival next() throws InterruptedException {
        Arrival next = null;
        while (next == null) {
            next = next(FOREVER);
        }
        return next;
    }

    /** The same. Blocks at most that long; null if there is none by then. */
    public @Nullable Arrival next(Duration atMost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            asked(-1);
            long left = atMost.toNanos();
            int found = find(-1);
            while (found < 0 && left > 0) {
                left = arrived.awaitNanos(left);
                found = find(-1);
            }
            return found < 0 ? null : take(found);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next answer of one session, or of any for -1. Blocks until there is one, but returns null a few times a second, so that the
     * caller can look around. The session's loop keeps that time: a thread that parked with a timeout would set a timer of the
     * JVM for each wait, which costs more than the wait.
     */
    public @Nullable Arrival nextOrLook(int source) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            asked(source);
            awaited = false;
            int found = find(source);
            while (found < 0 && !awaited) {
                arrived.await();
                found = find(source);
            }
            return found < 0 ? null : take(found);
        } finally {
            lock.unlock();
        }
    }

    /** The lock is held, and the source has an answer. */
    private Arrival take(int source) {
        turn = (source + 1) % sources.size();
        return new Arrival(source, sources.get(source).remove());
    }

    private void asked(int source) {
        for (int i = 0; i < sources.size(); i++) {
            if (source < 0 || source == i) {
                sources.get(i).asked();
            }
        }
    }

    /** A session with an answer; -1 for none. */
    private int find(int source) {
        if (source >= 0) {
            return sources.get(source).answers.isEmpty() ? -1 : source;
        }
        for (int i = 0; i < sources.size(); i++) {
            int at = (turn + i) % sources.size();
            if (!sources.get(at).answers.isEmpty()) {
                return at;
            }
        }
        return -1;
    }

    /** Whether an answer is here. */
    public boolean hasNext() {
        lock.lock();
        try {
            return find(-1) >= 0;
        } finally {
            lock.unlock();
        }
    }
}
