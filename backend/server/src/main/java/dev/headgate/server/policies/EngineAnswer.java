package dev.headgate.server.policies;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what the engine was asked to do with a policy set. */
public final class EngineAnswer {

    private static final long SECONDS = 5;

    private EngineAnswer() {}

    /**
     * Blocks until the engine has done it, up to {@value #SECONDS} s.
     *
     * @throws ProblemException unavailable where it fails or takes longer
     */
    public static <T> T of(CompletionStage<T> asked) {
        try {
            return asked.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw ProblemException.of(
                    ProblemType.UNAVAILABLE, "The engine did not take the policy set: " + e.getCause() + ".");
        } catch (TimeoutException e) {
            throw ProblemException.of(
                    ProblemType.UNAVAILABLE,
                    "The engine did not take the policy set within " + SECONDS + " s; nothing was changed.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(ProblemType.UNAVAILABLE, "The change was interrupted.");
        }
    }
}
