package dev.headgate.lab.load;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What became of two loads that ran at the same time.
 *
 * @param first ran on the caller's thread
 */
public record SideBySide(LoadResult first, LoadResult second) {

    /** A load that blocks until it has ended. */
    @FunctionalInterface
    public interface Load {
        LoadResult run() throws InterruptedException;
    }

    /** Runs both. Blocks until both have ended; an interrupt, or a failure of either, ends both. */
    public static SideBySide of(Load first, Load second) throws Exception {
        CompletableFuture<LoadResult> other = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                other.complete(second.run());
            } catch (InterruptedException | RuntimeException | Error e) {
                other.completeExceptionally(e);
            }
        });
        try {
            return new SideBySide(first.run(), other.get(1, TimeUnit.MINUTES));
        } finally {
            thread.interrupt();
        }
    }
}
