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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A long line to a port of this machine. It listens on a port of its own, forwards the bytes of each connection both ways, and
 * delivers each byte half a round trip after it was read. As on a long and fast line, nothing limits what is in flight: bytes
 * that are sent without waiting arrive together. What the receiver does not take waits in memory.
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

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final long delayNanos;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Duration added;

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
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    underway.add(new Chunk(Arrays.copyOf(buffer, count), System.nanoTime() + delayNanos));
                }
            } catch (IOException e) {
                // ends as a stream does
            }
            underway.add(new Chunk(new byte[0], System.nanoTime() + delayNanos));
        }

        private void write() {
            try {
                OutputStream out = to.getOutputStream();
                Chunk next = underway.take();
                while (next.bytes.length > 0) {
                    awaitDue(next);
                    out.write(next.bytes);
                    next = underway.take();
                }
                awaitDue(next);
                to.shutdownOutput();
            } catch (IOException e) {
                end(from); // nobody takes what comes from there
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
            if (left.decrementAndGet() == 0) {
                end(from);
                end(to);
            }
        }

        private void awaitDue(Chunk chunk) {
            long spinNanos = delayNanos > LONG_NANOS ? 0 : SPIN_NANOS;
            for (long wait = chunk.dueNanos - System.nanoTime(); wait > 0; wait = chunk.dueNanos - System.nanoTime()) {
                if (wait > spinNanos) {
                    LockSupport.parkNanos(wait - spinNanos);
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
        open.forEach(this::end);
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
