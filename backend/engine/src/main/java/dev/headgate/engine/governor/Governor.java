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
 * ({@link Council}). No policy can exceed the budget, since their answers only bound claims.
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

    private final Table table;
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
        this.table = new Table(database, budget);
        this.time = time;
        this.runner = runner;
        this.listener = listener;
        this.driver = driver;
        this.narrator = new Narrator(table, time, new DecisionLog(node, database, time, listener::decided));
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
            Seat seat = new Seat(pool, new Council(set, ""), time.nanoTime());
            table.seats.add(seat);
        });
    }

    /** Closes a pool's gate, takes its permits away and forgets it once its last connection came back. */
    public CompletionStage<Void> remove(String domain) {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        command(() -> table.find(domain)
                .ifPresentOrElse(
                        seat -> {
                            seat.draining = true;
                            seat.passage = Rules.Passage.CLOSED;
                            whenEmpty(seat, gone);
                        },
                        () -> gone.complete(null)));
        return gone;
    }

    private void whenEmpty(Seat seat, CompletableFuture<Void> gone) {
        afterStep.add(() -> {
            if (seat.size() == 0) {
                table.seats.remove(seat);
                retirement(seat.council).run();
                retirement(seat.shadow).run();
                gone.complete(null);
            } else {
                commands.add(() -> whenEmpty(seat, gone));
            }
        });
    }

    /** Puts a set in force for one domain; completes when it has answered once. */
    public CompletionStage<Void> swap(String domain, PolicySet set) {
        return command(() -> {
            Seat seat = seated(domain);
            Runnable retirement = retirement(seat.council);
            seat.council.replace(set);
            List<Council.Complaint> complaints = seat.council.learn(seat.recent, runner, time);
            afterStep.add(() -> {
                narrator.tell(
                        seat,
                        Kind.POLICY,
                        "governor",
                        "%s is at revision %d: %s.".formatted(domain, set.revision(), Narrator.plugins(set)));
                complaints.forEach(complaint -> narrator.complain(seat, complaint));
                retirement.run();
            });
        });
    }

    /** Puts a set in force for the sum of all domains. */
    public CompletionStage<Void> swap(PolicySet set) {
        return command(() -> {
            Runnable retirement = retirement(table.council);
            table.council.replace(set);
            afterStep.add(() -> {
                narrator.tell(
                        Kind.POLICY,
                        "%s is at revision %d: %s.".formatted(table.database, set.revision(), Narrator.plugins(set)));
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
            Seat seat = seated(domain);
            Runnable retirement = retirement(seat.shadow);
            Shadow shadow = new Shadow(set);
            shadow.council.learn(seat.recent, runner, time).forEach(complaint -> narrator.complain(seat, complaint));
            seat.shadow = shadow;
            afterStep.add(retirement);
        });
    }

    /** Ends a domain's shadow set, if it has one. */
    public CompletionStage<Void> unshadow(String domain) {
        return command(() -> {
            Seat seat = seated(domain);
            Runnable retirement = retirement(seat.shadow);
            seat.shadow = null;
            afterStep.add(retirement);
        });
    }

    /** What a domain's shadow set would do, if it has one. From any thread. */
    public Optional<ShadowStatus> shadowStatus(String domain) {
        return table.find(domain).map(seat -> seat.shadow).map(Shadow::status);
    }

    private Seat seated(String domain) {
        return table.find(domain)
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no domain " + domain + " on " + table.database));
    }

    public PolicySet policies(String domain) {
        return table.find(domain).map(seat -> seat.council.set()).orElseGet(PolicySet::empty);
    }

    public PolicySet policies() {
        return table.council.set();
    }

    /** Asks a set what it would answer for a domain now, and closes it. */
    public CompletionStage<List<Answer>> ask(String domain, PolicySet candidate) {
        CompletableFuture<List<Answer>> answered = new CompletableFuture<>();
        command(() -> afterStep.add(() -> table.find(domain)
                        .ifPresentOrElse(
                                seat -> answered.complete(answerOf(
                                        candidate,
                                        "",
                                        seat.recent,
                                        seat.view(time.now(), time.nanoTime(), seat.standing.limits(), table.view()),
                                        complaint -> narrator.complainOfPlanned(seat, complaint))),
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
                        List.of(table.window()),
                        table.sum(time.now(), time.nanoTime()),
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
            Consumer<Council.Complaint> told) {
        Council council = new Council(candidate, prefix);
        council.learn(recorded, runner, time).forEach(told);
        List<PolicyCall> calls = council.asking(view);
        runner.run(calls);
        council.heard(calls, time.nanoTime()).forEach(told);
        retirement(council).run();
        return council.answers();
    }

    public CompletionStage<Void> pause(String domain) {
        return onSeat(domain, seat -> {
            if (seat.passage == Rules.Passage.OPEN) {
                seat.passage = Rules.Passage.PAUSED;
                narrator.tell(seat, Kind.PAUSED, "governor", domain + " is paused: requests wait, leases go on.");
            }
        });
    }

    public CompletionStage<Void> resume(String domain) {
        return onSeat(domain, seat -> {
            if (seat.passage != Rules.Passage.OPEN) {
                seat.passage = Rules.Passage.OPEN;
                seat.draining = false;
                narrator.tell(seat, Kind.RESUMED, "governor", domain + " takes requests again.");
            }
        });
    }

    public CompletionStage<Void> flush(String domain) {
        return onSeat(domain, seat -> {
            seat.pool.replaceConnections();
            narrator.tell(
                    seat,
                    Kind.FLUSHED,
                    "governor",
                    "%s replaces its %s: free ones now, leased ones when they come back."
                            .formatted(domain, Narrator.connections(seat.size())));
        });
    }

    public CompletionStage<Void> drain(String domain) {
        return onSeat(domain, seat -> {
            if (!seat.draining) {
                seat.draining = true;
                seat.passage = Rules.Passage.CLOSED;
                narrator.tell(
                        seat,
                        Kind.DRAINED,
                        "governor",
                        "%s refuses requests and closes its connections as they come back; %d in use."
                                .formatted(domain, seat.pool.gate().inUse()));
            }
        });
    }

    /** One pool at this instant. */
    public Optional<PoolStatus> status(String domain) {
        return table.find(domain).map(seat -> seat.status(table.database));
    }

    private CompletionStage<Void> onSeat(String domain, Consumer<Seat> action) {
        return command(() -> table.find(domain).ifPresent(action));
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
        for (Seat seat : table.seats) {
            seat.sample(now);
        }
        boolean windowEnded = now - nextWindow >= 0;
        if (windowEnded) {
            endWindows(now, wall);
        }
        DatabaseView view = table.view();
        ask(now, wall, view);
        int[] targets = allocate(now);
        apply(targets);
        Prospect prospect = new Prospect(now);
        SharedRate sharedRate = table.sharedRate(now);
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
        List<List<PolicyCall>> bySeat = new ArrayList<>();
        List<Window> windows = new ArrayList<>();
        Map<Seat, List<PolicyCall>> shadowed = new LinkedHashMap<>();
        for (Seat seat : table.seats) {
            seat.pool.tidy();
            Window window = seat.endWindow(now);
            windows.add(window);
            listener.window(seat.pool, wall, window);
            if (window.refused() > 0) {
                narrator.refused(seat, window);
            }
            List<PolicyCall> calls = seat.council.observing(window);
            bySeat.add(calls);
            all.addAll(calls);
        }
        table.windowEnded(windows);
        List<PolicyCall> ofDatabase = table.observing();
        all.addAll(ofDatabase);
        List<PolicyCall> unseen = new ArrayList<>();
        for (int i = 0; i < windows.size(); i++) {
            Seat seat = table.seats.get(i);
            Shadow shadow = seat.shadow;
            if (shadow != null) {
                List<PolicyCall> calls = shadow.council.observing(windows.get(i));
                shadowed.put(seat, calls);
                unseen.addAll(calls);
            }
        }
        runner.run(all);
        runner.run(unseen);
        shadowed.forEach((seat, calls) -> {
            Shadow shadow = Objects.requireNonNull(seat.shadow);
            shadow.council.observed(calls, now).forEach(complaint -> narrator.complain(seat, complaint));
        });
        for (int i = 0; i < bySeat.size(); i++) {
            Seat seat = table.seats.get(i);
            seat.council.observed(bySeat.get(i), now).forEach(complaint -> narrator.complain(seat, complaint));
        }
        table.council.observed(ofDatabase, now).forEach(narrator::complain);
    }

    private void ask(long now, Instant wall, DatabaseView view) {
        List<PolicyCall> all = new ArrayList<>();
        List<List<PolicyCall>> bySeat = new ArrayList<>();
        for (Seat seat : table.seats) {
            List<PolicyCall> calls = seat.council.asking(seat.view(wall, now, seat.standing.limits(), view));
            bySeat.add(calls);
            all.addAll(calls);
        }
        List<PolicyCall> ofDatabase = table.asking(wall, now);
        all.addAll(ofDatabase);
        runner.run(all);
        for (int i = 0; i < bySeat.size(); i++) {
            Seat seat = table.seats.get(i);
            boolean wasDegraded = seat.standing.degraded().isPresent();
            seat.council.heard(bySeat.get(i), now).forEach(complaint -> narrator.complain(seat, complaint));
            if (wasDegraded && seat.council.degraded().isEmpty()) {
                narrator.tell(seat, Kind.RECOVERED, "governor", seat.domain() + ": every policy answers again.");
            }
        }
        table.council.heard(ofDatabase, now).forEach(narrator::complain);
        askShadows(now, wall, view);
    }

    /** After the live sets and in a run of its own: a shadow that dawdles costs no live policy its turn. */
    private void askShadows(long now, Instant wall, DatabaseView view) {
        Map<Seat, List<PolicyCall>> bySeat = new LinkedHashMap<>();
        List<PolicyCall> all = new ArrayList<>();
        for (Seat seat : table.seats) {
            Shadow shadow = seat.shadow;
            if (shadow != null) {
                List<PolicyCall> calls = shadow.council.asking(seat.view(wall, now, shadow.council.combined(), view));
                bySeat.put(seat, calls);
                all.addAll(calls);
            }
        }
        if (!bySeat.isEmpty()) {
            runner.run(all);
            bySeat.forEach((seat, calls) -> {
                Shadow shadow = Objects.requireNonNull(seat.shadow);
                shadow.council.heard(calls, now).forEach(complaint -> narrator.complain(seat, complaint));
                shadow.compare(seat.council.combined(), table.budget())
                        .ifPresent(difference -> narrator.shadow(seat, shadow, difference));
            });
        }
    }

    private int[] allocate(long now) {
        int capacity = table.capacity();
        if (lastCapacity >= 0 && capacity != lastCapacity && !table.seats.isEmpty()) {
            narrator.capacity(lastCapacity, capacity);
        }
        lastCapacity = capacity;
        List<Allocator.Claim> claims = new ArrayList<>();
        for (Seat seat : table.seats) {
            claims.add(claim(seat, now));
        }
        return Allocator.allocate(capacity, claims);
    }

    private Allocator.Claim claim(Seat seat, long now) {
        if (seat.draining) {
            return new Allocator.Claim(0, 0, 0, 0, 0, 1, 0, 0);
        }
        Limits limits = seat.council.combined();
        int ceiling = Math.min(table.budget(), limits.ceiling());
        int floor = Math.min(limits.floor(), ceiling);
        int guaranteed = seat.guaranteed();
        double weight = Double.isInfinite(limits.weight()) ? 1 : limits.weight();
        int size = seat.size();
        int present = seat.passage == Rules.Passage.OPEN
                ? seat.demand()
                : seat.pool.gate().inUse();
        int demand = Math.max(present, Math.min(size, seat.neededWithin(DEMAND_MEMORY_NANOS, now)));
        long idleTimeout =
                limits.idleTimeoutNanos() == Long.MAX_VALUE ? DEFAULT_IDLE_TIMEOUT_NANOS : limits.idleTimeoutNanos();
        seat.treatAsNeeded(size, now);
        int keep = Math.min(size, Math.max(seat.neededWithin(idleTimeout, now), floor));
        return new Allocator.Claim(
                floor,
                guaranteed,
                demand,
                keep,
                ceiling,
                weight,
                size,
                seat.pool.gate().longestWaitNanos());
    }

    /** Takes permits away, then adds as many as the budget has room for. */
    private void apply(int[] targets) {
        int room = table.budget();
        for (int i = 0; i < targets.length; i++) {
            Seat seat = table.seats.get(i);
            int permits = seat.pool.gate().permits();
            if (targets[i] < permits) {
                seat.pool.gate().resize(targets[i]);
                seat.pool.resize(targets[i]);
                narrator.shrunk(seat, permits, targets[i]);
            } else {
                seat.pool.gate().settle();
            }
            room -= seat.size();
        }
        for (int i : byNeed(targets)) {
            Seat seat = table.seats.get(i);
            int permits = seat.pool.gate().permits();
            int debt = seat.pool.gate().debt();
            int wanted = targets[i] - permits;
            if (wanted <= 0) {
                continue;
            }
            // a debt that is forgiven needs no room: its connection is open already
            int forgiven = Math.min(wanted, debt);
            int opened = Math.min(
                    Math.min(wanted - forgiven, Math.max(0, room)),
                    Math.max(0, OPENING_AT_ONCE - seat.pool.opening() - unopened(seat)));
            int grown = forgiven + opened;
            if (grown > 0) {
                room -= opened;
                seat.pool.resize(permits + grown);
                seat.pool.gate().resize(permits + grown);
                narrator.grew(seat, permits, permits + grown);
            }
        }
    }

    /** Permits whose connection HikariCP has not begun to open. */
    private static int unopened(Seat seat) {
        return Math.max(0, seat.size() - seat.pool.open() - seat.pool.opening());
    }

    /** Indexes of the seats, those furthest below their guarantee first. */
    private List<Integer> byNeed(int[] targets) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < targets.length; i++) {
            order.add(i);
        }
        order.sort((a, b) -> Integer.compare(owed(table.seats.get(b)), owed(table.seats.get(a))));
        return order;
    }

    private static int owed(Seat seat) {
        return Math.max(0, Math.min(seat.guaranteed(), seat.demand()) - seat.size());
    }

    private void setRules(int index, Prospect prospect, @Nullable SharedRate sharedRate, boolean windowEnded) {
        Seat seat = table.seats.get(index);
        Limits limits = seat.council.combined();
        int waiting = seat.pool.gate().waitingForPermits();
        boolean exhausted = (waiting > 0 || limits.whenExhausted().mode() != WhenExhausted.Mode.QUEUE)
                && prospect.isExhausted(index);
        seat.pool.gate().setRate(limits.rate(), limits.burst(), sharedRate);
        seat.pool.gate().setRules(new Rules(seat.passage, limits.whenExhausted(), exhausted));
        boolean wantedBefore = seat.wantedMore;
        seat.wantedMore = waiting > 0 && exhausted && seat.passage == Rules.Passage.OPEN;
        if (seat.wantedMore) {
            seat.pool.gate().refuseWaiters();
            if (windowEnded || !wantedBefore) {
                narrator.held(seat, waiting);
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
            Seat seat = table.seats.get(index);
            int permits = seat.pool.gate().permits();
            return permits >= seat.council.combined().ceiling()
                    || (table.held() >= table.capacity() && permits >= shareOf(index, permits + 1));
        }

        /** What a seat would be given if it asked for at least so many. */
        private int shareOf(int index, int asked) {
            if (claims.isEmpty()) {
                claims = table.seats.stream().map(seat -> claim(seat, now)).toList();
                shares = Allocator.allocate(table.capacity(), claims);
            }
            if (claims.get(index).demand() >= asked) {
                return shares[index];
            }
            List<Allocator.Claim> supposed = new ArrayList<>(claims);
            supposed.set(index, claims.get(index).wantingAtLeast(asked));
            return Allocator.allocate(table.capacity(), supposed)[index];
        }
    }

    // ---- alarms, and what is shown

    private void alarms(long now, Instant wall) {
        for (Seat seat : table.seats) {
            if (seat.wantedMore) {
                noteWaiters(seat, now, wall);
            }
            for (Alarm alarm : seat.council.combined().alarms()) {
                hold(seat, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            for (Alarm alarm : table.council.combined().alarms()) {
                hold(seat, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            seat.council
                    .degraded()
                    .or(table.council::degraded)
                    .ifPresent(why -> hold(seat, "degraded", why, Severity.WARNING, 0, now, wall));
            table.discrepancy().ifPresent(what -> hold(seat, "ledger-differs", what, Severity.CRITICAL, 0, now, wall));
            if (seat.pool.isOverBudget()) {
                hold(
                        seat,
                        "budget-exhausted",
                        "%s cannot open a connection: the budget of %d connections is used up"
                                .formatted(seat.domain(), table.budget()),
                        Severity.WARNING,
                        AT_CEILING_PATIENCE_NANOS,
                        now,
                        wall);
            }
            if (seat.passage == Rules.Passage.PAUSED) {
                hold(seat, "paused", seat.domain() + " is paused", Severity.WARNING, 0, now, wall);
            }
            seat.pool.raised().forEach((code, message) -> hold(seat, code, message, Severity.CRITICAL, 0, now, wall));
            noteReachability(seat, now, wall);
            for (AlarmBoard.Change change : seat.alarms.expire(now, PROMPTLY_CLEARED)) {
                narrator.tell(
                        seat,
                        Kind.CLEARED,
                        "governor",
                        "%s recovered: %s ended after %d s."
                                .formatted(
                                        seat.domain(),
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
    private void noteWaiters(Seat seat, long now, Instant wall) {
        long silent = seat.silentNanos(now);
        long usual = Math.max(
                SHORTEST_SILENCE_NANOS,
                silent < SHORTEST_SILENCE_NANOS
                        ? 0
                        : seat.rolling.summary().latency().p99Nanos());
        if (silent >= 2 * usual) {
            hold(
                    seat,
                    "no-answer",
                    "%s answers none of the requests on the %s that %s has in use"
                            .formatted(
                                    table.database,
                                    Narrator.connections(seat.pool.gate().inUse()),
                                    seat.domain()),
                    Severity.WARNING,
                    0,
                    now,
                    wall);
        } else if (silent < usual) {
            String who = narrator.bindingName(seat);
            boolean byBudget = who.equals("allocator");
            hold(
                    seat,
                    byBudget ? "budget-exhausted" : "at-ceiling",
                    byBudget
                            ? seat.domain() + " has been held at " + Narrator.connections(seat.size()) + " because "
                                    + table.database + " has none left to give"
                            : seat.domain() + " has been held at its ceiling of "
                                    + seat.pool.gate().permits() + " by " + who,
                    Severity.WARNING,
                    AT_CEILING_PATIENCE_NANOS,
                    now,
                    wall);
        }
    }

    private void hold(
            Seat seat, String code, String message, Severity severity, long patience, long now, Instant wall) {
        seat.alarms
                .holds(code, message, severity, patience, now, wall)
                .ifPresent(change -> narrator.tell(
                        seat, Kind.ALARM, code, Narrator.sentence(change.alarm().message())));
    }

    private void noteReachability(Seat seat, long now, Instant wall) {
        seat.pool
                .failure()
                .ifPresent(failure -> hold(
                        seat,
                        "unreachable",
                        "%s cannot be reached: %s"
                                .formatted(table.database, failure.cause().getMessage()),
                        Severity.CRITICAL,
                        0,
                        now,
                        wall));
        boolean unreachable = seat.pool.failure().isPresent();
        if (unreachable != seat.unreachable) {
            seat.unreachable = unreachable;
            narrator.tell(
                    seat,
                    unreachable ? Kind.UNREACHABLE : Kind.REACHABLE,
                    "governor",
                    unreachable
                            ? "%s cannot be reached for %s: %s."
                                    .formatted(
                                            table.database,
                                            seat.domain(),
                                            seat.pool
                                                    .failure()
                                                    .orElseThrow()
                                                    .cause()
                                                    .getMessage())
                            : "%s can be reached again for %s.".formatted(table.database, seat.domain()));
        }
    }

    private void publish() {
        int given = table.budget();
        int guarantees = 0;
        int extras = 0;
        for (Seat seat : table.seats) {
            guarantees += seat.guaranteed();
            extras += Math.max(0, seat.size() - seat.guaranteed());
        }
        int unowed = Math.max(0, given - guarantees);
        for (Seat seat : table.seats) {
            Limits limits = seat.council.combined();
            int extra = Math.max(0, seat.size() - seat.guaranteed());
            int lent = extras > unowed ? extra - (int) ((long) extra * unowed / extras) : 0;
            int ceiling = Math.min(given, limits.ceiling());
            int floor = Math.min(limits.floor(), ceiling);
            Seat.Standing before = seat.standing;
            if (before.budget() > 0 && (before.floor() != floor || before.ceiling() != ceiling)) {
                narrator.limits(seat, before, floor, ceiling);
            }
            if (before.lent() == 0 && lent > 0) {
                narrator.lent(seat, lent);
            }
            seat.standing = new Seat.Standing(
                    limits,
                    floor,
                    ceiling,
                    seat.pool.gate().permits(),
                    seat.guaranteed(),
                    lent,
                    given,
                    seat.council.degraded().or(table.council::degraded),
                    table.binding(seat),
                    seat.alarms.raised());
        }
    }

    // ---- the end of a set

    private Runnable retirement(@Nullable Shadow shadow) {
        return shadow == null ? () -> {} : retirement(shadow.council);
    }

    /** Ends a council's set for good; to be run after the step in which it was last asked. */
    private Runnable retirement(Council council) {
        List<PolicyCall> closing = council.closing();
        Runnable onRetired = council.set().onRetired();
        return () -> {
            runner.run(closing);
            runner.forget();
            onRetired.run();
        };
    }
}
