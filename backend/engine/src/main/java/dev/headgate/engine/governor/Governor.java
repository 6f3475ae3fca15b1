package dev.headgate.engine.governor;

import dev.headgate.engine.time.Time;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The control side of one database: decides, step by step, how many connections each of its domains may hold.
 *
 * <h2>A step</h2>
 *
 * <pre>
 *   commands   carry out swaps, pauses and other commands since the last step
 *   windows    if 100 ms have passed: show the policies what was measured
 *   ask        ask every policy set, each with an immutable view of its pool
 *   allocate   divide what the database may give ({@link Allocator})
 *   apply      first take permits away, then add permits as far as the budget allows
 *   tell       report changes and refusals as decisions
 * </pre>
 *
 * <p>One thread at a time runs {@link #step}. The caller chooses the thread and the moment: {@link GovernorThread} in
 * production, the event queue of the simulator in virtual time. The data side never waits for a step, because a step only
 * reads and writes the gates' atomic fields. Any thread may call {@link #wake}, which only sets a flag.
 *
 * <h2>Where to look</h2>
 *
 * <pre>
 *   {@link Commands}      commands
 *   {@link PolicyRound}   windows, ask
 *   {@link Division}      allocate, apply; the budget's invariant
 *   {@link Alarms}        what an operator should know, once per window
 *   {@link Publication}   what other threads may read
 *   {@link Bound}         what limits a pool, for every sentence
 *   {@link DatabaseState} and {@link DomainState}: everything kept between steps
 * </pre>
 *
 * A step depends only on that state, the clock that was passed in, and the policies' answers. It changes that state
 * and the gates, and reports decisions. The parts keep only figures of their own and do not call each other.
 *
 * <h2>What policies cannot do</h2>
 *
 * They run on a {@link PolicyRunner}. If a policy throws, answers null, blocks or spins, its last good answer
 * replaces it ({@link ActiveSet}). No policy can exceed the budget, because answers only limit claims.
 */
public final class Governor {

    /** The base window. */
    public static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final DatabaseState database;
    private final Time time;
    private final Runnable driver;
    private final Narrator narrator;
    private final Commands commands;
    private final PolicyRound round;
    private final Division division;
    private final Alarms alarms;
    private final Publication publication;
    private long nextWindow;

    /**
     * @param driver called by {@link #wake} from any thread; sees to it that {@link #step} runs soon. Must not block
     */
    public Governor(
            String database,
            String node,
            Time time,
            BudgetSource budget,
            PolicyRunner runner,
            GovernorListener listener,
            Runnable driver) {
        this.database = new DatabaseState(database, budget);
        this.time = time;
        this.driver = driver;
        this.narrator = new Narrator(this.database, time, new DecisionLog(node, database, time, listener::decided));
        this.commands = new Commands(this.database, time, runner, narrator, driver);
        this.round = new PolicyRound(this.database, runner, listener, narrator);
        this.division = new Division(this.database, narrator);
        this.alarms = new Alarms(this.database, narrator);
        this.publication = new Publication(this.database, narrator);
        this.nextWindow = time.nanoTime() + WINDOW_NANOS;
    }

    // ---- the step

    /**
     * Runs one step. One thread at a time, each step happening-before the next.
     *
     * @return how long until the next window ends, in nanoseconds: a step is due then at the latest
     */
    public long step() {
        long now = time.nanoTime();
        Instant wall = time.now();
        commands.run();
        for (DomainState state : database.domains) {
            state.sample(now);
        }
        boolean windowEnded = now - nextWindow >= 0;
        if (windowEnded) {
            nextWindow += WINDOW_NANOS;
            if (now - nextWindow >= 0) {
                nextWindow = now + WINDOW_NANOS; // fell behind: one long window instead of several empty ones
            }
            round.endWindows(now, wall);
        }
        round.ask(now, wall, windowEnded);
        division.step(now, windowEnded);
        if (windowEnded) {
            alarms.windowEnded(now, wall);
            narrator.sweep();
        }
        publication.publish();
        commands.stepEnded();
        return Math.max(0, nextWindow - time.nanoTime());
    }

    /**
     * Closes every policy that is left, and fails every command that is not done and each that comes later. Called once, after
     * the last step and in the same order as the steps.
     */
    public void stop() {
        commands.stop();
    }

    // ---- from any thread: each stage ends with the command, or fails once the governor has stopped; cancelling it
    // takes the
    // command back as long as the governor has not begun with it, and says whether it has

    /** Something happened that a step should look at. */
    public void wake() {
        driver.run();
    }

    /** Takes a pool in; it has permits from the next step on. Completes after that step. */
    public CompletionStage<Void> add(GovernedPool pool, PolicySet set) {
        return commands.add(pool, set);
    }

    /** Closes a pool's gate, takes its permits away and forgets it once its last connection came back. */
    public CompletionStage<Void> remove(String domain) {
        return commands.remove(domain);
    }

    /** Puts a set in force for one domain; completes when it has answered once. */
    public CompletionStage<Void> swap(String domain, PolicySet set) {
        return commands.swap(domain, set);
    }

    /** Puts a set in force for the sum of all domains; completes when it has answered once. */
    public CompletionStage<Void> swap(PolicySet set) {
        return commands.swap(set);
    }

    /**
     * Asks a set beside the live one from now on, in place of the shadow there was; it decides nothing. Completes when it
     * has answered once.
     */
    public CompletionStage<Void> shadow(String domain, PolicySet set) {
        return commands.shadow(domain, set);
    }

    /** Ends a domain's shadow set, if it has one. */
    public CompletionStage<Void> unshadow(String domain) {
        return commands.unshadow(domain);
    }

    /** Asks a set what it would answer for a domain now, and closes it. */
    public CompletionStage<List<Answer>> ask(String domain, PolicySet candidate) {
        return commands.ask(domain, candidate);
    }

    /** Asks a set what it would answer for the sum of all domains now, and closes it. */
    public CompletionStage<List<Answer>> ask(PolicySet candidate) {
        return commands.ask(candidate);
    }

    public CompletionStage<Void> pause(String domain) {
        return commands.pause(domain);
    }

    public CompletionStage<Void> resume(String domain) {
        return commands.resume(domain);
    }

    public CompletionStage<Void> flush(String domain) {
        return commands.flush(domain);
    }

    public CompletionStage<Void> drain(String domain) {
        return commands.drain(domain);
    }

    /** What a domain's shadow set would do, if it has one. From any thread. */
    public Optional<ShadowStatus> shadowStatus(String domain) {
        return database.find(domain).map(state -> state.shadow).map(Shadow::status);
    }

    public PolicySet policies(String domain) {
        return database.find(domain).map(state -> state.active.set()).orElseGet(PolicySet::empty);
    }

    public PolicySet policies() {
        return database.active.set();
    }

    /** One pool at this instant. */
    public Optional<PoolStatus> status(String domain) {
        return database.find(domain).map(state -> state.status(database.name));
    }
}
