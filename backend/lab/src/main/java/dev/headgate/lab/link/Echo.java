package dev.headgate.lab.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;

/** Sends back what it gets, one connection after another: what a link adds is measured with it. */
final class Echo implements AutoCloseable {

    private static final int WARM_UP = 1_000;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    Echo() throws IOException {
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

    /** Makes round trips that do not count: the first ones run before the JVM has compiled what they need. */
    static void warmUp(int port) throws IOException {
        RoundTrips _ = roundTrips(port, WARM_UP);
    }

    /**
     * Times round trips of single bytes.
     *
     * @param port that of an echo, or of a link to one
     */
    static RoundTrips roundTrips(int port, int count) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            long[] nanos = new long[count];
            for (int i = 0; i < count; i++) {
                long began = System.nanoTime();
                socket.getOutputStream().write(1);
                if (socket.getInputStream().read() != 1) {
                    throw new IOException("the echo answered something else");
                }
                nanos[i] = System.nanoTime() - began;
            }
            Arrays.sort(nanos);
            return new RoundTrips(nanos[count / 2], nanos[(int) Math.ceil(count * 0.99) - 1]);
        }
    }

    record RoundTrips(long medianNanos, long p99Nanos) {}

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
