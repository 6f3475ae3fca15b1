package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

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
 * They run on a {@link PolicyRunner}; a policy that throws, answers null or blocks is stood in for by its last good answer
 * ({@link Council}). No policy can exceed the budget, since their answers only bound claims.
 */
public final class Governor {

    /** The base window. */
    public static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Connections one pool may be opening before it is given further permits. */
    static final int OPENING_AT_ONCE = 2;

    private static final long DEFAULT_IDLE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long AT_CEILING_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Demand is remembered for so long, so that connections do not change hands at every lull of some milliseconds. */
    private static final long DEMAND_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final List<String> PROMPTLY_CLEARED = List.of("degraded", "unreachable", "paused");

    private final String database;
    private final Time time;
    private final BudgetSource budget;
    private final PolicyRunner runner;
    private final GovernorListener listener;
    private final Runnable driver;
    private final DecisionLog log;

    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final List<Runnable> afterStep = new ArrayList<>();
    private final CopyOnWriteArrayList<Seat> seats = new CopyOnWriteArrayList<>();
    private final Council databaseCouncil = new Council(PolicySet.empty(), "database/");
    private Window databaseWindow = Seat.NOTHING_YET;
    private long nextWindow;
    private long lastCapacity = Long.MAX_VALUE;

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
        this.database = database;
        this.time = time;
        this.budget = budget;
        this.runner = runner;
        this.listener = listener;
        this.driver = driver;
        this.log = new DecisionLog(node, database, time, listener::decided);
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
            seats.add(seat);
        });
    }

    /** Closes a pool's gate, takes its permits away and forgets it once its last connection came back. */
    public CompletionStage<Void> remove(String domain) {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        command(() -> find(domain)
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
                seats.remove(seat);
                retirement(seat.council).run();
                gone.complete(null);
            } else {
                commands.add(() -> whenEmpty(seat, gone));
            }
        });
    }

    /** Puts a set in force for one domain; completes when it has answered once. */
    public CompletionStage<Void> swap(String domain, PolicySet set) {
        return command(() -> {
            Seat seat = find(domain)
                    .orElseThrow(
                            () -> new IllegalArgumentException("there is no domain " + domain + " on " + database));
            Runnable retirement = retirement(seat.council);
            seat.council.replace(set);
            for (Window past : seat.recent) {
                runner.run(seat.council.observing(past));
            }
            afterStep.add(() -> {
                tell(
                        seat,
                        Kind.POLICY,
                        "governor",
                        "%s is at revision %d: %s.".formatted(domain, set.revision(), plugins(set)));
                retirement.run();
            });
        });
    }

    /** Puts a set in force for the sum of all domains. */
    public CompletionStage<Void> swap(PolicySet set) {
        return command(() -> {
            Runnable retirement = retirement(databaseCouncil);
            databaseCouncil.replace(set);
            afterStep.add(() -> {
                log.tell(
                        Kind.POLICY,
                        "governor",
                        "%s is at revision %d: %s.".formatted(database, set.revision(), plugins(set)),
                        databaseSubject());
                retirement.run();
            });
        });
    }

    public PolicySet policies(String domain) {
        return find(domain).map(seat -> seat.council.set()).orElseGet(PolicySet::empty);
    }

    public PolicySet policies() {
        return databaseCouncil.set();
    }

    /** Asks a set what it would answer for a domain now, and closes it. */
    public CompletionStage<List<Answer>> ask(String domain, PolicySet candidate) {
        CompletableFuture<List<Answer>> answered = new CompletableFuture<>();
        command(() -> afterStep.add(() -> find(domain)
                        .ifPresentOrElse(
                                seat -> answered.complete(answerOf(
                                        candidate,
                                        "",
                                        List.copyOf(seat.recent),
                                        seat.view(
                                                time.now(), time.nanoTime(), seat.standing.limits(), databaseView()))),
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
                        candidate, "database/", List.of(databaseWindow), sumView(time.now(), time.nanoTime())))))
                .exceptionally(fault -> {
                    answered.completeExceptionally(fault);
                    return null;
                });
        return answered;
    }

    private List<Answer> answerOf(PolicySet candidate, String prefix, List<Window> past, PoolView view) {
        Council council = new Council(candidate, prefix);
        for (Window window : past) {
            runner.run(council.observing(window));
        }
        List<PolicyCall> calls = council.asking(view);
        runner.run(calls);
        council.heard(calls);
        retirement(council).run();
        return council.answers();
    }

    public void pause(String domain) {
        onSeat(domain, seat -> {
            if (seat.passage == Rules.Passage.OPEN) {
                seat.passage = Rules.Passage.PAUSED;
                tell(seat, Kind.PAUSED, "governor", domain + " is paused: requests wait, leases go on.");
            }
        });
    }

    public void resume(String domain) {
        onSeat(domain, seat -> {
            if (seat.passage != Rules.Passage.OPEN) {
                seat.passage = Rules.Passage.OPEN;
                seat.draining = false;
                tell(seat, Kind.RESUMED, "governor", domain + " takes requests again.");
            }
        });
    }

    public void flush(String domain) {
        onSeat(domain, seat -> {
            seat.pool.replaceConnections();
            tell(
                    seat,
                    Kind.FLUSHED,
                    "governor",
                    "%s replaces its %s: free ones now, leased ones when they come back."
                            .formatted(domain, connections(seat.size())));
        });
    }

    public void drain(String domain) {
        onSeat(domain, seat -> {
            if (!seat.draining) {
                seat.draining = true;
                seat.passage = Rules.Passage.CLOSED;
                tell(
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
        return find(domain).map(seat -> seat.status(database));
    }

    private void onSeat(String domain, Consumer<Seat> action) {
        command(() -> find(domain).ifPresent(action));
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

    private Optional<Seat> find(String domain) {
        return seats.stream().filter(seat -> seat.domain().equals(domain)).findFirst();
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
        for (Seat seat : seats) {
            seat.sample(now);
        }
        boolean windowEnded = now - nextWindow >= 0;
        if (windowEnded) {
            endWindows(now, wall);
        }
        DatabaseView view = databaseView();
        ask(now, wall, view);
        int[] targets = allocate(now);
        apply(targets);
        for (int i = 0; i < targets.length; i++) {
            setRules(seats.get(i), windowEnded);
        }
        if (windowEnded) {
            alarms(now, wall);
            log.sweep();
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
        for (Seat seat : seats) {
            seat.pool.tidy();
            Window window = seat.endWindow(now);
            windows.add(window);
            listener.window(seat.pool, wall, window);
            if (window.refused() > 0) {
                tellRefused(seat, window);
            }
            List<PolicyCall> calls = seat.council.observing(window);
            bySeat.add(calls);
            all.addAll(calls);
        }
        databaseWindow = sum(windows);
        List<PolicyCall> ofDatabase = databaseCouncil.observing(databaseWindow);
        all.addAll(ofDatabase);
        runner.run(all);
        for (int i = 0; i < bySeat.size(); i++) {
            Seat seat = seats.get(i);
            seat.council.observed(bySeat.get(i)).forEach(complaint -> complain(seat, complaint));
        }
        databaseCouncil.observed(ofDatabase).forEach(this::complain);
    }

    private void ask(long now, Instant wall, DatabaseView view) {
        List<PolicyCall> all = new ArrayList<>();
        List<List<PolicyCall>> bySeat = new ArrayList<>();
        for (Seat seat : seats) {
            List<PolicyCall> calls = seat.council.asking(seat.view(wall, now, seat.standing.limits(), view));
            bySeat.add(calls);
            all.addAll(calls);
        }
        List<PolicyCall> ofDatabase = databaseCouncil.asking(sumView(wall, now));
        all.addAll(ofDatabase);
        runner.run(all);
        for (int i = 0; i < bySeat.size(); i++) {
            Seat seat = seats.get(i);
            boolean wasDegraded = seat.standing.degraded().isPresent();
            seat.council.heard(bySeat.get(i)).forEach(complaint -> complain(seat, complaint));
            if (wasDegraded && seat.council.degraded().isEmpty()) {
                tell(seat, Kind.RECOVERED, "governor", seat.domain() + ": every policy answers again.");
            }
        }
        databaseCouncil.heard(ofDatabase).forEach(this::complain);
    }

    private int[] allocate(long now) {
        int given = budget.connections();
        int capacity = Math.min(given, databaseCouncil.combined().ceiling());
        List<Allocator.Claim> claims = new ArrayList<>();
        for (Seat seat : seats) {
            claims.add(claim(seat, given, now));
        }
        noteCapacity(capacity, given);
        return Allocator.allocate(capacity, claims);
    }

    private Allocator.Claim claim(Seat seat, int given, long now) {
        if (seat.draining) {
            return new Allocator.Claim(0, 0, 0, 0, 0, 1, 0, 0);
        }
        Limits limits = seat.council.combined();
        int ceiling = Math.min(given, limits.ceiling());
        int floor = Math.min(limits.floor(), ceiling);
        int guaranteed = limits.guaranteed() == Limits.UNSPECIFIED ? 0 : limits.guaranteed();
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
        int room = budget.connections();
        for (int i = 0; i < targets.length; i++) {
            Seat seat = seats.get(i);
            int permits = seat.pool.gate().permits();
            if (targets[i] < permits) {
                seat.pool.gate().resize(targets[i]);
                seat.pool.resize(targets[i]);
                tellShrunk(seat, permits, targets[i]);
            } else {
                seat.pool.gate().settle();
            }
            room -= seat.size();
        }
        for (int i : byNeed(targets)) {
            Seat seat = seats.get(i);
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
                tellGrew(seat, permits, permits + grown);
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
        order.sort((a, b) -> Integer.compare(owed(seats.get(b)), owed(seats.get(a))));
        return order;
    }

    private static int owed(Seat seat) {
        Limits limits = seat.council.combined();
        int guaranteed = limits.guaranteed() == Limits.UNSPECIFIED ? 0 : limits.guaranteed();
        return Math.max(0, Math.min(guaranteed, seat.demand()) - seat.size());
    }

    private void setRules(Seat seat, boolean windowEnded) {
        Limits limits = seat.council.combined();
        int waiting = seat.pool.gate().waiting();
        boolean exhausted =
                (waiting > 0 || limits.whenExhausted().mode() != WhenExhausted.Mode.QUEUE) && isExhausted(seat);
        seat.pool.gate().setRate(limits.rate());
        seat.pool.gate().setRules(new Rules(seat.passage, limits.whenExhausted(), exhausted));
        boolean wantedBefore = seat.wantedMore;
        seat.wantedMore = waiting > 0 && exhausted && seat.passage == Rules.Passage.OPEN;
        if (seat.wantedMore) {
            seat.pool.gate().refuseWaiters();
            if (windowEnded || !wantedBefore) {
                tellHeld(seat, waiting);
            }
        }
    }

    /** Whether one more waiter would not be given one more connection. */
    private boolean isExhausted(Seat seat) {
        int permits = seat.pool.gate().permits();
        if (permits >= seat.council.combined().ceiling()) {
            return true;
        }
        int sizes = 0;
        for (Seat each : seats) {
            sizes += each.size();
        }
        int capacity = Math.min(budget.connections(), databaseCouncil.combined().ceiling());
        return sizes >= capacity && permits >= mostFor(seat);
    }

    /** What the seat would be given if it asked for one more than it has. */
    private int mostFor(Seat asking) {
        int given = budget.connections();
        int capacity = Math.min(given, databaseCouncil.combined().ceiling());
        long now = time.nanoTime();
        List<Allocator.Claim> claims = new ArrayList<>();
        int at = 0;
        for (Seat seat : seats) {
            Allocator.Claim claim = claim(seat, given, now);
            if (seat == asking) {
                at = claims.size();
                claim = claim.wantingAtLeast(seat.pool.gate().permits() + 1);
            }
            claims.add(claim);
        }
        return Allocator.allocate(capacity, claims)[at];
    }

    // ---- views

    private DatabaseView databaseView() {
        List<DatabaseView.Sibling> siblings = new ArrayList<>();
        int open = 0;
        for (Seat seat : seats) {
            Limits limits = seat.council.combined();
            siblings.add(new DatabaseView.Sibling(
                    seat.domain(),
                    limits.tier(),
                    seat.size(),
                    seat.pool.gate().inUse(),
                    seat.pool.gate().waiting(),
                    limits.guaranteed() == Limits.UNSPECIFIED ? 0 : limits.guaranteed()));
            open += seat.pool.open();
        }
        return new DatabaseView(database, budget.connections(), open, siblings);
    }

    private PoolView sumView(Instant wall, long now) {
        DatabaseView view = databaseView();
        int size = 0;
        int inUse = 0;
        int idle = 0;
        int waiting = 0;
        long longest = 0;
        for (Seat seat : seats) {
            size += seat.size();
            inUse += seat.pool.gate().inUse();
            idle += seat.idle();
            waiting += seat.pool.gate().waiting();
            longest = Math.max(longest, seat.pool.gate().longestWaitNanos());
        }
        return new PoolView(
                database,
                databaseCouncil.revision(),
                wall,
                now,
                size,
                inUse,
                idle,
                waiting,
                longest,
                databaseWindow,
                databaseCouncil.combined(),
                view);
    }

    private static Window sum(List<Window> windows) {
        if (windows.isEmpty()) {
            return Seat.NOTHING_YET;
        }
        Latency latency = HdrLatency.none();
        Latency waits = HdrLatency.none();
        long arrivals = 0;
        long leases = 0;
        long refused = 0;
        long errors = 0;
        double active = 0;
        double inUse = 0;
        int size = 0;
        int waiting = 0;
        List<Window.ConnectionWindow> connections = new ArrayList<>();
        for (Window window : windows) {
            latency = latency.plus(window.latency());
            waits = waits.plus(window.waits());
            arrivals += window.arrivals();
            leases += window.leases();
            refused += window.refused();
            errors += window.errors();
            active += window.meanActive();
            inUse += window.meanInUse();
            size += window.size();
            waiting += window.waiting();
            connections.addAll(window.connections());
        }
        Window first = windows.getFirst();
        return new Window(
                first.startNanos(),
                first.lengthNanos(),
                latency,
                waits,
                arrivals,
                leases,
                refused,
                errors,
                active,
                inUse,
                size,
                waiting,
                connections);
    }

    // ---- what is told

    private void alarms(long now, Instant wall) {
        for (Seat seat : seats) {
            if (seat.wantedMore) {
                String who = bindingName(seat);
                boolean byBudget = who.equals("allocator");
                hold(
                        seat,
                        byBudget ? "budget-exhausted" : "at-ceiling",
                        byBudget
                                ? "%s has been held at %s because %s has none left to give"
                                        .formatted(seat.domain(), connections(seat.size()), database)
                                : "%s has been held at its ceiling of %d by %s"
                                        .formatted(
                                                seat.domain(), seat.pool.gate().permits(), who),
                        Severity.WARNING,
                        AT_CEILING_PATIENCE_NANOS,
                        now,
                        wall);
            }
            for (Alarm alarm : seat.council.combined().alarms()) {
                hold(seat, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            for (Alarm alarm : databaseCouncil.combined().alarms()) {
                hold(seat, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            seat.council
                    .degraded()
                    .or(databaseCouncil::degraded)
                    .ifPresent(why -> hold(seat, "degraded", why, Severity.WARNING, 0, now, wall));
            if (seat.passage == Rules.Passage.PAUSED) {
                hold(seat, "paused", seat.domain() + " is paused", Severity.WARNING, 0, now, wall);
            }
            noteReachability(seat, now, wall);
            for (AlarmBoard.Change change : seat.alarms.expire(now, PROMPTLY_CLEARED)) {
                tell(
                        seat,
                        Kind.CLEARED,
                        "governor",
                        "%s: over: %s.".formatted(seat.domain(), change.alarm().message()));
            }
        }
    }

    private void hold(
            Seat seat, String code, String message, Severity severity, long patience, long now, Instant wall) {
        seat.alarms
                .holds(code, message, severity, patience, now, wall)
                .ifPresent(change -> tell(seat, Kind.ALARM, code, change.alarm().message() + "."));
    }

    private void noteReachability(Seat seat, long now, Instant wall) {
        seat.pool
                .failure()
                .ifPresent(failure -> hold(
                        seat,
                        "unreachable",
                        "%s cannot be reached: %s"
                                .formatted(database, failure.cause().getMessage()),
                        Severity.CRITICAL,
                        0,
                        now,
                        wall));
        boolean unreachable = seat.pool.failure().isPresent();
        if (unreachable != seat.unreachable) {
            seat.unreachable = unreachable;
            tell(
                    seat,
                    unreachable ? Kind.UNREACHABLE : Kind.REACHABLE,
                    "governor",
                    unreachable
                            ? "%s cannot be reached for %s: %s."
                                    .formatted(
                                            database,
                                            seat.domain(),
                                            seat.pool
                                                    .failure()
                                                    .orElseThrow()
                                                    .cause()
                                                    .getMessage())
                            : "%s can be reached again for %s.".formatted(database, seat.domain()));
        }
    }

    private void publish() {
        int given = budget.connections();
        int guarantees = 0;
        int extras = 0;
        for (Seat seat : seats) {
            guarantees += guaranteed(seat);
            extras += Math.max(0, seat.size() - guaranteed(seat));
        }
        int unowed = Math.max(0, given - guarantees);
        for (Seat seat : seats) {
            Limits limits = seat.council.combined();
            int extra = Math.max(0, seat.size() - guaranteed(seat));
            int lent = extras > unowed ? extra - (int) ((long) extra * unowed / extras) : 0;
            int ceiling = Math.min(given, limits.ceiling());
            int floor = Math.min(limits.floor(), ceiling);
            Seat.Standing before = seat.standing;
            if (before.budget() > 0 && (before.floor() != floor || before.ceiling() != ceiling)) {
                tellLimits(seat, before, floor, ceiling);
            }
            seat.standing = new Seat.Standing(
                    limits,
                    floor,
                    ceiling,
                    seat.pool.gate().permits(),
                    guaranteed(seat),
                    lent,
                    given,
                    seat.council.degraded().or(databaseCouncil::degraded),
                    binding(seat),
                    seat.alarms.raised());
        }
    }

    private static int guaranteed(Seat seat) {
        int guaranteed = seat.council.combined().guaranteed();
        return guaranteed == Limits.UNSPECIFIED ? 0 : guaranteed;
    }

    /** The policy that bounds the seat: its own, or the database's where that leaves it less. */
    private Optional<Answer> binding(Seat seat) {
        Optional<Answer> own = seat.council.binding();
        Optional<Answer> common = databaseCouncil.binding();
        if (common.isPresent() && seat.wantedMore && seat.pool.gate().permits() < seat.standing.ceiling()) {
            return common;
        }
        return own;
    }

    private String bindingName(Seat seat) {
        int permits = seat.pool.gate().permits();
        int ceiling = seat.council.combined().ceiling();
        if (ceiling <= permits) {
            return seat.council.binding().map(Answer::plugin).orElse("governor");
        }
        if (databaseCouncil.combined().ceiling() < budget.connections()) {
            return databaseCouncil.binding().map(Answer::plugin).orElse("governor");
        }
        return "allocator";
    }

    private String bindingReason(Seat seat) {
        int ceiling = seat.council.combined().ceiling();
        if (ceiling <= seat.pool.gate().permits()) {
            return seat.council.combined().reason();
        }
        if (databaseCouncil.combined().ceiling() < budget.connections()) {
            return databaseCouncil.combined().reason();
        }
        return "All %d connections of %s are given to %s."
                .formatted(
                        budget.connections(),
                        database,
                        seats.stream().map(s -> s.domain() + " " + s.size()).collect(Collectors.joining(", ")));
    }

    private void tellHeld(Seat seat, int waiting) {
        int permits = seat.pool.gate().permits();
        log.tellOrCount(
                Kind.HELD,
                bindingName(seat),
                "%s stays at %d with %d waiting. %s"
                        .formatted(seat.domain(), permits, waiting, bindingReason(seat))
                        .strip(),
                1,
                subject(seat, permits, permits));
    }

    private void tellRefused(Seat seat, Window window) {
        int permits = seat.pool.gate().permits();
        log.tellOrCount(
                Kind.REFUSED,
                bindingName(seat),
                "%s refused requests at %s (%s, %d waiting). %s"
                        .formatted(
                                seat.domain(),
                                connections(permits),
                                seat.council
                                        .combined()
                                        .whenExhausted()
                                        .mode()
                                        .name()
                                        .toLowerCase(Locale.ROOT),
                                window.waiting(),
                                bindingReason(seat))
                        .strip(),
                window.refused(),
                subject(seat, permits, permits));
    }

    private void tellLimits(Seat seat, Seat.Standing before, int floor, int ceiling) {
        tell(
                seat,
                Kind.LIMITS,
                bindingName(seat),
                "%s may hold %d to %d connections, was %d to %d. %s"
                        .formatted(
                                seat.domain(),
                                floor,
                                ceiling,
                                before.floor(),
                                before.ceiling(),
                                seat.council.combined().reason())
                        .strip());
    }

    private void tellGrew(Seat seat, int from, int to) {
        int waiting = seat.pool.gate().waiting();
        Limits limits = seat.council.combined();
        String message = to <= limits.effectiveFloor()
                ? "%s grew %d → %d to its floor of %d.".formatted(seat.domain(), from, to, limits.effectiveFloor())
                : "%s grew %d → %d on demand: %d in use, %d waiting, ceiling %d."
                        .formatted(
                                seat.domain(),
                                from,
                                to,
                                seat.pool.gate().inUse(),
                                waiting,
                                Math.min(budget.connections(), limits.ceiling()));
        log.tell(Kind.GREW, bindingName(seat), message, subject(seat, from, to));
    }

    private void tellShrunk(Seat seat, int from, int to) {
        Limits limits = seat.council.combined();
        if (seat.draining) {
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closes its %s: it is draining.".formatted(seat.domain(), connections(from)),
                    subject(seat, from, to));
        } else if (limits.ceiling() < from) {
            log.tell(
                    Kind.SHRANK,
                    bindingName(seat),
                    "%s shrank %d → %d. %s"
                            .formatted(seat.domain(), from, to, limits.reason())
                            .strip(),
                    subject(seat, from, to));
        } else if (seat.demand() > to || needy(seat).isPresent()) {
            log.tell(
                    Kind.RECLAIMED,
                    "allocator",
                    "%s gave %s back%s."
                            .formatted(
                                    seat.domain(),
                                    connections(from - to),
                                    needy(seat)
                                            .map(other -> " to %s, which has %d waiting%s"
                                                    .formatted(
                                                            other.domain(),
                                                            other.pool.gate().waiting(),
                                                            guaranteed(other) > 0
                                                                    ? " and is owed " + guaranteed(other)
                                                                    : ""))
                                            .orElse("")),
                    subject(seat, from, to));
        } else {
            long idleNanos = limits.idleTimeoutNanos() == Long.MAX_VALUE
                    ? DEFAULT_IDLE_TIMEOUT_NANOS
                    : limits.idleTimeoutNanos();
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closed %s that nobody needed for %d s: %d → %d, floor %d."
                            .formatted(
                                    seat.domain(),
                                    connections(from - to),
                                    idleNanos / 1_000_000_000L,
                                    from,
                                    to,
                                    limits.effectiveFloor()),
                    subject(seat, from, to));
        }
    }

    /** The sibling that waits most. */
    private Optional<Seat> needy(Seat except) {
        return seats.stream()
                .filter(seat -> seat != except && seat.pool.gate().waiting() > 0)
                .max((a, b) ->
                        Integer.compare(a.pool.gate().waiting(), b.pool.gate().waiting()));
    }

    private void noteCapacity(int capacity, int given) {
        if (lastCapacity != Long.MAX_VALUE && capacity != lastCapacity && !seats.isEmpty()) {
            log.tell(
                    Kind.LIMITS,
                    databaseCouncil.binding().map(Answer::plugin).orElse("governor"),
                    "%s may give %d connections, was %d. %s"
                            .formatted(
                                    database,
                                    capacity,
                                    lastCapacity,
                                    capacity < given
                                            ? databaseCouncil.combined().reason()
                                            : "")
                            .strip(),
                    databaseSubject());
        }
        lastCapacity = capacity;
    }

    private void complain(Seat seat, Council.Complaint complaint) {
        tell(
                seat,
                complaint.quarantined() ? Kind.QUARANTINED : Kind.DEGRADED,
                complaint.plugin(),
                "%s: %s %s; the last good limits stay in force."
                        .formatted(seat.domain(), complaint.plugin(), complaint.reason()));
    }

    private void complain(Council.Complaint complaint) {
        log.tell(
                complaint.quarantined() ? Kind.QUARANTINED : Kind.DEGRADED,
                complaint.plugin(),
                "%s: %s %s; the last good limits stay in force."
                        .formatted(database, complaint.plugin(), complaint.reason()),
                databaseSubject());
    }

    private void tell(Seat seat, Kind kind, String policy, String message) {
        log.tell(
                kind,
                policy,
                message,
                subject(seat, seat.standing.target(), seat.pool.gate().permits()));
    }

    private DecisionLog.Subject subject(Seat seat, int before, int after) {
        Limits limits = seat.council.combined();
        int ceiling = Math.min(budget.connections(), limits.ceiling());
        return new DecisionLog.Subject(
                seat.domain(),
                seat.council.revision(),
                seat.inputs(),
                new Bounds(seat.standing.floor(), seat.standing.ceiling(), before),
                new Bounds(Math.min(limits.floor(), ceiling), ceiling, after),
                seat.council.answers());
    }

    private DecisionLog.Subject databaseSubject() {
        PoolView sum = sumView(time.now(), time.nanoTime());
        int capacity = Math.min(budget.connections(), databaseCouncil.combined().ceiling());
        Bounds bounds = new Bounds(0, capacity, sum.size());
        return new DecisionLog.Subject(
                "",
                databaseCouncil.revision(),
                new Decision.Inputs(
                        sum.size(),
                        sum.inUse(),
                        sum.idle(),
                        sum.waiting(),
                        sum.longestWaitNanos(),
                        sum.window().latency().meanNanos(),
                        sum.window().latency().percentileNanos(99)),
                bounds,
                bounds,
                databaseCouncil.answers());
    }

    private static String connections(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    private static String plugins(PolicySet set) {
        return set.members().isEmpty()
                ? "no policies"
                : set.members().stream().map(PolicySet.Member::plugin).collect(Collectors.joining(", "));
    }

    // ---- the end of a set

    /** Ends a council's set for good; to be run after the step in which it was last asked. */
    private Runnable retirement(Council council) {
        List<PolicyCall> closing = council.closing();
        Runnable onRetired = council.set().onRetired();
        return () -> {
            runner.run(closing);
            onRetired.run();
        };
    }
}
