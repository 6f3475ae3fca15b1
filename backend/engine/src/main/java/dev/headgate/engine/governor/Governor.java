package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.gate.SharedRate;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The control side of one database: decides, step by step, how many connections each of its domains may hold.
 *
 * <h2>A step</h2>
 *
 * <pre>
 *   commands   swaps, pauses and the like that came since the last step
 *   windows    if 100 ms have passed: what was measured, shown to the policies
 *   ask        every policy set, each with an immutable view of its pool
 *   allocate   what the database may give, divided by {@link Allocator}
 *   apply      permits taken away first, then added as far as the budget has room
 *   tell       what changed or was refused, as decisions
 * </pre>
 *
 * <p>One thread at a time runs {@link #step}; which, and when, is somebody else's business: {@link GovernorThread} in
 * production, the event queue of the simulator in virtual time, with this same code. Nobody on the data side ever waits
 * for a step: it reads and writes the gates' atomic fields alone. {@link #wake} is called from any thread and only sets a
 * flag.
 *
 * <h2>The budget</h2>
 *
 * The invariant: the sizes of all pools (permits, and debts not yet paid) never exceed the budget. Allocation alone does
 * not give it, because a pool that must shrink keeps leased connections until they come back. So growth is granted from
 * what is really left after shrinking; a pool that is owed more gets the rest in the steps that paid debts wake. While a
 * connection is being opened for a pool, at most {@value #OPENING_AT_ONCE} more are added, so that a burst that would have
 * been served by returning connections in the meantime does not open a dozen.
 *
 * <h2>What policies cannot do</h2>
 *
 * They run on a {@link PolicyRunner}; a policy that throws, answers null, blocks or burns the processor is stood in for by its last good answer
 * ({@link ActiveSet}). No policy can exceed the budget, since their answers only bound claims.
 */
public final class Governor {

    /** The base window. */
    public static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Connections one pool may be opening before it is given further permits. */
    static final int OPENING_AT_ONCE = 2;

    static final long DEFAULT_IDLE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long AT_CEILING_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A database that sends nothing for less is not remarkable, however fast it was. Twice as long is an alarm. */
    private static final long SHORTEST_SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Demand is remembered for so long, so that connections do not change hands at every lull of some milliseconds. */
    private static final long DEMAND_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final List<String> PROMPTLY_CLEARED = List.of("degraded", "unreachable", "no-answer", "paused");

    private final DatabaseState database;
    private final Time time;
    private final PolicyRunner runner;
    private final GovernorListener listener;
    private final Runnable driver;
    private final Narrator narrator;

    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final List<Runnable> afterStep = new ArrayList<>();
    private long nextWindow;
    private int lastCapacity = -1;

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
        this.runner = runner;
        this.listener = listener;
        this.driver = driver;
        this.narrator = new Narrator(this.database, time, new DecisionLog(node, database, time, listener::decided));
        this.nextWindow = time.nanoTime() + WINDOW_NANOS;
    }

    // ---- from any thread

    /** Something happened that a step should look at. */
    public void wake() {
        driver.run();
    }

    /** Takes a pool in; it has permits from the next step on. Completes after that step. */
    public CompletionStage<Void> add(GovernedPool pool, PolicySet set) {
        return command(() -> {
            DomainState state = new DomainState(pool, new ActiveSet(set, ""), time.nanoTime());
            database.domains.add(state);
        });
    }

    /** Closes a pool's gate, takes its permits away and forgets it once its last connection came back. */
    public CompletionStage<Void> remove(String domain) {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        command(() -> database.find(domain)
                .ifPresentOrElse(
                        state -> {
                            state.draining = true;
                            state.passage = Rules.Passage.CLOSED;
                            whenEmpty(state, gone);
                        },
                        () -> gone.complete(null)));
        return gone;
    }

    private void whenEmpty(DomainState state, CompletableFuture<Void> gone) {
        afterStep.add(() -> {
            if (state.size() == 0) {
                database.domains.remove(state);
                retirement(state.active).run();
                retirement(state.shadow).run();
                gone.complete(null);
            } else {
                commands.add(() -> whenEmpty(state, gone));
            }
        });
    }

    /** Puts a set in force for one domain; completes when it has answered once. */
    public CompletionStage<Void> swap(String domain, PolicySet set) {
        return command(() -> {
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

    /** Puts a set in force for the sum of all domains. */
    public CompletionStage<Void> swap(PolicySet set) {
        return command(() -> {
            Runnable retirement = retirement(database.active);
            database.active.replace(set);
            afterStep.add(() -> {
                narrator.tell(
                        Kind.POLICY,
                        "%s is at revision %d: %s.".formatted(database.name, set.revision(), Narrator.plugins(set)));
                retirement.run();
            });
        });
    }

    /**
     * Asks a set beside the live one from now on, in place of the shadow there was; it decides nothing. Completes when it
     * has answered once.
     */
    public CompletionStage<Void> shadow(String domain, PolicySet set) {
        return command(() -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.shadow);
            Shadow shadow = new Shadow(set);
            shadow.active.learn(state.recent, runner, time).forEach(complaint -> narrator.complain(state, complaint));
            state.shadow = shadow;
            afterStep.add(retirement);
        });
    }

    /** Ends a domain's shadow set, if it has one. */
    public CompletionStage<Void> unshadow(String domain) {
        return command(() -> {
            DomainState state = stateOf(domain);
            Runnable retirement = retirement(state.shadow);
            state.shadow = null;
            afterStep.add(retirement);
        });
    }

    /** What a domain's shadow set would do, if it has one. From any thread. */
    public Optional<ShadowStatus> shadowStatus(String domain) {
        return database.find(domain).map(state -> state.shadow).map(Shadow::status);
    }

    private DomainState stateOf(String domain) {
        return database.find(domain)
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no domain " + domain + " on " + database.name));
    }

    public PolicySet policies(String domain) {
        return database.find(domain).map(state -> state.active.set()).orElseGet(PolicySet::empty);
    }

    public PolicySet policies() {
        return database.active.set();
    }

    /** Asks a set what it would answer for a domain now, and closes it. */
    public CompletionStage<List<Answer>> ask(String domain, PolicySet candidate) {
        CompletableFuture<List<Answer>> answered = new CompletableFuture<>();
        command(() -> afterStep.add(() -> database.find(domain)
                        .ifPresentOrElse(
                                state -> answered.complete(answerOf(
                                        candidate,
                                        "",
                                        state.recent,
                                        state.view(
                                                time.now(), time.nanoTime(), state.standing.limits(), database.view()),
                                        complaint -> narrator.complainOfPlanned(state, complaint))),
                                () -> answered.completeExceptionally(
                                        new IllegalArgumentException("there is no domain " + domain)))))
                .exceptionally(fault -> {
                    answered.completeExceptionally(fault);
                    return null;
                });
        return answered;
    }

    /** Asks a set what it would answer for the sum of all domains now, and closes it. */
    public CompletionStage<List<Answer>> ask(PolicySet candidate) {
        CompletableFuture<List<Answer>> answered = new CompletableFuture<>();
        command(() -> afterStep.add(() -> answered.complete(answerOf(
                        candidate,
                        "database/",
                        List.of(database.window()),
                        database.sum(time.now(), time.nanoTime()),
                        narrator::complainOfPlanned))))
                .exceptionally(fault -> {
                    answered.completeExceptionally(fault);
                    return null;
                });
        return answered;
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

    public CompletionStage<Void> pause(String domain) {
        return onDomain(domain, state -> {
            if (state.passage == Rules.Passage.OPEN) {
                state.passage = Rules.Passage.PAUSED;
                narrator.tell(state, Kind.PAUSED, "governor", domain + " is paused: requests wait, leases go on.");
            }
        });
    }

    public CompletionStage<Void> resume(String domain) {
        return onDomain(domain, state -> {
            if (state.passage != Rules.Passage.OPEN) {
                state.passage = Rules.Passage.OPEN;
                state.draining = false;
                narrator.tell(state, Kind.RESUMED, "governor", domain + " takes requests again.");
            }
        });
    }

    public CompletionStage<Void> flush(String domain) {
        return onDomain(domain, state -> {
            state.pool.replaceConnections();
            narrator.tell(
                    state,
                    Kind.FLUSHED,
                    "governor",
                    "%s replaces its %s: free ones now, leased ones when they come back."
                            .formatted(domain, Narrator.connections(state.size())));
        });
    }

    public CompletionStage<Void> drain(String domain) {
        return onDomain(domain, state -> {
            if (!state.draining) {
                state.draining = true;
                state.passage = Rules.Passage.CLOSED;
                narrator.tell(
                        state,
                        Kind.DRAINED,
                        "governor",
                        "%s refuses requests and closes its connections as they come back; %d in use."
                                .formatted(domain, state.pool.gate().inUse()));
            }
        });
    }

    /** One pool at this instant. */
    public Optional<PoolStatus> status(String domain) {
        return database.find(domain).map(state -> state.status(database.name));
    }

    private CompletionStage<Void> onDomain(String domain, Consumer<DomainState> action) {
        return command(() -> database.find(domain).ifPresent(action));
    }

    private CompletionStage<Void> command(Runnable action) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        commands.add(() -> {
            try {
                action.run();
                afterStep.add(() -> done.complete(null));
            } catch (RuntimeException fault) {
                done.completeExceptionally(fault);
            }
        });
        wake();
        return done;
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
        for (int left = commands.size(); left > 0; left--) {
            Runnable next = commands.poll();
            if (next != null) {
                next.run();
            }
        }
        for (DomainState state : database.domains) {
            state.sample(now);
        }
        boolean windowEnded = now - nextWindow >= 0;
        if (windowEnded) {
            endWindows(now, wall);
        }
        DatabaseView view = database.view();
        ask(now, wall, view);
        int[] targets = allocate(now);
        apply(targets);
        Prospect prospect = new Prospect(now);
        SharedRate sharedRate = database.sharedRate(now);
        for (int i = 0; i < targets.length; i++) {
            setRules(i, prospect, sharedRate, windowEnded);
        }
        if (windowEnded) {
            alarms(now, wall);
            narrator.sweep();
        }
        publish();
        List<Runnable> due = List.copyOf(afterStep);
        afterStep.clear();
        due.forEach(Runnable::run);
        return Math.max(0, nextWindow - time.nanoTime());
    }

    private void endWindows(long now, Instant wall) {
        nextWindow += WINDOW_NANOS;
        if (now - nextWindow >= 0) {
            nextWindow = now + WINDOW_NANOS; // fell behind: one long window instead of several empty ones
        }
        List<PolicyCall> all = new ArrayList<>();
        List<List<PolicyCall>> byDomain = new ArrayList<>();
        List<Window> windows = new ArrayList<>();
        Map<DomainState, List<PolicyCall>> shadowed = new LinkedHashMap<>();
        for (DomainState state : database.domains) {
            state.pool.tidy();
            Window window = state.endWindow(now);
            windows.add(window);
            listener.window(state.pool, wall, window);
            if (window.refused() > 0) {
                narrator.refused(state, window);
            }
            List<PolicyCall> calls = state.active.observing(window);
            byDomain.add(calls);
            all.addAll(calls);
        }
        database.windowEnded(windows);
        List<PolicyCall> ofDatabase = database.observing();
        all.addAll(ofDatabase);
        List<PolicyCall> unseen = new ArrayList<>();
        for (int i = 0; i < windows.size(); i++) {
            DomainState state = database.domains.get(i);
            Shadow shadow = state.shadow;
            if (shadow != null) {
                List<PolicyCall> calls = shadow.active.observing(windows.get(i));
                shadowed.put(state, calls);
                unseen.addAll(calls);
            }
        }
        runner.run(all);
        runner.run(unseen);
        shadowed.forEach((state, calls) -> {
            Shadow shadow = Objects.requireNonNull(state.shadow);
            shadow.active.observed(calls, now).forEach(complaint -> narrator.complain(state, complaint));
        });
        for (int i = 0; i < byDomain.size(); i++) {
            DomainState state = database.domains.get(i);
            state.active.observed(byDomain.get(i), now).forEach(complaint -> narrator.complain(state, complaint));
        }
        database.active.observed(ofDatabase, now).forEach(narrator::complain);
    }

    private void ask(long now, Instant wall, DatabaseView view) {
        List<PolicyCall> all = new ArrayList<>();
        List<List<PolicyCall>> byDomain = new ArrayList<>();
        for (DomainState state : database.domains) {
            List<PolicyCall> calls = state.active.asking(state.view(wall, now, state.standing.limits(), view));
            byDomain.add(calls);
            all.addAll(calls);
        }
        List<PolicyCall> ofDatabase = database.asking(wall, now);
        all.addAll(ofDatabase);
        runner.run(all);
        for (int i = 0; i < byDomain.size(); i++) {
            DomainState state = database.domains.get(i);
            boolean wasDegraded = state.standing.degraded().isPresent();
            state.active.heard(byDomain.get(i), now).forEach(complaint -> narrator.complain(state, complaint));
            if (wasDegraded && state.active.degraded().isEmpty()) {
                narrator.tell(state, Kind.RECOVERED, "governor", state.domain() + ": every policy answers again.");
            }
        }
        database.active.heard(ofDatabase, now).forEach(narrator::complain);
        askShadows(now, wall, view);
    }

    /** After the live sets and in a run of its own: a shadow that dawdles costs no live policy its turn. */
    private void askShadows(long now, Instant wall, DatabaseView view) {
        Map<DomainState, List<PolicyCall>> byDomain = new LinkedHashMap<>();
        List<PolicyCall> all = new ArrayList<>();
        for (DomainState state : database.domains) {
            Shadow shadow = state.shadow;
            if (shadow != null) {
                List<PolicyCall> calls = shadow.active.asking(state.view(wall, now, shadow.active.combined(), view));
                byDomain.put(state, calls);
                all.addAll(calls);
            }
        }
        if (!byDomain.isEmpty()) {
            runner.run(all);
            byDomain.forEach((state, calls) -> {
                Shadow shadow = Objects.requireNonNull(state.shadow);
                shadow.active.heard(calls, now).forEach(complaint -> narrator.complain(state, complaint));
                shadow.compare(state.active.combined(), database.budget())
                        .ifPresent(difference -> narrator.shadow(state, shadow, difference));
            });
        }
    }

    private int[] allocate(long now) {
        int capacity = database.capacity();
        if (lastCapacity >= 0 && capacity != lastCapacity && !database.domains.isEmpty()) {
            narrator.capacity(lastCapacity, capacity);
        }
        lastCapacity = capacity;
        List<Allocator.Claim> claims = new ArrayList<>();
        for (DomainState state : database.domains) {
            claims.add(claim(state, now));
        }
        return Allocator.allocate(capacity, claims);
    }

    private Allocator.Claim claim(DomainState state, long now) {
        if (state.draining) {
            return new Allocator.Claim(0, 0, 0, 0, 0, 1, 0, 0);
        }
        Limits limits = state.active.combined();
        int ceiling = Math.min(database.budget(), limits.ceiling());
        int floor = Math.min(limits.floor(), ceiling);
        int guaranteed = state.guaranteed();
        double weight = Double.isInfinite(limits.weight()) ? 1 : limits.weight();
        int size = state.size();
        int present = state.passage == Rules.Passage.OPEN
                ? state.demand()
                : state.pool.gate().inUse();
        int demand = Math.max(present, Math.min(size, state.neededWithin(DEMAND_MEMORY_NANOS, now)));
        long idleTimeout =
                limits.idleTimeoutNanos() == Long.MAX_VALUE ? DEFAULT_IDLE_TIMEOUT_NANOS : limits.idleTimeoutNanos();
        state.treatAsNeeded(size, now);
        int keep = Math.min(size, Math.max(state.neededWithin(idleTimeout, now), floor));
        return new Allocator.Claim(
                floor,
                guaranteed,
                demand,
                keep,
                ceiling,
                weight,
                size,
                state.pool.gate().longestWaitNanos());
    }

    /** Takes permits away, then adds as many as the budget has room for. */
    private void apply(int[] targets) {
        int room = database.budget();
        for (int i = 0; i < targets.length; i++) {
            DomainState state = database.domains.get(i);
            int permits = state.pool.gate().permits();
            if (targets[i] < permits) {
                state.pool.gate().resize(targets[i]);
                state.pool.resize(targets[i]);
                narrator.shrunk(state, permits, targets[i]);
            } else {
                state.pool.gate().settle();
            }
            room -= state.size();
        }
        for (int i : byNeed(targets)) {
            DomainState state = database.domains.get(i);
            int permits = state.pool.gate().permits();
            int debt = state.pool.gate().debt();
            int wanted = targets[i] - permits;
            if (wanted <= 0) {
                continue;
            }
            // a debt that is forgiven needs no room: its connection is open already
            int forgiven = Math.min(wanted, debt);
            int opened = Math.min(
                    Math.min(wanted - forgiven, Math.max(0, room)),
                    Math.max(0, OPENING_AT_ONCE - state.pool.opening() - unopened(state)));
            int grown = forgiven + opened;
            if (grown > 0) {
                room -= opened;
                state.pool.resize(permits + grown);
                state.pool.gate().resize(permits + grown);
                narrator.grew(state, permits, permits + grown);
            }
        }
    }

    /** Permits whose connection HikariCP has not begun to open. */
    private static int unopened(DomainState state) {
        return Math.max(0, state.size() - state.pool.open() - state.pool.opening());
    }

    /** Indexes of the domains, those furthest below their guarantee first. */
    private List<Integer> byNeed(int[] targets) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < targets.length; i++) {
            order.add(i);
        }
        order.sort((a, b) -> Integer.compare(owed(database.domains.get(b)), owed(database.domains.get(a))));
        return order;
    }

    private static int owed(DomainState state) {
        return Math.max(0, Math.min(state.guaranteed(), state.demand()) - state.size());
    }

    private void setRules(int index, Prospect prospect, @Nullable SharedRate sharedRate, boolean windowEnded) {
        DomainState state = database.domains.get(index);
        Limits limits = state.active.combined();
        int waiting = state.pool.gate().waitingForPermits();
        boolean exhausted = (waiting > 0 || limits.whenExhausted().mode() != WhenExhausted.Mode.QUEUE)
                && prospect.isExhausted(index);
        state.pool.gate().setRate(limits.rate(), limits.burst(), sharedRate);
        state.pool.gate().setRules(new Rules(state.passage, limits.whenExhausted(), exhausted));
        boolean wantedBefore = state.wantedMore;
        state.wantedMore = waiting > 0 && exhausted && state.passage == Rules.Passage.OPEN;
        if (state.wantedMore) {
            state.pool.gate().refuseWaiters();
            if (windowEnded || !wantedBefore) {
                narrator.held(state, waiting);
            }
        }
    }

    /**
     * What would come of one more request, judged after the step's changes. Whoever waits asks for one more already: one
     * division, made when first needed, answers for all of those.
     */
    private final class Prospect {

        private final long now;
        private List<Allocator.Claim> claims = List.of();
        private int[] shares = {};

        Prospect(long now) {
            this.now = now;
        }

        /** Whether one more waiter would not be given one more connection. */
        boolean isExhausted(int index) {
            DomainState state = database.domains.get(index);
            int permits = state.pool.gate().permits();
            return permits >= state.active.combined().ceiling()
                    || (database.held() >= database.capacity() && permits >= shareOf(index, permits + 1));
        }

        /** What a domain would be given if it asked for at least so many. */
        private int shareOf(int index, int asked) {
            if (claims.isEmpty()) {
                claims = database.domains.stream()
                        .map(state -> claim(state, now))
                        .toList();
                shares = Allocator.allocate(database.capacity(), claims);
            }
            if (claims.get(index).demand() >= asked) {
                return shares[index];
            }
            List<Allocator.Claim> supposed = new ArrayList<>(claims);
            supposed.set(index, claims.get(index).wantingAtLeast(asked));
            return Allocator.allocate(database.capacity(), supposed)[index];
        }
    }

    // ---- alarms, and what is shown

    private void alarms(long now, Instant wall) {
        for (DomainState state : database.domains) {
            if (state.wantedMore) {
                noteWaiters(state, now, wall);
            }
            for (Alarm alarm : state.active.combined().alarms()) {
                hold(state, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            for (Alarm alarm : database.active.combined().alarms()) {
                hold(state, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            state.active
                    .degraded()
                    .or(database.active::degraded)
                    .ifPresent(why -> hold(state, "degraded", why, Severity.WARNING, 0, now, wall));
            database.discrepancy()
                    .ifPresent(what -> hold(state, "ledger-differs", what, Severity.CRITICAL, 0, now, wall));
            if (state.pool.isOverBudget()) {
                hold(
                        state,
                        "budget-exhausted",
                        "%s cannot open a connection: the budget of %d connections is used up"
                                .formatted(state.domain(), database.budget()),
                        Severity.WARNING,
                        AT_CEILING_PATIENCE_NANOS,
                        now,
                        wall);
            }
            if (state.passage == Rules.Passage.PAUSED) {
                hold(state, "paused", state.domain() + " is paused", Severity.WARNING, 0, now, wall);
            }
            state.pool.raised().forEach((code, message) -> hold(state, code, message, Severity.CRITICAL, 0, now, wall));
            noteReachability(state, now, wall);
            for (AlarmBoard.Change change : state.alarms.expire(now, PROMPTLY_CLEARED)) {
                narrator.tell(
                        state,
                        Kind.CLEARED,
                        "governor",
                        "%s recovered: %s ended after %d s."
                                .formatted(
                                        state.domain(),
                                        change.alarm().code(),
                                        Duration.between(change.alarm().since(), wall)
                                                .toSeconds()));
            }
        }
    }

    /**
     * Callers wait, and the pool may not grow for them. Where the database answers nothing that is why, and not who bounds the
     * pool. How long it may be silent follows from how long its requests took of late.
     */
    private void noteWaiters(DomainState state, long now, Instant wall) {
        long silent = state.silentNanos(now);
        long usual = Math.max(
                SHORTEST_SILENCE_NANOS,
                silent < SHORTEST_SILENCE_NANOS
                        ? 0
                        : state.rolling.summary().latency().p99Nanos());
        if (silent >= 2 * usual) {
            hold(
                    state,
                    "no-answer",
                    "%s answers none of the requests on the %s that %s has in use"
                            .formatted(
                                    database.name,
                                    Narrator.connections(state.pool.gate().inUse()),
                                    state.domain()),
                    Severity.WARNING,
                    0,
                    now,
                    wall);
        } else if (silent < usual) {
            String who = narrator.bindingName(state);
            boolean byBudget = who.equals("allocator");
            hold(
                    state,
                    byBudget ? "budget-exhausted" : "at-ceiling",
                    byBudget
                            ? state.domain() + " has been held at " + Narrator.connections(state.size()) + " because "
                                    + database.name + " has none left to give"
                            : state.domain() + " has been held at its ceiling of "
                                    + state.pool.gate().permits() + " by " + who,
                    Severity.WARNING,
                    AT_CEILING_PATIENCE_NANOS,
                    now,
                    wall);
        }
    }

    private void hold(
            DomainState state, String code, String message, Severity severity, long patience, long now, Instant wall) {
        state.alarms
                .holds(code, message, severity, patience, now, wall)
                .ifPresent(change -> narrator.tell(
                        state,
                        Kind.ALARM,
                        code,
                        Narrator.sentence(change.alarm().message())));
    }

    private void noteReachability(DomainState state, long now, Instant wall) {
        state.pool
                .failure()
                .ifPresent(failure -> hold(
                        state,
                        "unreachable",
                        "%s cannot be reached: %s"
                                .formatted(database.name, failure.cause().getMessage()),
                        Severity.CRITICAL,
                        0,
                        now,
                        wall));
        boolean unreachable = state.pool.failure().isPresent();
        if (unreachable != state.unreachable) {
            state.unreachable = unreachable;
            narrator.tell(
                    state,
                    unreachable ? Kind.UNREACHABLE : Kind.REACHABLE,
                    "governor",
                    unreachable
                            ? "%s cannot be reached for %s: %s."
                                    .formatted(
                                            database.name,
                                            state.domain(),
                                            state.pool
                                                    .failure()
                                                    .orElseThrow()
                                                    .cause()
                                                    .getMessage())
                            : "%s can be reached again for %s.".formatted(database.name, state.domain()));
        }
    }

    private void publish() {
        int given = database.budget();
        int guarantees = 0;
        int extras = 0;
        for (DomainState state : database.domains) {
            guarantees += state.guaranteed();
            extras += Math.max(0, state.size() - state.guaranteed());
        }
        int unowed = Math.max(0, given - guarantees);
        for (DomainState state : database.domains) {
            Limits limits = state.active.combined();
            int extra = Math.max(0, state.size() - state.guaranteed());
            int lent = extras > unowed ? extra - (int) ((long) extra * unowed / extras) : 0;
            int ceiling = Math.min(given, limits.ceiling());
            int floor = Math.min(limits.floor(), ceiling);
            DomainState.Standing before = state.standing;
            if (before.budget() > 0 && (before.floor() != floor || before.ceiling() != ceiling)) {
                narrator.limits(state, before, floor, ceiling);
            }
            if (before.lent() == 0 && lent > 0) {
                narrator.lent(state, lent);
            }
            state.standing = new DomainState.Standing(
                    limits,
                    floor,
                    ceiling,
                    state.pool.gate().permits(),
                    state.guaranteed(),
                    lent,
                    given,
                    state.active.degraded().or(database.active::degraded),
                    database.binding(state),
                    state.alarms.raised());
        }
    }

    // ---- the end of a set

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
