package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Service;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Runs expensive work: replays, plans, comparisons of files, exports, and histories of many minutes. Each piece of work runs on
 * a thread of its own, so many at once as there are places; others wait in a queue. One caller has at most half of the places and
 * of the queue. The memory of a piece of work is reserved before it begins. So it takes no thread from whoever answers other
 * requests, none from the wire port, and no memory that is not there.
 *
 * <p>Work ends early, by an interrupt of its thread, if its caller goes away, if the caller's thread is interrupted, or at its
 * deadline. It keeps its place and its memory until its thread has really ended. Safe for any thread.
 */
@Service
public class LongRequests {

    /** Counted from the start of the work. */
    private static final Duration DEADLINE = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);

    /** How many may wait for each place. */
    private static final int QUEUE = 8;

    private static final String TASK = "long-request";

    private final int most;
    private final int mostOfCaller;
    private final Semaphore places;
    private final Map<String, Caller> callers = new ConcurrentHashMap<>();
    private final MemoryAccount account;
    private final Access access;
    private final Departures departures;
    private final Supervisor supervisor;

    LongRequests(
            HeadgateProperties properties,
            MemoryAccount account,
            Access access,
            Departures departures,
            Supervisor supervisor) {
        this.most = properties.limits().longRequests();
        this.mostOfCaller = (most + 1) / 2;
        this.places = new Semaphore(most, true);
        this.account = account;
        this.access = access;
        this.departures = departures;
        this.supervisor = supervisor;
    }

    /** One who has requests here. */
    private static final class Caller {
        private final String name;
        private final Semaphore places;

        /** Those that have a place or wait for one. Guarded by the map. */
        private int requests;

        Caller(String name, int most) {
            this.name = name;
            this.places = new Semaphore(most, true);
        }
    }

    /** The outcome of the work, and the thread that does it. */
    private record Begun<T>(CompletableFuture<T> outcome, Thread thread) {}

    /**
     * Does the work when there is a place and memory for it. Blocks up to a second for each, and as long as the work takes.
     *
     * @param bytes about what the work needs
     * @param work may be interrupted, and changes nothing
     * @throws ProblemException unavailable, with a Retry-After, where there is no place or no memory, and where the work does not
     *     end in time
     */
    public <T> T answer(long bytes, Supplier<T> work) {
        BooleanSupplier gone = departures.ofCaller();
        Begun<T> begun = begin(bytes, work);
        long end = System.nanoTime() + DEADLINE.toNanos();
        try {
            while (true) {
                if (begun.outcome().isDone() || (System.nanoTime() - end < 0 && !gone.getAsBoolean())) {
                    try {
                        return begun.outcome().get(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                    } catch (TimeoutException e) {
                        continue;
                    }
                }
                begun.thread().interrupt();
                throw ProblemException.of(
                        ProblemType.UNAVAILABLE,
                        System.nanoTime() - end < 0
                                ? "The caller went away."
                                : "The work did not end within " + DEADLINE.toSeconds() + " s.");
            }
        } catch (InterruptedException e) {
            begun.thread().interrupt();
            Thread.currentThread().interrupt();
            throw ProblemException.of(ProblemType.UNAVAILABLE, "The work was interrupted.");
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    /**
     * Makes a change when there is a place and memory for it. Once it has begun it runs to its end, whoever goes away. Blocks like
     * {@link #answer}.
     *
     * @throws ProblemException as {@link #answer}; the change has not begun then
     */
    public <T> T change(long bytes, Supplier<T> change) {
        Begun<T> begun = begin(bytes, change);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return begun.outcome().get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw failure(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> Begun<T> begin(long bytes, Supplier<T> work) {
        Caller caller = enter(access.caller());
        takePlace(caller);
        Share share = account.share(Holders.WORK, caller.name);
        if (!share.tryReserve(bytes, PATIENCE)) {
            long possible = share.most();
            share.close();
            givePlaceBack(caller);
            throw noMemory(bytes, possible);
        }
        SecurityContext security = SecurityContextHolder.getContext();
        @Nullable RequestAttributes request = RequestContextHolder.getRequestAttributes();
        CompletableFuture<T> outcome = new CompletableFuture<>();
        Thread thread = supervisor.start(
                TASK,
                Thread.ofPlatform().daemon().name(TASK),
                () -> run(outcome, work, security, request, share, caller));
        return new Begun<>(outcome, thread);
    }

    private <T> void run(
            CompletableFuture<T> outcome,
            Supplier<T> work,
            SecurityContext security,
            @Nullable RequestAttributes request,
            Share share,
            Caller caller) {
        @Nullable T result = null;
        @Nullable Throwable failure = null;
        SecurityContextHolder.setContext(security);
        RequestContextHolder.setRequestAttributes(request);
        try (share) {
            result = work.get();
        } catch (Throwable thrown) { // told to the caller
            failure = thrown;
        } finally {
            givePlaceBack(caller);
        }
        if (failure == null) {
            outcome.complete(result);
        } else {
            outcome.completeExceptionally(failure);
        }
    }

    private Caller enter(String name) {
        return callers.compute(name, (_, known) -> {
            Caller caller = known == null ? new Caller(name, mostOfCaller) : known;
            caller.requests++;
            return caller;
        });
    }

    private void leave(Caller caller) {
        callers.computeIfPresent(caller.name, (_, known) -> --known.requests == 0 ? null : known);
    }

    /** Waits for one of the caller's own places first: meanwhile it stands in nobody else's way. */
    private void takePlace(Caller caller) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        if (acquire(caller.places, mostOfCaller, end)) {
            if (acquire(places, most, end)) {
                return;
            }
            caller.places.release();
        }
        leave(caller);
        throw ProblemException.retry(
                ProblemType.UNAVAILABLE,
                "At most " + most + " long requests are answered at once, " + mostOfCaller
                        + " of them of one caller (headgate.limits.long-requests), and so many are. Try again.",
                RETRY);
    }

    private static boolean acquire(Semaphore from, int places, long end) {
        try {
            return from.getQueueLength() < QUEUE * places
                    && from.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void givePlaceBack(Caller caller) {
        places.release();
        caller.places.release();
        leave(caller);
    }

    private ProblemException noMemory(long bytes, long possible) {
        return bytes > possible
                ? ProblemException.of(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "This work needs about " + bytes + " bytes of memory, and one may have " + possible
                                + ", a quarter of headgate.limits.memory (" + account.most() + ").")
                : ProblemException.retry(
                        ProblemType.UNAVAILABLE,
                        "There is no room for this work now: it needs about " + bytes
                                + " bytes of memory, and others hold as much as they may (headgate.limits.memory is "
                                + account.most() + " bytes). Try again.",
                        RETRY);
    }

    private static RuntimeException failure(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
    }
}
