package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.gate.SharedRate;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Turns the policies' answers into permits: the {@link Allocator} divides what the database may give, permits are taken
 * away and added, and each gate gets its rules.
 *
 * <h2>The budget</h2>
 *
 * The invariant: the sizes of all pools (permits plus unpaid debts) never exceed the budget. Allocation alone does not
 * ensure this, because a shrinking pool keeps leased connections until they are released. So growth uses only what is
 * really left after shrinking. A paid debt wakes the governor, and the pool that is owed more gets the rest in that step.
 * While a pool opens a connection, at most {@value #OPENING_AT_ONCE} more are added, so that a short burst, which returning
 * connections would soon serve, does not open a dozen.
 *
 * <p>Calls no policy; reads only the gates and the time that is passed in. Called by the governor alone.
 */
final class Division {

    /** Connections one pool may be opening before it is given further permits. */
    static final int OPENING_AT_ONCE = 2;

    /** Connections that nobody needed for so long are closed, where no policy says so. */
    static final long DEFAULT_IDLE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Demand is remembered for so long, so that connections do not change hands at every lull of some milliseconds. */
    private static final long DEMAND_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DatabaseState database;
    private final Narrator narrator;
    private int lastCapacity = -1;

    Division(DatabaseState database, Narrator narrator) {
        this.database = database;
        this.narrator = narrator;
    }

    /**
     * Divides what there is, and moves permits as far as that can be done now.
     *
     * @param windowEnded whether this step ends a window: who is held back is told once per window
     */
    void step(long now, boolean windowEnded) {
        List<Allocator.Claim> claims = claims(now);
        int[] targets = allocate(claims);
        apply(targets, claims);
        Prospect prospect = new Prospect(now);
        SharedRate sharedRate = database.sharedRate(now);
        for (int i = 0; i < targets.length; i++) {
            setRules(i, prospect, sharedRate, windowEnded);
        }
    }

    private List<Allocator.Claim> claims(long now) {
        return database.domains.stream().map(state -> claim(state, now)).toList();
    }

    private int[] allocate(List<Allocator.Claim> claims) {
        int capacity = database.capacity();
        if (lastCapacity >= 0 && capacity != lastCapacity && !database.domains.isEmpty()) {
            narrator.capacity(lastCapacity, capacity);
        }
        lastCapacity = capacity;
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
    private void apply(int[] targets, List<Allocator.Claim> claims) {
        int room = database.budget();
        for (int i = 0; i < targets.length; i++) {
            DomainState state = database.domains.get(i);
            int permits = state.pool.gate().permits();
            if (targets[i] < permits) {
                state.pool.gate().resize(targets[i]);
                state.pool.resize(targets[i]);
                boolean reclaimed = targets[i] < claims.get(i).kept();
                narrator.shrunk(state, permits, targets[i], reclaimed, reclaimed ? heir(targets) : Optional.empty());
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

    /** Of those who wait and are given more, the one with most waiters. */
    private Optional<DomainState> heir(int[] targets) {
        DomainState heir = null;
        for (int i = 0; i < targets.length; i++) {
            DomainState state = database.domains.get(i);
            int waiting = state.inputs().waiting();
            if (waiting > 0
                    && state.passage == Rules.Passage.OPEN
                    && targets[i] > state.size()
                    && (heir == null || waiting > heir.inputs().waiting())) {
                heir = state;
            }
        }
        return Optional.ofNullable(heir);
    }

    /** Permits whose connection HikariCP has not begun to open. */
    private static int unopened(DomainState state) {
        return Math.max(0, state.size() - state.pool.open() - state.pool.opening());
    }

    /** Indexes of the domains, those furthest below their guarantee first. */
    private List<Integer> byNeed(int[] targets) {
        List<Integer> order = new ArrayList<>();
        int[] owed = new int[targets.length]; // read once: demand changes while it is sorted by
        for (int i = 0; i < targets.length; i++) {
            order.add(i);
            owed[i] = owed(database.domains.get(i));
        }
        order.sort((a, b) -> Integer.compare(owed[b], owed[a]));
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
                narrator.held(state);
            }
        } else if (windowEnded && state.waitsForTurn()) {
            narrator.held(state);
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
                claims = claims(now);
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
}
