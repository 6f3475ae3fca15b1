package dev.headgate.server.plugins;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a plugin's code on a thread of its own, which is abandoned if it does not return. So code that blocks for ever costs its caller
 * the deadline, and nobody else anything. Its thread locals end with the thread.
 */
public final class PluginCall {

    /** The deadline for creating a policy, asking it and closing it. */
    public static final Duration DEADLINE = Duration.ofSeconds(1);

    private PluginCall() {}

    /**
     * Blocks until the code has ended or the deadline has passed.
     *
     * <p>If it fails, its thread has been interrupted, and so have those that it started.
     *
     * @throws TimeoutException if it has not ended by then
     * @throws ExecutionException with what the code threw, of any kind
     */
    public static <T> T within(Duration deadline, Callable<T> code)
            throws TimeoutException, ExecutionException, InterruptedException {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        ThreadGroup group = new ThreadGroup("policy-trial");
        Thread.ofPlatform()
                .group(group)
                .daemon()
                .name("policy-trial")
                .inheritInheritableThreadLocals(false)
                .start(() -> {
                    try {
                        outcome.complete(code.call());
                    } catch (Throwable thrown) {
                        outcome.completeExceptionally(thrown);
                    }
                });
        try {
            return outcome.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | InterruptedException | ExecutionException e) {
            group.interrupt();
            throw e;
        }
    }
}
