package dev.headgate.engine.loop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One thread of the operating system that runs virtual threads and waits for their sockets.
 *
 * <h2>Why</h2>
 *
 * A relay is short work between long waits: a hundred bytes from the client, a hundred from the server. On the JDK's own
 * scheduler each wait that ends costs two wake-ups of operating-system threads, the poller's and then a carrier's, and a
 * request has two waits. On two cores that was most of its time: 100 microseconds more than PgBouncer, which is one thread
 * around epoll. Here the thread that learns from the selector that a socket is ready runs the virtual thread that waited
 * for it, itself, at once. The code stays what it was, a sequence of blocking reads and writes; that is the point of
 * doing it below it, and not by turning the protocol into callbacks.
 *
 * <h2>How</h2>
 *
 * Virtual threads take a scheduler, an {@link Executor} of their continuations, though not by a public method yet: the
 * constructor of their builder is looked up by reflection, for which the JVM must be started with
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED}. Where it is not, or where a JDK has none, {@link #open} says so and
 * the caller uses ordinary virtual threads: everything works then, slower. A {@link ChannelSocket} waits by this loop's
 * selector when it is read by one of this loop's threads, and as any socket when it is read by another.
 *
 * <p>What runs here shares one thread: it may block in every way a virtual thread may, but long computations keep the
 * others waiting. Fair by taking turns: continuations that are ready run once each, then the selector is asked.
 *
 * <p>Source: the reactor of Schmidt, "Reactor: An Object Behavioral Pattern for Demultiplexing and Dispatching Handles
 * for Synchronous Events" (1995), with continuations for handlers.
 */
public final class EventLoop implements Executor, AutoCloseable {

    /** How late a timeout may be noticed. */
    private static final long TICK_MILLIS = 100;

    private static final ScopedValue<EventLoop> CURRENT = ScopedValue.newInstance();

    private final Constructor<?> builders;
    private final String name;
    private final Selector selector;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> ready = new ConcurrentLinkedQueue<>();
    private volatile boolean asleep;
    private volatile boolean closed;

    /** Waits that have a deadline; this thread's. */
    private int timed;

    private long nextTickNanos;

    private EventLoop(String name, Constructor<?> builders, Selector selector) {
        this.name = name;
        this.builders = builders;
        this.selector = selector;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    /** Starts a loop; empty where the JVM does not let virtual threads have a scheduler of one's own. */
    public static Optional<EventLoop> open(String name) throws IOException {
        Constructor<?> builders;
        try {
            builders = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            builders.setAccessible(true);
        } catch (ReflectiveOperationException | RuntimeException closedToUs) {
            return Optional.empty();
        }
        EventLoop loop = new EventLoop(name, builders, Selector.open());
        loop.thread.start();
        return Optional.of(loop);
    }

    /** The loop that the calling virtual thread runs on; null for every other thread. */
    static @Nullable EventLoop current() {
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    /** A virtual thread like the calling one: on the same loop if it runs on one. It runs from now on. */
    public static Thread startBeside(String name, Runnable task) {
        EventLoop loop = current();
        return loop != null
                ? loop.start(name, task)
                : Thread.ofVirtual().name(name).start(task);
    }

    /** Starts a virtual thread on this loop. From any thread. */
    public Thread start(String threadName, Runnable task) {
        Thread.Builder.OfVirtual builder;
        try {
            builder = (Thread.Builder.OfVirtual) builders.newInstance(this);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads took a scheduler a moment ago", e);
        }
        return builder.name(threadName)
                .start(() -> ScopedValue.where(CURRENT, this).run(task));
    }

    /** Runs a continuation, soon. Called by the JDK, from any thread. */
    @Override
    public void execute(Runnable continuation) {
        ready.add(continuation);
        if (asleep && !thread.equals(Thread.currentThread())) {
            selector.wakeup();
        }
    }

    private void run() {
        try {
            while (!closed) {
                for (int turn = ready.size(); turn > 0; turn--) {
                    Runnable next = ready.poll();
                    if (next == null) {
                        break;
                    }
                    next.run();
                }
                await();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    private void await() throws IOException {
        asleep = true;
        if (ready.isEmpty() && !closed) {
            selector.select(EventLoop::tell, timed > 0 ? TICK_MILLIS : 0);
        } else {
            selector.selectNow(EventLoop::tell);
        }
        asleep = false;
        if (timed > 0) {
            long now = System.nanoTime();
            if (now - nextTickNanos >= 0) {
                nextTickNanos = now + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
                for (SelectionKey key : selector.keys()) {
                    ((Waits) key.attachment()).expire(now);
                }
            }
        }
    }

    private static void tell(SelectionKey key) {
        Waits waits = (Waits) key.attachment();
        try {
            waits.ready(key.readyOps());
        } catch (CancelledKeyException gone) {
            waits.wakeAll();
        }
    }

    /** Has a channel watched; on this loop's thread. The channel does not block from now on. */
    Waits watch(SocketChannel channel) throws IOException {
        Waits waits = new Waits(this);
        try {
            waits.key = channel.register(selector, 0, waits);
        } catch (CancelledKeyException stillLeaving) {
            selector.selectNow(EventLoop::tell);
            waits.key = channel.register(selector, 0, waits);
        }
        return waits;
    }

    /** Lets go of channels that are closed: the selector holds them until it looks again. From any thread. */
    void forgetCancelled() {
        selector.wakeup();
    }

    void timedWait(int more) {
        timed += more;
    }

    /** Ends the thread; virtual threads that are left do not run any more. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
