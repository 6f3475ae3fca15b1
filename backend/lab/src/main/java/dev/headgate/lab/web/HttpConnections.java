package dev.headgate.lab.web;

import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests at times that are fixed before, over many open connections. A request's latency counts from its time in the
 * schedule, so a service that falls behind does not slow the schedule down and cannot hide it ("coordinated omission").
 *
 * <p>A connection carries one request at a time, and the one that has been idle for longest carries the next, so requests go round all
 * of them. If none is idle, the request waits, and its latency includes that.
 *
 * <p>The caller's thread sends, another one reads. How late requests were sent although a connection was idle, and which share of a core the
 * two threads took, tells whether this generator was the bottleneck. Belongs to one thread.
 */
public final class HttpConnections implements AutoCloseable {

    private static final int BUFFER = 64 * 1024;
    private static final long LOST_SECONDS = 30;
    private static final long MOST_MICROS = TimeUnit.MINUTES.toMicros(2);

    private static final int OK = 200;

    /** A pause follows so many new connections, so that the listener's queue does not overflow. */
    private static final int CONNECTS_AT_ONCE = 200;

    private static final int CONNECT_PAUSE_MILLIS = 20;

    private final Supplier<byte[]> requests;
    private final Selector selector = Selector.open();
    private final LinkedBlockingQueue<Connection> idle = new LinkedBlockingQueue<>();
    private final List<Connection> connections = new ArrayList<>();
    private final Thread reader;
    private volatile Recording recording = new Recording();
    private volatile boolean ended;

    /**
     * What came of a load.
     *
     * @param micros the latencies, from the schedule to the last byte of the answer
     * @param lateMicros how much later than scheduled requests were sent over idle connections
     * @param failure the first of the failed
     * @param cores that this generator used
     */
    public record Load(
            double seconds,
            Histogram micros,
            Histogram lateMicros,
            int failed,
            @Nullable String failure,
            double cores) {

        public double perSecond() {
            return micros.getTotalCount() / seconds;
        }

        public double millisAt(double percentile) {
            return micros.getValueAtPercentile(percentile) / 1e3;
        }
    }

    /** One load while it runs. The reader writes the latencies, the sender the rest. */
    private static final class Recording {
        private final Histogram micros = new Histogram(MOST_MICROS, 3);
        private final Histogram lateMicros = new Histogram(MOST_MICROS, 3);
        private final AtomicInteger underway = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private volatile @Nullable String failure;

        void fail(String why) {
            if (failed.getAndIncrement() == 0) {
                failure = why;
            }
        }
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final HttpAnswer answer = new HttpAnswer();

        /** When the request that it carries was due; 0 while it is idle. Whoever sets it to 0 ends the request. */
        private final AtomicLong dueNanos = new AtomicLong();

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /**
     * Opens the connections; blocks for a second for each ten thousand.
     *
     * @param requests gives the next request as a whole HTTP message
     */
    public HttpConnections(int port, int count, Supplier<byte[]> requests) throws IOException, InterruptedException {
        this.requests = requests;
        try {
            for (int i = 0; i < count; i++) {
                if (i % CONNECTS_AT_ONCE == CONNECTS_AT_ONCE - 1) {
                    Thread.sleep(CONNECT_PAUSE_MILLIS);
                }
                connections.add(connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
            }
        } catch (InterruptedException e) {
            closeAll();
            throw e;
        } catch (IOException e) {
            closeAll();
            throw new IOException("only " + connections.size() + " of " + count + " connections could be opened", e);
        }
        idle.addAll(connections);
        reader = Thread.ofPlatform().daemon().name("http-connections-reader").start(this::read);
    }

    private Connection connect(InetSocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open(address);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_LINGER, 0); // its port is free at once when it is closed
        channel.configureBlocking(false);
        Connection connection = new Connection(channel);
        channel.register(selector, SelectionKey.OP_READ, connection);
        return connection;
    }

    /** Sends requests at the times of a Poisson process, which follow from the seed. Blocks until they are answered. */
    public Load run(double perSecond, double seconds, long seed) throws InterruptedException {
        Random random = new Random(seed);
        double[] due = {System.nanoTime()};
        return send(seconds, () -> (long) (due[0] -= Math.log(1 - random.nextDouble()) / perSecond * 1e9));
    }

    /** Sends a request over each connection as soon as it is idle. Blocks until they are answered. */
    public Load saturate(int seconds) throws InterruptedException {
        return send(seconds, System::nanoTime);
    }

    private Load send(double seconds, LongSupplier schedule) throws InterruptedException {
        Recording present = new Recording();
        recording = present;
        long cpuNanos = cpuNanos();
        long began = System.nanoTime();
        long until = began + (long) (1e9 * seconds);
        for (long due = schedule.getAsLong(); due - until < 0; due = schedule.getAsLong()) {
            for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            Connection next = idle.poll();
            if (next != null) {
                present.lateMicros.recordValue((System.nanoTime() - due) / 1_000);
            } else {
                next = idle.poll(LOST_SECONDS, TimeUnit.SECONDS);
            }
            if (next == null) {
                present.fail("no connection was idle within " + LOST_SECONDS + " s");
                break;
            }
            send(next, due, present);
        }
        awaitAnswers(present);
        long nanos = System.nanoTime() - began;
        return new Load(
                nanos / 1e9,
                present.micros,
                present.lateMicros,
                present.failed.get(),
                present.failure,
                (cpuNanos() - cpuNanos) / (double) nanos);
    }

    private void send(Connection connection, long due, Recording present) {
        present.underway.incrementAndGet();
        connection.dueNanos.set(due);
        try {
            ByteBuffer request = ByteBuffer.wrap(requests.get());
            int sent = connection.channel.write(request);
            if (request.hasRemaining()) {
                throw new IOException("the service took only " + sent + " bytes of a request");
            }
        } catch (IOException e) {
            drop(connection, String.valueOf(e.getMessage()));
        }
    }

    private static void awaitAnswers(Recording present) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LOST_SECONDS);
        while (present.underway.get() > 0) {
            if (System.nanoTime() - deadline > 0) {
                present.fail("an answer did not come within " + LOST_SECONDS + " s");
                present.failed.addAndGet(present.underway.get() - 1);
                return;
            }
            Thread.sleep(1);
        }
    }

    private long cpuNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadCpuTime() + threads.getThreadCpuTime(reader.threadId());
    }

    private void read() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try {
            while (!ended) {
                int _ = selector.select(key -> read((Connection) key.attachment(), buffer));
            }
        } catch (IOException | RuntimeException | Error e) {
            recording.fail("the reader failed: " + e);
        }
    }

    private void read(Connection connection, ByteBuffer buffer) {
        try {
            buffer.clear();
            if (connection.channel.read(buffer) < 0) {
                throw new EOFException("the service has closed a connection");
            }
            if (connection.answer.take(buffer.flip())) {
                long due = connection.dueNanos.getAndSet(0);
                if (due != 0) {
                    answered(connection, due);
                }
            }
        } catch (IOException e) {
            drop(connection, String.valueOf(e.getMessage()));
        }
    }

    private void answered(Connection connection, long due) {
        Recording present = recording;
        present.micros.recordValue(Math.min(MOST_MICROS, (System.nanoTime() - due) / 1_000));
        if (connection.answer.status() != OK) {
            present.fail("the service answered " + connection.answer.status());
        }
        idle.add(connection);
        present.underway.decrementAndGet();
    }

    private void drop(Connection connection, String why) {
        Recording present = recording;
        present.fail(why);
        try {
            connection.channel.close();
        } catch (IOException e) {
            // it is gone
        }
        if (connection.dueNanos.getAndSet(0) != 0) {
            present.underway.decrementAndGet();
        }
    }

    /** Resets all connections. */
    @Override
    public void close() throws IOException {
        ended = true;
        selector.wakeup();
        boolean interrupted = false;
        while (reader.isAlive()) {
            try {
                reader.join();
            } catch (InterruptedException e) {
                interrupted = true; // the reader ends at once
            }
        }
        closeAll();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() throws IOException {
        for (Connection each : connections) {
            each.channel.close();
        }
        selector.close();
    }
}
