package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
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
 * <p>Work ends early, by an interrupt of its thread, if its caller goes away, if the caller's thread is interrupted, if it is
 * cancelled, or at its deadline, unless it has begun to change something. It keeps its place and its memory, and is listed, until its
 * thread has really ended. Safe for any thread.
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
    private final Set<LongRequest> requests = ConcurrentHashMap.newKeySet();
    private final AtomicLong arrivals = new AtomicLong();
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

    /** Those that wait, run or end, in any order. */
    public List<LongRequest> list() {
        return List.copyOf(requests);
    }

    /** Cancels a request: it is answered at once. Does not wait for the end of its work. Returns false if it changes something. */
    public boolean cancel(LongRequest request) {
        return request.cancel(access.actor());
    }

    /**
     * Does the work when there is a place and memory for it. Blocks up to a second for each, and as long as the work takes.
     *
     * @param work may be interrupted until it tells that it {@linkplain Progress#changes changes} something. Then it runs to its end,
     *     whoever goes away and however long it takes
     * @throws ProblemException unavailable, with a Retry-After, where there is no place or no memory, and where the work does not
     *     end in time or is cancelled; nothing was changed
     */
    public <T> T answer(LongWork asked, Function<Progress, T> work) {
        BooleanSupplier gone = departures.ofCaller();
        LongRequest request = new LongRequest(arrivals.incrementAndGet(), asked, access.actor());
        CompletableFuture<T> outcome = begin(request, work);
        long end = System.nanoTime() + DEADLINE.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                boolean late = System.nanoTime() - end >= 0;
                boolean awaited = !late && !interrupted && request.canceller() == null && !gone.getAsBoolean();
                if (!awaited && !outcome.isDone() && request.leave()) {
                    throw left(
                            request,
                            late
                                    ? "The work did not end within " + DEADLINE.toSeconds() + " s."
                                    : interrupted ? "The work was interrupted." : "The caller went away.");
                }
                try {
                    return outcome.get(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    // it is looked at again
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (CancellationException e) { // its work noticed first
            throw left(request, String.valueOf(e.getMessage()));
        } catch (ExecutionException e) {
            throw request.canceller() == null ? failure(e) : left(request, "");
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static ProblemException left(LongRequest request, String why) {
        Actor canceller = request.canceller();
        return ProblemException.of(
                ProblemType.UNAVAILABLE, canceller == null ? why : canceller.name() + " cancelled this work.");
    }

    private <T> CompletableFuture<T> begin(LongRequest request, Function<Progress, T> work) {
        requests.add(request);
        Caller caller = enter(access.caller());
        Share share;
        try {
            takePlace(caller);
            share = memory(caller, request.work().bytes());
        } catch (ProblemException refused) {
            requests.remove(request);
            throw refused;
        }
        SecurityContext security = SecurityContextHolder.getContext();
        @Nullable RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
        CompletableFuture<T> outcome = new CompletableFuture<>();
        try {
            supervisor.start(TASK, Thread.ofPlatform().daemon().name(TASK), () -> {
                SecurityContextHolder.setContext(security);
                RequestContextHolder.setRequestAttributes(attributes);
                run(outcome, request, work, share, caller);
            });
        } catch (RuntimeException | Error noThread) {
            end(request, share, caller);
            throw noThread;
        }
        return outcome;
    }

    private <T> void run(
            CompletableFuture<T> outcome, LongRequest request, Function<Progress, T> work, Share share, Caller caller) {
        @Nullable T result = null;
        @Nullable Throwable failure = null;
        try {
            request.begin();
            result = work.apply(progress(request, share));
        } catch (Throwable thrown) { // told to the caller
            failure = thrown;
        } finally {
            end(request, share, caller);
        }
        if (failure == null) {
            outcome.complete(result);
        } else {
            outcome.completeExceptionally(failure);
        }
    }

    private Progress progress(LongRequest request, Share share) {
        return new Progress() {
            @Override
            public void at(double done) {
                request.at(done);
            }

            @Override
            public void hold(long bytes, String what) {
                if (!share.tryReserve(bytes, PATIENCE)) {
                    throw noMemory(share.reserved() + bytes, share.most(), " for " + what);
                }
            }

            @Override
            public void changes() {
                request.changes();
            }
        };
    }

    private void end(LongRequest request, Share share, Caller caller) {
        share.close();
        givePlaceBack(caller);
        requests.remove(request);
    }

    /** Gives the caller's place back where there is no memory. */
    private Share memory(Caller caller, long bytes) {
        Share share = account.share(Holders.WORK, caller.name);
        if (share.tryReserve(bytes, PATIENCE)) {
            return share;
        }
        long possible = share.most();
        share.close();
        givePlaceBack(caller);
        throw noMemory(bytes, possible, "");
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

    /** @param what empty, or continues a sentence after "memory" */
    private ProblemException noMemory(long bytes, long possible, String what) {
        return bytes > possible
                ? ProblemException.of(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "This work needs about " + bytes + " bytes of memory" + what + ", and one may have " + possible
                                + ", a quarter of headgate.limits.memory (" + account.most() + ").")
                : ProblemException.retry(
                        ProblemType.UNAVAILABLE,
                        "There is no room for this work now: it needs about " + bytes
                                + " bytes of memory" + what
                                + ", and others hold as much as they may (headgate.limits.memory is "
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
