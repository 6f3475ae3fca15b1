package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a governor from outside: pools that come and go, sets that are swapped, shadowed or planned, pauses and the
 * like. Any thread asks. Nothing is done on its thread: a command is written down, the governor is woken, and the next step
 * begins with it. So a set is changed between two steps and never within one, and no field of the state needs a lock.
 *
 * <p>A command has two parts. The first runs before the step and changes the state; the second, where there is one, runs
 * {@linkplain #stepEnded after} that step: it tells what came of it, and closes what is used no more. The stage that the caller
 * holds completes then.
 *
 * <p>Every stage ends. {@linkplain CompletableFuture#cancel Cancelling} it takes the command back as long as the governor has
 * not begun with it, and is without effect after that: so whoever gives up waiting knows whether anything has changed. When the
 * governor {@linkplain #stop stops}, all that is not done fails, and so does all that comes later. A set whose command is taken
 * back is closed here, when its turn comes.
 */
final class Commands {

    private final DatabaseState database;
    private final Time time;
    private final PolicyRunner runner;
    private final Narrator narrator;
    private final Runnable wake;
    private final ConcurrentLinkedQueue<Runnable> arrived = new ConcurrentLinkedQueue<>();
    private final List<Runnable> afterStep = new ArrayList<>();

    /** The stages that have not ended. */
    private final Set<Asked<?>> open = ConcurrentHashMap.newKeySet();

    private volatile boolean stopped;

    /** The stage of one command. It is begun with once or, taken back before, never. */
    private static final class Asked<T> extends CompletableFuture<T> {
        private final AtomicBoolean settled = new AtomicBoolean();

        boolean begin() {
            return settled.compareAndSet(false, true);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            return settled.compareAndSet(false, true) ? super.cancel(mayInterrupt) : isCancelled();
        }
    }

    /** @param wake sees to it that a step runs soon; called from any thread, must not block */
    Commands(DatabaseState database, Time time, PolicyRunner runner, Narrator narrator, Runnable wake) {
        this.database = database;
        this.time = time;
        this.runner = runner;
        this.narrator = narrator;
        this.wake = wake;
    }

    // ---- the governor

    /** Runs what has arrived. What arrives meanwhile is for the next step. */
    void run() {
        for (int left = arrived.size(); left > 0; left--) {
            Runnable next = arrived.poll();
            if (next != null) {
                next.run();
            }
        }
    }

    /** Runs what was to be done after the step. */
    void stepEnded() {
        List<Runnable> due = List.copyOf(afterStep);
        afterStep.clear();
        due.forEach(Runnable::run);
    }

    /** Closes every set that is left, and fails what is not done and all that comes later. No step runs after this. */
    void stop() {
        stopped = true;
        for (DomainState state : database.domains) {
            retirement(state.active).run();
            retirement(state.shadow).run();
        }
        retirement(database.active).run();
        open.forEach(this::refuse);
    }

    private void refuse(CompletableFuture<?> stage) {
        stage.completeExceptionally(new IllegalStateException("the governor of " + database.name + " has stopped"));
    }

    // ---- any thread

    /** Takes a pool in; it has permits from the next step on. Completes after that step. */
    CompletionStage<Void> add(GovernedPool pool, PolicySet set) {
        return command(set, () -> {
            DomainState state = new DomainState(pool, new ActiveSet(set, ""), time.nanoTime());
            database.domains.add(state);
        });
    }

    /**
     * Closes a pool's gate, takes its permits away and forgets it once its last connection came back. Asked for again meanwhile,
     * it ends once and tells everyone.
     */
    CompletionStage<Void> remove(String domain) {
        return ask(null, (Asked<Void> gone) -> {
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
        afterStep.add(() -> {
            if (state.size() == 0) {
                database.domains.remove(state);
                retirement(state.active).run();
                retirement(state.shadow).run();
                state.gone.complete(null);
            } else {
                arrived.add(() -> whenEmpty(state));
            }
        });
    }

    /** Puts a set in force for one domain; completes when it has answered once. */
    CompletionStage<Void> swap(String domain, PolicySet set) {
        return command(set, () -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.active);
            state.active.replace(set);
            List<ActiveSet.Complaint> complaints = state.active.learn(state.recent, runner, time);
            afterStep.add(() -> {
                narrator.tell(
                        state,
                        Kind.POLICY,
                        "governor",
                        "%s is at revision %d: %s.".formatted(domain, set.revision(), Narrator.plugins(set)));
                complaints.forEach(complaint -> narrator.complain(state, complaint));
                retirement.run();
            });
        });
    }

    /** Puts a set in force for the sum of all domains; completes when it has answered once. */
    CompletionStage<Void> swap(PolicySet set) {
        return command(set, () -> {
            Runnable retirement = retirement(database.active);
            database.active.replace(set);
            List<ActiveSet.Complaint> complaints = database.active.learn(database.recent(), runner, time);
            afterStep.add(() -> {
                narrator.tell(
                        Kind.POLICY,
                        "%s is at revision %d: %s.".formatted(database.name, set.revision(), Narrator.plugins(set)));
                complaints.forEach(narrator::complain);
                retirement.run();
            });
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
            shadow.active.learn(state.recent, runner, time).forEach(complaint -> narrator.complain(state, complaint));
            state.shadow = shadow;
            afterStep.add(retirement);
        });
    }

    /** Ends a domain's shadow set, if it has one. */
    CompletionStage<Void> unshadow(String domain) {
        return command(null, () -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.shadow);
            state.shadow = null;
            afterStep.add(retirement);
        });
    }

    /** Asks a set what it would answer for a domain now, and closes it. */
    CompletionStage<List<Answer>> ask(String domain, PolicySet candidate) {
        return afterStep(candidate, () -> {
            DomainState state = stateOf(domain);
            return answerOf(
                    candidate,
                    "",
                    state.recent,
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
                        "database/",
                        database.recent(),
                        database.sum(time.now(), time.nanoTime()),
                        narrator::complainOfPlanned));
    }

    /** Asks once the next step has ended; what that throws is the caller's, and not the step's. */
    private CompletionStage<List<Answer>> afterStep(PolicySet candidate, Supplier<List<Answer>> question) {
        return ask(
                candidate,
                answered -> afterStep.add(() -> {
                    try {
                        answered.complete(question.get());
                    } catch (RuntimeException fault) {
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
            if (state.passage != Rules.Passage.OPEN) {
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
                                    domain, Narrator.connections(state.inputs().size())));
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
            afterStep.add(() -> done.complete(null));
        });
    }

    /**
     * Writes a command down.
     *
     * @param brought the set that it hands over, if it does
     * @param action given the command's stage, which it ends sooner or later
     */
    private <T> CompletionStage<T> ask(@Nullable PolicySet brought, Consumer<Asked<T>> action) {
        Asked<T> stage = new Asked<>();
        open.add(stage);
        var _ = stage.whenComplete((result, fault) -> open.remove(stage));
        arrived.add(() -> {
            if (stage.begin()) {
                begin(stage, action);
            } else if (brought != null) {
                afterStep.add(retirement(new ActiveSet(brought, "")));
            }
        });
        if (stopped) {
            refuse(stage);
        }
        wake.run();
        return stage;
    }

    private static <T> void begin(Asked<T> stage, Consumer<Asked<T>> action) {
        try {
            action.accept(stage);
        } catch (RuntimeException fault) {
            stage.completeExceptionally(fault);
        }
    }

    private Runnable retirement(@Nullable Shadow shadow) {
        return shadow == null ? () -> {} : retirement(shadow.active);
    }

    /** Ends an active set for good; to be run after the step in which it was last asked. */
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
