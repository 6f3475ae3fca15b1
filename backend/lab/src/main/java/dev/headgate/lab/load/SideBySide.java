package dev.headgate.lab.load;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What became of two loads that ran at the same time. */
public record SideBySide(LoadResult first, LoadResult second) {

    /** A load that blocks until it has ended. */
    @FunctionalInterface
    public interface Load {
        LoadResult run() throws InterruptedException;
    }

    /**
     * Runs both, each on a thread of its own. Blocks until both have ended, also when it throws; an interrupt, or a failure of either,
     * interrupts both.
     */
    public static SideBySide of(Load first, Load second) throws Exception {
        CompletableFuture<LoadResult> one = new CompletableFuture<>();
        CompletableFuture<LoadResult> other = new CompletableFuture<>();
        CompletableFuture<SideBySide> both = one.thenCombine(other, SideBySide::new);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                threads.execute(() -> run(first, one, both));
                threads.execute(() -> run(second, other, both));
                return both.get();
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static void run(Load load, CompletableFuture<LoadResult> result, CompletableFuture<SideBySide> both) {
        try {
            result.complete(load.run());
        } catch (InterruptedException | RuntimeException | Error e) {
            both.completeExceptionally(e); // at once, while the other one runs
        }
    }
}
