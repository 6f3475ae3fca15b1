package dev.headgate.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class EventLoopTest {

    private EventLoop loop;
    private ServerSocket listening;
    private ChannelSocket here;
    private Socket there;

    @BeforeEach
    void connect() throws IOException {
        loop = EventLoop.open("loop").orElseThrow();
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        here = connected();
        there = listening.accept();
    }

    private ChannelSocket connected() throws IOException {
        ChannelSocket socket = new ChannelSocket();
        socket.connect(new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort()), 1_000);
        return socket;
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
        listening.close();
        loop.close();
    }

    @Test
    void threadsOfALoopTakeTurnsOnOneCarrier() throws Exception {
        SynchronousQueue<String> handover = new SynchronousQueue<>();
        CompletableFuture<String> got = new CompletableFuture<>();
        loop.start("taker", () -> got.complete(taken(handover)));
        loop.start("giver", () -> {
            try {
                handover.put(Thread.currentThread().toString());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(got.get()).contains("giver").endsWith("@loop");
    }

    private static String taken(SynchronousQueue<String> queue) {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoReadsOnTheLoopIsWokenByWhatComes() throws Exception {
        CompletableFuture<Integer> read = on(() -> here.getInputStream().read());
        there.getOutputStream().write(42);
        assertThat(read.get()).isEqualTo(42);
    }

    @Test
    void aConnectionChangesHandsBetweenLoopAndOtherThreads() throws Exception {
        for (int turn = 0; turn < 50; turn++) {
            there.getOutputStream().write(new byte[] {1, 2});
            assertThat(on(() -> here.getInputStream().read()).get()).isEqualTo(1);
            assertThat(here.getInputStream().read()).isEqualTo(2);
            here.getOutputStream().write(3);
            on(() -> {
                        here.getOutputStream().write(4);
                        return 0;
                    })
                    .get();
            assertThat(there.getInputStream().readNBytes(2)).containsExactly(3, 4);
        }
    }

    @Test
    void aConnectionChangesHandsBetweenLoops() throws Exception {
        EventLoop other = EventLoop.open("other").orElseThrow();
        there.getOutputStream().write(new byte[] {1, 2, 3});
        assertThat(on(() -> here.getInputStream().read()).get()).isEqualTo(1);
        assertThat(on(other, () -> here.getInputStream().read()).get()).isEqualTo(2);
        assertThat(on(() -> here.getInputStream().read()).get()).isEqualTo(3);
        other.close();
    }

    @Test
    void moreThanTheSocketHoldsIsWrittenAsItIsTaken() throws Exception {
        byte[] much = new byte[32 * 1024 * 1024];
        much[much.length - 1] = 7;
        CompletableFuture<Integer> written = on(() -> {
            here.getOutputStream().write(much);
            here.getOutputStream().flush();
            return 1;
        });
        byte[] got = there.getInputStream().readNBytes(much.length);
        assertThat(got[much.length - 1]).isEqualTo((byte) 7);
        assertThat(written.get()).isEqualTo(1);
    }

    @Test
    void aReadTimesOutOnTheLoopToo() throws Exception {
        here.setSoTimeout(1);
        CompletableFuture<Integer> read = on(() -> here.getInputStream().read());
        assertThatThrownBy(read::get).hasCauseInstanceOf(SocketTimeoutException.class);
        here.setSoTimeout(0);
        there.getOutputStream().write(5);
        assertThat(on(() -> here.getInputStream().read()).get()).isEqualTo(5);
    }

    @Test
    void aReadThatWaitsEndsWithTheSocket() throws Exception {
        CompletableFuture<Integer> read = on(() -> here.getInputStream().read());
        awaitWaiting();
        here.close();
        assertThatThrownBy(read::get).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(SocketException.class);
        assertThat(there.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aLastWordOfAnotherThreadLeavesTheReaderItsConnection() throws Exception {
        CompletableFuture<Integer> read = on(() -> here.getInputStream().read());
        awaitWaiting();
        here.getOutputStream().write(7);
        assertThat(there.getInputStream().read()).isEqualTo(7);
        there.getOutputStream().write(8);
        assertThat(read.get()).isEqualTo(8);
    }

    @Test
    void theEndOfTheStreamIsTold() throws Exception {
        CompletableFuture<Integer> read = on(() -> here.getInputStream().read());
        there.close();
        assertThat(read.get()).isEqualTo(-1);
    }

    @Test
    void aThousandThreadsShareOne() throws Exception {
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int mine = i;
            all.add(on(() -> {
                Thread.yield();
                return mine;
            }));
        }
        int sum = 0;
        for (CompletableFuture<Integer> each : all) {
            sum += each.get();
        }
        assertThat(sum).isEqualTo(499_500);
    }

    /**
     * A virtual thread that waits for a monitor gets it before a thread of the operating system that came later. Has a
     * virtual thread of the loop and then the loop's own thread want a monitor of the selector that the test holds: if the
     * virtual one waits for it, both wait for ever.
     */
    @ParameterizedTest
    @CsvSource({"interruptLock, closes", "cancelledKeys, closes", "updateLock, reads"})
    void aLoopNeverWaitsForItsOwnVirtualThread(String monitorsField, String does) throws Exception {
        EventLoop own = EventLoop.open("own").orElseThrow(); // where it fails, a close would wait for ever too
        ChannelSocket mine = connected();
        Socket its = listening.accept();
        its.getOutputStream().write(1);
        assertThat(on(own, () -> mine.getInputStream().read()).get()).isEqualTo(1); // it is watched from here on
        Object monitor = of(own.selector(), monitorsField);
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean isHeld = new AtomicBoolean();
        CompletableFuture<Integer> done = on(own, () -> {
            running.countDown();
            while (!isHeld.get()) {
                Thread.onSpinWait(); // on the loop, whose thread cannot ask the selector meanwhile
            }
            if (does.equals("closes")) {
                mine.close();
                return -1;
            }
            return here.getInputStream().read(); // of a socket that the selector has yet to hear of
        });
        running.await();
        synchronized (monitor) {
            own.selector().wakeup();
            isHeld.set(true);
            while (own.thread().getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        }
        there.close();
        assertThat(done.get(10, TimeUnit.SECONDS)).isEqualTo(-1);
        mine.close();
        its.close();
        own.close();
    }

    /** The package of the JDK's selectors is opened by what {@code --add-opens java.base/java.lang} allows. */
    private static Object of(Selector selector, String field) throws ReflectiveOperationException {
        Method open = Module.class.getDeclaredMethod("implAddOpens", String.class);
        open.setAccessible(true);
        open.invoke(Object.class.getModule(), selector.getClass().getPackageName());
        for (Class<?> type = selector.getClass(); ; type = type.getSuperclass()) {
            try {
                Field found = type.getDeclaredField(field);
                found.setAccessible(true);
                return found.get(selector);
            } catch (NoSuchFieldException inherited) {
                // a superclass has it
            }
        }
    }

    @Test
    void aLoopGoesOnAfterWhatEverIsThrown() throws Exception {
        for (Throwable each : List.of(new IllegalStateException("of a test"), new StackOverflowError("of a test"))) {
            loop.execute(() -> EventLoopTest.<RuntimeException>sneakily(each));
            loop.later(() -> EventLoopTest.<RuntimeException>sneakily(each));
            assertThat(on(() -> 1).get(10, TimeUnit.SECONDS)).isEqualTo(1);
        }
        CompletableFuture<Integer> read = on(() -> here.getInputStream().read());
        there.getOutputStream().write(42);
        assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(42);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneakily(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void whatIsLeftToALoopThatHasEndedIsDoneAtOnce() throws Exception {
        loop.close();
        loop.thread().join();
        CompletableFuture<Thread> doer = new CompletableFuture<>();
        Thread asks = Thread.ofVirtual().start(() -> loop.later(() -> doer.complete(Thread.currentThread())));
        assertThat(doer.get(10, TimeUnit.SECONDS)).isEqualTo(asks);
    }

    /** Once a later thread of the loop has run twice, the earlier one waits. */
    private void awaitWaiting() throws Exception {
        for (int i = 0; i < 2; i++) {
            on(() -> 0).get(10, TimeUnit.SECONDS);
        }
    }

    private <T> CompletableFuture<T> on(Callable<T> task) {
        return on(loop, task);
    }

    private static <T> CompletableFuture<T> on(EventLoop loop, Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.start("task", () -> {
            try {
                result.complete(task.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
