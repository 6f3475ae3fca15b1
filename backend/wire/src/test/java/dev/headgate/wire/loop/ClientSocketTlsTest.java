package dev.headgate.wire.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.protocol.FrameReader;
import dev.headgate.wire.TestTls;
import dev.headgate.wire.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens while the arithmetic of a handshake is done elsewhere, and when it fails. */
@Timeout(60)
class ClientSocketTlsTest {

    private static SSLContext good;

    private final BlockingQueue<Runnable> computed = new LinkedBlockingQueue<>();
    private final AtomicInteger turnsToRead = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();
    private final CompletableFuture<IOException> failure = new CompletableFuture<>();
    private Loop loop;
    private SocketChannel near;
    private Socket client;
    private ClientSocket socket;

    @BeforeAll
    static void make() throws Exception {
        good = TestTls.make().context();
    }

    @BeforeEach
    void connect() throws Exception {
        loop = Loop.open("test-loop", true, Supervisor.silent());
        try (ServerSocketChannel listening = ServerSocketChannel.open().bind(new InetSocketAddress("localhost", 0))) {
            SocketChannel far = SocketChannel.open(listening.getLocalAddress());
            client = far.socket();
            near = listening.accept();
        }
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        onLoop(() -> {
            socket.close();
            return null;
        });
        loop.close();
    }

    @Test
    void theSocketIsLeftAloneMeanwhile() throws Exception {
        speakTls(good, computed::add);
        client.getOutputStream().write(hello());
        Runnable task = computed.take();
        turns();
        turnsToRead.set(0);
        client.getOutputStream().write(new byte[] {20, 3, 3, 0, 1, 1});
        for (int i = 0; i < 5; i++) {
            turns();
        }
        assertThat(turnsToRead.get())
                .as("turns for bytes that cannot be processed")
                .isZero();
        task.run();
        assertThat(client.getInputStream().read()).as("a handshake record").isEqualTo(22);
        turns(); // what has come meanwhile is read by now
        client.getOutputStream().write(0);
        await().untilAsserted(() -> assertThat(turnsToRead.get()).isPositive());
    }

    @Test
    void theEngineIsReleasedOnceItIsBack() throws Exception {
        speakTls(good, computed::add);
        client.getOutputStream().write(hello());
        Runnable task = computed.take();
        onLoop(() -> {
            socket.close();
            return null;
        });
        assertThat(near.isOpen()).isFalse();
        assertThat(released.get()).isZero();
        task.run();
        turns();
        assertThat(released.get()).isEqualTo(1);
    }

    @Test
    void aTaskThatFailsFailsTheConnection() throws Exception {
        SSLContext broken = SSLContext.getInstance("TLS");
        broken.init(new KeyManager[] {new NoKeys()}, null, null);
        speakTls(broken, task -> Thread.ofVirtual().start(task));
        client.getOutputStream().write(hello());
        assertThat(failure.get(20, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void aTaskThatCannotBeHandedOverFailsTheConnection() throws Exception {
        speakTls(good, task -> {
            throw new IllegalStateException("no more threads");
        });
        client.getOutputStream().write(hello());
        assertThat(failure.get(20, TimeUnit.SECONDS)).hasRootCauseMessage("no more threads");
    }

    @Test
    void aSocketIsClosedAlsoWhereNoGoodbyeCanBeSaid() throws Exception {
        speakTls(good, task -> Thread.ofVirtual().start(task));
        client.getOutputStream().write(hello());
        assertThat(client.getInputStream().read()).isEqualTo(22);
        client.setSoLinger(true, 0);
        client.close(); // resets the connection
        failure.get(20, TimeUnit.SECONDS);
        onLoop(() -> {
            socket.close();
            return null;
        });
        assertThat(near.isOpen()).isFalse();
        assertThat(released.get()).isEqualTo(1);
    }

    // ---- a client's socket, used as a client's line uses it

    private void speakTls(SSLContext context, Consumer<Runnable> elsewhere) throws Exception {
        onLoop(() -> {
            FrameReader into = new FrameReader();
            socket = new ClientSocket(loop, near, new Loop.Ready() {
                @Override
                public void ready(int operations) {
                    turnsToRead.incrementAndGet();
                    read(into);
                }

                @Override
                public void failed(Throwable fault) {
                    failure.complete(new IOException(fault));
                }
            });
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            socket.startTls(engine, new byte[0], released::incrementAndGet, () -> read(into), elsewhere);
            return null;
        });
    }

    private void read(FrameReader into) {
        try {
            do {
                if (socket.read(into, Transport.ANY) < 0) {
                    throw new IOException("the end");
                }
            } while (socket.holdsMore());
            socket.want(true, false);
        } catch (IOException broken) {
            socket.want(false, false);
            failure.complete(broken);
        }
    }

    private static byte[] hello() throws Exception {
        SSLEngine engine = good.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }

    /** The loop asks its selector at least once meanwhile. */
    private void turns() throws Exception {
        for (int i = 0; i < 2; i++) {
            onLoop(() -> null);
        }
    }

    private void onLoop(Callable<Void> task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                done.complete(task.call());
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        });
        done.get(20, TimeUnit.SECONDS);
    }

    /** Fails when it is asked for a key, within a delegated task. */
    private static final class NoKeys extends X509ExtendedKeyManager {
        @Override
        public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
            throw new IllegalStateException("no keys");
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            throw new IllegalStateException("no keys");
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return List.of(types).getFirst();
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[0];
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            throw new IllegalStateException("no keys");
        }
    }
}
