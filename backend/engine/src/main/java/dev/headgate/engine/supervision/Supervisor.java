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
 * Keeps going what must never end. A thread or a timer's task ends at the first exception that nobody catches, and most of
 * them end without a word; under a supervisor it fails, is told of and counted, and goes on.
 *
 * <p>A task has a name, which is its thread's where it has one of its own. Safe for use by several threads. It survives
 * every {@code Throwable}, so a process that must not outlive an {@code OutOfMemoryError} needs the JVM's own means.
 */
public final class Supervisor {

    /** A task that has not failed for so long is well again. */
    public static final Duration QUIET = Duration.ofMinutes(1);

    /** How long a thread waits after a failure, so that one that fails at once does not keep a core busy. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** One turn of a thread. */
    @FunctionalInterface
    public interface Turn {
        void run() throws Exception;
    }

    /** A task that runs at intervals until it is closed. */
    public interface Repeated extends AutoCloseable {

        /** Ends it; waits for the turn that is under way. */
        @Override
        void close();
    }

    private final InstantSource clock;
    private final Consumer<Failure> listener;
    private final Map<String, SupervisedTask> tasks = new ConcurrentHashMap<>();

    /** @param listener told of each failure on the thread that failed; what it throws itself is lost */
    public Supervisor(InstantSource clock, Consumer<Failure> listener) {
        this.clock = clock;
        this.listener = listener;
    }

    /** One that tells nobody. */
    public static Supervisor silent() {
        return new Supervisor(InstantSource.system(), failure -> {});
    }

    /** Runs something on the caller's thread and throws nothing. Tells whether it ended without a failure. */
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

    /**
     * Starts a thread that does one turn after the other until {@code ended} says so. One that fails, or is interrupted by
     * someone, goes on with the next after a pause.
     *
     * @param threads of the kind that is wanted; named after the task
     */
    public Thread keep(String task, Thread.Builder threads, BooleanSupplier ended, Turn turn) {
        known(task);
        return threads.name(task).start(() -> {
            while (!ended.getAsBoolean()) {
                if (!run(task, turn) && !ended.getAsBoolean()) {
                    run(task, () -> Thread.sleep(PAUSE));
                }
            }
        });
    }

    /**
     * Starts a thread that does a turn every {@code period}, first after one period. Turns that fell due while another was
     * under way are left out, but for one.
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

    /** Tells of a failure that the task itself has caught. */
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
            // it is counted, and there is nobody else to tell
        }
    }

    /** Every task that was ever run, by name. */
    public List<SupervisedTask> tasks() {
        return List.copyOf(new TreeMap<>(tasks).values());
    }

    private void known(String task) {
        tasks.computeIfAbsent(task, name -> new SupervisedTask(name, 0, Optional.empty()));
    }
}
