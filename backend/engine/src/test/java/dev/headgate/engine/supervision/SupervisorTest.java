package dev.headgate.engine.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SupervisorTest {

    private final VirtualTime time = new VirtualTime();
    private final List<Failure> told = new CopyOnWriteArrayList<>();
    private final Supervisor supervisor = new Supervisor(time::now, told::add);

    @Test
    void aFailureIsToldAndCountedAndThrownNoFurther() {
        assertThat(supervisor.run("audit", () -> {})).isTrue();
        assertThat(supervisor.tasks()).extracting(SupervisedTask::failures).containsExactly(0L);

        assertThat(fail(new IllegalStateException("broken"))).isFalse();
        assertThat(fail(new StackOverflowError("deep"))).isFalse();
        time.runFor(Supervisor.QUIET.plusSeconds(1));
        assertThat(fail(new InterruptedException())).isFalse();

        assertThat(told).extracting(Failure::number).containsExactly(1L, 2L, 3L);
        assertThat(told).extracting(Failure::isNew).containsExactly(true, false, true);
        assertThat(supervisor.tasks()).singleElement().satisfies(task -> {
            assertThat(task.name()).isEqualTo("audit");
            assertThat(task.failures()).isEqualTo(3);
            assertThat(task.last()).contains(told.getLast());
        });
    }

    @Test
    void aThreadForOneTurnIsNamedByItsCallerAndItsEndIsTold() throws Exception {
        Thread thread = supervisor.start("trim", Thread.ofVirtual().name("bank-trim"), () -> {
            throw new IllegalStateException("broken");
        });
        thread.join();
        assertThat(thread.getName()).isEqualTo("bank-trim");
        assertThat(told).extracting(Failure::task).containsExactly("trim");
        supervisor.start("trim", Thread.ofVirtual(), () -> {}).join();
        assertThat(supervisor.tasks().getFirst().failures()).isEqualTo(1);
    }

    @Test
    void aListenerThatFailsEndsNothing() {
        Supervisor unheard = new Supervisor(time::now, failure -> {
            throw new AssertionError("the log is full");
        });
        assertThat(unheard.run("audit", () -> {
                    throw new IllegalStateException("broken");
                }))
                .isFalse();
        assertThat(unheard.tasks().getFirst().failures()).isEqualTo(1);
    }

    @Test
    void aThreadGoesOnWhateverItsTurnsThrow() throws Exception {
        List<Throwable> faults = new ArrayList<>(List.of(
                new IllegalStateException("broken"), new NoClassDefFoundError("Gone"), new InterruptedException()));
        AtomicBoolean ended = new AtomicBoolean();
        CountDownLatch wentOn = new CountDownLatch(1);
        Thread thread = supervisor.keep("accept", Thread.ofVirtual(), ended::get, () -> {
            if (faults.isEmpty()) {
                wentOn.countDown();
                ended.set(true);
            } else if (faults.getFirst() instanceof InterruptedException) {
                faults.clear();
                Thread.currentThread().interrupt(); // by someone who meant something else
                Thread.sleep(Duration.ofSeconds(30));
            } else {
                sneak(faults.removeFirst());
            }
        });

        assertThat(wentOn.await(30, TimeUnit.SECONDS)).isTrue();
        thread.join();
        assertThat(thread.getName()).isEqualTo("accept");
        assertThat(told)
                .extracting(failure -> failure.cause().getClass().getSimpleName())
                .containsExactly("IllegalStateException", "NoClassDefFoundError", "InterruptedException");
    }

    @Test
    void whatIsRepeatedIsRepeatedAfterAFailureAndEndsWhenItIsClosed() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        CountDownLatch third = new CountDownLatch(3);
        Supervisor.Repeated repeated = supervisor.every("feed", Thread.ofVirtual(), Duration.ofMillis(1), () -> {
            third.countDown();
            if (turns.incrementAndGet() < 3) {
                throw new AssertionError("broken");
            }
        });

        assertThat(third.await(30, TimeUnit.SECONDS)).isTrue();
        repeated.close();
        int atTheEnd = turns.get();
        assertThat(told).hasSize(2);
        repeated.close();
        assertThat(turns).hasValue(atTheEnd);
        supervisor.forget("feed");
        assertThat(supervisor.tasks()).isEmpty();
    }

    private boolean fail(Throwable fault) {
        return supervisor.run("audit", () -> sneak(fault));
    }

    private static void sneak(Throwable fault) throws Exception {
        if (fault instanceof Error error) {
            throw error;
        }
        throw (Exception) fault;
    }
}
