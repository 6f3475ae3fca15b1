package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.DecisionLog.Entry;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.meter.Ending;
import dev.headgate.spi.WhenExhausted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The deciding part of a step: pictures and the clock's reading in, permits, rules, standings and decisions out. Pure: the same
 * values give the same outcome, and nothing is read or changed elsewhere. {@link Governor} looks and carries out.
 *
 * <p>It has two halves, because the budget needs a second look. {@link #take} says how many permits each pool loses. How many
 * connections that frees is known only afterwards: a leased connection stays open until its release, and a release may happen at
 * any moment. So {@link #give} begins with a second picture, and adds permits only as far as connections were really given up.
 */
final class Step {

    private Step() {}

    /**
     * The first half.
     *
     * @param refused tells who was refused in the window that has ended; to be told before permits are taken, since it tells
     *     who held connections then
     * @param capacity connections that were divided
     * @param shares the connections each pool is due; a pool with more permits loses the rest
     * @param endings why, by the pool's place, for those that lose some
     * @param told what follows from that
     */
    record Taking(
            List<Entry> refused, int capacity, List<Integer> shares, Map<Integer, Ending> endings, List<Entry> told) {}

    /**
     * The second half, one element per pool in {@code rules} and {@code standings}; a standing's target is the pool's permits.
     *
     * @param alarms of the database itself; those of its pools are in their standings, which also tell them
     */
    record Giving(List<Rules> rules, List<Standing> standings, AlarmBoard alarms, List<Entry> told) {}

    /** The clock's reading, and whether a window ends at this instant. */
    record Moment(long nanos, Instant wall, boolean endsWindow) {}

    // ---- take

    static Taking take(Picture picture, boolean endsWindow) {
        List<Entry> refused = new ArrayList<>();
        List<Entry> told = new ArrayList<>();
        if (endsWindow) {
            for (Picture.Pool pool : picture.pools()) {
                if (pool.window().refused() > 0) {
                    refused.add(Sentences.refused(picture, pool));
                }
            }
        }
        int capacity = picture.capacity();
        int former = picture.formerCapacity();
        if (former >= 0 && capacity != former && !picture.pools().isEmpty()) {
            told.add(Sentences.capacity(picture));
        }
        List<Allocator.Claim> claims = Division.claims(picture);
        int[] shares = Allocator.allocate(capacity, claims);
        Optional<Picture.Pool> heir = heir(picture, shares);
        List<Integer> due = new ArrayList<>(shares.length);
        Map<Integer, Ending> endings = new HashMap<>();
        for (int i = 0; i < shares.length; i++) {
            Picture.Pool pool = picture.pools().get(i);
            if (shares[i] < pool.gate().permits()) {
                Ending why = ending(
                        picture, pool, shares[i], shares[i] < claims.get(i).kept());
                endings.put(i, why);
                told.add(Sentences.shrunk(picture, pool, shares[i], why, heir));
            }
            due.add(shares[i]);
        }
        return new Taking(refused, capacity, due, endings, told);
    }

    /** @param reclaimed whether the pool would have kept more, had its siblings not needed them */
    private static Ending ending(Picture picture, Picture.Pool pool, int to, boolean reclaimed) {
        if (pool.draining()) {
            return Ending.DRAINED;
        }
        if (reclaimed) {
            return Ending.RECLAIMED;
        }
        return to == pool.verdict().bounds(picture.budget(), to).ceiling() ? Ending.SHRUNK : Ending.UNNEEDED;
    }

    /** Of those who wait and are given more, the one with most waiters. */
    private static Optional<Picture.Pool> heir(Picture picture, int[] shares) {
        Picture.Pool heir = null;
        for (int i = 0; i < shares.length; i++) {
            Picture.Pool pool = picture.pools().get(i);
            int waiting = pool.inputs().waiting();
            if (waiting > (heir == null ? 0 : heir.inputs().waiting()) && pool.isOpen() && shares[i] > pool.size()) {
                heir = pool;
            }
        }
        return Optional.ofNullable(heir);
    }

    // ---- give

    /** @param taken the database after permits were taken away and the gates were told their rates */
    static Giving give(Picture taken, List<Integer> shares, Moment now) {
        List<Entry> told = new ArrayList<>();
        List<Integer> permits = Division.permits(taken, shares);
        for (int i = 0; i < permits.size(); i++) {
            Picture.Pool pool = taken.pools().get(i);
            if (permits.get(i) > pool.gate().permits()) {
                told.add(Sentences.grew(taken, pool, permits.get(i)));
            }
        }
        Picture given = taken.given(permits);
        List<Rules> rules = rules(given);
        List<Integer> lent = Loans.of(given);
        List<Entry> alarms = new ArrayList<>();
        List<Entry> moved = new ArrayList<>();
        List<Standing> standings = new ArrayList<>(permits.size());
        for (int i = 0; i < permits.size(); i++) {
            Picture.Pool pool = given.pools().get(i);
            boolean wantsMore = pool.isOpen()
                    && pool.gate().waitingForPermits() > 0
                    && rules.get(i).exhausted();
            if (wantsMore ? now.endsWindow || !pool.before().wantedMore() : now.endsWindow && pool.waitsForTurn()) {
                Sentences.held(given, pool).ifPresent(told::add);
            }
            AlarmBoard board = pool.before().alarms();
            boolean unreachable = pool.before().unreachable();
            if (now.endsWindow) {
                unreachable = pool.links().failure().isPresent();
                board = alarms(given, pool, Alarms.of(given, pool, wantsMore), now, alarms);
            }
            Standing standing = standing(given, pool, lent.get(i), wantsMore, unreachable, board);
            moved(given, pool, standing, moved);
            standings.add(standing);
        }
        told.addAll(alarms);
        told.addAll(moved);
        AlarmBoard ofDatabase = now.endsWindow
                ? taken.alarms().next(Alarms.of(given), now.nanos, now.wall).board()
                : taken.alarms();
        return new Giving(rules, standings, ofDatabase, told);
    }

    private static List<Rules> rules(Picture given) {
        Division.Prospect prospect = new Division.Prospect(given);
        List<Rules> rules = new ArrayList<>();
        for (int i = 0; i < given.pools().size(); i++) {
            Picture.Pool pool = given.pools().get(i);
            WhenExhausted whenExhausted = pool.verdict().limits().whenExhausted();
            boolean matters = pool.gate().waitingForPermits() > 0 || whenExhausted.mode() != WhenExhausted.Mode.QUEUE;
            rules.add(new Rules(pool.passage(), whenExhausted, matters && prospect.isExhausted(i)));
        }
        return rules;
    }

    /** The alarms after a window; tells which were raised, which ended, and whether the database can be reached. */
    private static AlarmBoard alarms(
            Picture given, Picture.Pool pool, List<AlarmBoard.Condition> holding, Moment now, List<Entry> told) {
        AlarmBoard.Change change = pool.before().alarms().next(holding, now.nanos, now.wall);
        for (RaisedAlarm alarm : change.raised()) {
            told.add(Sentences.raised(given, pool, alarm));
        }
        Optional<String> failure = pool.links().failure();
        if (failure.isPresent() != pool.before().unreachable()) {
            told.add(Sentences.reachability(given, pool, failure));
        }
        boolean recovered = change.board().raised().isEmpty();
        for (AlarmBoard.Held ended : change.ended()) {
            told.add(Sentences.cleared(given, pool, ended, recovered));
        }
        return change.board();
    }

    private static Standing standing(
            Picture given, Picture.Pool pool, int lent, boolean wantsMore, boolean unreachable, AlarmBoard board) {
        Verdict verdict = pool.verdict();
        return new Standing(
                verdict.limits(),
                verdict.bounds(given.budget(), pool.gate().permits()),
                verdict.guaranteed(),
                lent,
                given.budget(),
                verdict.degraded().or(given.common()::degraded),
                Bound.binding(given, pool),
                Bound.of(given, pool).limit(wantsMore || pool.waitsForTurn()),
                wantsMore,
                unreachable,
                board);
    }

    /** Tells what is in force now and was not before. */
    private static void moved(Picture given, Picture.Pool pool, Standing now, List<Entry> told) {
        Bounds before = pool.before().bounds();
        Bounds after = now.bounds();
        if (pool.before().budget() > 0 && (before.floor() != after.floor() || before.ceiling() != after.ceiling())) {
            told.add(Sentences.limits(given, pool));
        }
        if (pool.before().lent() == 0 && now.lent() > 0) {
            told.add(Sentences.lent(given, pool, now.lent()));
        }
    }
}
