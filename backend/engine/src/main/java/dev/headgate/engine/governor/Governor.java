package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.SharedRate;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
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
 *   commands   carry out what was asked for since the last step: swaps, pauses, ...   {@link Commands}
 *   ask        show the policies what was measured, ask them for their limits        {@link PolicyRound}
 *   look       read the gates once: an immutable picture of every pool               {@link Picture}
 *   decide     picture in; shares, permits to take and decisions out                 {@link Step#take}
 *   carry out  take permits away, set rates
 *   look       read the gates again
 *   decide     picture in; permits to add, rules, alarms and decisions out           {@link Step#give}
 *   carry out  add permits, set rules, publish the standings, tell the decisions
 * </pre>
 *
 * <p>{@link Step} and all that it uses ({@link Division}, {@link Allocator}, {@link Bound}, {@link Alarms}, {@link Loans},
 * {@link Sentences}) are pure. This class and what it keeps between steps ({@link DatabaseState}, {@link DomainState}) are the
 * edge: the only place that reads and changes gates and pools.
 *
 * <h2>The budget, and why there are two looks</h2>
 *
 * The invariant: the sizes of all pools (permits plus unpaid debts) never exceed the budget. A permit taken from a leased
 * connection becomes a debt, and its connection stays open until the release. Nobody can compute beforehand how many debts
 * taking leaves, because leases are released on other threads at any moment. So the step takes permits away, looks again, and
 * adds only what was really given up. A debt that is paid later wakes the governor, and the next step adds the rest. The look
 * comes after the policies have answered, because they may take milliseconds. Sentences still tell the figures that the
 * policies were shown, because their reasons speak of these.
 *
 * <h2>Threads</h2>
 *
 * One thread at a time runs {@link #step}. The caller chooses the thread and the moment: {@link GovernorThread} in production,
 * the event queue of the simulator in virtual time. The data side never waits for a step, because a step only reads and writes
 * the gates' atomic fields. Any thread may call {@link #wake}, which only sets a flag.
 *
 * <h2>What policies cannot do</h2>
 *
 * They run on a {@link PolicyRunner}. If a policy throws, answers null, blocks or spins, its last answer stands in
 * ({@link ActiveSet}). No policy can exceed the budget, because answers only limit claims.
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
            // If it fell behind: one long window instead of several empty ones. The beat stays: governors that a pause
            // of the JVM held up together do not end all later windows together.
            nextWindow += WINDOW_NANOS * (1 + (now - nextWindow) / WINDOW_NANOS);
            round.endWindows(now, wall);
        }
        round.ask(now, wall);
        Step.Taking taking = Step.take(database.look(now), windowEnded);
        carryOut(taking, now);
        carryOut(Step.give(database.look(now), taking.shares(), new Step.Moment(now, wall, windowEnded)));
        if (windowEnded) {
            narrator.sweep();
        }
        commands.stepEnded();
        return Math.max(0, nextWindow - time.nanoTime());
    }

    /** Takes permits away, tells why, and sets the rates, which may serve some who wait. */
    private void carryOut(Step.Taking taking, long now) {
        narrator.tell(taking.refused());
        for (int i = 0; i < taking.shares().size(); i++) {
            GovernedPool pool = database.domains.get(i).pool;
            int share = taking.shares().get(i);
            if (share < pool.gate().permits()) {
                pool.shrinksBecause(taking.endings().getOrDefault(i, Ending.SHRUNK));
                pool.gate().resize(share);
                pool.resize(share);
            } else {
                pool.gate().settle();
            }
        }
        narrator.tell(taking.told());
        database.formerCapacity = taking.capacity();
        SharedRate sharedRate = database.sharedRate(now);
        for (DomainState state : database.domains) {
            Limits limits = state.active.combined();
            state.pool.gate().setRate(limits.rate(), limits.burst(), sharedRate);
        }
    }

    /** Adds permits, sets the rules, puts the standings in place, and tells what has changed. */
    private void carryOut(Step.Giving giving) {
        for (int i = 0; i < giving.rules().size(); i++) {
            DomainState state = database.domains.get(i);
            Standing standing = giving.standings().get(i);
            Gate gate = state.pool.gate();
            int permits = standing.bounds().target();
            if (permits > gate.permits()) {
                state.pool.resize(permits);
                gate.resize(permits);
            }
            gate.setRules(giving.rules().get(i));
            if (standing.wantedMore()) {
                gate.refuseWaiters();
            }
            state.standing = standing;
        }
        database.alarms = giving.alarms();
        narrator.tell(giving.told());
    }

    /**
     * Closes every policy that is left, and fails every command that is not done or comes later. Call it once, after the last
     * step and on the same thread.
     */
    public void stop() {
        commands.stop();
    }

    // ---- from any thread; how the stages end: CommandQueue

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

    /** Tells the decision log that the probation of a domain's set ended without a judgement. */
    public CompletionStage<Void> unjudged(String domain, String message) {
        return commands.unjudged(domain, message);
    }

    /** The same of the database's set. */
    public CompletionStage<Void> unjudged(String message) {
        return commands.unjudged(message);
    }

    /** Has a size in place of what a domain's policies say, for that time at most or until {@link #endTrial}. */
    public CompletionStage<Void> tryOut(String domain, int size, long nanos) {
        return commands.tryOut(domain, size, nanos);
    }

    /** A domain's policies decide its size again. */
    public CompletionStage<Void> endTrial(String domain) {
        return commands.endTrial(domain);
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

    /** The last answers of the database's own set. */
    public List<Answer> answers() {
        return database.active.answers();
    }

    /** The alarms of the database itself, oldest first. */
    public List<RaisedAlarm> alarms() {
        return database.alarms.raised();
    }

    /** One pool at this instant. */
    public Optional<PoolStatus> status(String domain) {
        return database.find(domain).map(state -> state.status(database.name));
    }
}
