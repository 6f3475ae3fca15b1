package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What others ask of a governor: to add and remove pools, to swap, shadow or plan policy sets, to pause and the like. Any thread
 * asks; the {@link CommandQueue} brings the command to the governor's thread, and the next step begins with it. So a set changes
 * between two steps and never within one, and no field of the state needs a lock.
 *
 * <p>A command has two parts. The first runs before the step and changes the state. The second, where there is one, runs after
 * the step: it tells the outcome and closes what is no longer used. Then the stage that the caller holds completes. If the caller
 * takes a command back, its set is closed here.
 */
final class Commands {

    private static final String GUARD = "guard";

    private final DatabaseState database;
    private final Time time;
    private final PolicyRunner runner;
    private final Narrator narrator;
    private final CommandQueue queue;

    /** @param wake makes a step run soon; called from any thread, must not block */
    Commands(DatabaseState database, Time time, PolicyRunner runner, Narrator narrator, Runnable wake) {
        this.database = database;
        this.time = time;
        this.runner = runner;
        this.narrator = narrator;
        this.queue = new CommandQueue(database.name, wake);
    }

    // ---- the governor

    /** Runs the first part of every command that has arrived. */
    void run() {
        queue.run();
    }

    /** Runs the second parts. */
    void stepEnded() {
        queue.stepEnded();
    }

    /** Closes every set that is left, and fails every command that is not done or comes later. No step runs after this. */
    void stop() {
        queue.close();
        List<Runnable> last = new ArrayList<>();
        for (DomainState state : database.domains) {
            last.add(retirement(state.active));
            last.add(retirement(state.shadow));
        }
        last.add(retirement(database.active));
        last.add(queue::failAll);
        CommandQueue.runAll(last);
    }

    // ---- any thread

    /** Takes a pool in; it has permits from the next step on. Completes after that step. */
    CompletionStage<Void> add(GovernedPool pool, PolicySet set) {
        return command(set, () -> {
            DomainState state = new DomainState(pool, new ActiveSet(set, ""), time.nanoTime());
            database.add(state);
        });
    }

    /**
     * Closes a pool's gate, takes its permits away and forgets it once its last connection is back. If asked again meanwhile, all
     * callers are told of the same end.
     */
    CompletionStage<Void> remove(String domain) {
        return ask(null, (CompletableFuture<Void> gone) -> {
            DomainState state = database.find(domain).orElse(null);
            if (state == null) {
                gone.complete(null);
                return;
            }
            state.draining = true;
            state.passage = Rules.Passage.CLOSED;
            var _ = state.gone.thenRun(() -> gone.complete(null));
            if (!state.leaving) {
                state.leaving = true;
                whenEmpty(state);
            }
        });
    }

    private void whenEmpty(DomainState state) {
        queue.afterStep(() -> {
            if (state.size() == 0) {
                database.remove(state);
                CommandQueue.runAll(
                        List.of(retirement(state.active), retirement(state.shadow), () -> state.gone.complete(null)));
            } else {
                queue.inNextStep(() -> whenEmpty(state));
            }
        });
    }

    /** Puts a set in force for one domain; completes when it has answered once. */
    CompletionStage<Void> swap(String domain, PolicySet set) {
        return command(set, () -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.active);
            state.active.replace(set);
            List<ActiveSet.Complaint> complaints = state.active.learn(state.windows.recent(), runner, time);
            queue.afterStep(() -> {
                narrator.tell(
                        state,
                        Kind.POLICY,
                        "governor",
                        "%s is at revision %d: %s.".formatted(domain, set.revision(), Sentences.plugins(set)));
                complaints.forEach(complaint -> narrator.complain(state, complaint));
            });
            queue.afterStep(retirement);
        });
    }

    /** Puts a set in force for the sum of all domains; completes when it has answered once. */
    CompletionStage<Void> swap(PolicySet set) {
        return command(set, () -> {
            Runnable retirement = retirement(database.active);
            database.active.replace(set);
            List<ActiveSet.Complaint> complaints = database.active.learn(database.recent(), runner, time);
            queue.afterStep(() -> {
                narrator.tell(
                        Kind.POLICY,
                        "governor",
                        "%s is at revision %d: %s.".formatted(database.name, set.revision(), Sentences.plugins(set)));
                complaints.forEach(narrator::complain);
            });
            queue.afterStep(retirement);
        });
    }

    /**
     * Asks a set beside the live one from now on, in place of the shadow there was; it decides nothing. Completes when it
     * has answered once.
     */
    CompletionStage<Void> shadow(String domain, PolicySet set) {
        return command(set, () -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.shadow);
            Shadow shadow = new Shadow(set);
            shadow.active
                    .learn(state.windows.recent(), runner, time)
                    .forEach(complaint -> narrator.complainOfShadow(state, complaint));
            state.shadow = shadow;
            queue.afterStep(retirement);
        });
    }

    /** Ends a domain's shadow set, if it has one. */
    CompletionStage<Void> unshadow(String domain) {
        return command(null, () -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.shadow);
            state.shadow = null;
            queue.afterStep(retirement);
        });
    }

    /** Asks a set what it would answer for a domain now, and closes it. */
    CompletionStage<List<Answer>> ask(String domain, PolicySet candidate) {
        return afterStep(candidate, () -> {
            DomainState state = stateOf(domain);
            return answerOf(
                    candidate,
                    "",
                    state.windows.recent(),
                    state.view(time.now(), time.nanoTime(), state.standing.limits(), database.view()),
                    complaint -> narrator.complainOfPlanned(state, complaint));
        });
    }

    /** Asks a set what it would answer for the sum of all domains now, and closes it. */
    CompletionStage<List<Answer>> ask(PolicySet candidate) {
        return afterStep(
                candidate,
                () -> answerOf(
                        candidate,
                        Answer.OF_DATABASE,
                        database.recent(),
                        database.sum(time.now(), time.nanoTime()),
                        narrator::complainOfPlanned));
    }

    /** Asks once the next step has ended. An exception fails the caller's stage and not the step. */
    private CompletionStage<List<Answer>> afterStep(PolicySet candidate, Supplier<List<Answer>> question) {
        return ask(
                candidate,
                answered -> queue.afterStep(() -> {
                    try {
                        answered.complete(question.get());
                    } catch (RuntimeException | Error fault) {
                        answered.completeExceptionally(fault);
                    }
                }));
    }

    private List<Answer> answerOf(
            PolicySet candidate,
            String prefix,
            Collection<Window> recorded,
            PoolView view,
            Consumer<ActiveSet.Complaint> told) {
        ActiveSet active = new ActiveSet(candidate, prefix);
        active.learn(recorded, runner, time).forEach(told);
        List<PolicyCall> calls = active.asking(view);
        runner.run(calls);
        active.heard(calls, time.nanoTime()).forEach(told);
        retirement(active).run();
        return active.answers();
    }

    /** Has a size in place of what a domain's policies say, for that time at most or until {@link #endTrial}. */
    CompletionStage<Void> tryOut(String domain, int size, long nanos) {
        return onDomain(domain, state -> state.tryOut(size, time.nanoTime() + nanos));
    }

    CompletionStage<Void> endTrial(String domain) {
        return onDomain(domain, DomainState::endTrial);
    }

    CompletionStage<Void> pause(String domain) {
        return onDomain(domain, state -> {
            if (state.passage == Rules.Passage.OPEN) {
                state.passage = Rules.Passage.PAUSED;
                narrator.tell(state, Kind.PAUSED, "governor", domain + " is paused: requests wait, leases go on.");
            }
        });
    }

    CompletionStage<Void> resume(String domain) {
        return onDomain(domain, state -> {
            if (state.passage != Rules.Passage.OPEN && !state.leaving) {
                state.passage = Rules.Passage.OPEN;
                state.draining = false;
                narrator.tell(state, Kind.RESUMED, "governor", domain + " takes requests again.");
            }
        });
    }

    CompletionStage<Void> flush(String domain) {
        return onDomain(domain, state -> {
            state.pool.replaceConnections();
            narrator.tell(
                    state,
                    Kind.FLUSHED,
                    "governor",
                    "%s replaces its %s: free ones now, leased ones when they come back."
                            .formatted(
                                    domain, Sentences.connections(state.inputs().size())));
        });
    }

    CompletionStage<Void> drain(String domain) {
        return onDomain(domain, state -> {
            if (!state.draining) {
                state.draining = true;
                state.passage = Rules.Passage.CLOSED;
                narrator.tell(
                        state,
                        Kind.DRAINED,
                        "governor",
                        "%s refuses requests and closes its connections as they come back; %d in use."
                                .formatted(domain, state.inputs().inUse()));
            }
        });
    }

    CompletionStage<Void> unjudged(String domain, String message) {
        return onDomain(domain, state -> narrator.tell(state, Kind.UNJUDGED, GUARD, message));
    }

    CompletionStage<Void> unjudged(String message) {
        return command(null, () -> narrator.tell(Kind.UNJUDGED, GUARD, message));
    }

    private DomainState stateOf(String domain) {
        return database.find(domain)
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no domain " + domain + " on " + database.name));
    }

    private CompletionStage<Void> onDomain(String domain, Consumer<DomainState> action) {
        return command(null, () -> database.find(domain).ifPresent(action));
    }

    /** A command that is done when the step that began with it has ended. */
    private CompletionStage<Void> command(@Nullable PolicySet brought, Runnable action) {
        return ask(brought, done -> {
            action.run();
            queue.afterStep(() -> done.complete(null));
        });
    }

    /** @param brought the set that the command hands over, if it does */
    private <T> CompletionStage<T> ask(@Nullable PolicySet brought, Consumer<CompletableFuture<T>> action) {
        return queue.add(action, () -> {
            if (brought != null) {
                queue.afterStep(retirement(new ActiveSet(brought, "")));
            }
        });
    }

    private Runnable retirement(@Nullable Shadow shadow) {
        return shadow == null ? () -> {} : retirement(shadow.active);
    }

    /** Closes an active set for good. Run it after the step in which the set was last asked. */
    private Runnable retirement(ActiveSet active) {
        List<PolicyCall> closing = active.closing();
        Runnable onRetired = active.set().onRetired();
        return () -> {
            runner.run(closing);
            runner.forget();
            onRetired.run();
        };
    }
}
