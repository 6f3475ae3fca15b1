package dev.headgate.wire.loop;

import dev.headgate.engine.NonBlockingThread;
import dev.headgate.engine.supervision.Supervisor;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread that polls a selector for its sockets and handles them one at a time, each to completion.
 *
 * <h2>Why one thread, and nothing that waits</h2>
 *
 * A relay does short work between long waits: a hundred bytes from the client, a hundred from the server. The thread that
 * learns that a socket is ready handles it at once, so a request wakes no other thread. The price is a rule: code on the
 * loop never waits for a socket, another task of this loop, or a lock whose holder may wait. The locks that tasks share with
 * other threads (the account of memory, a pool's record of leases) guard some hundred nanoseconds of counting; no task holds
 * the selector's. So the loop cannot wait for itself. Blocking work (opening a connection, a cancel, a
 * console command, the computation of a TLS handshake) runs on a virtual thread and returns as a task.
 *
 * <h2>A turn</h2>
 *
 * Waiting tasks, due timers, the selector, then each ready socket. A busy loop looks at the selector for some microseconds before it
 * sleeps there ({@link BusyPoll}). What one of them throws does not stop the loop: the supervisor
 * is told, and then the {@link Owner}, if there is one, which ends.
 *
 * <h2>In virtual time</h2>
 *
 * The selector and the clock are handed in, and a loop {@link #byHand} has no thread: a test that calls {@link #turn} decides when
 * a socket is ready, what time it is, and what happens between two turns.
 *
 * <p>Source: the reactor of Schmidt, "Reactor: An Object Behavioral Pattern for Demultiplexing and Dispatching Handles
 * for Synchronous Events" (1995).
 */
public final class Loop implements Executor, AutoCloseable {

    /** What tasks, timers and sockets belong to. On the loop's thread. */
    @FunctionalInterface
    public interface Owner {
        /** One of them failed through a defect in Headgate. */
        void failed(Throwable fault);
    }

    /** Called when a socket is ready. On the loop's thread. */
    public interface Ready extends Owner {
        /** @param operations of {@link SelectionKey} */
        void ready(int operations);
    }

    /** An action at an instant, unless it is {@link #cancel}led. Belongs to the loop's thread. */
    public final class Timer {
        private final long dueNanos;
        private @Nullable Runnable action;

        private Timer(long dueNanos, Runnable action) {
            this.dueNanos = dueNanos;
            this.action = action;
        }

        /** Does nothing if it has run or was cancelled. */
        public void cancel() {
            if (action != null) {
                action = null;
                cancelled++;
                dropCancelled();
            }
        }
    }

    private static final class LoopThread extends Thread implements NonBlockingThread {
        LoopThread(String name, Runnable task) {
            super(null, task, name);
            setDaemon(true);
        }
    }

    private static final Logger LOG = System.getLogger(Loop.class.getName());

    /** The most bytes of one read. */
    private static final int SCRATCH = 64 * 1024;

    /** So many cancelled timers may stay until they are due. */
    private static final int FEW_TIMERS = 64;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final String name;
    private final Selector selector;

    /** The clock, as {@link System#nanoTime}. */
    private final LongSupplier clock;

    private final Supervisor supervisor;
    private final Thread thread;
    private final byte[] scratch = new byte[SCRATCH];
    private final TlsBuffers tlsBuffers = new TlsBuffers();

    /** Tasks from the loop's own thread. */
    private final ArrayDeque<Runnable> own = new ArrayDeque<>();

    /** Tasks from other threads. */
    private final ConcurrentLinkedQueue<Runnable> handed = new ConcurrentLinkedQueue<>();

    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong((Timer timer) -> timer.dueNanos));

    /** The cancelled ones among the timers. */
    private int cancelled;

    private final long beganNanos;
    private volatile boolean asleep;
    private volatile boolean closed;
    private long turn;
    private volatile long turns;
    private long now;

    /** A turn is in progress. Belongs to the loop's thread. */
    private boolean turning;

    /** The loop has selected, which may have taken long, and has called no handler since. */
    private boolean slept;

    private final @Nullable BusyPoll busyPoll;

    private final Consumer<SelectionKey> teller = this::tell;

    /**
     * @param turns the thread that turns it; null for one of its own
     * @param busyPoll null to sleep whenever nothing is to do
     */
    Loop(
            String name,
            Selector selector,
            LongSupplier clock,
            Supervisor supervisor,
            @Nullable Thread turns,
            @Nullable BusyPoll busyPoll) {
        this.name = name;
        this.selector = selector;
        this.clock = clock;
        this.supervisor = supervisor;
        this.beganNanos = clock.getAsLong();
        this.now = beganNanos;
        this.busyPoll = busyPoll;
        this.thread = turns == null ? new LoopThread(name, this::run) : turns;
    }

    /**
     * Starts a loop.
     *
     * @param name of the loop, of its thread and of its task under the supervisor
     * @param busyPolls whether it looks for its next message before it sleeps, while messages come fast
     */
    public static Loop open(String name, boolean busyPolls, Supervisor supervisor) throws IOException {
        Loop loop =
                new Loop(name, Selector.open(), System::nanoTime, supervisor, null, busyPolls ? new BusyPoll() : null);
        loop.thread.start();
        return loop;
    }

    /**
     * A loop without a thread of its own. The caller's thread turns it, by {@link #turn}.
     *
     * @param selector never waits, so that the caller can let time pass
     * @param clock as {@link System#nanoTime}
     */
    public static Loop byHand(String name, Selector selector, LongSupplier clock, Supervisor supervisor) {
        return new Loop(name, selector, clock, supervisor, Thread.currentThread(), null);
    }

    public String name() {
        return name;
    }

    public Thread thread() {
        return thread;
    }

    /** The number of turns so far. Any thread. */
    public long turns() {
        return turns;
    }

    /** Runs a task soon. Any thread. */
    @Override
    public void execute(Runnable task) {
        if (isCurrent()) {
            own.add(task);
        } else {
            handed.add(task);
            if (asleep) {
                selector.wakeup();
            }
        }
    }

    /** Runs a task of an owner soon. Any thread. */
    public void execute(Owner owner, Runnable task) {
        execute(() -> run(owner, task));
    }

    /** Whether the caller runs on this loop. */
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread) && turning;
    }

    /** What the clock says. Any thread. */
    public long nanoTime() {
        return clock.getAsLong();
    }

    // ---- for the loop's own thread

    /**
     * The instant ({@link #nanoTime}) at which the loop last woke: when the current turn began, or when its first socket
     * became ready.
     */
    public long now() {
        return now;
    }

    /** An array for one read. It is reused when the handler returns, which {@link #wipe wipes} it. */
    public byte[] scratch() {
        return scratch;
    }

    /** Overwrites the first bytes of {@link #scratch}: they may hold a password or a row, and the next read may be far. */
    public void wipe(int bytes) {
        Arrays.fill(scratch, 0, Math.min(bytes, scratch.length), (byte) 0);
    }

    TlsBuffers tlsBuffers() {
        return tlsBuffers;
    }

    /** Runs an action at the instant, or up to one millisecond later. */
    public Timer at(long nanos, Runnable action) {
        Timer timer = new Timer(nanos - beganNanos, action);
        timers.add(timer);
        return timer;
    }

    /** The same, for an owner. */
    public Timer at(Owner owner, long nanos, Runnable action) {
        return at(nanos, () -> run(owner, action));
    }

    /** Watches a non-blocking channel until it is closed. */
    public SelectionKey watch(SelectableChannel channel, int operations, Ready handler) throws IOException {
        return channel.register(selector, operations, handler);
    }

    // ---- the thread

    private void run() {
        supervisor.repeat(name, () -> closed, this::turnUntilClosed);
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, name + " was closed: " + e.getMessage());
        }
    }

    private void turnUntilClosed() throws IOException {
        while (!closed) {
            turn();
        }
    }

    /** Makes one turn. Only the loop's thread calls this: its own, or whose hand turns it. */
    public void turn() throws IOException {
        turning = true;
        now = nanoTime();
        for (int left = own.size(); left > 0; left--) {
            run(own.poll());
        }
        for (Runnable next = handed.poll(); next != null; next = handed.poll()) {
            run(next);
        }
        runTimers();
        turns = ++turn; // before it may wait for long
        slept = true;
        asleep = true;
        if (!own.isEmpty() || !handed.isEmpty() || closed) {
            selector.selectNow(teller);
        } else if (busyPoll == null || !busyPoll.isWorthIt(now) || !findsSoon(busyPoll)) {
            selector.select(teller, untilNextTimer());
        }
        asleep = false;
        turning = false;
    }

    /** Looks for ready sockets and tasks for a short time. Returns whether it found any, or else has to sleep. */
    @SuppressWarnings("ThreadPriorityCheck") // whether somebody else wants the core is what a yield is to tell
    private boolean findsSoon(BusyPoll poll) throws IOException {
        long began = now;
        long looked = began;
        while (selector.selectNow(teller) == 0) {
            if (!handed.isEmpty() || closed) {
                return true; // the wake-up that came with it is spent
            }
            long before = nanoTime();
            Thread.yield();
            looked = nanoTime();
            boolean wanted = looked - before > BusyPoll.YIELD_NANOS;
            if (wanted || looked - began >= BusyPoll.LONGEST_NANOS) {
                poll.looked(wanted, looked);
                return false;
            }
        }
        poll.looked(false, looked);
        return true;
    }

    private void runTimers() {
        for (Timer next = timers.peek(); next != null && next.dueNanos <= now - beganNanos; next = timers.peek()) {
            Runnable action = take();
            if (action != null) {
                run(action);
            }
        }
    }

    /** Removes the first timer. Null if it was cancelled. */
    private @Nullable Runnable take() {
        Timer first = timers.remove();
        Runnable action = first.action;
        first.action = null;
        if (action == null) {
            cancelled--;
        }
        return action;
    }

    /**
     * A cancelled timer stays until it is due, which may be long: a request's deadline is minutes away when the request has ended.
     * Once most are cancelled they are removed together, which costs each a few steps.
     */
    private void dropCancelled() {
        if (cancelled > FEW_TIMERS && cancelled > timers.size() / 2) {
            timers.removeIf(timer -> timer.action == null);
            cancelled = 0;
        }
    }

    /** The number of timers, for tests. Cancelled ones count until they are dropped. */
    public int timers() {
        return timers.size();
    }

    /** In milliseconds; 0 for none. */
    private long untilNextTimer() {
        Timer next = timers.peek();
        while (next != null && next.action == null) {
            Runnable _ = take();
            next = timers.peek();
        }
        return next == null ? 0 : Math.max(1, (next.dueNanos - (nanoTime() - beganNanos)) / NANOS_PER_MILLI + 1);
    }

    private void run(@Nullable Runnable task) {
        if (task != null) {
            try {
                task.run();
            } catch (RuntimeException | Error fault) {
                supervisor.failed(name, fault);
            }
        }
    }

    private void run(Owner owner, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error fault) {
            failed(owner, fault);
        }
    }

    private void failed(Owner owner, Throwable fault) {
        supervisor.failed(name, fault);
        boolean _ = supervisor.run(name, () -> owner.failed(fault));
    }

    private void tell(SelectionKey key) {
        if (slept) {
            slept = false;
            long woke = nanoTime();
            if (busyPoll != null) {
                busyPoll.waited(woke - now);
            }
            now = woke;
        }
        Ready handler = (Ready) key.attachment();
        try {
            handler.ready(key.readyOps());
        } catch (CancelledKeyException gone) {
            // closed by another handler of this turn
        } catch (RuntimeException | Error fault) {
            failed(handler, fault);
        }
    }

    /** Ends the thread. Tasks that have not begun never run. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
