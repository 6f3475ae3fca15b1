package dev.headgate.engine.loop;

import java.net.SocketTimeoutException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one channel on one loop: a reader and a writer at most. All of it happens on the loop's thread, by its
 * virtual threads or by itself, but {@link #leave} and {@link #end}. No virtual thread touches the selector
 * ({@link EventLoop}).
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

    /** What the selector is to tell of. It is told so by the loop's own thread, if it does not know yet. */
    private int wanted;

    private boolean wantedIsLate;

    Waits(EventLoop loop) {
        this.loop = loop;
    }

    EventLoop loop() {
        return loop;
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
        want(wanted | SelectionKey.OP_READ);
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
        want(wanted | SelectionKey.OP_WRITE);
        writable = false;
        writer = Thread.currentThread();
        try {
            while (!writable && !ended) {
                LockSupport.park(this);
            }
        } finally {
            writer = null;
            want(wanted & ~SelectionKey.OP_WRITE);
        }
    }

    /** The selector says so, to the loop's own thread. */
    void ready(int operations) {
        if ((operations & SelectionKey.OP_READ) != 0) {
            if (reader != null) {
                readable = true;
                LockSupport.unpark(reader);
            } else {
                wanted &= ~SelectionKey.OP_READ; // nobody wants to know at present
                tellWanted();
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
    void leave() {
        ended = true;
        wakeAll();
    }

    /** The same, and the selector lets go of the channel. From any thread but a virtual one. */
    void end() {
        leave();
        Objects.requireNonNull(key).cancel();
        loop.forgetCancelled();
    }

    boolean hasEnded() {
        return ended;
    }

    private void want(int operations) {
        if (wanted != operations) {
            wanted = operations;
            if (!wantedIsLate) {
                wantedIsLate = true;
                loop.later(this::tellWanted);
            }
        }
    }

    private void tellWanted() {
        wantedIsLate = false;
        SelectionKey watched = Objects.requireNonNull(key);
        if (!ended) {
            try {
                watched.interestOps(wanted);
            } catch (CancelledKeyException gone) {
                wakeAll(); // closed by another thread at this moment
            }
        }
    }
}
