package dev.headgate.engine;

import dev.headgate.engine.connect.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Forwards a test's connections to a server: what the server says, one byte at a time when told to; new ones not at all. */
final class Forwarder implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int to;
    private final Semaphore allowed = new Semaphore(0);
    private final Semaphore sent = new Semaphore(0);
    private volatile boolean slow;
    private volatile boolean holding;

    Forwarder(int to) throws IOException {
        this.to = to;
        Thread.ofVirtual().start(this::listen);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The target through this forwarder. */
    Target inFrontOf(Target target) {
        return new Target(
                target.name(),
                "127.0.0.1",
                port(),
                target.database(),
                target.user(),
                target.password(),
                target.sslMode(),
                target.budget(),
                target.connectTimeout(),
                target.socketTimeout());
    }

    /** From now on, whoever connects is accepted and never answered. */
    void holdNew() {
        holding = true;
    }

    void slowly() {
        slow = true;
    }

    void freely() {
        slow = false;
        allowed.release(1_000_000);
    }

    /**
     * Lets one byte through and waits until it is sent; a second at most, because a reader that has not seen the last byte yet asks for one
     * that will not come.
     */
    void oneMore() throws InterruptedException {
        allowed.release();
        boolean _ = sent.tryAcquire(1, TimeUnit.SECONDS);
    }

    private void listen() {
        try {
            while (true) {
                Socket client = listening.accept();
                client.setTcpNoDelay(true);
                if (holding) {
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
                Thread.ofVirtual().start(() -> forward(client, server, false));
                Thread.ofVirtual().start(() -> forward(server, client, true));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void forward(Socket from, Socket into, boolean dripping) {
        byte[] bytes = new byte[8_192];
        try (from;
                into) {
            InputStream in = from.getInputStream();
            OutputStream out = into.getOutputStream();
            for (int got = in.read(bytes); got >= 0; got = in.read(bytes)) {
                if (!dripping || !slow) {
                    out.write(bytes, 0, got);
                    continue;
                }
                for (int i = 0; i < got; i++) {
                    allowed.acquire();
                    out.write(bytes[i]);
                    sent.release();
                }
            }
        } catch (IOException | InterruptedException closed) {
            // either side has gone
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
