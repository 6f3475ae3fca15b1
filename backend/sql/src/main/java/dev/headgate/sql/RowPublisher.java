package dev.headgate.sql;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement as a publisher (java.util.concurrent.Flow). An item is some rows, as many as arrived together. What
 * a subscriber does not request stays at the server: demand reaches back to the database's socket. The statement is sent when
 * its one subscriber subscribes; where too many rounds of the session wait, it gets the {@link RejectedExecutionException}. Signals
 * come on the session's loop or on the thread that subscribes or requests, one at a time.
 */
public final class RowPublisher implements Flow.Publisher<Rows> {

    private final SqlSession session;
    private final Query query;
    private final AtomicBoolean used = new AtomicBoolean();

    public RowPublisher(SqlSession session, Query query) {
        this.session = session;
        this.query = query;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Rows> subscriber) {
        Feed feed = new Feed(session, subscriber);
        subscriber.onSubscribe(feed);
        if (used.getAndSet(true)) {
            feed.fail(new IllegalStateException("the rows of a statement have one subscriber"));
            return;
        }
        try {
            session.submit(List.of(query), feed);
        } catch (RejectedExecutionException full) {
            feed.fail(full);
        }
    }

    private static final class Feed implements Flow.Subscription, AnswerListener {
        private final SqlSession session;
        private final Flow.Subscriber<? super Rows> subscriber;
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<Rows> kept = new ArrayDeque<>();
        private long wanted;
        private boolean paused;
        private boolean over;
        private boolean ended;
        private @Nullable Throwable failure;

        Feed(SqlSession session, Flow.Subscriber<? super Rows> subscriber) {
            this.session = session;
            this.subscriber = subscriber;
        }

        @Override
        public boolean take(Answer answer) {
            lock.lock();
            try {
                switch (answer) {
                    case Answer.Some some -> kept.add(some.rows());
                    case Answer.Failed failed -> failure = failed.why();
                    case Answer.Ended _ -> ended = true;
                    case Answer.Columns _, Answer.Done _ -> {}
                }
                pass();
                paused = !over && kept.size() > 1;
                return !paused;
            } finally {
                lock.unlock();
            }
        }

        /** The statement was not sent. */
        void fail(Exception why) {
            lock.lock();
            try {
                if (!over) {
                    over = true;
                    subscriber.onError(why);
                }
            } finally {
                lock.unlock();
            }
        }

        /** The lock is held, also by the same thread within a signal. */
        private void pass() {
            while (!over && wanted > 0 && !kept.isEmpty()) {
                wanted--;
                subscriber.onNext(kept.remove());
            }
            if (!over && ended && kept.isEmpty()) {
                over = true;
                if (failure == null) {
                    subscriber.onComplete();
                } else {
                    subscriber.onError(failure);
                }
            }
        }

        @Override
        public void request(long n) {
            lock.lock();
            try {
                if (n <= 0) {
                    if (!over) {
                        cancel();
                        subscriber.onError(new IllegalArgumentException("request " + n + ", which is not positive"));
                    }
                    return;
                }
                boolean within = lock.getHoldCount() > 1;
                wanted = wanted + n < 0 ? Long.MAX_VALUE : wanted + n;
                if (!within) {
                    pass();
                }
                if (paused && kept.size() <= 1) {
                    paused = false;
                    session.resume();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void cancel() {
            lock.lock();
            try {
                if (!over) {
                    over = true;
                    kept.clear();
                    session.close();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
