package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.governor.DecisionLog.Entry;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The deciding part of a step: values in, values out. No gate, no clock, no policy. */
class StepTest {

    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
    private static final WhenExhausted QUEUE = WhenExhausted.queue(60_000, 100_000);
    private static final double JUDGED_NANOS = 25e6;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static Step.Moment at(long nanos, boolean endsWindow) {
        return new Step.Moment(nanos, NOON.plusNanos(nanos), endsWindow);
    }

    private static Step.Moment between() {
        return at(0, false);
    }

    private static Verdict verdict(Limits limits) {
        Limits all = limits.withWhenExhausted(QUEUE);
        Answer answer = new Answer("min-max", all, OptionalDouble.empty(), OptionalDouble.of(JUDGED_NANOS));
        return new Verdict(1, all, List.of(answer), Optional.empty());
    }

    private static Limits between(int floor, int ceiling) {
        return Limits.unbounded().withFloor(floor).withCeiling(ceiling).because("It is said so.");
    }

    private static Picture main(int budget, Picture.Pool... pools) {
        return new Picture(
                "main",
                budget,
                Optional.empty(),
                Optional.empty(),
                verdict(Limits.unbounded()),
                budget,
                AlarmBoard.CLEAR,
                List.of(pools));
    }

    /** A pool with so many permits, of which so many are in use; all connections are open. */
    private static Picture.Pool pool(String domain, Limits limits, int permits, int debt, int inUse, int waiting) {
        int size = permits + debt;
        return new Picture.Pool(
                domain,
                verdict(limits),
                Passage.OPEN,
                false,
                new Inputs(size, inUse, size - inUse, waiting, 0, 0, 0, OptionalDouble.empty()),
                new Picture.Door(Passage.OPEN, permits, debt, size - inUse, waiting, waiting, 0, false),
                new Picture.Links(size, 0, Optional.empty(), false, Map.of()),
                new Picture.Need(0, 0),
                0,
                SECOND,
                Windows.NOTHING_YET,
                Standing.NONE);
    }

    private static Picture.Pool after(Picture.Pool pool, Standing before) {
        return new Picture.Pool(
                pool.domain(),
                pool.verdict(),
                pool.passage(),
                pool.draining(),
                pool.inputs(),
                pool.gate(),
                pool.links(),
                pool.need(),
                pool.silentNanos(),
                pool.usualSilenceNanos(),
                pool.window(),
                before);
    }

    private static List<Integer> permits(Step.Giving giving) {
        return giving.standings().stream()
                .map(standing -> standing.bounds().target())
                .toList();
    }

    private static List<OptionalDouble> judged(List<Entry> told) {
        return told.stream()
                .map(entry -> switch (entry) {
                    case Entry.Once once -> once.subject();
                    case Entry.Counted counted -> counted.account().get().subject();
                })
                .map(subject -> subject.inputs().judgedNanos())
                .toList();
    }

    private static List<String> messages(List<Entry> told) {
        return told.stream()
                .map(entry -> switch (entry) {
                    case Entry.Once once -> once.message();
                    case Entry.Counted counted -> counted.account().get().message();
                })
                .toList();
    }

    @Test
    void aPoolGrowsToItsFloorAndThatIsTold() {
        Picture picture = main(10, pool("bank", between(2, 8), 0, 0, 0, 0));

        Step.Taking taking = Step.take(picture, false);
        Step.Giving giving = Step.give(picture, taking.shares(), between());

        assertThat(taking.shares()).containsExactly(2);
        assertThat(taking.told()).isEmpty();
        assertThat(permits(giving)).containsExactly(2);
        assertThat(giving.standings().getFirst().bounds()).isEqualTo(new Bounds(2, 8, 2));
        assertThat(messages(giving.told())).containsExactly("bank grew 0 → 2 to its floor of 2.");
    }

    @Test
    void whatIsTakenIsGivenOnlyOnceItWasGivenUp() {
        Limits gold = between(0, 10).withGuaranteed(6);
        Picture.Pool waiting = pool("gold", gold, 0, 0, 0, 6);
        Step.Taking taking = Step.take(main(10, waiting, pool("bronze", between(0, 10), 10, 0, 10, 0)), false);
        assertThat(taking.shares()).containsExactly(6, 4);
        assertThat(messages(taking.told()))
                .containsExactly("bronze gave 6 connections back to gold, which has 6 waiting and is owed 6.");

        // every connection is leased: all six permits became debts
        Picture indebted = main(10, waiting, pool("bronze", between(0, 10), 4, 6, 10, 0));
        assertThat(permits(Step.give(indebted, taking.shares(), between()))).containsExactly(0, 4);

        // one lease came back between the two looks, and paid a debt
        Picture paid = main(10, waiting, pool("bronze", between(0, 10), 4, 5, 9, 0));
        assertThat(permits(Step.give(paid, taking.shares(), between()))).containsExactly(1, 4);
    }

    @Test
    void aDecisionThatQuotesAPolicyCarriesTheLatencyThatItJudged() {
        Picture held = main(10, pool("bank", between(0, 2), 2, 0, 2, 3));
        List<Entry> told = Step.give(held, List.of(2), between()).told();
        assertThat(messages(told)).containsExactly("bank stays at 2 with 3 waiting. It is said so.");
        assertThat(judged(told)).containsExactly(OptionalDouble.of(JUDGED_NANOS));

        List<Entry> taken = Step.take(main(10, pool("bank", between(0, 2), 4, 0, 4, 0)), false)
                .told();
        assertThat(messages(taken)).containsExactly("bank shrank 4 → 2. It is said so.");
        assertThat(judged(taken)).containsExactly(OptionalDouble.of(JUDGED_NANOS));

        Alarm slow = new Alarm("slow", "It is too slow");
        Picture alarming = main(10, pool("bank", between(0, 2).withAlarm(slow), 2, 0, 0, 0));
        List<Entry> raised = Step.give(alarming, List.of(2), at(0, true)).told();
        assertThat(messages(raised)).containsExactly("bank has been under the alarm “slow”: It is too slow.");
        assertThat(judged(raised)).containsExactly(OptionalDouble.of(JUDGED_NANOS));

        // nobody is quoted
        List<Entry> grown = Step.give(main(10, pool("bank", between(2, 8), 0, 0, 0, 0)), List.of(2), between())
                .told();
        assertThat(judged(grown)).containsExactly(OptionalDouble.empty());
    }

    @Test
    void aDebtIsForgivenWithoutRoomInTheBudget() {
        Picture full = main(10, pool("bank", between(0, 10), 7, 3, 10, 5));
        assertThat(permits(Step.give(full, List.of(10), between()))).containsExactly(10);
    }

    @Test
    void whoWaitsAtTheCeilingIsHeldAndRefusedWhereTheModeSaysSo() {
        Picture picture = main(20, pool("bank", between(0, 4), 4, 0, 4, 3));

        Step.Giving first = Step.give(picture, List.of(4), between());

        assertThat(first.rules().getFirst().exhausted()).isTrue();
        assertThat(first.standings().getFirst().wantedMore()).isTrue();
        assertThat(first.standings().getFirst().binding().orElseThrow().plugin())
                .isEqualTo("min-max");
        assertThat(messages(first.told())).containsExactly("bank stays at 4 with 3 waiting. It is said so.");

        // it is told once per window, not at every step
        Picture again =
                main(20, after(picture.pools().getFirst(), first.standings().getFirst()));
        assertThat(Step.give(again, List.of(4), between()).told()).isEmpty();
        assertThat(Step.give(again, List.of(4), at(0, true)).told()).hasSize(1);
    }

    @Test
    void aPolicyThatAllowsMoreThanALoweredBudgetIsNotNamedForIt() {
        Picture picture = main(4, pool("bank", between(0, 7), 7, 0, 7, 3));
        assertThat(messages(Step.give(picture, List.of(4), between()).told()))
                .containsExactly(
                        "bank stays at 7 with 3 waiting. main holds 7 connections, more than its budget of 4: bank 7.");
    }

    @Test
    void guaranteesBeyondAllNumbersStopNobody() {
        Limits greedy = between(0, 10).withGuaranteed(2_000_000_000);
        Picture picture = main(10, pool("gold", greedy, 0, 0, 0, 2), pool("silver", greedy, 0, 0, 0, 2));
        Step.Taking taking = Step.take(picture, false);
        assertThat(permits(Step.give(picture, taking.shares(), between()))).containsExactly(2, 2);
    }

    @Test
    void waitersWhomTheNewPermitsServeAreNotHeld() {
        Picture picture = main(20, pool("bank", between(0, 2), 0, 0, 0, 2));
        Step.Giving giving = Step.give(picture, List.of(2), between());
        assertThat(permits(giving)).containsExactly(2);
        assertThat(giving.standings().getFirst().wantedMore()).isFalse();
        assertThat(giving.rules().getFirst().exhausted()).isFalse();
    }

    @Test
    void aNewBudgetIsToldWithWhatItWas() {
        Picture before = main(10, pool("bank", between(0, 4), 0, 0, 0, 0));
        Picture now = new Picture(
                "main", 6, Optional.empty(), Optional.empty(), before.common(), 10, AlarmBoard.CLEAR, before.pools());
        Step.Taking taking = Step.take(now, false);
        assertThat(taking.capacity()).isEqualTo(6);
        assertThat(messages(taking.told())).containsExactly("main may give 6 connections, was 10.");
    }

    @Test
    void anAlarmIsRaisedAfterThreeSecondsAndTellsHowLongItsConditionHeld() {
        Picture.Pool full = pool("bank", between(0, 4), 4, 0, 4, 3);
        Picture.Pool idle = pool("bank", between(0, 4), 4, 0, 4, 0);
        Standing standing = Standing.NONE;
        List<String> alarms = new ArrayList<>();
        for (long tenths = 0; tenths <= 400; tenths++) {
            Picture picture = main(20, after(tenths <= 45 ? full : idle, standing));
            Step.Giving giving = Step.give(picture, List.of(4), at(tenths * SECOND / 10, true));
            for (Entry entry : giving.told()) {
                if (entry instanceof Entry.Once once && (once.kind() == Kind.ALARM || once.kind() == Kind.CLEARED)) {
                    alarms.add(tenths + ": " + once.message());
                }
            }
            standing = giving.standings().getFirst();
            assertThat(standing.alarms().raised())
                    .extracting(RaisedAlarm::since)
                    .isEqualTo(tenths < 30 || tenths >= 345 ? List.of() : List.of(NOON));
        }
        assertThat(alarms)
                .containsExactly(
                        "30: bank has been held at its ceiling of 4 by min-max.",
                        "345: bank recovered: at-ceiling ended after 4 s.");
    }

    @Test
    void movedLimitsAreTold() {
        Picture picture = main(20, pool("bank", between(0, 4), 0, 0, 0, 0));
        Standing before = Step.give(picture, List.of(0), between()).standings().getFirst();
        Picture moved = main(20, after(pool("bank", between(1, 6), 0, 0, 0, 0), before));
        assertThat(messages(Step.give(moved, List.of(0), between()).told()))
                .containsExactly("bank may hold 1 to 6 connections, was 0 to 4. It is said so.");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theBudgetHoldsAndTheSameValuesGiveTheSameOutcome(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 500; round++) {
            int budget = 1 + random.nextInt(20);
            List<Picture.Pool> pools = new ArrayList<>();
            int room = budget;
            for (int i = 0; i < 1 + random.nextInt(5); i++) {
                int size = random.nextInt(room + 1);
                room -= size;
                int debt = random.nextInt(size + 1);
                int inUse = debt + random.nextInt(size - debt + 1);
                Limits limits = between(random.nextInt(4), random.nextInt(12)).withGuaranteed(random.nextInt(5));
                pools.add(pool("d" + i, limits, size - debt, debt, inUse, random.nextInt(6)));
            }
            Picture picture = main(budget, pools.toArray(Picture.Pool[]::new));
            boolean endsWindow = random.nextBoolean();

            Step.Taking taking = Step.take(picture, endsWindow);
            Picture taken = taken(picture, taking.shares(), random);
            Step.Giving giving = Step.give(taken, taking.shares(), at(0, endsWindow));

            int held = 0;
            for (int i = 0; i < pools.size(); i++) {
                Picture.Door gate = taken.pools().get(i).gate();
                int grown = permits(giving).get(i) - gate.permits();
                assertThat(grown).as("what is given is not taken again").isNotNegative();
                held += permits(giving).get(i) + gate.debt() - Math.min(grown, gate.debt());
            }
            assertThat(held).as("connections held").isLessThanOrEqualTo(budget);
            assertThat(Step.take(picture, endsWindow).shares()).isEqualTo(taking.shares());
            Step.Giving same = Step.give(taken, taking.shares(), at(0, endsWindow));
            assertThat(same.rules()).isEqualTo(giving.rules());
            assertThat(same.standings()).isEqualTo(giving.standings());
            assertThat(messages(same.told())).isEqualTo(messages(giving.told()));
        }
    }

    /** What gates do: free permits are taken at once, the rest is debt, some of which is paid at once. */
    private static Picture taken(Picture picture, List<Integer> shares, SplittableRandom random) {
        List<Picture.Pool> pools = new ArrayList<>();
        for (int i = 0; i < shares.size(); i++) {
            Picture.Pool pool = picture.pools().get(i);
            int less = Math.max(0, pool.gate().permits() - shares.get(i));
            int free = pool.gate().free();
            int debt = pool.gate().debt() + Math.max(0, less - free);
            int paid = random.nextInt(debt + 1);
            int inUse = pool.gate().inUse() - paid;
            pools.add(pool(
                    pool.domain(),
                    pool.verdict().limits(),
                    pool.gate().permits() - less,
                    debt - paid,
                    inUse,
                    pool.gate().waiting()));
        }
        return main(picture.budget(), pools.toArray(Picture.Pool[]::new));
    }
}
