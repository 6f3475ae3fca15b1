package dev.headgate.server.sizing;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.policies.PolicySetRequest.PolicyUseRequest;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.sizing.SizeSearchRun.SizeAnswer;
import jakarta.annotation.PreDestroy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Finds the size of a pool by trying sizes on its live load. Nothing of a trial is stored as a policy set: the engine is told of a size
 * for some seconds ({@link Pool#tryOut}), and the policies decide again when the trial, this service or the machine ends.
 *
 * <p>A size at which callers wait too long, or are refused although nobody was before, is ruled out at once. If somebody changes the
 * policy set meanwhile, the search ends.
 *
 * <p>The last {@value #KEPT} searches are kept in memory. Safe for any thread.
 */
@Service
class SizeSearches {

    private static final String TASK = "size-search";
    private static final int KEPT = 20;
    private static final int SECONDS = 4;
    private static final int MOST_WAIT_MS = 1_000;

    /** With fewer leases in a trial nothing can be told. */
    private static final int LEAST_LEASES = 20;

    /** Before a trial is measured, so that connections open and the queue is as long as it will be. */
    private static final Duration SETTLING = Duration.ofSeconds(1);

    /** A difference of the same size's throughput, before and after, that is no news. */
    private static final double STEADY = 0.2;

    private static final Duration LOOK_EVERY = Duration.ofMillis(100);

    /** A size is held for so much longer than it is measured, in case nobody ends it. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Engine engine;
    private final Policies policies;
    private final TrialMeter meter;
    private final Supervisor supervisor;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final Clock clock;

    /** Oldest first. Guarded by itself. */
    private final LinkedHashMap<String, Active> searches = new LinkedHashMap<>();

    private long last;

    SizeSearches(
            Engine engine,
            Policies policies,
            TrialMeter meter,
            Supervisor supervisor,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            Clock clock) {
        this.engine = engine;
        this.policies = policies;
        this.meter = meter;
        this.supervisor = supervisor;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.clock = clock;
    }

    /** The search ended without an answer, for a reason that the caller can understand. */
    private static final class NoAnswer extends Exception {
        private static final long serialVersionUID = 1;

        NoAnswer(String why) {
            super(why);
        }
    }

    /** One search. Its thread writes {@code shown}; anybody reads it. */
    private final class Active {
        private final Pool pool;
        private final long revision;
        private final long mostWaitNanos;
        private final SizeSearch search;
        private volatile SizeSearchRun shown;
        private volatile @Nullable Thread thread;
        private long longestWaitNanos;

        Active(Pool pool, SizeSearchRun begun, int mostWaitMs) {
            this.pool = pool;
            this.revision = pool.status().revision();
            this.mostWaitNanos = TimeUnit.MILLISECONDS.toNanos(mostWaitMs);
            this.search = new SizeSearch(begun.least(), begun.most(), begun.before());
            this.shown = begun;
        }

        void run() {
            try {
                String domain = pool.domain();
                doing("the size in force, %d".formatted(shown.before()));
                TrialMeter.Sums before = measure(Long.MAX_VALUE, false).sums();
                if (before.leases() < LEAST_LEASES) {
                    throw new NoAnswer("%s gave %d leases in %d s: too few to tell how a size does."
                            .formatted(domain, before.leases(), shown.seconds()));
                }
                long bound = Math.max(mostWaitNanos, 2 * longestWaitNanos);
                boolean refuses = before.refused() > 0;
                for (OptionalInt next = search.next(); next.isPresent(); next = search.next()) {
                    int size = next.getAsInt();
                    doing("a size of %d, trial %d"
                            .formatted(size, search.trials().size() + 1));
                    await(pool.tryOut(
                            size, SETTLING.plusSeconds(shown.seconds()).plus(GRACE)));
                    Measured measured = measure(bound, !refuses);
                    requireLoad(measured);
                    search.take(measured.sums().trial(size, measured.ruledOut()));
                    doing("");
                }
                int size = search.answer()
                        .orElseThrow(() -> new NoAnswer("Every size was ruled out, the one in force too."));
                doing("the size in force once more, %d".formatted(shown.before()));
                await(pool.endTrial());
                TrialMeter.Sums after = measure(Long.MAX_VALUE, false).sums();
                end(SizeSearchRun.DONE, answer(size, drift(before, after)), null);
            } catch (NoAnswer e) {
                end(SizeSearchRun.FAILED, null, e.getMessage());
            } catch (InterruptedException | CancellationException e) {
                end(SizeSearchRun.CANCELLED, null, null);
            } catch (RuntimeException | Error e) {
                end(SizeSearchRun.FAILED, null, "The search failed: " + e + ".");
                throw e;
            } finally {
                meter.end(pool.domain());
                pool.endTrial();
            }
        }

        private void requireLoad(Measured measured) throws NoAnswer {
            if (measured.ruledOut().isEmpty()
                    && measured.sums().leases() < LEAST_LEASES
                    && pool.status().waiting() == 0) {
                throw new NoAnswer("The load has ended: %d leases in %d s, and nobody waits."
                        .formatted(measured.sums().leases(), shown.seconds()));
            }
        }

        /** Whether the same size gave something else at the end than at the beginning. */
        private String drift(TrialMeter.Sums before, TrialMeter.Sums after) {
            double first = before.trial(0, "").perSecond();
            double last = after.trial(0, "").perSecond();
            return Math.abs(last - first) <= STEADY * first
                    ? ""
                    : " The load was not steady: the size in force gave %.0f leases a second before and %.0f after. Repeat this when it is."
                            .formatted(first, last);
        }

        private void await(java.util.concurrent.CompletionStage<Void> done) throws InterruptedException, NoAnswer {
            try {
                done.toCompletableFuture().get(GRACE.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new NoAnswer(pool.domain() + " could not be given the size.");
            }
        }

        /** @param ruledOut empty if the size may be taken */
        private record Measured(TrialMeter.Sums sums, String ruledOut) {}

        /** Waits until the size has settled, then measures. Ends early if the size is ruled out. */
        private Measured measure(long mostNanos, boolean refusalsCount) throws InterruptedException, NoAnswer {
            String domain = pool.domain();
            meter.begin(domain);
            Duration length = Duration.ofSeconds(shown.seconds());
            boolean settled = false;
            for (Duration passed = Duration.ZERO; ; passed = passed.plus(LOOK_EVERY)) {
                if (!settled && passed.compareTo(SETTLING) >= 0) {
                    settled = true;
                    meter.begin(domain);
                } else if (passed.compareTo(SETTLING.plus(length)) >= 0) {
                    return new Measured(meter.read(domain), "");
                }
                Thread.sleep(LOOK_EVERY);
                PoolStatus now = pool.status();
                if (now.revision() != revision) {
                    throw new NoAnswer("The policy set was changed meanwhile, to revision " + now.revision() + ".");
                }
                if (now.state() != PoolStatus.State.OPEN) {
                    throw new NoAnswer(domain + " is " + now.state().name().toLowerCase(Locale.ROOT) + ".");
                }
                longestWaitNanos = Math.max(longestWaitNanos, now.longestWaitNanos());
                TrialMeter.Sums sums = meter.read(domain);
                if (now.longestWaitNanos() > mostNanos) {
                    return new Measured(sums, "a caller waited %d ms".formatted(now.longestWaitNanos() / 1_000_000));
                }
                if (refusalsCount && sums.refused() > 0) {
                    return new Measured(sums, sums.refused() + " requests were refused");
                }
            }
        }

        private SizeAnswer answer(int size, String drift) {
            Trial best = search.trials().stream()
                    .filter(trial -> trial.size() == size)
                    .reduce((one, other) -> other)
                    .orElseThrow();
            String sentence = "%d connections give %.0f leases a second at a response of %.1f ms; %s.%s%s"
                    .formatted(
                            size,
                            best.perSecond(),
                            best.responseMs(),
                            next(size),
                            size == shown.most() ? " More were not tried: that is the most that may be." : "",
                            drift);
            return new SizeAnswer(size, sentence, policySet(size));
        }

        /** What the next smaller size that was tried lacks. */
        private String next(int size) {
            return search.trials().stream()
                    .filter(trial -> trial.size() < size)
                    .max(java.util.Comparator.comparingInt(Trial::size))
                    .map(trial -> trial.counts()
                            ? "%d gave %.0f at %.1f ms".formatted(trial.size(), trial.perSecond(), trial.responseMs())
                            : "%d was ruled out, because %s".formatted(trial.size(), trial.ruledOut()))
                    .orElse("fewer were not tried");
        }

        /** The set in force, with {@code min-max} in place of all policies that say how large the pool is. */
        private PolicySetRequest policySet(int size) {
            PoolStatus status = pool.status();
            Set<String> sizing = status.answers().stream()
                    .filter(answer -> answer.limits().ceiling() != dev.headgate.spi.Limits.UNSPECIFIED
                            || answer.limits().floor() > 0)
                    .map(Answer::plugin)
                    .collect(Collectors.toSet());
            PolicySetRequest inForce =
                    policies.current(Scope.domain(pool.domain())).policySet();
            List<PolicyUseRequest> uses = new ArrayList<>();
            uses.add(new PolicyUseRequest("min-max", Map.of("min", Math.min(size, floor(status)), "max", size)));
            inForce.policies().stream()
                    .filter(use ->
                            !sizing.contains(use.plugin()) && !use.plugin().equals("min-max"))
                    .forEach(uses::add);
            return new PolicySetRequest(
                    uses,
                    inForce.whenExhausted(),
                    "found by trying sizes from %d to %d".formatted(shown.least(), shown.most()));
        }

        /** Of the policies, not of the trial. */
        private int floor(PoolStatus status) {
            return status.answers().stream()
                    .mapToInt(answer -> answer.limits().floor())
                    .max()
                    .orElse(0);
        }

        private void doing(String what) {
            SizeSearchRun now = shown;
            shown = copy(now, SizeSearchRun.RUNNING, what.isEmpty() ? now.doing() : what, null, null, null);
        }

        private void end(String state, @Nullable SizeAnswer answer, @Nullable String problem) {
            shown = copy(shown, state, null, clock.instant(), answer, problem);
        }

        private SizeSearchRun copy(
                SizeSearchRun now,
                String state,
                @Nullable String doing,
                @Nullable Instant endedAt,
                @Nullable SizeAnswer answer,
                @Nullable String problem) {
            return new SizeSearchRun(
                    now.id(),
                    now.domain(),
                    state,
                    doing,
                    now.startedAt(),
                    endedAt,
                    now.startedBy(),
                    now.seconds(),
                    now.least(),
                    now.most(),
                    now.before(),
                    search.trials(),
                    answer,
                    problem);
        }

        void cancel() {
            Thread running = thread;
            if (running != null) {
                running.interrupt();
            }
        }
    }

    /**
     * Starts a search and returns at once.
     *
     * @throws ProblemException not-found; invalid-request; conflict while another search of the domain runs, while its set is on
     *     probation, or while it is paused or drains
     */
    SizeSearchRun start(String domain, SizeSearchRequest request) {
        Pool pool = engine.pool(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
        PoolStatus status = pool.status();
        if (status.state() != PoolStatus.State.OPEN) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    domain + " is " + status.state().name().toLowerCase(Locale.ROOT) + "; resume it first.");
        }
        if (policies.current(Scope.domain(domain)).guard() != null) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "The policy set of " + domain
                            + " is on probation; a trial of sizes would disturb what its guard measures. Wait for its end.");
        }
        int room = room(pool);
        if (request.most() != null && request.most() > room) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    List.of(Fault.at(
                            "/most",
                            "must be 1 to %d, because the siblings of %s are owed the rest of the budget, was %d"
                                    .formatted(room, domain, request.most()),
                            "1.." + room)));
        }
        synchronized (searches) {
            if (searches.values().stream()
                    .anyMatch(each ->
                            each.shown.isRunning() && each.shown.domain().equals(domain))) {
                throw ProblemException.of(
                        ProblemType.CONFLICT, "A search for the size of " + domain + " runs already.");
            }
            SizeSearchRun begun = new SizeSearchRun(
                    Long.toString(++last),
                    domain,
                    SizeSearchRun.RUNNING,
                    null,
                    clock.instant(),
                    null,
                    access.actor().name(),
                    Objects.requireNonNullElse(request.seconds(), SECONDS),
                    1,
                    Objects.requireNonNullElse(request.most(), room),
                    Math.max(1, status.size()),
                    List.of(),
                    null,
                    null);
            Active search = new Active(pool, begun, Objects.requireNonNullElse(request.mostWaitMs(), MOST_WAIT_MS));
            transactions.executeWithoutResult(transaction -> audit.record(
                    "sizes.search",
                    "domains/" + domain,
                    null,
                    Map.of("seconds", begun.seconds(), "least", begun.least(), "most", begun.most())));
            if (searches.size() >= KEPT) {
                searches.values().stream()
                        .filter(each -> !each.shown.isRunning())
                        .findFirst()
                        .ifPresent(oldest -> searches.remove(oldest.shown.id()));
            }
            searches.put(begun.id(), search);
            search.thread = supervisor.start(TASK, Thread.ofVirtual().name(TASK), search::run);
            return begun;
        }
    }

    /** What the siblings' floors and guarantees leave of the budget. */
    private static int room(Pool pool) {
        int owed = pool.database().pools().stream()
                .filter(each -> !each.domain().equals(pool.domain()))
                .map(Pool::status)
                .mapToInt(each -> Math.max(each.floor(), each.guaranteed()))
                .sum();
        return Math.max(1, pool.status().budget() - owed);
    }

    /**
     * Newest first.
     *
     * @throws ProblemException not-found
     */
    List<SizeSearchRun> of(String domain) {
        if (engine.pool(domain).isEmpty()) {
            throw ProblemException.notFound("domain", domain);
        }
        synchronized (searches) {
            return searches.sequencedValues().reversed().stream()
                    .map(each -> each.shown)
                    .filter(each -> each.domain().equals(domain))
                    .toList();
        }
    }

    /** @throws ProblemException not-found */
    SizeSearchRun read(String domain, String id) {
        return require(domain, id).shown;
    }

    /**
     * Cancels a search; the policies decide again at once. Does not wait for its end. One that has ended is forgotten.
     *
     * @throws ProblemException not-found
     */
    void remove(String domain, String id) {
        Active search = require(domain, id);
        if (search.shown.isRunning()) {
            search.cancel();
            transactions.executeWithoutResult(
                    transaction -> audit.record("sizes.cancel", "domains/" + domain, null, Map.of("search", id)));
        } else {
            synchronized (searches) {
                searches.remove(id);
            }
        }
    }

    private Active require(String domain, String id) {
        synchronized (searches) {
            Active search = searches.get(id);
            if (search == null || !search.shown.domain().equals(domain)) {
                throw ProblemException.notFound("size search", id);
            }
            return search;
        }
    }

    @PreDestroy
    void stop() {
        synchronized (searches) {
            searches.values().forEach(Active::cancel);
        }
    }
}
