package dev.headgate.engine.supervision;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Keeps tasks running. Without it a thread or a timer's task ends at the first uncaught exception, usually silently. Under a
 * supervisor the failure is reported and counted, and the task continues.
 *
 * <p>A task has a name. If it has its own thread, the thread has the same name. Safe for several threads. A task survives
 * every {@code Throwable}; to end the process on an {@code OutOfMemoryError}, use the JVM's own option.
 */
public final class Supervisor {

    /** A task without a failure for this long counts as recovered. */
    public static final Duration QUIET = Duration.ofMinutes(1);

    /** How long a thread waits after a failure, so that repeated failures do not keep a core busy. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** One turn of a thread. */
    @FunctionalInterface
    public interface Turn {
        void run() throws Exception;
    }

    /** A task that runs at intervals until it is closed. */
    public interface Repeated extends AutoCloseable {

        /** Ends the task. Waits for the turn in progress. */
        @Override
        void close();
    }

    private final InstantSource clock;
    private final Consumer<Failure> listener;
    private final Map<String, SupervisedTask> tasks = new ConcurrentHashMap<>();

    /** @param listener called for each failure, on the thread that failed; its own exceptions are ignored */
    public Supervisor(InstantSource clock, Consumer<Failure> listener) {
        this.clock = clock;
        this.listener = listener;
    }

    /** A supervisor without a listener. */
    public static Supervisor silent() {
        return new Supervisor(InstantSource.system(), failure -> {});
    }

    /** Runs a task on the caller's thread. Throws nothing. Returns whether it ended without a failure. */
    public boolean run(String task, Turn turn) {
        known(task);
        try {
            turn.run();
            return true;
        } catch (Throwable fault) {
            failed(task, fault);
            return false;
        }
    }

    /** Starts a thread that does one turn and ends. Threads of one task may run side by side. */
    public Thread start(String task, Thread.Builder threads, Turn turn) {
        known(task);
        return threads.start(() -> {
            boolean _ = run(task, turn);
        });
    }

    /**
     * Starts a thread that runs one turn after the other until {@code ended} returns true. After a failure or an interrupt it
     * continues with the next turn after a pause.
     *
     * @param threads builds the thread; the thread is named after the task
     */
    public Thread keep(String task, Thread.Builder threads, BooleanSupplier ended, Turn turn) {
        known(task);
        return threads.name(task).start(() -> repeat(task, ended, turn));
    }

    /** Does what the thread of {@link #keep} does, on the caller's thread, which must be the task's own. Throws nothing. */
    public void repeat(String task, BooleanSupplier ended, Turn turn) {
        while (!ended.getAsBoolean()) {
            if (!run(task, turn) && !ended.getAsBoolean()) {
                run(task, () -> Thread.sleep(PAUSE));
            }
        }
    }

    /**
     * Starts a thread that runs a turn every {@code period}, the first after one period. Of the turns that fall due while
     * another runs, only one is made up.
     */
    public Repeated every(String task, Thread.Builder threads, Duration period, Turn turn) {
        CountDownLatch end = new CountDownLatch(1);
        long[] due = {System.nanoTime() + period.toNanos()};
        Thread thread = keep(task, threads, () -> end.getCount() == 0, () -> {
            if (!end.await(due[0] - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                due[0] = Math.max(due[0] + period.toNanos(), System.nanoTime());
                turn.run();
            }
        });
        return () -> {
            end.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    /** Reports a failure that the task has caught itself. */
    public void failed(String task, Throwable cause) {
        Failure[] failure = new Failure[1];
        tasks.compute(task, (name, before) -> {
            var now = clock.instant();
            long number = before == null ? 1 : before.failures() + 1;
            boolean isNew = before == null
                    || before.last().isEmpty()
                    || before.last().get().at().plus(QUIET).isBefore(now);
            failure[0] = new Failure(task, cause, now, number, isNew);
            return new SupervisedTask(task, number, Optional.of(failure[0]));
        });
        try {
            listener.accept(failure[0]);
        } catch (Throwable lost) {
            // the failure is counted; there is no other listener
        }
    }

    /**
     * Forgets a task that has ended for good. Those whose name is of something that can be deleted, such as a database, would else
     * become ever more.
     */
    public void forget(String task) {
        tasks.remove(task);
    }

    /** The tasks that were not forgotten, by name. */
    public List<SupervisedTask> tasks() {
        return List.copyOf(new TreeMap<>(tasks).values());
    }

    private void known(String task) {
        tasks.computeIfAbsent(task, name -> new SupervisedTask(name, 0, Optional.empty()));
    }
}
