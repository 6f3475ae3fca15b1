package dev.headgate.lab.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A long line to a port of this machine. It listens on a port of its own, forwards the bytes of each connection both ways, and
 * delivers each byte half a round trip after it was read. As on a long and fast line, bytes that are sent without waiting arrive
 * together. At most {@value #MOST_UNDERWAY} bytes are under way in one direction of a connection; then it reads no more, and the
 * sender waits.
 *
 * <p>{@link #set} makes it a bad line while it runs, {@link #drop} and {@link #reset} end its connections.
 *
 * <p>Each direction of a connection has two platform threads. One reads chunks and notes when they are due; the other waits for
 * that time and writes. Connecting is not delayed.
 *
 * <p>The threads themselves take time, so {@link #to} calibrates: it sends single bytes to an echo through a link and past it,
 * shortens the delay by what the link added too much, and measures again.
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

    /** How long a calibration sends single bytes, and how many it sends at least and at most. */
    private static final Duration CALIBRATION = Duration.ofMillis(400);

    private static final long LEAST_BYTES = 9;
    private static final long MOST_BYTES = 500;
    private static final int CHUNK = 64 * 1024;

    /** The bytes that may be under way in one direction of a connection. */
    static final int MOST_UNDERWAY = 1 << 20;

    /** A line with little bandwidth is read in chunks of this part of a second, so that they arrive evenly. */
    private static final int CHUNKS_PER_SECOND = 100;

    /** How often a wait looks whether its connection has ended. */
    private static final long LOOK_NANOS = 50_000_000;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final long delayNanos;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Duration added;
    private volatile Faults faults = Faults.NONE;

    /** Some bytes on their way; none at the end of the stream. */
    private static final class Chunk {
        private final byte[] bytes;
        private final long dueNanos;

        Chunk(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    /** Opens a calibrated link to a port, and takes a second or two for that. */
    public static DelayedLink to(int target, Duration roundTrip) throws IOException {
        try (Echo echo = new Echo()) {
            Duration excess;
            try (DelayedLink trial = new DelayedLink(echo.port(), roundTrip.dividedBy(2))) {
                excess = echo.added(trial, roundTrip).minus(roundTrip);
            }
            Duration delay = roundTrip.minus(excess).dividedBy(2);
            Duration added;
            try (DelayedLink second = new DelayedLink(echo.port(), delay)) {
                added = echo.added(second, roundTrip);
            }
            return new DelayedLink(target, delay, added);
        }
    }

    /** Opens a link that is not calibrated. */
    DelayedLink(int target, Duration delay) throws IOException {
        this(target, delay, delay.multipliedBy(2));
    }

    private DelayedLink(int target, Duration delay, Duration added) throws IOException {
        this.target = target;
        this.delayNanos = Math.max(0, delay.toNanos());
        this.added = added;
        start("accept", this::accept);
    }

    /** The port of this machine at which it listens. */
    public int port() {
        return listener.getLocalPort();
    }

    /** How much longer the median round trip of a single byte is than past the link, as the calibration measured it. */
    public Duration added() {
        return added;
    }

    /** Makes the line as bad as this, from the next bytes that it reads. */
    public void set(Faults worse) {
        faults = worse;
    }

    /** Ends all connections, as a program does that closes them. New ones are taken. */
    public void drop() {
        open.forEach(this::end);
    }

    /** Ends all connections with an RST, as a crashed machine or a firewall does. New ones are taken. */
    public void reset() {
        Set<Socket> all = Set.copyOf(open);
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

    private static void start(String name, Runnable work) {
        Thread.ofPlatform().daemon().name("delayed-link-" + name).start(work);
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                keep(near);
                connect(near);
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void connect(Socket near) {
        try {
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            keep(far);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            AtomicInteger left = new AtomicInteger(2);
            new Direction(near, far, left).start();
            new Direction(far, near, left).start();
        } catch (IOException e) {
            end(near);
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
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone
        }
    }

    private final class Direction {

        private final Socket from;
        private final Socket to;

        /** Directions of this connection that have not ended. */
        private final AtomicInteger left;

        private final BlockingQueue<Chunk> underway = new LinkedBlockingQueue<>();
        private final Semaphore room = new Semaphore(MOST_UNDERWAY);
        private final Timetable timetable = new Timetable();

        Direction(Socket from, Socket to, AtomicInteger left) {
            this.from = from;
            this.to = to;
            this.left = left;
        }

        void start() {
            DelayedLink.start("read", this::read);
            DelayedLink.start("write", this::write);
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
            underway.add(new Chunk(new byte[0], due(0)));
        }

        /** In chunks of the bandwidth of now: a line that was wide when the read began may be narrow since. */
        private void send(byte[] buffer, int count) {
            int size;
            for (int at = 0; at < count; at += size) {
                size = Math.min(chunk(), count - at);
                room.acquireUninterruptibly(size);
                underway.add(new Chunk(Arrays.copyOfRange(buffer, at, at + size), due(size)));
            }
        }

        private int chunk() {
            long rate = faults.bytesPerSecond();
            return rate == 0 ? CHUNK : Math.clamp(rate / CHUNKS_PER_SECOND, 1, CHUNK);
        }

        private long due(int bytes) {
            return timetable.due(System.nanoTime(), delayNanos, bytes, faults);
        }

        private void write() {
            try {
                OutputStream out = to.getOutputStream();
                Chunk next = underway.take();
                while (next.bytes.length > 0) {
                    awaitDue(next);
                    deliver(out, next.bytes);
                    room.release(next.bytes.length);
                    next = underway.take();
                }
                awaitDue(next);
                if (!faults.blackHole() && !isReset(to)) {
                    to.shutdownOutput();
                }
            } catch (IOException e) {
                end(from); // nobody takes what comes from there
                room.release(CHUNK); // its reader may wait for room, and finds the end then
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
            if (left.decrementAndGet() == 0) {
                end(from);
                end(to);
            }
        }

        private void deliver(OutputStream out, byte[] bytes) throws IOException {
            Faults now = faults;
            if (now.blackHole()) {
                return;
            }
            int piece = now.piece() == 0 ? bytes.length : now.piece();
            for (int at = 0; at < bytes.length; at += piece) {
                out.write(bytes, at, Math.min(piece, bytes.length - at));
            }
        }

        private void awaitDue(Chunk chunk) {
            long spinNanos = delayNanos > LONG_NANOS ? 0 : SPIN_NANOS;
            for (long wait = chunk.dueNanos - System.nanoTime();
                    wait > 0 && !to.isClosed();
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
    public void close() throws IOException {
        listener.close();
        drop();
    }

    /** Sends back what it gets. */
    private record Echo(ServerSocket listener) implements AutoCloseable {

        Echo() throws IOException {
            this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            DelayedLink.start("echo", this::serve);
        }

        int port() {
            return listener.getLocalPort();
        }

        private void serve() {
            while (!listener.isClosed()) {
                try (Socket socket = listener.accept()) {
                    socket.setTcpNoDelay(true);
                    for (int one = socket.getInputStream().read();
                            one >= 0;
                            one = socket.getInputStream().read()) {
                        socket.getOutputStream().write(one);
                    }
                } catch (IOException e) {
                    // the next one, or closed
                }
            }
        }

        /** What a link to this echo adds to the round trip of one byte. */
        Duration added(DelayedLink link, Duration expected) throws IOException {
            long bytes = Math.clamp(CALIBRATION.dividedBy(expected.plusNanos(SPIN_NANOS)), LEAST_BYTES, MOST_BYTES);
            long direct = roundTripNanos(port(), bytes);
            return Duration.ofNanos(roundTripNanos(link.port(), bytes) - direct);
        }

        private static long roundTripNanos(int port, long bytes) throws IOException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setTcpNoDelay(true);
                long[] nanos = new long[(int) bytes];
                for (int i = 0; i < nanos.length; i++) {
                    long began = System.nanoTime();
                    socket.getOutputStream().write(1);
                    if (socket.getInputStream().read() != 1) {
                        throw new IOException("the echo answered something else");
                    }
                    nanos[i] = System.nanoTime() - began;
                }
                Arrays.sort(nanos);
                return nanos[nanos.length / 2];
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
