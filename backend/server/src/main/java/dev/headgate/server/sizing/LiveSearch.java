package dev.headgate.server.sizing;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.sizing.SizeSearchRun.SizeAnswer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One search on the live load of a pool: measures the size in force, then the sizes that {@link SizeSearch} names, then the size in force
 * again, to tell whether the load was the same all the time.
 *
 * <h2>What it never does</h2>
 *
 * It stores nothing as a policy set: the engine is told of a size for one trial ({@link Pool#tryOut}). The policies decide again when
 * the search ends in whatever way, and, if nobody ends it, when the trial's time is over. It takes no longer than it was given. A size
 * that exceeds a bound ({@link TrialBounds}) is given up within {@value #LOOK_EVERY_MILLIS} ms.
 *
 * <p>{@link #run} belongs to one thread, which an interrupt cancels. Anybody may call {@link #shown}.
 */
final class LiveSearch {

    /** Before a trial is measured, so that connections open and the queue becomes as long as it will be. */
    private static final Duration SETTLING = Duration.ofSeconds(1);

    /** With the size in force, before the first trial and after the last. */
    private static final int OTHER_MEASUREMENTS = 2;

    private static final long LOOK_EVERY_MILLIS = 100;

    /** A size is in force for so much longer than its trial, in case nobody ends it. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** The load was steady if the size in force has the same throughput before and after, but for this share. */
    private static final double STEADY = 0.2;

    /** The search ended without an answer, for a reason that the caller can understand. */
    private static final class NoAnswer extends Exception {
        private static final long serialVersionUID = 1;

        NoAnswer(String why) {
            super(why);
        }
    }

    /** What changes while it runs. */
    private record Progress(
            String state,
            @Nullable String doing,
            List<Trial> trials,
            @Nullable Instant endedAt,
            @Nullable SizeAnswer answer,
            @Nullable String problem) {}

    private final String id;
    private final Pool pool;
    private final SizeSearchRequest request;
    private final int most;
    private final PoolStatus before;
    private final String startedBy;
    private final Instant startedAt;
    private final Supplier<PolicySetRequest> inForce;
    private final TrialMeter meter;
    private final Clock clock;
    private final long deadlineNanos;
    private final Duration trial;
    private final SizeSearch search;
    private volatile Progress progress = new Progress(SizeSearchRun.RUNNING, null, List.of(), null, null, null);

    /**
     * @param most the largest size that may be tried
     * @param inForce reads the pool's policy set
     */
    LiveSearch(
            String id,
            Pool pool,
            SizeSearchRequest request,
            int most,
            String startedBy,
            Supplier<PolicySetRequest> inForce,
            TrialMeter meter,
            Clock clock) {
        this.id = id;
        this.pool = pool;
        this.request = request;
        this.most = most;
        this.before = pool.status();
        this.startedBy = startedBy;
        this.startedAt = clock.instant();
        this.inForce = inForce;
        this.meter = meter;
        this.clock = clock;
        Duration all = Duration.ofSeconds(request.seconds());
        this.deadlineNanos = System.nanoTime() + all.toNanos();
        this.trial = all.dividedBy(SizeSearch.MOST_TRIALS + OTHER_MEASUREMENTS);
        this.search = new SizeSearch(1, most, sizeBefore());
    }

    private int sizeBefore() {
        return Math.max(1, before.size());
    }

    Pool pool() {
        return pool;
    }

    SizeSearchRun shown() {
        Progress now = progress;
        return new SizeSearchRun(
                id,
                pool.domain(),
                now.state(),
                now.doing(),
                startedAt,
                now.endedAt(),
                startedBy,
                request.seconds(),
                trial.toMillis() / 1e3,
                1,
                most,
                sizeBefore(),
                now.trials(),
                now.answer(),
                now.problem());
    }

    /** Searches to the end. The policies decide again before the state says that it has ended. */
    void run() {
        try {
            SizeAnswer answer = search();
            end(SizeSearchRun.DONE, answer, null);
        } catch (NoAnswer e) {
            end(SizeSearchRun.FAILED, null, e.getMessage());
        } catch (InterruptedException | CancellationException e) {
            end(SizeSearchRun.CANCELLED, null, null);
        } catch (RuntimeException | Error e) {
            end(SizeSearchRun.FAILED, null, "The search failed: " + e + ".");
            throw e;
        }
    }

    private void end(String state, @Nullable SizeAnswer answer, @Nullable String problem) {
        meter.end(pool.domain());
        CompletionStage<Void> ended = pool.endTrial();
        try {
            ended.toCompletableFuture().get(GRACE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // the pool is closed, or the trial's own time ends it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        progress = new Progress(state, null, search.trials(), clock.instant(), answer, problem);
    }

    private SizeAnswer search() throws InterruptedException, NoAnswer {
        doing("the size in force, %d".formatted(sizeBefore()));
        Measured first = measure(null);
        requireLoad(first);
        TrialBounds bounds = TrialBounds.of(request, first.sums(), first.longestWaitNanos());
        Optional<String> exceeded = bounds.exceeded(first.longestWaitNanos(), first.sums());
        if (exceeded.isPresent()) {
            throw new NoAnswer("With the size in force a bound of the search is exceeded already: " + exceeded.get()
                    + ". Choose a wider one.");
        }
        OptionalInt next = search.next();
        for (; next.isPresent() && timeLeft(3); next = search.next()) {
            clearQueue(first.mostWaiting());
            search.take(tryOut(next.getAsInt(), bounds));
        }
        int size = search.answer()
                .orElseThrow(() -> new NoAnswer("Every size was ruled out, the one in force too: "
                        + search.trials().getLast().ruledOut() + "."));
        doing("the size in force once more, %d".formatted(sizeBefore()));
        await(pool.endTrial());
        String drift = timeLeft(1) ? drift(first.sums(), measure(null).sums()) : "";
        String unfinished = next.isPresent() ? " The time was over before the search was." : "";
        return answer(size, unfinished + drift);
    }

    private SizeAnswer answer(int size, String more) {
        PoolStatus now = pool.status();
        String sentence = Answers.sentence(size, search.trials())
                + Answers.expected(size, search.expected())
                + (size == most ? " More were not tried: that is the most that may be." : "")
                + Answers.replaced(now.answers())
                + Answers.held(now.answers(), size)
                + more;
        return new SizeAnswer(size, before.revision(), sentence, Answers.policySet(inForce.get(), now.answers(), size));
    }

    /** If a trial has left a longer queue than there is otherwise, lets the size in force work it off, for a trial's time at most. */
    private void clearQueue(int usual) throws InterruptedException, NoAnswer {
        long begun = System.nanoTime();
        if (pool.status().waiting() > usual) {
            await(pool.endTrial());
        }
        while (pool.status().waiting() > usual && System.nanoTime() - begun < trial.toNanos()) {
            Thread.sleep(LOOK_EVERY_MILLIS);
            requireUnchanged(pool.status());
        }
    }

    private Trial tryOut(int size, TrialBounds bounds) throws InterruptedException, NoAnswer {
        doing("a size of %d, trial %d".formatted(size, search.trials().size() + 1));
        await(pool.tryOut(size, trial.plus(GRACE)));
        Measured measured = measure(bounds);
        if (measured.ruledOut().isEmpty()) {
            PoolStatus now = pool.status();
            if (now.waiting() == 0) {
                requireLoad(measured);
            }
            if (now.target() < size) {
                return measured.sums().trial(size, "only %d were to be had of the budget".formatted(now.target()));
            }
        }
        return measured.sums().trial(size, measured.ruledOut());
    }

    private void requireLoad(Measured measured) throws NoAnswer {
        if (measured.sums().all().leases() < TrialBounds.LEAST) {
            throw new NoAnswer("%s gave %d leases in %.1f s: too few to tell how a size does."
                    .formatted(
                            pool.domain(),
                            measured.sums().all().leases(),
                            measured.sums().all().nanos() / 1e9));
        }
    }

    private static String drift(TrialMeter.Sums before, TrialMeter.Sums after) {
        double first = before.perSecond();
        double last = after.perSecond();
        return Math.abs(last - first) <= STEADY * first
                ? ""
                : String.format(
                        Locale.ROOT,
                        " The load was not steady: the size in force gave %.0f leases a second before and %.0f after."
                                + " Repeat this when it is.",
                        first,
                        last);
    }

    private boolean timeLeft(int trials) {
        return deadlineNanos - System.nanoTime() >= trials * trial.toNanos();
    }

    private void await(CompletionStage<Void> done) throws InterruptedException, NoAnswer {
        try {
            done.toCompletableFuture().get(GRACE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new NoAnswer(pool.domain() + " could not be given the size.");
        }
    }

    /**
     * @param mostWaiting callers at a time
     * @param ruledOut empty if the size may be taken
     */
    private record Measured(TrialMeter.Sums sums, long longestWaitNanos, int mostWaiting, String ruledOut) {}

    /**
     * Waits until the size has settled, then measures for the rest of a trial's time. Ends early if a bound is exceeded.
     *
     * @param bounds null for the size in force
     */
    private Measured measure(@Nullable TrialBounds bounds) throws InterruptedException, NoAnswer {
        String domain = pool.domain();
        long begun = System.nanoTime();
        long longestWaitNanos = 0;
        int mostWaiting = 0;
        boolean settled = false;
        meter.begin(domain);
        while (true) {
            Thread.sleep(LOOK_EVERY_MILLIS);
            long passed = System.nanoTime() - begun;
            PoolStatus now = pool.status();
            requireUnchanged(now);
            TrialMeter.Sums sums = meter.read(domain);
            longestWaitNanos = Math.max(longestWaitNanos, now.longestWaitNanos());
            mostWaiting = Math.max(mostWaiting, now.waiting());
            Optional<String> exceeded =
                    bounds == null ? Optional.empty() : bounds.exceeded(now.longestWaitNanos(), sums);
            if (exceeded.isPresent() || passed >= trial.toNanos()) {
                return new Measured(sums, longestWaitNanos, mostWaiting, exceeded.orElse(""));
            }
            if (!settled && passed >= SETTLING.toNanos()) {
                settled = true;
                meter.begin(domain);
            }
        }
    }

    private void requireUnchanged(PoolStatus now) throws NoAnswer {
        if (now.revision() != before.revision()) {
            throw new NoAnswer("The policy set was changed meanwhile, to revision " + now.revision() + ".");
        }
        if (now.state() != PoolStatus.State.OPEN) {
            throw new NoAnswer(pool.domain() + " is " + now.state().name().toLowerCase(Locale.ROOT) + ".");
        }
    }

    private void doing(String what) {
        progress = new Progress(SizeSearchRun.RUNNING, what, search.trials(), null, null, null);
    }
}
