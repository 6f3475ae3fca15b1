package dev.headgate.engine.governor;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Commands on their way to the governor. Any thread adds one and gets its stage. The governor begins with each at the start of the
 * next step, on its own thread.
 *
 * <p>Every stage ends. {@linkplain CompletableFuture#cancel Cancelling} it takes the command back if the governor has not begun
 * with it, and has no effect afterwards. So a caller that gives up waiting knows whether anything has changed. When the governor
 * stops, every command that is not done fails, and so does every later one.
 */
final class CommandQueue {

    private final String database;
    private final Runnable wake;
    private final ConcurrentLinkedQueue<Runnable> arrived = new ConcurrentLinkedQueue<>();
    private final List<Runnable> afterStep = new ArrayList<>();

    /** The stages that have not ended. */
    private final Set<Asked<?>> open = ConcurrentHashMap.newKeySet();

    private volatile boolean stopped;

    /** The stage of one command. Either the governor begins with it or its caller takes it back, never both. */
    private static final class Asked<T> extends CompletableFuture<T> {
        private final AtomicBoolean settled = new AtomicBoolean();

        boolean begin() {
            return settled.compareAndSet(false, true);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            return settled.compareAndSet(false, true) ? super.cancel(mayInterrupt) : isCancelled();
        }
    }

    /** @param wake makes a step run soon; called from any thread, must not block */
    CommandQueue(String database, Runnable wake) {
        this.database = database;
        this.wake = wake;
    }

    /**
     * Adds a command. Any thread.
     *
     * @param action begins with the command, given its stage, which it ends sooner or later; what it throws fails the stage
     * @param takenBack run in the place of {@code action} if the caller took the command back
     */
    <T> CompletionStage<T> add(Consumer<CompletableFuture<T>> action, Runnable takenBack) {
        Asked<T> stage = new Asked<>();
        open.add(stage);
        var _ = stage.whenComplete((result, fault) -> open.remove(stage));
        arrived.add(() -> {
            if (stage.begin()) {
                begin(stage, action);
            } else {
                takenBack.run();
            }
        });
        if (stopped) {
            refuse(stage);
        }
        wake.run();
        return stage;
    }

    private static <T> void begin(CompletableFuture<T> stage, Consumer<CompletableFuture<T>> action) {
        try {
            action.accept(stage);
        } catch (RuntimeException | Error fault) {
            stage.completeExceptionally(fault);
        }
    }

    // ---- the governor's thread

    /** Runs what has arrived. What arrives meanwhile waits for the next step. */
    void run() {
        for (int left = arrived.size(); left > 0; left--) {
            Runnable next = arrived.poll();
            if (next != null) {
                next.run();
            }
        }
    }

    /** Has something run at the end of this step. */
    void afterStep(Runnable next) {
        afterStep.add(next);
    }

    /** Has something run at the start of the next step. */
    void inNextStep(Runnable next) {
        arrived.add(next);
    }

    /** Runs what was to be done after the step, as {@link #runAll} does. */
    void stepEnded() {
        List<Runnable> due = List.copyOf(afterStep);
        afterStep.clear();
        runAll(due);
    }

    /** Runs each action, also after another one has thrown. Throws what they threw afterwards. */
    static void runAll(List<Runnable> actions) {
        List<Throwable> failures = new ArrayList<>();
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException | Error fault) {
                failures.add(fault);
            }
        }
        if (!failures.isEmpty()) {
            IllegalStateException all =
                    new IllegalStateException(failures.size() + " actions failed", failures.getFirst());
            failures.stream().skip(1).forEach(all::addSuppressed);
            throw all;
        }
    }

    /** Refuses every command that comes from now on. */
    void close() {
        stopped = true;
    }

    /** Fails every command that is not done. */
    void failAll() {
        open.forEach(this::refuse);
    }

    private void refuse(CompletableFuture<?> stage) {
        stage.completeExceptionally(new IllegalStateException("the governor of " + database + " has stopped"));
    }
}
