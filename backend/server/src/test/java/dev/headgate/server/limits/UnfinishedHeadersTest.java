package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.headgate.server.Service;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.Processor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tomcat with nothing but the protocol. It answers 404. */
@Timeout(60)
class UnfinishedHeadersTest {

    private static final String BEGIN = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";

    private static final int MOST = 3;

    @TempDir
    private Path folder;

    private final Queue<WeakReference<Processor>> processors = new ConcurrentLinkedQueue<>();
    private final BoundedProtocol protocol = new BoundedProtocol() {
        @Override
        protected Processor createProcessor() {
            Processor created = super.createProcessor();
            processors.add(new WeakReference<>(created));
            return created;
        }
    };
    private final Tomcat tomcat = new Tomcat();
    private final List<Socket> sockets = new ArrayList<>();
    private int port;

    @BeforeEach
    void start() throws LifecycleException {
        protocol.bound(100, 100, MOST, Duration.ofSeconds(30), Duration.ofSeconds(30), Set.of());
        Connector connector = new Connector(protocol);
        connector.setPort(0);
        protocol.setProcessorCache(0);
        tomcat.setBaseDir(folder.toString());
        tomcat.setConnector(connector);
        tomcat.addContext("", folder.toString());
        tomcat.start();
        port = connector.getLocalPort();
    }

    @AfterEach
    void stop() throws LifecycleException, IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        tomcat.stop();
        tomcat.destroy();
    }

    @Test
    void oneTooManyTakesThePlaceOfTheOldest() throws IOException {
        List<Socket> slow = List.of(begins("127.0.0.1", 1), begins("127.0.0.1", 2), begins("127.0.0.1", 3));
        Socket last = begins("127.0.0.1", 3);
        await().atMost(Service.PATIENCE).until(() -> isClosed(slow.getFirst()));
        assertThat(isClosed(slow.get(1))).isFalse();
        assertThat(isClosed(slow.get(2))).isFalse();
        assertThat(isClosed(last)).isFalse();
        assertThat(answerOf(last)).startsWith("HTTP/1.1 404");
    }

    @Test
    void itIsOneOfTheAddressThatHasTheMost() throws IOException {
        Socket alone = begins("127.0.1.1", 1);
        List<Socket> slow = List.of(begins("127.0.0.1", 2), begins("127.0.0.1", 3));
        begins("127.0.0.1", 3);
        await().atMost(Service.PATIENCE).until(() -> isClosed(slow.getFirst()));
        assertThat(answerOf(alone)).startsWith("HTTP/1.1 404");
    }

    /** Those that were answered, that wait for a next request, and that have gone count no more. */
    @Test
    void whoHasSentItsHeadersHasNoPlace() throws IOException {
        Socket slow = begins("127.0.0.1", 1);
        for (int i = 0; i < 10; i++) {
            Socket answered = begins("127.0.0.1", 2);
            assertThat(answerOf(answered)).startsWith("HTTP/1.1 404");
            begins("127.0.0.1", 2).close();
            await().atMost(Service.PATIENCE).until(() -> protocol.unfinished.size() == 1);
        }
        assertThat(answerOf(slow)).startsWith("HTTP/1.1 404");
    }

    /** One that lost its place while Tomcat had its processor kept that for ever: 96 MB within ten minutes. */
    @Test
    @SuppressWarnings("SystemGC") // what is kept for ever is seen after a collection only
    void nothingIsLeftOfThoseThatLostTheirPlace() throws Exception {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            callers.add(Thread.ofPlatform().start(() -> {
                for (int each = 0; each < 2_000; each++) {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        socket.getOutputStream().write(BEGIN.getBytes(StandardCharsets.US_ASCII));
                        isClosed(socket); // some time passes
                    } catch (IOException closed) {
                        // it lost its place meanwhile
                    }
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        await().atMost(Service.PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(processors.stream().filter(each -> each.get() != null)).hasSizeLessThanOrEqualTo(MOST);
        });
    }

    /** Opens a connection and sends a part of its headers. Ends when so many wait. */
    private Socket begins(String from, int waiting) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        try {
            socket.bind(new InetSocketAddress(from, 0));
        } catch (BindException e) {
            abort("this system has one loopback address alone");
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream().write(BEGIN.getBytes(StandardCharsets.US_ASCII));
        await().atMost(Service.PATIENCE).until(() -> protocol.unfinished.size() == waiting);
        return socket;
    }

    private static String answerOf(Socket socket) throws IOException {
        socket.setSoTimeout(10_000);
        socket.getOutputStream().write("x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 404".length());
        return new String(start, StandardCharsets.US_ASCII);
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException silent) {
            return false;
        } catch (IOException closed) {
            return true;
        }
    }
}
