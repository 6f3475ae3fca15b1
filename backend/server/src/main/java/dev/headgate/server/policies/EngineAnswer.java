package dev.headgate.server.policies;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for the engine's answer to a request about a policy set. A request that has not begun in time is cancelled and has changed
 * nothing. For one that has begun it waits a second time, because every policy call in it has a deadline.
 */
public final class EngineAnswer {

    static final Duration PATIENCE = Duration.ofSeconds(5);

    private EngineAnswer() {}

    /**
     * Blocks until the engine has answered: up to 5 s until it begins, and up to 5 s more after that.
     *
     * @throws ProblemException unavailable if it fails or takes longer; the request is cancelled if it has changed nothing
     */
    public static <T> T of(CompletionStage<T> asked) {
        return of(asked, PATIENCE);
    }

    static <T> T of(CompletionStage<T> asked, Duration patience) {
        CompletableFuture<T> answer = asked.toCompletableFuture();
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (TimeoutException e) {
            if (answer.cancel(false)) {
                throw ProblemException.of(
                        ProblemType.UNAVAILABLE,
                        "The engine did not take the policy set within " + patience.toSeconds()
                                + " s; nothing was changed.");
            }
            return begun(answer, patience);
        } catch (InterruptedException e) {
            answer.cancel(false);
            throw interrupted();
        }
    }

    private static <T> T begun(CompletableFuture<T> answer, Duration patience) {
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (TimeoutException e) {
            throw ProblemException.of(
                    ProblemType.UNAVAILABLE,
                    "The engine started to take the policy set but did not finish within " + patience.toSeconds()
                            + " s.");
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static ProblemException failed(ExecutionException e) {
        return ProblemException.of(
                ProblemType.UNAVAILABLE, "The engine did not take the policy set: " + e.getCause() + ".");
    }

    private static ProblemException interrupted() {
        Thread.currentThread().interrupt();
        return ProblemException.of(ProblemType.UNAVAILABLE, "The change was interrupted.");
    }
}
