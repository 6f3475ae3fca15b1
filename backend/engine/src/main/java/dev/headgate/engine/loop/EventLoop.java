package dev.headgate.engine.loop;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.reflect.Constructor;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
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
 * others waiting. Fair by taking turns: continuations that are ready run once each, then chores, then the selector is
 * asked. A turn takes place at least every {@value #MOST_SLEEP_MILLIS} ms. Whatever a continuation or a chore throws, the
 * loop goes on.
 *
 * <h2>Who may enter a monitor</h2>
 *
 * A selector and its channels synchronize on monitors of their own: in wakeup, cancel, register, close, and where interest
 * changes. This loop's thread enters them too. A virtual thread that waits for a monitor is unmounted, and is then the
 * next to get it, before a thread of the operating system that came later. If that is the thread of its own loop, each
 * waits for the other for ever. So only threads of the operating system enter these monitors, and a virtual thread, of
 * whatever scheduler, hands such work over by {@link #later} or {@link #ask}.
 *
 * <p>Source: the reactor of Schmidt, "Reactor: An Object Behavioral Pattern for Demultiplexing and Dispatching Handles
 * for Synchronous Events" (1995), with continuations for handlers.
 */
public final class EventLoop implements Executor, AutoCloseable {

    /** How late a timeout may be noticed. */
    private static final long TICK_MILLIS = 100;

    /** How long a loop sleeps at most, so that one whose turns are counted is known to be alive. */
    private static final long MOST_SLEEP_MILLIS = 250;

    /** After a failure of the selector, or a loop would do nothing but fail. */
    private static final long RECOVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long REPORT_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = System.getLogger(EventLoop.class.getName());

    private static final ScopedValue<EventLoop> CURRENT = ScopedValue.newInstance();

    private final Constructor<?> builders;
    private final String name;
    private final Selector selector;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> ready = new ConcurrentLinkedQueue<>();

    /** Work for this loop's own thread, of threads that may not do it. */
    private final ConcurrentLinkedQueue<Runnable> chores = new ConcurrentLinkedQueue<>();

    private final AtomicLong turns = new AtomicLong();
    private volatile boolean asleep;
    private volatile boolean closed;

    /** No turn will come any more. */
    private volatile boolean ended;

    private long reportedNanos = System.nanoTime() - REPORT_EVERY_NANOS;

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

    /**
     * Has this loop's thread run a task, before it next waits. From any thread; does not block. Where the loop has ended,
     * the task runs at once on the calling thread.
     */
    void later(Runnable task) {
        chores.add(task);
        if (ended) {
            doChores();
        } else if (asleep) {
            if (Thread.currentThread().isVirtual()) {
                // The JDK pins a virtual thread while it calls execute, so that it waits for the selector's monitor
                // mounted.
                start("wakes-" + name, () -> {});
            } else {
                selector.wakeup();
            }
        }
    }

    /** What a task answers that must not run on a virtual thread: on this loop's thread if called by one, else at once. */
    <T> T ask(Task<T> task) throws IOException {
        if (!Thread.currentThread().isVirtual()) {
            return task.run();
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        later(() -> {
            try {
                answer.complete(task.run());
            } catch (IOException | RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException failed) {
                throw failed;
            }
            throw e;
        }
    }

    /** Something to ask of a loop's thread. */
    @FunctionalInterface
    interface Task<T> {
        T run() throws IOException;
    }

    private void run() {
        while (!closed) {
            try {
                turn();
            } catch (Throwable e) {
                survive(e);
                LockSupport.parkNanos(RECOVERY_NANOS);
            }
        }
        ended = true;
        doChores();
        try {
            selector.close();
        } catch (IOException e) {
            survive(e);
        }
    }

    private void turn() throws IOException {
        turns.lazySet(turns.getPlain() + 1);
        for (int left = ready.size(); left > 0; left--) {
            Runnable next = ready.poll();
            if (next == null) {
                break;
            }
            attempt(next);
        }
        doChores();
        await();
    }

    private void doChores() {
        for (Runnable next = chores.poll(); next != null; next = chores.poll()) {
            attempt(next);
        }
    }

    private void attempt(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            survive(e);
        }
    }

    /** Logs on another thread: a virtual thread of this loop may wait for a lock of the log. */
    private void survive(Throwable failure) {
        long now = System.nanoTime();
        if (now - reportedNanos >= REPORT_EVERY_NANOS) {
            reportedNanos = now;
            try {
                Thread.ofPlatform()
                        .daemon()
                        .name(name + "-reports")
                        .start(() -> LOG.log(Logger.Level.ERROR, name + " goes on after a failure", failure));
            } catch (OutOfMemoryError e) {
                // no thread can be had: to go on is worth more than to say why
            }
        }
    }

    private void await() throws IOException {
        asleep = true;
        try {
            if (ready.isEmpty() && chores.isEmpty() && !closed) {
                selector.select(EventLoop::tell, timed > 0 ? TICK_MILLIS : MOST_SLEEP_MILLIS);
            } else {
                selector.selectNow(EventLoop::tell);
            }
        } finally {
            asleep = false;
        }
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

    /** Has a channel watched that does not block. On this loop's thread, and not on a virtual one. */
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

    /**
     * Lets go of channels that are closed: the selector holds them until it looks again. From any thread but a virtual one.
     */
    void forgetCancelled() {
        selector.wakeup();
    }

    public String name() {
        return name;
    }

    /** The thread that runs it all. */
    public Thread thread() {
        return thread;
    }

    Selector selector() {
        return selector;
    }

    /** How often it has run what was ready and asked the selector. */
    public long turns() {
        return turns.get();
    }

    void timedWait(int more) {
        timed += more;
    }

    /**
     * Ends the thread, within {@value #MOST_SLEEP_MILLIS} ms; virtual threads that are left do not run any more. Does not
     * wait for it.
     */
    @Override
    public void close() {
        closed = true;
    }
}
