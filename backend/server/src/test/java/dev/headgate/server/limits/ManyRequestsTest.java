package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.plugins.PluginJars;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManyRequestsTest {

    @TempDir
    static Path data;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(
                data,
                "--headgate.limits.connections-per-address=20",
                "--headgate.limits.long-requests=4",
                "--headgate.limits.headers-within=1s",
                "--headgate.limits.body-within=1s",
                "--server.tomcat.max-connections=40",
                "--server.tomcat.accept-count=100");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @AfterEach
    void nothingIsUnderWay() {
        await().atMost(Service.PATIENCE).until(() -> work(service.bean(MemoryAccount.class)) == 0);
    }

    /** Whoever misbehaves is no fault of the service. */
    @AfterEach
    void noFailureIsLogged() {
        assertThat(service.get("/log?level=error&q=failed").expect(200).json().get("items"))
                .filteredOn(line -> line.get("logger").asString().equals("ProblemHandler"))
                .isEmpty();
    }

    /** Without the bound, 40 of them were all that Tomcat took, until each had timed out. */
    @Test
    @Timeout(60)
    void whoSendsNothingBlocksNobody() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), service.root().getPort());
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

    /** Each address has less than it may. Those who send nothing would be cut off after ten seconds. */
    @Test
    @Timeout(60)
    void whoSendsNothingFromManyAddressesBlocksNobody() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 90; i++) {
                Socket socket = new Socket();
                slow.add(socket);
                try {
                    socket.bind(new InetSocketAddress("127.0.1." + (1 + i / 15), 0));
                } catch (BindException e) {
                    abort("this system has one loopback address alone");
                }
                socket.connect(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), service.root().getPort()));
                socket.getOutputStream()
                        .write("GET /actuator/health HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            }
            assertThatCode(() -> service.sendAnonymous("GET", "/actuator/health/liveness", null)
                            .expect(200))
                    .doesNotThrowAnyException();
            await("the last of them is accepted, maybe after that answer") // whose connection may be an older one
                    .atMost(Service.PATIENCE)
                    .untilAsserted(() -> assertThat(slow.stream()
                                    .filter(ManyRequestsTest::isOpen)
                                    .count())
                            .isBetween(30L, 40L));
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static boolean isOpen(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() >= 0;
        } catch (java.net.SocketTimeoutException silent) {
            return true;
        } catch (IOException closed) {
            return false;
        }
    }

    /** Each byte comes in time; all of them together do not. */
    @Test
    @Timeout(60)
    void whoSendsItsHeadersByteByByteIsCutOff() throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.setSoTimeout(50); // the pause between two bytes
            socket.setTcpNoDelay(true);
            socket.getOutputStream()
                    .write("GET /actuator/health HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            assertThat(sendsUntilItIsClosed(socket)).isLessThan(8_000); // before the headers are too long
        }
    }

    /** One whose body is read, one that is refused before, and one that nobody reads. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/session", "/api/v1/databases", "/actuator/health/liveness"})
    @Timeout(60)
    void whoSendsItsBodyByteByByteIsCutOff(String path) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.setSoTimeout(100);
            socket.setTcpNoDelay(true);
            socket.getOutputStream()
                    .write(((path.startsWith("/api") ? "POST " : "GET ") + path
                                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: 16000\r\n\r\n{\"code\": \"")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(sendsUntilItIsClosed(socket)).isLessThan(1_000);
        }
    }

    /** It reads the answer before it has sent the rest. */
    @Test
    @Timeout(60)
    void whoIsRefusedIsToldBeforeTheRestOfItsBody() throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("POST /api/v1/databases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: 100000\r\n\r\n{")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 401");
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
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
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
    void oneCallerHasHalfOfThePlacesAndAllTogetherHaveAllOfThem() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        try {
            running.addAll(twoLongRequests(Actor.READER, end));
            ProblemException refused =
                    catchThrowableOfType(ProblemException.class, () -> answer(Actor.READER, () -> ""));
            assertThat(refused.type()).isEqualTo(ProblemType.UNAVAILABLE);
            service.get("/files/export").expect(200);

            running.addAll(twoLongRequests(new Actor("bank/app", "client"), end));
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
            each.orTimeout(Duration.ofSeconds(30).toSeconds(), TimeUnit.SECONDS).join();
        }
        service.get("/files/export").expect(200);
    }

    /** Returns once both have begun. */
    private static List<CompletableFuture<Void>> twoLongRequests(Actor caller, CountDownLatch end) throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(CompletableFuture.runAsync(
                    () -> answer(caller, () -> {
                        begun.countDown();
                        assertThatCode(end::await).doesNotThrowAnyException();
                        return "";
                    }),
                    task -> Thread.ofVirtual().start(task)));
        }
        begun.await();
        return running;
    }

    private static LongWork asking(long bytes) {
        return new LongWork(LongWork.Kind.EXPORT, "", bytes);
    }

    private static void answer(Actor caller, Supplier<String> work) {
        service.bean(Access.class)
                .actAs(caller, () -> service.bean(LongRequests.class).answer(asking(1_000), progress -> work.get()));
    }

    @Test
    @Timeout(60)
    void workHoldsItsMemoryUntilItEnds() throws Exception {
        LongRequests places = service.bean(LongRequests.class);
        MemoryAccount account = service.bean(MemoryAccount.class);
        assertThatThrownBy(() -> places.answer(asking(account.most()), progress -> ""))
                .isInstanceOfSatisfying(ProblemException.class, problem -> {
                    assertThat(problem.type()).isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
                    assertThat(problem).hasMessageContaining("headgate.limits.memory");
                });
        long most = account.most() / 4; // of one piece of work
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> holds = CompletableFuture.supplyAsync(
                () -> places.answer(asking(most), progress -> {
                    begun.countDown();
                    assertThatCode(end::await).doesNotThrowAnyException();
                    return Thread.currentThread().getName()
                            + Thread.currentThread().isVirtual();
                }),
                task -> Thread.ofVirtual().start(task));
        begun.await();
        assertThat(work(account)).isEqualTo(most);
        end.countDown();
        assertThat(holds.join()).isEqualTo("long-requestfalse");
        assertThatThrownBy(() -> places.answer(asking(most), progress -> {
                    throw new IllegalStateException("failed");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("failed");
        assertThat(work(account)).isZero();
    }

    @Test
    @Timeout(60)
    void anInterruptedCallersWorkEndsAndAChangeDoesNot() throws Exception {
        LongRequests places = service.bean(LongRequests.class);
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch cut = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<String> changed = new CompletableFuture<>();
        Thread answers = Thread.ofVirtual()
                .start(() -> places.answer(asking(1_000), progress -> {
                    begun.countDown();
                    try {
                        return new CountDownLatch(1).await(1, TimeUnit.DAYS);
                    } catch (InterruptedException e) {
                        cut.countDown();
                        throw new IllegalStateException(e);
                    }
                }));
        Thread changes = Thread.ofVirtual()
                .start(() -> changed.complete(places.answer(asking(1_000), progress -> {
                    progress.changes();
                    begun.countDown();
                    assertThatCode(goOn::await).doesNotThrowAnyException();
                    return Thread.currentThread().isInterrupted() ? "cut" : "whole";
                })));
        begun.await();
        answers.interrupt();
        changes.interrupt();
        cut.await();
        goOn.countDown();
        assertThat(changed.get()).isEqualTo("whole");
        answers.join();
        service.get("/files/export").expect(200);
    }

    /** With a policy that waits once until it is interrupted, and then goes on as if nothing had been. */
    @Test
    @Timeout(120)
    void whoGoesAwayEndsItsReplayAndItCanBeCancelled(@TempDir Path work) throws Exception {
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain("replayed", "[]");
        byte[] jar = new PluginJars(work).plugin("waiting", "1").answering("""
                        if (Thread.currentThread().getName().equals("replay")
                                && System.clearProperty("test.waiting.armed") != null) {
                            System.setProperty("test.waiting", "runs");
                            try {
                                Thread.sleep(java.time.Duration.ofDays(1));
                            } catch (InterruptedException e) {
                                System.setProperty("test.waiting", "interrupted");
                            }
                        }
                        return Limits.unbounded();
                        """).bytes();
        service.upload("/policy-plugins", jar, "application/java-archive").expect(201);
        String path = "/domains/replayed/policies/replay";
        String body = "{\"seconds\": 5, \"policySet\": {\"policies\": [{\"plugin\": \"waiting\"}]}}";
        MemoryAccount account = service.bean(MemoryAccount.class);
        try {
            System.setProperty("test.waiting.armed", "yes");
            try (Socket socket =
                    new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
                socket.getOutputStream()
                        .write(("POST /api/v1" + path
                                        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                        + "Authorization: Bearer " + service.token() + "\r\nContent-Length: "
                                        + body.length() + "\r\n\r\n" + body)
                                .getBytes(StandardCharsets.US_ASCII));
                awaitWaiting("runs");
                assertThat(work(account)).isPositive();
            }
            awaitWaiting("interrupted");
            await().atMost(Service.PATIENCE).until(() -> work(account) == 0);

            System.setProperty("test.waiting.armed", "yes");
            Answer begun = service.post(path, body, "Prefer", "respond-async").expect(202);
            String id = begun.json().get("id").asString();
            assertThat(begun.header("Location")).isEqualTo("/api/v1/replays/" + id);
            awaitWaiting("runs");
            Answer running = service.get("/replays/" + id).expect(200);
            assertThat(running.json().get("leases").asLong())
                    .isEqualTo(begun.json().get("leases").asLong())
                    .isNotNegative();
            assertThat(running.json().get("state").asString()).isEqualTo("running");
            assertThat(service.post(path, body, "Prefer", "respond-async").problem())
                    .isEqualTo("conflict");
            service.delete("/replays/" + id).expect(204);
            awaitWaiting("interrupted");
            await().atMost(Service.PATIENCE).until(() -> work(account) == 0);
            service.get("/replays/" + id).expect(404);

            await().atMost(Service.PATIENCE)
                    .until(() -> service.post(path, "{\"seconds\": 5}").status() == 200);
        } finally {
            System.clearProperty("test.waiting");
            System.clearProperty("test.waiting.armed");
        }
    }

    @Test
    @Timeout(60)
    void aReplayThatIsDoneHasItsResult() {
        service.post("/databases", service.databaseBody("second", 10)).expect(201);
        Answer begun = service.post("/databases/second/policies/replay", "{\"seconds\": 5}", "Prefer", "respond-async");
        String id = begun.expect(202).json().get("id").asString();
        assertThat(begun.json().get("leases").asLong())
                .as("nobody has asked for one")
                .isZero();
        await().atMost(Service.PATIENCE)
                .until(() -> !service.get("/replays/" + id)
                        .expect(200)
                        .json()
                        .get("state")
                        .asString()
                        .equals("running"));
        Answer done = service.get("/replays/" + id);
        assertThat(done.json().get("state").asString()).as(done.text()).isEqualTo("done");
        assertThat(done.json().get("progress").asDouble()).isEqualTo(1);
        assertThat(done.json().get("result").get("domains")).isEmpty();
        service.delete("/replays/" + id).expect(204);
        assertThat(service.delete("/replays/" + id).problem()).isEqualTo("not-found");
    }

    private static void awaitWaiting(String state) {
        await().atMost(Service.PATIENCE).until(() -> state.equals(System.getProperty("test.waiting")));
    }

    private static long work(MemoryAccount account) {
        return account.lines().stream()
                .filter(line -> line.holder().equals(Holders.WORK))
                .findFirst()
                .orElseThrow()
                .reserved();
    }
}
