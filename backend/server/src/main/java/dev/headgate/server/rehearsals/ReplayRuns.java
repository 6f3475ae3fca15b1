package dev.headgate.server.rehearsals;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.problems.ProblemException;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Replays that run in the background. Callers can read their state and cancel them. The last results are kept in memory; the oldest is
 * dropped if there are too many, or no memory for another. Safe for any thread.
 */
@Component
class ReplayRuns {

    private static final int KEPT = 10;

    private final LongRequests longRequests;
    private final MemoryAccount account;
    private final Access access;
    private final Supervisor supervisor;

    /** Oldest first. Guarded by itself. */
    private final SequencedMap<String, Run> runs = new LinkedHashMap<>();

    ReplayRuns(LongRequests longRequests, MemoryAccount account, Access access, Supervisor supervisor) {
        this.longRequests = longRequests;
        this.account = account;
        this.access = access;
        this.supervisor = supervisor;
    }

    private final class Run {
        private final String id = UUID.randomUUID().toString();
        private final Share memory = account.share(Holders.WORK, "replays");
        private volatile double progress;
        private final long leases;
        private volatile @Nullable ReplayRun ended;
        private volatile @Nullable Thread thread;

        Run(long leases) {
            this.leases = leases;
        }

        ReplayRun shown() {
            ReplayRun end = ended;
            return end == null ? new ReplayRun(id, ReplayRun.RUNNING, leases, progress, null, null) : end;
        }

        void replay(Replays.Asked asked) {
            try (asked) {
                ReplayResult result = longRequests.answer(
                        asked.work(),
                        told -> asked.run(share -> {
                            progress = share;
                            told.at(share);
                        }));
                if (hold(this, asked.resultBytes())) {
                    ended = new ReplayRun(id, ReplayRun.DONE, leases, 1, result, null);
                } else {
                    failed("There is no memory for the result (headgate.limits.memory).");
                }
            } catch (ProblemException e) {
                failed(String.valueOf(e.getMessage()));
            } catch (RuntimeException | Error e) {
                failed("The replay failed: " + e + ".");
                throw e;
            }
        }

        private void failed(String problem) {
            ended = new ReplayRun(id, ReplayRun.FAILED, leases, progress, null, problem);
        }

        void end() {
            Thread running = thread;
            if (running != null) {
                running.interrupt();
            }
            memory.close();
        }
    }

    /** Starts a replay. It closes the request at its end. Does not block. */
    ReplayRun start(Replays.Asked asked) {
        Run run = new Run(asked.leases());
        synchronized (runs) {
            if (runs.size() >= KEPT) {
                runs.pollFirstEntry().getValue().end();
            }
            runs.put(run.id, run);
        }
        Actor author = access.actor();
        run.thread = supervisor.start(
                "replay-run",
                Thread.ofVirtual().name("replay-run"),
                () -> access.actAs(author, () -> run.replay(asked)));
        return run.shown();
    }

    /** @throws ProblemException not-found */
    ReplayRun read(String id) {
        synchronized (runs) {
            return require(id, runs.get(id)).shown();
        }
    }

    /**
     * Cancels a replay, or forgets its result. Does not wait for its end.
     *
     * @throws ProblemException not-found
     */
    void remove(String id) {
        synchronized (runs) {
            require(id, runs.remove(id)).end();
        }
    }

    private static Run require(String id, @Nullable Run run) {
        if (run == null) {
            throw ProblemException.notFound("replay", id);
        }
        return run;
    }

    /** Reserves memory for a result, and drops the oldest other results if necessary. */
    private boolean hold(Run run, long bytes) {
        while (!run.memory.tryReserve(bytes)) {
            synchronized (runs) {
                Run oldest = runs.values().stream()
                        .filter(each -> each != run && each.shown().state().equals(ReplayRun.DONE))
                        .findFirst()
                        .orElse(null);
                if (oldest == null) {
                    return false;
                }
                runs.remove(oldest.id);
                oldest.end();
            }
        }
        return true;
    }
}
