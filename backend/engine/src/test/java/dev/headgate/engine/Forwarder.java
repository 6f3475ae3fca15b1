package dev.headgate.engine;

import dev.headgate.engine.connect.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Forwards a test's connections to a server: what the server says, one byte at a time when told to; new ones later, or not at all. */
public final class Forwarder implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int to;
    private final Semaphore allowed = new Semaphore(0);
    private final Semaphore sent = new Semaphore(0);
    private volatile boolean slow;
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<Socket> held = new ArrayList<>();
    private int toHold;
    private volatile boolean refusing;

    public Forwarder(int to) throws IOException {
        this.to = to;
        Thread.ofVirtual().start(this::listen);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The target through this forwarder. */
    public Target inFrontOf(Target target) {
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

    /** From now on, whoever connects is accepted and not answered until {@link #letIn}. */
    public void holdNew() {
        holdNext(Integer.MAX_VALUE);
    }

    /** The same for the next connections, so many. */
    public synchronized void holdNext(int connections) {
        toHold = connections;
    }

    /** Forwards the connections that were held, and new ones. */
    public synchronized void letIn() throws IOException {
        toHold = 0;
        for (Socket client : held) {
            forward(client);
        }
        held.clear();
    }

    /** From now on, whoever connects is accepted and closed. */
    public void refuseNew() {
        refusing = true;
    }

    /** The number of connections accepted, also those that are held. */
    public int accepted() {
        return accepted.get();
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
                if (refusing) {
                    client.close();
                } else if (!isHeld(client)) {
                    forward(client);
                }
                accepted.incrementAndGet();
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private synchronized boolean isHeld(Socket client) {
        if (toHold == 0) {
            return false;
        }
        toHold--;
        return held.add(client);
    }

    private void forward(Socket client) throws IOException {
        Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
        Thread.ofVirtual().start(() -> forward(client, server, false));
        Thread.ofVirtual().start(() -> forward(server, client, true));
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
