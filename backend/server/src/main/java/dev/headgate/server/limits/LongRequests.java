package dev.headgate.server.limits;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.stereotype.Service;

/**
 * Bounds the requests that cost much: replays, plans, comparisons of files, exports, and histories of many minutes. They run
 * on the threads of their requests and never on those of the wire port. Safe for any thread.
 */
@Service
public class LongRequests {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final int most;
    private final Semaphore places;

    LongRequests(HeadgateProperties properties) {
        this.most = properties.limits().longRequests();
        this.places = new Semaphore(most, true);
    }

    /**
     * Does the work when there is a place for it. Blocks up to a second for one, and as long as the work takes.
     *
     * @throws ProblemException unavailable, with a Retry-After, where there is no place
     */
    public <T> T answer(Supplier<T> work) {
        if (!placed()) {
            throw ProblemException.retry(
                    ProblemType.UNAVAILABLE,
                    "At most " + most
                            + " long requests are answered at once (headgate.limits.long-requests), and so many"
                            + " are. Try again.",
                    RETRY);
        }
        try {
            return work.get();
        } finally {
            places.release();
        }
    }

    private boolean placed() {
        try {
            return places.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
