package dev.headgate.wire.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.supervision.Failure;
import dev.headgate.engine.supervision.Supervisor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoopTest {

    private static final long MILLI = 1_000_000;

    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
    private Loop loop;
    private Pipe pipe;

    @BeforeEach
    void open() throws IOException {
        loop = Loop.open("test-loop", true, new Supervisor(InstantSource.system(), failures::add));
        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void close() throws Exception {
        loop.close();
        loop.thread().join();
        pipe.source().close();
        pipe.sink().close();
    }

    @Test
    void aTaskThatThrowsCostsTheLoopNothing() throws Exception {
        loop.execute(() -> {
            throw new IllegalStateException("of a test");
        });
        loop.execute(() -> {
            throw new StackOverflowError("of a test");
        });
        assertThat(onLoop(() -> 1)).isEqualTo(1);
        onLoop(() -> {
            loop.execute(() -> {
                throw new IllegalStateException("a task of its own");
            });
            return 0;
        });
        assertThat(onLoop(() -> 2)).isEqualTo(2);
        await().until(() -> failures.size() == 3); // a task of the loop's own may run after one that is handed in
        assertThat(failures).allMatch(failure -> failure.task().equals("test-loop"));
    }

    @Test
    void aTimerThatThrowsCostsTheOthersNothing() throws Exception {
        CompletableFuture<String> after = new CompletableFuture<>();
        onLoop(() -> {
            loop.at(loop.now(), () -> {
                throw new IllegalStateException("of a test");
            });
            return loop.at(loop.now() + MILLI, () -> after.complete("ran"));
        });
        assertThat(after.get()).isEqualTo("ran");
    }

    @Test
    void anOwnerIsToldWhatItsTasksAndTimersThrow() throws Exception {
        List<String> told = new ArrayList<>();
        Loop.Owner owner = fault -> {
            told.add(String.valueOf(fault.getMessage()));
            throw new IllegalStateException("the owner is broken too");
        };
        CompletableFuture<String> after = new CompletableFuture<>();
        loop.execute(owner, () -> {
            throw new IllegalStateException("a task");
        });
        onLoop(() -> {
            loop.at(owner, loop.now(), () -> {
                throw new StackOverflowError("a timer");
            });
            return loop.at(owner, loop.now() + MILLI, () -> after.complete("ran"));
        });
        assertThat(after.get()).isEqualTo("ran");
        assertThat(onLoop(() -> told)).containsExactly("a task", "a timer");
        assertThat(failures).hasSize(4);
    }

    @Test
    void aLoopThatCannotTurnPausesBetweenItsAttempts() throws Exception {
        SelectionKey key = onLoop(() -> loop.watch(pipe.source(), SelectionKey.OP_READ, once(() -> {})));
        key.selector().close();
        await().until(() -> failures.size() >= 3);

        Instant[] at = failures.stream().map(Failure::at).toArray(Instant[]::new);
        assertThat(Duration.between(at[0], at[2])).isGreaterThan(Duration.ofMillis(150));
    }

    /** A request sets a deadline of minutes and ends within a millisecond, thousands of times a second. */
    @Test
    void cancelledTimersDoNotStayUntilTheyAreDue() throws Exception {
        CompletableFuture<String> after = new CompletableFuture<>();
        int left = onLoop(() -> {
            List<Loop.Timer> lasting = new ArrayList<>();
            for (int i = 0; i < 100_000; i++) {
                Loop.Timer timer = loop.at(loop.now() + 600_000 * MILLI, () -> {});
                if (i % 10_000 == 0) {
                    lasting.add(timer);
                } else {
                    timer.cancel();
                    timer.cancel();
                }
            }
            loop.at(loop.now() + MILLI, () -> after.complete("ran"));
            return loop.timers();
        });
        assertThat(left).isBetween(11, 200);
        assertThat(after.get()).isEqualTo("ran");
    }

    @Test
    void aHandlerThatThrowsIsToldOfItAndTheNextOneRuns() throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        watch(new Loop.Ready() {
            @Override
            public void ready(int operations) {
                throw new IllegalStateException("of a test");
            }

            @Override
            public void failed(Throwable fault) {
                told.complete(fault);
                close(pipe);
                throw new IllegalStateException("another of a test");
            }
        });
        send();
        assertThat(told.get()).hasMessage("of a test");
        assertThat(onLoop(() -> 1)).isEqualTo(1);

        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        CompletableFuture<Integer> ready = new CompletableFuture<>();
        watch(once(() -> ready.complete(1)));
        send();
        assertThat(ready.get()).isEqualTo(1);
    }

    @Test
    void timersRunInOrderAndCancelledOnesDoNot() throws Exception {
        List<String> ran = new ArrayList<>();
        CompletableFuture<List<String>> all = new CompletableFuture<>();
        long began = System.nanoTime();
        onLoop(() -> {
            long now = loop.now();
            Loop.Timer last = loop.at(now + 30 * MILLI, () -> all.complete(ran));
            loop.at(now + 20 * MILLI, () -> ran.add("third"));
            Loop.Timer first = loop.at(now, () -> ran.add("cancelled before"));
            loop.at(now - MILLI, () -> ran.add("first, and long due"));
            Loop.Timer fourth = loop.at(now + 25 * MILLI, () -> ran.add("cancelled meanwhile"));
            loop.at(now + 10 * MILLI, () -> {
                ran.add("second");
                fourth.cancel();
            });
            first.cancel();
            return last;
        });
        assertThat(all.get()).containsExactly("first, and long due", "second", "third");
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(30 * MILLI);
    }

    @Test
    void aTimerMayBeSetByATimer() throws Exception {
        CompletableFuture<Long> second = new CompletableFuture<>();
        onLoop(() -> loop.at(loop.now(), () -> loop.at(loop.now(), () -> second.complete(loop.now()))));
        assertThat(second.get()).isNotNull();
    }

    @Test
    void aTaskOfAnotherThreadWakesTheLoopWheneverItComes() throws Exception {
        for (int round = 0; round < 20_000; round++) {
            CountDownLatch ran = new CountDownLatch(1);
            loop.execute(ran::countDown);
            assertThat(ran.await(10, TimeUnit.SECONDS)).as("round %d", round).isTrue();
        }
    }

    @Test
    void tasksOfOneThreadRunInTheirOrder() throws Exception {
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            loop.execute(() -> ran.add(number));
        }
        assertThat(onLoop(() -> List.copyOf(ran))).isSorted().hasSize(1_000);
    }

    @Test
    void aTaskThatComesBackForEverKeepsNobodyWaiting() throws Exception {
        Runnable[] again = new Runnable[1];
        again[0] = () -> loop.execute(again[0]);
        loop.execute(again[0]);
        CompletableFuture<Integer> ready = new CompletableFuture<>();
        watch(once(() -> ready.complete(1)));
        send();
        assertThat(ready.get()).isEqualTo(1);
    }

    @Test
    void aHandlerIsToldAnInstantAfterItsSocketBecameReady() throws Exception {
        CompletableFuture<Long> instant = new CompletableFuture<>();
        watch(once(() -> instant.complete(loop.now())));
        long before = System.nanoTime();
        send();
        assertThat(instant.get() - before).as("however long the loop had slept").isNotNegative();
    }

    @Test
    void aLoopThatIsClosedEnds() throws Exception {
        assertThat(loop.thread().isDaemon()).isTrue();
        assertThat(loop.isCurrent()).isFalse();
        assertThat(onLoop(loop::isCurrent)).isTrue();
        loop.close();
        loop.thread().join();
        loop.execute(() -> {}); // nobody runs it
        loop.close();
        assertThat(loop.thread().isAlive()).isFalse();
    }

    @Test
    void aLoopByHandTurnsWithItsCallersTime() throws IOException {
        long[] now = {-5 * MILLI};
        List<String> happened = new ArrayList<>();
        try (Selector selector = Selector.open();
                Loop hand = Loop.byHand("by hand", selector, () -> now[0], Supervisor.silent())) {
            hand.execute(() -> {
                assertThat(hand.isCurrent()).isTrue();
                hand.execute(() -> {}); // so that no turn waits in the selector
                hand.at(hand.now() + 3 * MILLI, () -> happened.add("timer"));
                happened.add("task");
            });
            assertThat(happened).isEmpty();
            hand.turn();
            assertThat(happened).containsExactly("task");
            assertThat(hand.isCurrent()).as("between two turns").isFalse();
            now[0] += 3 * MILLI - 1;
            hand.execute(() -> hand.execute(() -> {}));
            hand.turn();
            assertThat(happened).containsExactly("task");
            now[0]++;
            hand.execute(() -> hand.execute(() -> {}));
            hand.turn();
            assertThat(happened).containsExactly("task", "timer");
            assertThat(hand.now()).isEqualTo(-2 * MILLI);
        }
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(task.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result.get(20, TimeUnit.SECONDS);
    }

    private void watch(Loop.Ready handler) throws Exception {
        onLoop(() -> loop.watch(pipe.source(), SelectionKey.OP_READ, handler));
    }

    private void send() throws IOException {
        pipe.sink().write(ByteBuffer.wrap(new byte[1]));
    }

    private Loop.Ready once(Runnable action) {
        return new Loop.Ready() {
            @Override
            public void ready(int operations) {
                close(pipe);
                action.run();
            }

            @Override
            public void failed(Throwable fault) {
                throw new AssertionError(fault);
            }
        };
    }

    private static void close(Pipe pipe) {
        try {
            pipe.source().close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
