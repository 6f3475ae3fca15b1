package dev.headgate.engine.meter;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a non-blocking channel is ready for one operation. It uses a selector of its own, opened on first use. One
 * thread waits at a time; others queue behind it.
 *
 * <p>As with a plain socket, an interrupt neither ends the wait nor harms the channel: the flag is cleared while the thread
 * waits and set again afterwards. A virtual thread releases its carrier during the wait (the JDK polls the selector for it).
 *
 * <p>Any thread may call {@link #close}, which does not wait: if a thread waits, that thread closes the selector when it leaves.
 */
final class Readiness {

    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int CLOSED = 2;

    private final SocketChannel channel;
    private final int operation;
    private final AtomicInteger state = new AtomicInteger(IDLE);
    private final ReentrantLock turn = new ReentrantLock();

    /** Belongs to the thread that moved the state away from idle. */
    private volatile @Nullable Selector selector;

    Readiness(SocketChannel channel, int operation) {
        this.channel = channel;
        this.operation = operation;
    }

    /**
     * Waits until the channel is ready.
     *
     * @param timeoutMillis 0 for ever
     * @return whether the channel is ready; false after the timeout
     * @throws SocketException if the channel is closed, also while waiting
     */
    boolean await(long timeoutMillis) throws IOException {
        turn.lock();
        try {
            if (!state.compareAndSet(IDLE, WAITING)) {
                throw closed();
            }
            boolean interrupted = false;
            try {
                Selector waitingOn = opened();
                long began = timeoutMillis > 0 ? System.nanoTime() : 0;
                for (long left = timeoutMillis; ; ) {
                    // after the selector is set: either this check sees the close, or the closing thread sees the
                    // selector
                    if (state.get() == CLOSED || !channel.isOpen()) {
                        throw closed();
                    }
                    interrupted |= Thread.interrupted();
                    if (waitingOn.select(key -> {}, left) > 0) {
                        return true;
                    }
                    if (timeoutMillis > 0) {
                        left = timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                        if (left <= 0) {
                            return false;
                        }
                    }
                }
            } catch (ClosedChannelException | CancelledKeyException e) {
                throw closed();
            } finally {
                if (!state.compareAndSet(WAITING, IDLE)) {
                    closeSelector();
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        } finally {
            turn.unlock();
        }
    }

    private Selector opened() throws IOException {
        Selector present = selector;
        if (present == null) {
            present = Selector.open();
            selector = present;
            channel.register(present, operation);
        }
        return present;
    }

    private static SocketException closed() {
        return new SocketException("Socket closed");
    }

    /** Ends the current wait and every later one. */
    void close() {
        int before = state.getAndSet(CLOSED);
        if (before == IDLE) {
            closeSelector();
        } else if (before == WAITING) {
            Selector waitedOn = selector;
            if (waitedOn != null) {
                waitedOn.wakeup();
            }
        }
    }

    private void closeSelector() {
        Selector present = selector;
        if (present != null) {
            try {
                present.close();
            } catch (IOException e) {
                // nothing is left to close
            }
        }
    }
}
