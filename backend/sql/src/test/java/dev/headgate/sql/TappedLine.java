package dev.headgate.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A line to a server that keeps what it reads from the clients, each read for itself. */
final class TappedLine implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<String> reads = new CopyOnWriteArrayList<>();
    private final int server;

    TappedLine(int server) throws IOException {
        this.server = server;
        Thread.startVirtualThread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How many reads had the text: no more than there were writes with it. */
    long readsWith(String text) {
        return reads.stream().filter(read -> read.contains(text)).count();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), server);
                Thread.startVirtualThread(() -> forward(near, far, reads::add));
                Thread.startVirtualThread(() -> forward(far, near, _ -> {}));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private static void forward(Socket from, Socket to, Consumer<String> tap) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                tap.accept(new String(Arrays.copyOf(buffer, count), StandardCharsets.ISO_8859_1));
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // one side has gone, and so the other one
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
