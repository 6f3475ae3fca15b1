package dev.headgate.server.rehearsals;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.recording.Recording;
import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.LongWork;
import dev.headgate.server.policies.Draft;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.simulator.Replay;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Replays the recorded past of a database under a candidate set. All of its domains take part, each under its set in force, because
 * they compete for the connections. One replay at a time: it uses a whole core while it runs. A
 * record that is larger than {@link ReplaySize#MOST_LEASES} is not replayed.
 */
@Service
class Replays {

    private static final int LEAST_SECONDS = 5;
    private static final int MOST_SECONDS = 600;
    private static final int USUAL_SECONDS = 60;
    private static final int PREDICTED_SECONDS = 30;
    private static final int LONGEST_SECONDS = 30;
    private static final int PATIENCE_SECONDS = 2;
    private static final long SEED = 1;

    /** How long a replay that was cut may take to its next step. */
    private static final Duration END_PATIENCE = Duration.ofSeconds(5);

    /** Replayed before what counts, so that pools and adaptive policies are as far as the real ones were. */
    private static final int LEAD_SECONDS = 30;

    /** Bytes per recorded lease while it is replayed: 24 of the copy, up to 16 to sort it, up to 4 to find those that got a lease. */
    private static final long LEASE_BYTES = 44;

    /** Bytes of one second of one domain in the result, as objects of two replays and as text. */
    private static final long SECOND_BYTES = 1_050;

    private final Policies policies;
    private final Engine engine;
    private final ReentrantLock turn = new ReentrantLock();

    /** The scope of the requested replay that runs now; null for none. */
    private final AtomicReference<@Nullable Scope> asked = new AtomicReference<>();

    Replays(Policies policies, Engine engine) {
        this.policies = policies;
        this.engine = engine;
    }

    /** A requested and checked replay. No other one can be requested until it is closed. */
    final class Asked implements AutoCloseable {
        private final Scope scope;
        private final Draft draft;
        private final int seconds;
        private final long leases;

        private Asked(Scope scope, Draft draft, int seconds, long leases) {
            this.scope = scope;
            this.draft = draft;
            this.seconds = seconds;
            this.leases = leases;
        }

        /** The size of the record: requests for leases, counted when the replay was asked for. */
        long leases() {
            return leases;
        }

        /** What it is as a long request, with an estimate of its memory. */
        LongWork work() {
            return new LongWork(LongWork.Kind.REPLAY, scope.path(), leases * LEASE_BYTES + resultBytes());
        }

        /** An estimate of its result's memory. */
        long resultBytes() {
            return outcomeBytes(scope, seconds);
        }

        /**
         * Blocks during both replays: some tenths of a second for a minute of the demo's load. An interrupt ends it.
         *
         * @param progress receives the progress, from 0 to 1, on another thread
         * @throws ProblemException unavailable if it fails, does not end in time or is interrupted
         */
        ReplayResult run(DoubleConsumer progress) {
            return replay(scope, draft, Duration.ofSeconds(seconds), Duration.ofSeconds(LONGEST_SECONDS), progress);
        }

        @Override
        public void close() {
            asked.compareAndSet(scope, null);
        }
    }

    /**
     * Checks a request for a replay.
     *
     * @throws ProblemException invalid-policy-set with every fault, under "/policySet"; invalid-request, also if the record is too
     *     large; conflict while another replay is requested
     */
    Asked ask(Scope scope, ReplayRequest request) {
        int seconds = request.seconds() == null ? USUAL_SECONDS : request.seconds();
        if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    List.of(Fault.at(
                            "/seconds",
                            "must be %d to %d, was %d".formatted(LEAST_SECONDS, MOST_SECONDS, seconds),
                            LEAST_SECONDS + ".." + MOST_SECONDS)));
        }
        PolicySetRequest candidate =
                request.policySet() == null ? policies.current(scope).policySet() : request.policySet();
        Draft draft = policies.draft(scope, candidate);
        if (!draft.isValid()) {
            throw ProblemException.of(
                    ProblemType.INVALID_POLICY_SET,
                    draft.faults().stream()
                            .map(fault -> fault.under("/policySet"))
                            .toList());
        }
        ReplaySize.require(LEAST_SECONDS, seconds, recorded(scope));
        Scope running = asked.compareAndExchange(null, scope);
        if (running != null) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "A replay of " + running.path()
                            + " is running, and only one can run at a time; try again when it has ended.");
        }
        return new Asked(scope, draft, seconds, leases(scope, seconds));
    }

    private long leases(Scope scope, int seconds) {
        return recorded(scope).applyAsLong(withLead(scope, seconds));
    }

    private long outcomeBytes(Scope scope, int seconds) {
        return (long) (seconds + LEAD_SECONDS) * databaseOf(scope).pools().size() * SECOND_BYTES;
    }

    /** What is replayed for so many seconds that count. A load that is too large for both gets no lead. */
    private int withLead(Scope scope, int seconds) {
        int with = Math.min(MOST_SECONDS, seconds + LEAD_SECONDS);
        return recorded(scope).applyAsLong(with) <= ReplaySize.MOST_LEASES ? with : seconds;
    }

    /** An estimate of a prediction's memory; 0 if the record is too large for one. */
    long predictionBytes(Scope scope) {
        return recorded(scope).applyAsLong(PREDICTED_SECONDS) > ReplaySize.MOST_LEASES
                ? 0
                : leases(scope, PREDICTED_SECONDS) * LEASE_BYTES + outcomeBytes(scope, PREDICTED_SECONDS);
    }

    private IntToLongFunction recorded(Scope scope) {
        Database database = databaseOf(scope);
        return seconds -> database.pools().stream()
                .mapToLong(pool -> pool.recorded(Duration.ofSeconds(seconds)))
                .sum();
    }

    /**
     * Predicts a set's effect on the load of the last {@value #PREDICTED_SECONDS} s.
     *
     * @param progress receives the progress, from 0 to 1, on another thread
     * @return empty if the set is not valid, if there was no load, if another replay does not end within {@value #PATIENCE_SECONDS} s,
     *     or if the replay fails
     */
    Optional<Predicted> predict(Scope scope, Draft draft, DoubleConsumer progress) {
        if (!draft.isValid()) {
            return Optional.empty();
        }
        try {
            ReplaySize.require(LEAST_SECONDS, PREDICTED_SECONDS, recorded(scope));
            ReplayResult result = replay(
                    scope,
                    draft,
                    Duration.ofSeconds(PREDICTED_SECONDS),
                    Duration.ofSeconds(PATIENCE_SECONDS),
                    progress);
            boolean asked = result.domains().stream()
                    .anyMatch(outcome -> outcome.actual().arrivals() > 0);
            return asked ? Optional.of(Predicted.of(result)) : Optional.empty();
        } catch (ProblemException e) {
            return Optional.empty();
        }
    }

    /** Runs on a thread of its own, because it calls the candidate's code. */
    private ReplayResult replay(Scope scope, Draft draft, Duration length, Duration patience, DoubleConsumer progress) {
        takeTurn(patience);
        AtomicBoolean cut = new AtomicBoolean();
        DoubleConsumer step = share -> {
            if (cut.get()) { // a policy may have swallowed the interrupt
                throw new CancellationException("the replay was cancelled");
            }
            progress.accept(share);
        };
        try {
            CompletableFuture<ReplayResult> result = new CompletableFuture<>();
            Thread thread = Thread.ofPlatform().daemon().name("replay").start(() -> {
                try {
                    SpareTime.only();
                    result.complete(run(scope, draft, length, step));
                } catch (Throwable fault) {
                    result.completeExceptionally(fault);
                }
            });
            try {
                return result.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                cut.set(true);
                end(thread);
                throw ProblemException.of(
                        ProblemType.UNAVAILABLE,
                        "The replay did not end within " + LONGEST_SECONDS + " s; try fewer seconds.");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof ProblemException problem) {
                    throw problem;
                }
                throw ProblemException.of(ProblemType.UNAVAILABLE, "The replay failed: " + e.getCause() + ".");
            } catch (InterruptedException e) {
                cut.set(true);
                end(thread);
                Thread.currentThread().interrupt();
                throw ProblemException.of(ProblemType.UNAVAILABLE, "The replay was interrupted.");
            }
        } finally {
            turn.unlock();
        }
    }

    /** Its memory and its turn are given back after this. A thread whose policy does not return in time is abandoned. */
    private static void end(Thread replay) {
        replay.interrupt();
        try {
            replay.join(END_PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeTurn(Duration patience) {
        try {
            if (!turn.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw ProblemException.of(ProblemType.CONFLICT, "Another replay is running.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(ProblemType.UNAVAILABLE, "The replay was interrupted.");
        }
    }

    /**
     * Replays the record twice: under the candidate, and under the sets in force as the baseline. How far the baseline misses what
     * really happened is how far the candidate's figures can be trusted.
     */
    private ReplayResult run(Scope scope, Draft draft, Duration counted, DoubleConsumer progress) {
        Database database = databaseOf(scope);
        long began = System.nanoTime();
        Duration replayed = Duration.ofSeconds(withLead(scope, (int) counted.toSeconds()));
        Map<String, Recording> recordings = new LinkedHashMap<>();
        for (Pool pool : database.pools()) {
            recordings.put(pool.domain(), pool.recording(replayed));
        }
        int budget = database.target().budget();
        Function<Scope, PolicySet> inForce = each -> policies.inForce(each, budget);
        Replay.Result result = replay(
                database,
                recordings,
                counted,
                each -> each.equals(scope) ? draft.build(1) : inForce.apply(each),
                share -> progress.accept(share / 2));
        Replay.Result baseline =
                replay(database, recordings, counted, inForce, share -> progress.accept(0.5 + share / 2));
        return ReplayResult.of(result, baseline, scope.name(), System.nanoTime() - began);
    }

    private static Replay.Result replay(
            Database database,
            Map<String, Recording> recordings,
            Duration counted,
            Function<Scope, PolicySet> sets,
            DoubleConsumer progress) {
        List<Replay.Domain> domains = recordings.entrySet().stream()
                .map(each -> new Replay.Domain(each.getValue(), sets.apply(Scope.domain(each.getKey()))))
                .toList();
        return Replay.of(
                database.name(),
                database.target().budget(),
                sets.apply(Scope.database(database.name())),
                domains,
                counted,
                SEED,
                progress);
    }

    private Database databaseOf(Scope scope) {
        return switch (scope.kind()) {
            case DOMAIN ->
                engine.pool(scope.name())
                        .orElseThrow(() -> ProblemException.notFound("domain", scope.name()))
                        .database();
            case DATABASE ->
                engine.database(scope.name()).orElseThrow(() -> ProblemException.notFound("database", scope.name()));
        };
    }
}
