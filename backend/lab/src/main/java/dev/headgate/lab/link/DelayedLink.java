package dev.headgate.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A long line to a port, of this machine or another. It listens on a port of its own, forwards the bytes of each connection both
 * ways, and delivers each byte half a round trip after it was read. As on a long and fast line, bytes that are sent without
 * waiting arrive together. At most {@value #MOST_UNDERWAY} bytes are under way in one direction of a connection; then it reads no
 * more, and the sender waits.
 *
 * <p>{@link #set} makes it a bad line while it runs, {@link #drop} and {@link #reset} end its connections, {@link #clear} mends it.
 * The bytes of a TCP stream never go on past a gap, so a connection that lost bytes in a black hole is reset when that ends.
 *
 * <p>Each direction of a connection has two platform threads. One reads chunks and notes when they are due; the other waits for
 * that time and writes. Connecting is not delayed.
 *
 * <p>The threads themselves take time, so {@link #to} calibrates: it sends single bytes to an echo through a link and past it, changes
 * the delay by what the link added too much or too little, and measures again, until that is as wished for.
 *
 * <pre>{@code
 * try (DelayedLink link = DelayedLink.to(5432, Duration.ofMillis(1))) {
 *     connect(link.port());
 * }
 * }</pre>
 */
public final class DelayedLink implements AutoCloseable {

    /** {@link LockSupport#parkNanos} wakes some 60 microseconds late. The last part of a short delay is spent spinning. */
    private static final long SPIN_NANOS = 50_000;

    /**
     * A longer delay is spent without spinning, which would take the cores from what is measured: it ends late by about the same time
     * each time, and calibration subtracts that.
     */
    private static final long LONG_NANOS = 250_000;

    /** How long a trial of a calibration sends single bytes, and how many it sends at least and at most. */
    private static final Duration TRIAL = Duration.ofMillis(200);

    private static final int LEAST_BYTES = 5;
    private static final int MOST_BYTES = 500;

    private static final int MOST_TRIALS = 5;

    /** A delay this near to what is wished for, as a share of it, is not corrected any more. */
    private static final double NEAR = 0.05;

    /** A longer delay is calibrated by this one, to which a link adds as much. */
    private static final Duration LONGEST_TRIAL = Duration.ofMillis(50);

    private static final int CHUNK = 64 * 1024;

    /** The bytes that may be under way in one direction of a connection. */
    static final int MOST_UNDERWAY = 1 << 20;

    /** What a chunk costs of that, beside its bytes: where they are few, it is most of the memory that they take. */
    private static final int CHUNK_COST = 64;

    /** A line with little bandwidth is read in chunks of this part of a second, so that they arrive evenly. */
    private static final int CHUNKS_PER_SECOND = 100;

    /** How often a wait looks whether its connection has ended. */
    private static final long LOOK_NANOS = 50_000_000;

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Those of connections that lost bytes. */
    private final Set<Socket> gapped = ConcurrentHashMap.newKeySet();

    private volatile Delay delay;
    private volatile Faults faults = Faults.NONE;

    /** How often it was cleared. A chunk from before the last time is due at once. */
    private final AtomicInteger clears = new AtomicInteger();

    private final AtomicInteger connected = new AtomicInteger();
    private final LongAdder connections = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder there = new LongAdder();
    private final LongAdder back = new LongAdder();
    private final LongAdder vanished = new LongAdder();

    /** @param added to the median round trip of one byte */
    record Delay(long oneWayNanos, Duration added) {

        static final Delay NONE = of(Duration.ZERO);

        /** Not calibrated. */
        static Delay of(Duration oneWay) {
            return new Delay(Math.max(0, oneWay.toNanos()), oneWay.multipliedBy(2));
        }

        static Delay calibrated(Duration roundTrip) throws IOException {
            Duration tried = roundTrip.compareTo(LONGEST_TRIAL) < 0 ? roundTrip : LONGEST_TRIAL;
            Duration more = roundTrip.minus(tried);
            int bytes = Math.clamp(TRIAL.dividedBy(tried.plusNanos(SPIN_NANOS)), LEAST_BYTES, MOST_BYTES);
            try (Echo echo = new Echo();
                    DelayedLink link = new DelayedLink(echo.port(), Duration.ZERO)) {
                Echo.warmUp(echo.port());
                Echo.warmUp(link.port());
                long direct = Echo.roundTrips(echo.port(), MOST_BYTES).medianNanos();
                Delay nearest = nearest(tried.toNanos(), oneWayNanos -> {
                    link.delay = of(Duration.ofNanos(oneWayNanos));
                    return Echo.roundTrips(link.port(), bytes).medianNanos() - direct;
                });
                return new Delay(nearest.oneWayNanos + more.toNanos() / 2, nearest.added.plus(more));
            }
        }

        /** Tells what a link with this delay adds to the round trip of one byte. */
        @FunctionalInterface
        interface Trial {
            long addedNanos(long oneWayNanos) throws IOException;
        }

        /** Corrects the delay until the link adds what is wished for; the nearest of all that were tried. */
        static Delay nearest(long wishedNanos, Trial trial) throws IOException {
            long oneWayNanos = wishedNanos / 2;
            long least = Long.MAX_VALUE;
            Delay nearest = NONE;
            for (int i = 0; i < MOST_TRIALS && least > NEAR * wishedNanos; i++) {
                long addedNanos = trial.addedNanos(oneWayNanos);
                long excessNanos = addedNanos - wishedNanos;
                if (Math.abs(excessNanos) < least) {
                    least = Math.abs(excessNanos);
                    nearest = new Delay(oneWayNanos, Duration.ofNanos(addedNanos));
                }
                oneWayNanos = Math.max(0, oneWayNanos - excessNanos / 2);
            }
            return nearest;
        }
    }

    /** Some bytes on their way; none at the end of the stream. */
    private static final class Chunk {
        private final byte[] bytes;
        private final long dueNanos;
        private final int clears;

        Chunk(byte[] bytes, long dueNanos, int clears) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
            this.clears = clears;
        }
    }

    /** Opens a calibrated link to a port of this machine, and takes up to two seconds for that. */
    public static DelayedLink to(int target, Duration roundTrip) throws IOException {
        return new DelayedLink(0, loopback(target), Delay.calibrated(roundTrip));
    }

    /**
     * Opens a link without a delay.
     *
     * @param port of this machine at which it listens
     */
    static DelayedLink at(int port, InetSocketAddress target) throws IOException {
        return new DelayedLink(port, target, Delay.NONE);
    }

    /** Opens a link that is not calibrated. */
    DelayedLink(int target, Duration oneWay) throws IOException {
        this(0, loopback(target), Delay.of(oneWay));
    }

    private DelayedLink(int port, InetSocketAddress target, Delay delay) throws IOException {
        this.listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        this.delay = delay;
        run("accept", this::accept);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** The port of this machine at which it listens. */
    public int port() {
        return listener.getLocalPort();
    }

    /**
     * How much longer the median round trip of a single byte is than past the link, as the calibration measured it: within a twentieth
     * of what was wished for, or as near to it as it came.
     */
    public Duration added() {
        return delay.added;
    }

    /** Makes round trips longer by another time, from the next bytes that it reads. Calibrates, which takes up to two seconds. */
    void delay(Duration roundTrip) throws IOException {
        delay = roundTrip.isZero() ? Delay.NONE : Delay.calibrated(roundTrip);
    }

    /** Makes the line as bad as this, from the next bytes that it reads. */
    public void set(Faults worse) {
        faults = worse;
        if (!worse.blackHole()) {
            reset(gapped);
        }
    }

    /** Ends the delay and all faults. What is under way arrives at once. */
    public void clear() {
        delay = Delay.NONE;
        set(Faults.NONE);
        clears.incrementAndGet();
    }

    /** Ends all connections, as a program does that closes them. New ones are taken. */
    public void drop() {
        open.forEach(this::end);
    }

    /** Ends all connections with an RST, as a crashed machine or a firewall does. New ones are taken. */
    public void reset() {
        reset(open);
    }

    private void reset(Set<Socket> sockets) {
        Set<Socket> all = Set.copyOf(sockets);
        all.forEach(DelayedLink::markReset); // first all of them: the end of one side ends the other
        all.forEach(this::end);
    }

    private static void markReset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // it is gone
        }
    }

    private static boolean isReset(Socket socket) throws IOException {
        return socket.getSoLinger() == 0;
    }

    /** What has passed through it until now. */
    public Traffic traffic() {
        return new Traffic(connected.get(), connections.sum(), refused.sum(), there.sum(), back.sum(), vanished.sum());
    }

    static void start(String name, Runnable work) {
        Thread.ofPlatform().daemon().name("delayed-link-" + name).start(work);
    }

    /** If one of its threads fails, the link is closed: nobody shall measure over a link of which a part is missing. */
    private void run(String name, Runnable work) {
        start(name, () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                close();
                throw e;
            }
        });
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                keep(near);
                run("connect", () -> connect(near)); // a target that does not answer keeps nobody else waiting
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void connect(Socket near) {
        Socket far = new Socket();
        try {
            far.connect(target);
        } catch (IOException e) {
            refused.increment();
            end(near);
            end(far);
            return;
        }
        keep(far);
        try {
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            connections.increment();
            connected.incrementAndGet();
            AtomicInteger left = new AtomicInteger(2);
            new Direction(near, far, there, left).start();
            new Direction(far, near, back, left).start();
        } catch (IOException e) {
            end(near);
            end(far);
        }
    }

    /** A socket that comes while the link is closed is ended here, as {@link #close} may have missed it. */
    private void keep(Socket socket) {
        open.add(socket);
        if (listener.isClosed()) {
            end(socket);
        }
    }

    private void end(Socket socket) {
        open.remove(socket);
        gapped.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone
        }
    }

    private final class Direction {

        private final Socket from;
        private final Socket to;
        private final LongAdder delivered;

        /** Directions of this connection that have not ended. */
        private final AtomicInteger left;

        private final BlockingQueue<Chunk> underway = new LinkedBlockingQueue<>();
        private final Semaphore room = new Semaphore(MOST_UNDERWAY);
        private Timetable timetable = new Timetable();
        private int clearsOfTimetable;

        Direction(Socket from, Socket to, LongAdder delivered, AtomicInteger left) {
            this.from = from;
            this.to = to;
            this.delivered = delivered;
            this.left = left;
        }

        void start() {
            run("read", this::read);
            run("write", this::write);
        }

        private void read() {
            byte[] buffer = new byte[CHUNK];
            try {
                InputStream in = from.getInputStream();
                for (int count = in.read(buffer, 0, chunk()); count >= 0; count = in.read(buffer, 0, chunk())) {
                    send(buffer, count);
                }
            } catch (IOException e) {
                // ends as a stream does
            }
            underway.add(timed(new byte[0]));
        }

        /** In chunks of the bandwidth of now: a line that was wide when the read began may be narrow since. */
        private void send(byte[] buffer, int count) {
            int size;
            for (int at = 0; at < count; at += size) {
                size = Math.min(chunk(), count - at);
                room.acquireUninterruptibly(size + CHUNK_COST);
                underway.add(timed(Arrays.copyOfRange(buffer, at, at + size)));
            }
        }

        private int chunk() {
            long rate = faults.bytesPerSecond();
            return rate == 0 ? CHUNK : Math.clamp(rate / CHUNKS_PER_SECOND, 1, CHUNK);
        }

        private Chunk timed(byte[] bytes) {
            int now = clears.get(); // before the delay and the faults: timed by former ones, it is due at once
            if (now != clearsOfTimetable) {
                timetable = new Timetable();
                clearsOfTimetable = now;
            }
            return new Chunk(bytes, timetable.due(System.nanoTime(), delay.oneWayNanos, bytes.length, faults), now);
        }

        private void write() {
            try {
                OutputStream out = to.getOutputStream();
                Chunk next = underway.take();
                while (next.bytes.length > 0) {
                    awaitDue(next);
                    deliver(out, next.bytes);
                    room.release(next.bytes.length + CHUNK_COST);
                    next = underway.take();
                }
                awaitDue(next);
                if (faults.blackHole()) {
                    noteGap();
                } else if (!isReset(to)) {
                    to.shutdownOutput();
                }
            } catch (IOException e) {
                end(from); // nobody takes what comes from there
                room.release(CHUNK + CHUNK_COST); // its reader may wait for room, and finds the end then
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
            if (left.decrementAndGet() == 0) {
                connected.decrementAndGet();
                end(from);
                end(to);
            }
        }

        private void deliver(OutputStream out, byte[] bytes) throws IOException {
            Faults now = faults;
            if (now.blackHole()) {
                vanished.add(bytes.length);
                noteGap();
                return;
            }
            int piece = now.piece() == 0 ? bytes.length : now.piece();
            for (int at = 0; at < bytes.length; at += piece) {
                out.write(bytes, at, Math.min(piece, bytes.length - at));
            }
            delivered.add(bytes.length);
        }

        /** If the black hole ends meanwhile, this may come after its end's look at the gaps. */
        private void noteGap() {
            for (Socket socket : List.of(from, to)) {
                if (open.contains(socket)) {
                    gapped.add(socket);
                }
            }
            if (!faults.blackHole()) {
                reset(gapped);
            }
        }

        private void awaitDue(Chunk chunk) {
            long spinNanos = delay.oneWayNanos > LONG_NANOS ? 0 : SPIN_NANOS;
            for (long wait = chunk.dueNanos - System.nanoTime();
                    wait > 0 && !to.isClosed() && chunk.clears == clears.get();
                    wait = chunk.dueNanos - System.nanoTime()) {
                if (wait > spinNanos) {
                    LockSupport.parkNanos(Math.min(wait - spinNanos, LOOK_NANOS));
                } else {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Ends all connections at once. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            // it is closed
        }
        drop();
    }
}
