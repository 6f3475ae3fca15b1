package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The governor in virtual time: the same code as in production, driven by an event queue. */
class GovernorTest {

    private static final long MS = 1_000_000;
    private static final WhenExhausted QUEUE = WhenExhausted.queue(60_000, 100_000);

    private final VirtualTime time = new VirtualTime();
    private final List<Decision> decisions = new ArrayList<>();
    private final Map<String, Window> lastWindows = new HashMap<>();
    private int budget = 20;
    private Optional<String> unreachable = Optional.empty();
    private boolean stepDue;
    private final Governor governor = new Governor(
            "main",
            "test",
            time,
            new BudgetSource() {
                @Override
                public int connections() {
                    return budget;
                }

                @Override
                public Optional<String> unreachable() {
                    return unreachable;
                }
            },
            PolicyRunner.direct(),
            new GovernorListener() {
                @Override
                public void decided(Decision decision) {
                    decisions.add(decision);
                }

                @Override
                public void window(GovernedPool pool, Instant end, Window window) {
                    lastWindows.put(pool.domain(), window);
                }
            },
            this::stepSoon);

    GovernorTest() {
        tick();
    }

    @Test
    void aSizeThatIsTriedTakesThePoliciesPlaceUntilItEndsOrItsTimeIsOver() {
        SimulatedPool bank = open("bank", fixed(Limits.unbounded().withFloor(1).withCeiling(4)));
        SimulatedPool sibling =
                open("sibling", fixed(Limits.unbounded().withFloor(2).withCeiling(10)));
        assertThat(governor.status("bank").orElseThrow().ceiling()).isEqualTo(4);

        governor.tryOut("bank", 7, 2_000 * MS);
        settle();
        assertThat(bank.gate().permits()).isEqualTo(7);
        PoolStatus status = governor.status("bank").orElseThrow();
        assertThat(status.floor()).isEqualTo(7);
        assertThat(status.ceiling()).isEqualTo(7);
        assertThat(status.binding()).map(Answer::plugin).contains("find-my-size");
        assertThat(messages(Kind.LIMITS))
                .contains("bank may hold 7 to 7 connections, was 1 to 4. A size of 7 is tried.");

        governor.tryOut("bank", 2, 2_000 * MS);
        settle();
        assertThat(bank.gate().permits()).isEqualTo(2);

        governor.endTrial("bank");
        settle();
        assertThat(governor.status("bank").orElseThrow().ceiling()).isEqualTo(4);

        governor.tryOut("bank", 3, 2_000 * MS);
        settle();
        assertThat(governor.status("bank").orElseThrow().ceiling()).isEqualTo(3);
        time.advance(3_000 * MS);
        assertThat(governor.status("bank").orElseThrow().ceiling()).isEqualTo(4);
        assertThat(sibling.gate().permits()).isGreaterThanOrEqualTo(2);
    }

    /** Otherwise the governors that one pause of the JVM held up would end all later windows together. */
    @Test
    void theBeatOfTheWindowsOutlivesAPause() {
        VirtualTime paused = new VirtualTime();
        Governor held = new Governor(
                "main", "test", paused, () -> budget, PolicyRunner.direct(), new GovernorListener() {}, () -> {});
        assertThat(held.step()).isEqualTo(100 * MS);
        paused.advance(370 * MS);
        assertThat(held.step()).isEqualTo(30 * MS);
        paused.advance(30 * MS);
        assertThat(held.step()).isEqualTo(100 * MS);
    }

    /** Windows are kept for seconds: those of thousands of idle domains were most of what a collection copies. */
    @Test
    void theIdleDomainsOfADatabaseHaveOneWindowTogether() {
        SimulatedPool busy = open("busy", fixed(Limits.unbounded()));
        open("idle", fixed(Limits.unbounded()));
        open("idle too", fixed(Limits.unbounded()));
        time.advance(1_000 * MS);
        busy.request(30 * MS);
        time.advance(100 * MS);
        Window quiet = lastWindows.get("idle");
        assertThat(lastWindows.get("idle too")).isSameAs(quiet);
        assertThat(quiet.lengthNanos()).isEqualTo(100 * MS);
        assertThat(quiet.latency().count()).isZero();
        assertThat(lastWindows.get("busy").arrivals()).isEqualTo(1);
        assertThat(lastWindows.get("busy").startNanos()).isEqualTo(quiet.startNanos());

        time.advance(100 * MS);
        assertThat(lastWindows.get("idle").startNanos()).isEqualTo(quiet.startNanos() + 100 * MS);
    }

    private void stepSoon() {
        if (!stepDue) {
            stepDue = true;
            time.after(0, () -> {
                stepDue = false;
                step();
            });
        }
    }

    private void tick() {
        time.after(Governor.WINDOW_NANOS, () -> {
            step();
            tick();
        });
    }

    private final List<SimulatedPool> pools = new ArrayList<>();

    private void step() {
        governor.step();
        int held = 0;
        for (SimulatedPool pool : pools) {
            held += pool.gate().permits() + pool.gate().debt();
        }
        assertThat(held).as("connections held, of a budget of %s", budget).isLessThanOrEqualTo(largestBudget());
    }

    private int largestBudget() {
        return Math.max(budget, formerBudget);
    }

    private int formerBudget;

    private SimulatedPool open(String domain, Policy... policies) {
        SimulatedPool pool = new SimulatedPool(domain, time, governor);
        pools.add(pool);
        governor.add(pool, set(1, policies));
        settle();
        return pool;
    }

    private static PolicySet set(long revision, Policy... policies) {
        PolicySet.Member[] members = new PolicySet.Member[policies.length];
        for (int i = 0; i < policies.length; i++) {
            members[i] = new PolicySet.Member("policy-" + i, policies[i]);
        }
        return PolicySet.of(revision, QUEUE, members);
    }

    private static Policy fixed(Limits limits) {
        return view -> limits;
    }

    private static Limits between(int floor, int ceiling) {
        return Limits.unbounded().withFloor(floor).withCeiling(ceiling).because("it is said so.");
    }

    private void settle() {
        time.advance(50 * MS);
    }

    private PoolStatus status(String domain) {
        return governor.status(domain).orElseThrow();
    }

    private List<Kind> kinds() {
        return decisions.stream().map(Decision::kind).toList();
    }

    private void burst(SimulatedPool pool, int requests, long holdNanos) {
        for (int i = 0; i < requests; i++) {
            pool.request(holdNanos);
        }
    }

    /** Each time when some come, those who must wait wake the governor, which looks while all connections are in use. */
    @Test
    void theMeanInUseIsThatOverTimeHoweverOftenTheGovernorIsWoken() {
        AtomicReference<Window> seen = new AtomicReference<>();
        SimulatedPool bank = open("bank", view -> {
            seen.set(view.window());
            return between(4, 4);
        });
        time.advance(200 * MS);
        for (int window = 0; window < 5; window++) {
            burst(bank, 12, 10 * MS);
            time.advance(100 * MS);
            assertThat(seen.get().leases()).isEqualTo(12);
            assertThat(seen.get().meanInUse()).isEqualTo(12 * 10 / 100.0);
        }
        bank.request(1_000 * MS);
        time.advance(300 * MS);
        assertThat(seen.get().meanInUse()).as("of a lease that lasts").isEqualTo(1);
    }

    @Test
    void opensTheFloorAndGrowsOnDemandToTheCeiling() {
        SimulatedPool bank = open("bank", fixed(between(3, 8)));
        time.advance(100 * MS);
        assertThat(bank.gate().permits()).isEqualTo(3);
        burst(bank, 30, 1_000 * MS);
        time.advance(100 * MS);
        assertThat(bank.gate().permits()).isEqualTo(8);
        assertThat(status("bank").ceiling()).isEqualTo(8);
        assertThat(kinds()).contains(Kind.GREW, Kind.HELD);
    }

    @Test
    void takesTheMostRestrictiveOfAllPolicies() {
        SimulatedPool bank = open(
                "bank", fixed(between(0, 12)), fixed(between(0, 5).because("five are enough.")), fixed(between(2, 9)));
        burst(bank, 30, 1_000 * MS);
        time.advance(200 * MS);
        assertThat(bank.gate().permits()).isEqualTo(5);
        assertThat(status("bank").binding().orElseThrow().plugin()).isEqualTo("policy-1");
        assertThat(decisions.stream()
                        .filter(d -> d.kind() == Kind.HELD)
                        .findFirst()
                        .orElseThrow()
                        .message())
                .startsWith("bank stays at 5 with")
                .endsWith("five are enough.");
    }

    @Test
    void countsRepeatedRefusalsInsteadOfRepeatingThem() {
        SimulatedPool bank = open("bank", fixed(between(0, 1)));
        burst(bank, 10, 10_000 * MS);
        time.advance(5_000 * MS);
        List<Decision> held =
                decisions.stream().filter(d -> d.kind() == Kind.HELD).toList();
        assertThat(held.stream().map(Decision::id).distinct()).hasSize(1);
        assertThat(held.size()).isBetween(3, 7);
        assertThat(held.getLast().count()).isBetween(40L, 60L);
        assertThat(held.getLast().lastTime()).isAfter(held.getLast().time());
    }

    @Test
    void closesWhatNobodyNeededForTheIdleTimeoutDownToTheFloor() {
        SimulatedPool bank = open("bank", fixed(between(2, 10).withIdleTimeoutNanos(3_000 * MS)));
        burst(bank, 10, 100 * MS);
        time.advance(200 * MS);
        assertThat(bank.gate().permits()).isGreaterThan(4);
        time.advance(2_000 * MS);
        assertThat(bank.gate().permits()).isGreaterThan(4);
        time.advance(1_500 * MS);
        assertThat(bank.gate().permits()).isEqualTo(2);
        assertThat(kinds()).contains(Kind.SHRANK);
    }

    @Test
    void givesAGuaranteeBackByDebtAndNeverCutsWork() {
        SimulatedPool gold =
                open("gold", fixed(between(0, 20).withGuaranteed(12).withWeight(4)));
        SimulatedPool bronze = open("bronze", fixed(between(0, 20).withWeight(1)));
        for (int i = 0; i < 60; i++) {
            burst(bronze, 8, 40 * MS);
            time.advance(20 * MS);
        }
        assertThat(bronze.gate().permits()).isEqualTo(20);
        assertThat(status("bronze").lent()).isEqualTo(12);
        assertThat(kinds()).contains(Kind.LENT);
        burst(gold, 30, 1_000 * MS);
        time.advance(150 * MS);
        assertThat(gold.gate().permits()).isGreaterThanOrEqualTo(12);
        assertThat(kinds()).contains(Kind.RECLAIMED);
    }

    @Test
    void sharesWhatIsScarceByWeight() {
        SimulatedPool heavy = open("heavy", fixed(between(0, 20).withWeight(3)));
        SimulatedPool light = open("light", fixed(between(0, 20).withWeight(1)));
        for (int i = 0; i < 50; i++) {
            burst(heavy, 12, 40 * MS);
            burst(light, 12, 40 * MS);
            time.advance(20 * MS);
        }
        assertThat(heavy.gate().permits()).isBetween(14, 16);
        assertThat(light.gate().permits()).isBetween(4, 6);
    }

    @Test
    void aDatabasesOwnSetHoldsForTheSumAndOverridesTheDomains() {
        SimulatedPool bank = open("bank", fixed(between(4, 20)));
        SimulatedPool auction = open("auction", fixed(between(4, 20)));
        burst(bank, 40, 50 * MS);
        burst(auction, 40, 50 * MS);
        time.advance(50 * MS);
        governor.swap(set(1, fixed(between(0, 6).because("six in all."))));
        time.advance(200 * MS);
        assertThat(bank.gate().permits() + auction.gate().permits()).isEqualTo(6);
        assertThat(kinds()).contains(Kind.LIMITS);
    }

    @Test
    void aRateOfADatabasesOwnSetHoldsForTheSumOfItsDomainsUntilItGoes() {
        SimulatedPool bank = open("bank", fixed(between(5, 10)));
        SimulatedPool shop = open("shop", fixed(between(5, 10).withRate(5).withBurst(3)));
        time.advance(1_000 * MS);
        governor.swap(set(1, fixed(Limits.unbounded().withRate(20).withBurst(4))));
        settle();
        burst(bank, 1_000, MS);
        burst(shop, 1_000, MS);
        time.advance(10_000 * MS);
        assertThat(bank.served + shop.served)
                .as("20 a second for 10 s, and the burst")
                .isBetween(203, 204);
        assertThat(shop.served).as("5 a second of its own, and its burst").isBetween(50, 53);
        assertThat(bank.gate().permits() + shop.gate().permits())
                .as("no pool grows for a rate")
                .isEqualTo(10);
        SimulatedPool late = open("late", fixed(between(5, 10)));
        time.advance(100 * MS);
        burst(late, 1_000, MS);
        int before = bank.served;
        time.advance(10_000 * MS);
        assertThat(late.served).as("takes turns with bank").isBetween(74, 76);
        assertThat(bank.served - before).isBetween(74, 76);
        governor.swap(set(2));
        time.advance(1_000 * MS);
        assertThat(bank.served).isEqualTo(1_000);
        assertThat(late.served).isEqualTo(1_000);
        assertThat(shop.served).as("has a rate of its own still").isLessThan(150);
    }

    @Test
    void growsNoFurtherWhileItsConnectionsAreStillBeingOpened() {
        SimulatedPool bank = open("bank", fixed(between(0, 20)));
        bank.reachable = false;
        burst(bank, 30, 1_000 * MS);
        time.advance(1_000 * MS);
        assertThat(bank.gate().permits()).isEqualTo(Division.OPENING_AT_ONCE);
    }

    /** The driver's reason may be a whole sentence. */
    @ParameterizedTest
    @ValueSource(strings = {"Connection refused", "Connection refused. Check the host."})
    void saysOnceWhyADatabaseCannotBeReached(String why) {
        SimulatedPool bank = open("bank", fixed(between(1, 4)));
        bank.failure = Optional.of(new Opener.Failure(new SQLException(why), time.now(), 1));
        time.advance(200 * MS);
        assertThat(messages(Kind.UNREACHABLE))
                .singleElement()
                .asString()
                .startsWith("main cannot be reached for bank: Connection refused")
                .endsWith(".")
                .doesNotEndWith("..");
    }

    @Test
    void keepsTheLastGoodLimitsWhenAPolicyThrowsOrIsSilentAndSaysSo() {
        AtomicReference<Limits> answer = new AtomicReference<>(between(0, 4));
        SimulatedPool bank = open("bank", view -> {
            Limits limits = answer.get();
            if (limits == null) {
                throw new IllegalStateException("out of order");
            }
            return limits;
        });
        burst(bank, 20, 30_000 * MS);
        time.advance(200 * MS);
        answer.set(null);
        time.advance(300 * MS);
        assertThat(bank.gate().permits()).isEqualTo(4);
        assertThat(status("bank").degraded().orElseThrow()).contains("policy-0").contains("out of order");
        assertThat(kinds().stream().filter(Kind.DEGRADED::equals)).hasSize(1);
        assertThat(status("bank").alarms()).anyMatch(alarm -> alarm.code().equals("degraded"));
        answer.set(between(0, 6));
        time.advance(300 * MS);
        assertThat(bank.gate().permits()).isEqualTo(6);
        assertThat(status("bank").degraded()).isEmpty();
        assertThat(kinds()).contains(Kind.RECOVERED);
        time.advance(1_000 * MS);
        assertThat(status("bank").alarms())
                .filteredOn(alarm -> alarm.code().equals("degraded"))
                .isNotEmpty()
                .allMatch(alarm -> alarm.clearing().isPresent());
        time.advance(10_000 * MS);
        assertThat(alarms("bank")).doesNotContain("degraded");
    }

    @Test
    void aDatabaseThatNobodyUsesHasItsAlarmForAsLongAsOthersHaveTheirs() {
        time.advance(1_000 * MS);
        assertThat(governor.alarms()).isEmpty();
        unreachable = Optional.of("connection refused");
        Instant before = time.now();
        time.advance(100 * MS);
        assertThat(governor.alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.code()).isEqualTo("unreachable");
            assertThat(alarm.sentence()).isEqualTo("main has been unreachable");
            assertThat(alarm.since()).isBetween(before, time.now());
        });
        unreachable = Optional.empty();
        time.advance(9_000 * MS);
        assertThat(governor.alarms())
                .singleElement()
                .satisfies(alarm -> assertThat(alarm.label()).isEqualTo("recovered"));
        time.advance(2_000 * MS);
        assertThat(governor.alarms()).isEmpty();
    }

    private List<String> alarms(String domain) {
        return status(domain).alarms().stream()
                .map(PoolStatus.RaisedAlarm::code)
                .toList();
    }

    @Test
    void aServerThatFreezesIsToldOfAndNotThePolicyThatBoundsThePool() {
        SimulatedPool bank = open("bank", fixed(between(0, 4)));
        Set<String> seen = new TreeSet<>();
        for (int i = 0; i < 400; i++) {
            burst(bank, 1, 20 * MS);
            time.advance(10 * MS);
        }
        assertThat(alarms("bank")).as("while it is fast enough").isEmpty();
        bank.freeze();
        for (int i = 0; i < 300; i++) {
            burst(bank, 1, 20 * MS);
            time.advance(10 * MS);
            seen.addAll(alarms("bank"));
        }
        assertThat(seen).isNotEmpty().containsOnly("no-answer");
        assertThat(status("bank").alarms().getFirst().words().inFull())
                .isEqualTo("bank has been without an answer from main: none came on any of the 4 connections in use");
        bank.goOn();
        time.advance(60_000 * MS);
        assertThat(alarms("bank")).as("once the queue is gone").isEmpty();
    }

    @Test
    void aPoolThatIsTooSmallForSlowRequestsIsAtItsCeiling() {
        SimulatedPool bank = open("bank", fixed(between(0, 2)));
        for (int i = 0; i < 60; i++) {
            burst(bank, 2, 900 * MS);
            time.advance(500 * MS);
            assertThat(alarms("bank")).doesNotContain("no-answer");
        }
        assertThat(alarms("bank")).containsExactly("at-ceiling");
        assertThat(status("bank").alarms().getFirst().words().inFull())
                .isEqualTo("bank has been held at its ceiling of 2 by policy-0");
    }

    @Test
    void aQueueBehindARateIsADecisionAndAnAlarmThatNameTheRate() {
        SimulatedPool bank =
                open("bank", fixed(between(4, 40).withRate(2).withBurst(1).because("Two a second.")));
        burst(bank, 50, 5 * MS);
        time.advance(5_000 * MS);

        assertThat(alarms("bank")).containsExactly("at-rate");
        assertThat(status("bank").alarms().getFirst().words().inFull())
                .isEqualTo("bank has been held at its rate limit: policy-0 sets it");
        assertThat(messages(Kind.HELD))
                .isNotEmpty()
                .allSatisfy(message -> assertThat(message)
                        .matches("bank has [0-9]+ waiting for their turn, not for a connection\\. Two a second\\."));
        time.advance(60_000 * MS);
        assertThat(alarms("bank")).as("once the queue is gone").isEmpty();
    }

    @Test
    void aRateIsNamedAndNotTheSizeThatIsTried() {
        SimulatedPool bank = open(
                "bank",
                fixed(between(0, 4)),
                fixed(Limits.unbounded().withRate(2).withBurst(1).because("Two a second.")));
        governor.tryOut("bank", 8, 60_000 * MS);
        burst(bank, 50, 5 * MS);
        time.advance(5_000 * MS);

        assertThat(status("bank").alarms().getFirst().words().inFull())
                .isEqualTo("bank has been held at its rate limit: policy-1 sets it");
        assertThat(messages(Kind.HELD))
                .isNotEmpty()
                .allSatisfy(message -> assertThat(message)
                        .matches("bank has [0-9]+ waiting for their turn, not for a connection\\. Two a second\\."));
    }

    @Test
    void anExceptionThatThrowsItselfStopsNobody() {
        open("bad", fixed(between(0, 2)));
        governor.swap("bad", set(2, view -> {
            throw new IllegalStateException() {
                private static final long serialVersionUID = 1;

                @Override
                public String toString() {
                    throw new IllegalStateException("not even that");
                }
            };
        }));
        SimulatedPool bank = open("bank", fixed(between(0, 2)));
        burst(bank, 4, 10 * MS);
        time.advance(1_000 * MS);
        assertThat(bank.served).isEqualTo(4);
        assertThat(status("bad").degraded()).isPresent();
    }

    @Test
    void aDatabasesDegradedSetIsNobodysRecovery() {
        open("bank", fixed(between(0, 2)));
        governor.swap(set(1, view -> {
            throw new IllegalStateException("no");
        }));
        time.advance(1_000 * MS);
        assertThat(status("bank").degraded()).isPresent();
        assertThat(kinds()).doesNotContain(Kind.RECOVERED);
        governor.swap(set(2, fixed(Limits.unbounded().because("Any."))));
        time.advance(1_000 * MS);
        assertThat(status("bank").degraded()).isEmpty();
    }

    @Test
    void aPolicySeesNothingOfASizeThatIsTried() {
        List<Limits> seen = new ArrayList<>();
        open("bank", fixed(between(1, 4)));
        governor.swap("bank", set(2, view -> {
            seen.add(view.lastLimits());
            return between(1, 4).because("Four.");
        }));
        settle();
        governor.tryOut("bank", 7, 2_000 * MS);
        seen.clear();
        time.advance(1_000 * MS);
        assertThat(status("bank").ceiling()).isEqualTo(7);
        assertThat(seen).isNotEmpty().allMatch(last -> last.ceiling() == 4 && last.floor() == 1);
    }

    @Test
    void aRateThatWasLiftedIsNamedNoMore() {
        SimulatedPool bank =
                open("bank", fixed(between(4, 40).withRate(2).withBurst(1).because("Two a second.")));
        burst(bank, 50, 900 * MS);
        time.advance(5_000 * MS);
        assertThat(status("bank").limitedBy().by()).isEqualTo(PoolStatus.Limit.By.RATE);
        governor.swap("bank", set(2, fixed(between(5, 5).because("Five."))));
        time.advance(MS / 100); // the step that lifts it
        assertThat(status("bank").size()).isEqualTo(5);
        assertThat(status("bank").limitedBy().by()).isNotEqualTo(PoolStatus.Limit.By.RATE);
    }

    @Test
    void aRateOfTheDatabaseIsNamedWhereItIsTheSlower() {
        SimulatedPool bank = open("bank", fixed(between(4, 40).withRate(1_000).because("A thousand a second.")));
        governor.swap(set(1, fixed(Limits.unbounded().withRate(2).withBurst(1).because("Two a second in all."))));
        burst(bank, 50, 5 * MS);
        time.advance(3_000 * MS);

        assertThat(messages(Kind.HELD)).isNotEmpty().allMatch(message -> message.endsWith("Two a second in all."));
    }

    @Test
    void whoIsRefusedBehindARateIsNotToldThatTheBudgetIsGiven() {
        Limits slow = between(4, 40).withRate(1).withBurst(1).because("One a second.");
        SimulatedPool bank = open("bank", fixed(slow.withWhenExhausted(WhenExhausted.queue(500, 1_000))));
        burst(bank, 20, 5 * MS);
        time.advance(2_000 * MS);

        assertThat(messages(Kind.REFUSED))
                .isNotEmpty()
                .allSatisfy(
                        message -> assertThat(message).endsWith("One a second.").doesNotContain("are given to"));
    }

    @Test
    void connectionsThatNobodyNeededAreNotGivenToASiblingThatWaitsForItsOwnReasons() {
        SimulatedPool bank = open("bank", fixed(between(0, 8).withIdleTimeoutNanos(3_000 * MS)));
        SimulatedPool cpu = open("cpu", fixed(between(0, 2)));
        burst(bank, 8, 50 * MS);
        for (int i = 0; i < 100; i++) {
            burst(cpu, 4, 100 * MS); // always at its own ceiling, in a database with room
            time.advance(100 * MS);
        }

        assertThat(bank.gate().permits()).isZero();
        assertThat(kinds()).doesNotContain(Kind.RECLAIMED);
        assertThat(messages(Kind.SHRANK))
                .isNotEmpty()
                .allMatch(message -> message.contains("that nobody needed for 3 s"));
    }

    @Test
    void whatADatabasesOwnSetTakesIsSaidToBeItsDoing() {
        SimulatedPool bank = open("bank", fixed(between(0, 8)));
        burst(bank, 8, 50 * MS);
        time.advance(1_000 * MS);
        governor.swap(set(1, fixed(Limits.unbounded().withCeiling(3).because("Three in all."))));
        time.advance(500 * MS);

        assertThat(messages(Kind.RECLAIMED).getLast()).endsWith("main may give 3. Three in all.");
    }

    private List<String> messages(Kind kind) {
        return decisions.stream()
                .filter(decision -> decision.kind() == kind)
                .map(Decision::message)
                .toList();
    }

    @Test
    void raisesAnAlarmFromOutsideAndClearsIt() {
        SimulatedPool bank = open("bank", fixed(between(1, 4)));
        bank.raised.put(
                "wire-stalled",
                new Raised(
                        PoolStatus.Severity.CRITICAL,
                        Words.been("wire port stalled", "The wire port", "stalled", "1 of its 2 loops"),
                        time.now()));
        assertThat(status("bank").alarms()).as("a governor that takes no step").hasSize(1);
        time.advance(200 * MS);
        assertThat(status("bank").alarms()).singleElement().satisfies(alarm -> {
            assertThat(alarm.code()).isEqualTo("wire-stalled");
            assertThat(alarm.severity()).isEqualTo(PoolStatus.Severity.CRITICAL);
        });
        bank.raised.clear();
        time.advance(11_000 * MS);
        assertThat(status("bank").alarms()).isEmpty();
        assertThat(messages(Kind.CLEARED)).containsExactly("bank recovered: wire-stalled ended within a second.");
    }

    @Test
    void raisesAPolicysAlarmAndClearsIt() {
        AtomicReference<Limits> answer = new AtomicReference<>(
                between(1, 4).withAlarm(new Alarm("cap-unattainable", "even one connection is over the cap")));
        open("bank", view -> answer.get());
        time.advance(200 * MS);
        assertThat(status("bank").alarms()).anyMatch(alarm -> alarm.code().equals("cap-unattainable"));
        answer.set(between(1, 4));
        time.advance(20_000 * MS);
        assertThat(status("bank").alarms()).allMatch(alarm -> alarm.clearing().isPresent());
        time.advance(11_000 * MS);
        assertThat(status("bank").alarms()).isEmpty();
        assertThat(kinds()).contains(Kind.ALARM, Kind.CLEARED);
    }

    @Test
    void swapsBetweenTwoStepsAndClosesTheFormerSetOnce() {
        AtomicInteger closed = new AtomicInteger();
        AtomicInteger retired = new AtomicInteger();
        AtomicInteger askedAfterClose = new AtomicInteger();
        Policy former = new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                if (closed.get() > 0) {
                    askedAfterClose.incrementAndGet();
                }
                return between(0, 4);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        SimulatedPool bank = new SimulatedPool("bank", time, governor);
        pools.add(bank);
        governor.add(
                bank,
                new PolicySet(1, List.of(new PolicySet.Member("former", former)), QUEUE, retired::incrementAndGet));
        settle();
        var swapped = governor.swap("bank", set(2, fixed(between(0, 7)))).toCompletableFuture();
        assertThat(swapped).isNotDone();
        settle();
        assertThat(swapped).isCompleted();
        assertThat(status("bank").revision()).isEqualTo(2);
        assertThat(status("bank").ceiling()).isEqualTo(7);
        assertThat(closed).hasValue(1);
        assertThat(retired).hasValue(1);
        time.advance(1_000 * MS);
        assertThat(askedAfterClose).hasValue(0);
        assertThat(kinds()).contains(Kind.POLICY);
    }

    @Test
    void asksAShadowOnTheSameInputsAndLetsItDecideNothing() {
        AtomicInteger closed = new AtomicInteger();
        List<Window> seen = new ArrayList<>();
        List<PoolView> views = new ArrayList<>();
        AtomicReference<Limits> said = new AtomicReference<>(between(1, 3));
        SimulatedPool bank = open("bank", fixed(between(0, 8)));
        var begun = governor.shadow("bank", set(1, new Policy() {
                    @Override
                    public Limits limits(PoolView pool) {
                        views.add(pool);
                        return said.get();
                    }

                    @Override
                    public void observe(Window window) {
                        seen.add(window);
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                }))
                .toCompletableFuture();
        for (int i = 0; i < 6; i++) {
            bank.request(400 * MS);
        }
        time.advance(300 * MS);
        assertThat(begun).isCompleted();
        assertThat(status("bank").ceiling()).isEqualTo(8);
        assertThat(bank.gate().inUse()).isEqualTo(6);
        assertThat(seen).isNotEmpty();
        assertThat(views)
                .anyMatch(view -> view.inUse() == 6 && view.lastLimits().ceiling() == 3);
        ShadowStatus shadow = governor.shadowStatus("bank").orElseThrow();
        assertThat(shadow.shadow().ceiling()).isEqualTo(3);
        assertThat(shadow.live().ceiling()).isEqualTo(8);
        assertThat(shadow.differed()).isEqualTo(shadow.steps()).isPositive();
        assertThat(decisions.stream().filter(decision -> decision.kind() == Kind.SHADOW))
                .singleElement()
                .satisfies(decision -> {
                    assertThat(decision.message())
                            .contains("hold 1 to 3 instead of 0 to 8")
                            .contains("it is said so.");
                    assertThat(decision.after().ceiling()).isEqualTo(3);
                    assertThat(decision.before().ceiling()).isEqualTo(8);
                });
        said.set(between(0, 8));
        time.advance(200 * MS);
        assertThat(decisions.getLast().message()).contains("agrees with the live one again");
        governor.unshadow("bank");
        time.advance(200 * MS);
        assertThat(governor.shadowStatus("bank")).isEmpty();
        assertThat(closed).hasValue(1);
    }

    @Test
    void aShadowThatThrowsCostsTheLiveSetNothing() {
        SimulatedPool bank = open("bank", fixed(between(0, 8)));
        governor.shadow("bank", set(1, view -> {
            throw new IllegalStateException("I am a shadow");
        }));
        bank.request(10 * MS);
        time.advance(300 * MS);
        assertThat(status("bank").degraded()).isEmpty();
        assertThat(status("bank").ceiling()).isEqualTo(8);
        assertThat(governor.shadowStatus("bank").orElseThrow().degraded().orElseThrow())
                .contains("I am a shadow");
        assertThat(decisions)
                .filteredOn(decision -> decision.kind() == Kind.DEGRADED)
                .extracting(Decision::message)
                .containsExactly("bank: shadow/policy-0 failed with java.lang.IllegalStateException: I am a shadow;"
                        + " what is in force stays as it is.");
    }

    @Test
    void showsANewSetTheRecentWindowsSoThatItNeedNotLearnAnew() {
        SimulatedPool bank = open("bank", fixed(between(0, 4)));
        for (int i = 0; i < 20; i++) {
            bank.request(10 * MS);
            time.advance(100 * MS);
        }
        List<Window> seen = new ArrayList<>();
        governor.swap("bank", set(2, new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                return between(0, 4);
            }

            @Override
            public void observe(Window window) {
                seen.add(window);
            }
        }));
        time.advance(1 * MS);
        assertThat(seen).hasSizeGreaterThanOrEqualTo(15);
        assertThat(seen.stream().mapToLong(w -> w.latency().count()).sum()).isGreaterThanOrEqualTo(15);
    }

    @Test
    void asksACandidateWithoutChangingAnythingAndClosesIt() {
        AtomicInteger closed = new AtomicInteger();
        open("bank", fixed(between(0, 4)));
        Policy candidate = new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                return between(1, 9);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        var answers = governor.ask("bank", set(2, candidate)).toCompletableFuture();
        settle();
        assertThat(answers.join())
                .singleElement()
                .satisfies(answer -> assertThat(answer.limits().ceiling()).isEqualTo(9));
        assertThat(closed).hasValue(1);
        assertThat(status("bank").ceiling()).isEqualTo(4);
        assertThat(status("bank").revision()).isEqualTo(1);
    }

    @Test
    void pausesDrainsAndResumes() {
        SimulatedPool bank = open("bank", fixed(between(2, 4)));
        governor.pause("bank");
        settle();
        bank.request(MS);
        settle();
        assertThat(bank.served).isZero();
        assertThat(status("bank").state()).isEqualTo(PoolStatus.State.PAUSED);
        time.advance(200 * MS);
        assertThat(Health.of(status("bank")).code()).isEqualTo("paused");
        governor.resume("bank");
        settle();
        assertThat(Health.of(status("bank")).code()).isNotEqualTo("paused");
        assertThat(bank.served).isEqualTo(1);
        governor.drain("bank");
        settle();
        bank.request(MS);
        assertThat(bank.refused).isEqualTo(1);
        assertThat(bank.gate().permits()).isZero();
        assertThat(status("bank").state()).isEqualTo(PoolStatus.State.DRAINING);
        time.advance(200 * MS);
        assertThat(status("bank").alarms())
                .extracting(PoolStatus.RaisedAlarm::code)
                .containsExactly("draining");
        governor.resume("bank");
        settle();
        assertThat(status("bank").alarms()).isEmpty();
        time.advance(200 * MS);
        assertThat(status("bank").alarms()).isEmpty();
        assertThat(bank.gate().permits()).isEqualTo(2);
        assertThat(kinds()).contains(Kind.PAUSED, Kind.DRAINED, Kind.RESUMED);
    }

    @Test
    void forgetsARemovedPoolOnceItsLastConnectionCameBack() {
        SimulatedPool bank = open("bank", fixed(between(0, 4)));
        bank.request(500 * MS);
        settle();
        var removed = governor.remove("bank").toCompletableFuture();
        settle();
        assertThat(removed).isNotDone();
        time.advance(600 * MS);
        assertThat(removed).isCompleted();
        assertThat(governor.status("bank")).isEmpty();
    }

    /**
     * Random worlds: domains with random limits, loads that come and go, swaps, pauses, budgets that change. After every
     * step the sum is within the budget (checked in {@link #step}); in the end every request was answered.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void holdsTheBudgetAndStarvesNobodyInAnyWorld(long seed) {
        Random random = new Random(seed);
        budget = 6 + random.nextInt(30);
        int domains = 1 + random.nextInt(5);
        for (int i = 0; i < domains; i++) {
            open("d" + i, fixed(anyLimits(random)));
        }
        int asked = 0;
        for (int round = 0; round < 400; round++) {
            SimulatedPool pool = pools.get(random.nextInt(domains));
            int requests = random.nextInt(6);
            asked += requests;
            burst(pool, requests, (1 + random.nextInt(60)) * MS);
            switch (random.nextInt(25)) {
                case 0 -> governor.swap(pool.domain(), set(2 + round, fixed(anyLimits(random))));
                case 1 -> governor.swap(set(2 + round, fixed(between(0, 1 + random.nextInt(30)))));
                case 2 -> {
                    formerBudget = Math.max(formerBudget, budget);
                    budget = 6 + random.nextInt(30);
                }
                default -> {}
            }
            time.advance(random.nextInt(30) * MS);
        }
        time.advance(60_000 * MS);
        assertThat(pools.stream().mapToInt(pool -> pool.served + pool.refused).sum())
                .isEqualTo(asked);
        assertThat(pools.stream().mapToInt(pool -> pool.refused).sum()).isZero();
        assertThat(pools.stream()
                        .mapToInt(pool -> pool.gate().waiting()
                                + pool.gate().inUse()
                                + pool.gate().debt())
                        .sum())
                .isZero();
    }

    private static Limits anyLimits(Random random) {
        Limits limits = between(random.nextInt(4), 1 + random.nextInt(20)).withWeight(1 + random.nextInt(4));
        return random.nextBoolean() ? limits.withGuaranteed(random.nextInt(5)) : limits;
    }

    @Test
    void fiftyDomainsThatWantMoreThanTheBudgetGetAllOfIt() {
        budget = 200;
        for (int i = 0; i < 50; i++) {
            open("d" + i, fixed(between(1, 10)));
        }
        for (SimulatedPool pool : pools) {
            burst(pool, 8, 10_000 * MS);
        }
        time.advance(2_000 * MS);
        assertThat(pools.stream().mapToInt(pool -> pool.gate().permits()).sum()).isEqualTo(200);
    }
}
