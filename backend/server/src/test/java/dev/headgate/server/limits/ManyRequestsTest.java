package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ManyRequestsTest {

    @TempDir
    static Path data;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(
                data,
                "--headgate.limits.connections-per-address=20",
                "--headgate.limits.long-requests=2",
                "--headgate.limits.headers-within=1s",
                "--server.tomcat.max-connections=40",
                "--server.tomcat.accept-count=100");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /** Without the bound, 40 of them were all that Tomcat took, until each had timed out. */
    @Test
    @Timeout(60)
    void whoSendsNothingBlocksNobody() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                Socket socket = new Socket(
                        java.net.InetAddress.getLoopbackAddress(),
                        service.root().getPort());
                slow.add(socket);
                socket.getOutputStream()
                        .write("GET /actuator/health HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(service.sendAnonymous("GET", "/actuator/health/liveness", null)
                            .status())
                    .isEqualTo(200);
            assertThat(service.get("/domains").status()).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** Each byte comes in time; all of them together do not. */
    @Test
    @Timeout(60)
    void whoSendsItsHeadersByteByByteIsCutOff() throws IOException {
        try (Socket socket = new Socket(
                java.net.InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.setSoTimeout(50); // the pause between two bytes
            socket.setTcpNoDelay(true);
            socket.getOutputStream()
                    .write("GET /actuator/health HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            assertThat(sendsUntilItIsClosed(socket)).isLessThan(8_000); // before the headers are too long
        }
    }

    private static int sendsUntilItIsClosed(Socket socket) {
        for (int sent = 0; ; sent++) {
            try {
                socket.getOutputStream().write('x');
                if (socket.getInputStream().read() < 0) {
                    return sent;
                }
            } catch (java.net.SocketTimeoutException open) {
                // the next byte
            } catch (IOException closed) {
                return sent;
            }
        }
    }

    @Test
    @Timeout(60)
    void aConnectionIsKeptBetweenRequests() throws IOException {
        try (Socket socket = new Socket(
                java.net.InetAddress.getLoopbackAddress(), service.root().getPort())) {
            for (int request = 0; request < 2; request++) {
                socket.getOutputStream()
                        .write("GET /actuator/health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                byte[] answer = new byte[12];
                assertThat(socket.getInputStream().readNBytes(answer, 0, 12)).isEqualTo(12);
                assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
                socket.setSoTimeout(1_200); // longer than headers may take
                try {
                    socket.getInputStream().readAllBytes();
                } catch (java.net.SocketTimeoutException idle) {
                    // it is open
                }
            }
        }
    }

    @Test
    @Timeout(60)
    void soManyLongRequestsAreAnsweredAtOnceAndOthersComeAgain() throws Exception {
        LongRequests places = service.bean(LongRequests.class);
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(CompletableFuture.runAsync(
                    () -> places.answer(() -> {
                        begun.countDown();
                        assertThatCode(end::await).doesNotThrowAnyException();
                        return "";
                    }),
                    task -> Thread.ofVirtual().start(task)));
        }
        begun.await();
        try {
            Answer answer = service.get("/files/export");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.problem()).isEqualTo("unavailable");
            assertThat(answer.header("Retry-After")).isEqualTo("2");
            assertThat(answer.json().get("detail").asString()).contains("headgate.limits.long-requests");
            service.get("/domains").expect(200);
        } finally {
            end.countDown();
        }
        for (CompletableFuture<Void> each : running) {
            each.orTimeout(Duration.ofSeconds(30).toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                    .join();
        }
        service.get("/files/export").expect(200);
    }
}
