package dev.headgate.engine.loop;

import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one channel on one loop: a reader and a writer at most. All of it happens on the loop's thread, but
 * {@link #end}.
 */
final class Waits {

    private final EventLoop loop;

    @Nullable
    SelectionKey key;

    private volatile @Nullable Thread reader;
    private long readerDeadlineNanos;
    private boolean readerIsTimed;
    private boolean readable;

    private volatile @Nullable Thread writer;
    private boolean writable;

    private volatile boolean ended;

    Waits(EventLoop loop) {
        this.loop = loop;
    }

    boolean isOn(EventLoop other) {
        return loop == other;
    }

    /**
     * Until there is something to read, or the channel is taken away.
     *
     * @param timeoutMillis 0 for ever
     */
    void awaitReadable(int timeoutMillis) throws SocketTimeoutException {
        interest(SelectionKey.OP_READ, true);
        readable = false;
        reader = Thread.currentThread();
        readerIsTimed = timeoutMillis > 0;
        if (readerIsTimed) {
            readerDeadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            loop.timedWait(1);
        }
        try {
            while (!readable && !ended) {
                if (readerIsTimed && System.nanoTime() - readerDeadlineNanos >= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                LockSupport.park(this);
            }
        } finally {
            reader = null;
            if (readerIsTimed) {
                loop.timedWait(-1);
            }
        }
    }

    /** Until there is room to write, or the channel is taken away. */
    void awaitWritable() {
        interest(SelectionKey.OP_WRITE, true);
        writable = false;
        writer = Thread.currentThread();
        try {
            while (!writable && !ended) {
                LockSupport.park(this);
            }
        } finally {
            writer = null;
            interest(SelectionKey.OP_WRITE, false);
        }
    }

    /** The selector says so. */
    void ready(int operations) {
        if ((operations & SelectionKey.OP_READ) != 0) {
            if (reader != null) {
                readable = true;
                LockSupport.unpark(reader);
            } else {
                interest(SelectionKey.OP_READ, false); // nobody wants to know at present
            }
        }
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            writable = true;
            LockSupport.unpark(writer);
        }
    }

    void expire(long nowNanos) {
        if (reader != null && readerIsTimed && nowNanos - readerDeadlineNanos >= 0) {
            LockSupport.unpark(reader);
        }
    }

    void wakeAll() {
        LockSupport.unpark(reader);
        LockSupport.unpark(writer);
    }

    /** The channel is closed, or blocks from now on: nobody is to wait here any more. From any thread. */
    void end() {
        ended = true;
        Objects.requireNonNull(key).cancel();
        loop.forgetCancelled();
        wakeAll();
    }

    boolean hasEnded() {
        return ended;
    }

    private void interest(int operation, boolean wanted) {
        SelectionKey watched = Objects.requireNonNull(key);
        if (!ended && watched.isValid()) {
            if (wanted) {
                watched.interestOpsOr(operation);
            } else {
                watched.interestOpsAnd(~operation);
            }
        }
    }
}
