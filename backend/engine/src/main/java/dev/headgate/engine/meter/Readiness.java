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
 * Waits until a channel that does not block is ready for one operation, by a selector of its own, which is opened when first
 * needed. One thread waits at a time, others queue behind it.
 *
 * <p>An interrupt neither ends the wait nor harms the channel, as with a plain socket: the flag is cleared while the thread
 * waits and set again when it goes on. A virtual thread gives its carrier up meanwhile (the JDK polls the selector for it).
 *
 * <p>{@link #close} is for any thread and waits for nobody: where a thread waits, that one closes the selector as it leaves.
 */
final class Readiness {

    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int CLOSED = 2;

    private final SocketChannel channel;
    private final int operation;
    private final AtomicInteger state = new AtomicInteger(IDLE);
    private final ReentrantLock turn = new ReentrantLock();

    /** Belongs to whoever moved the state away from idle. */
    private volatile @Nullable Selector selector;

    Readiness(SocketChannel channel, int operation) {
        this.channel = channel;
        this.operation = operation;
    }

    /**
     * Waits.
     *
     * @param timeoutMillis 0 for ever
     * @return whether the channel is ready; if not, the time is over
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
                    // after the selector is set: whoever closes either is seen here or sees the selector
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

    /** Ends the wait of whoever waits, and every later one. */
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
