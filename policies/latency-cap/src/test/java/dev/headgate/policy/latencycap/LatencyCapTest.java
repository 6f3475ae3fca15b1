package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.simulator.Work;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import dev.headgate.testkit.Durations;
import dev.headgate.testkit.PolicyContract;
import dev.headgate.testkit.PoolViews;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LatencyCapTest extends PolicyContract {

    private static final Policy MIN_2_MAX_60 =
            pool -> Limits.unbounded().withFloor(2).withCeiling(60).because("At most 60.");

    /** 5 ms and half a millisecond for every request under way: 20 connections take 15 ms. */
    private static final ServiceTime TWENTY_AT_15_MS = ServiceTime.linear(5, 0.5);

    @Override
    protected PolicyFactory factory() {
        return new LatencyCapFactory();
    }

    @Override
    protected Map<String, Object> required() {
        return Map.of("maxLatencyMs", 20);
    }

    @Override
    protected List<Map<String, Object>> variants() {
        return List.of(
                Map.of("maxLatencyMs", 0.5, "statistic", "p95", "atLeast", 3),
                Map.of("maxLatencyMs", 1000, "statistic", "p99", "startAt", 50, "patienceMs", 300));
    }

    @Test
    void startsWhereThePoolIsSoThatASwapCutsNothing() {
        assertThat(policy(Map.of()).limits(PoolViews.of(17, 3, 0)).ceiling()).isEqualTo(17);
        assertThat(policy(Map.of()).limits(PoolViews.of(0, 0, 0)).ceiling()).isEqualTo(4);
    }

    @Test
    void findsTheSizeThatTheDatabaseBears() {
        Run run = run(1_800, new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1), seconds(60), cap(15));
        assertThat(ceilings(run, 10, 60)).allMatch(ceiling -> ceiling >= 18 && ceiling <= 22);
        assertThat(run.shareWithin(seconds(10), seconds(60), seconds(1), Statistic.MEAN::nanos, 16.5e6))
                .isGreaterThanOrEqualTo(0.95);
        assertThat(run.throughput(seconds(10), seconds(60))).isGreaterThan(0.95 * 20 / 0.015);
        assertThat(run.rows().getLast().limits().reason())
                .contains("cap of 15 ms")
                .contains(" ms");
    }

    @Test
    void holdsTheFloorWhileTheDatabaseIsSlowAndComesBack() {
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1).slower(5, seconds(30), seconds(60));
        Run run = run(1_800, server, seconds(110), cap(15));

        int before = run.rows(seconds(29), seconds(30)).getFirst().limits().ceiling();
        assertThat(run.rows()).allMatch(row -> row.limits().ceiling() >= 2);
        List<Run.Change> changes = run.changes(seconds(30), seconds(90));
        assertThat(changes).isNotEmpty();
        for (int i = 1; i < changes.size(); i++) {
            assertThat(changes.get(i).atNanos() - changes.get(i - 1).atNanos())
                    .as("time between %s and %s", changes.get(i - 1), changes.get(i))
                    .isGreaterThanOrEqualTo(seconds(2).toNanos());
        }
        assertThat(run.rows(seconds(45), seconds(90))).allSatisfy(row -> {
            assertThat(row.limits().ceiling()).isEqualTo(2);
            assertThat(row.limits().alarms()).extracting(Alarm::code).containsExactly(LatencyCap.UNATTAINABLE);
        });
        assertThat(run.rows(seconds(100), seconds(110))).allSatisfy(row -> {
            assertThat(row.limits().ceiling()).isGreaterThanOrEqualTo(before - 2);
            assertThat(row.limits().alarms()).isEmpty();
        });
    }

    /**
     * A database that is fast and then slow at once, so that the last second and the model disagree; every sentence is read.
     */
    @Test
    void noSentenceContradictsItsFigures() {
        int over = 0;
        for (int seed = 1; seed <= 6; seed++) {
            for (double factor : new double[] {3, 30, 200}) {
                SimulatedServer server = new SimulatedServer(ServiceTime.linear(0.7, 0.02), 0.6, seed)
                        .slower(factor, seconds(20), seconds(8))
                        .slower(factor, seconds(40), seconds(2));
                Run run = new Simulator(server, 100, seed)
                        .domain("bank", Load.perSecond(30 * seed), MIN_2_MAX_60, cap(20))
                        .runFor(seconds(60))
                        .run("bank");
                for (Run.Row row : run.rows()) {
                    List<String> said = new ArrayList<>(List.of(row.limits().reason()));
                    row.limits().alarms().forEach(alarm -> said.add(alarm.message()));
                    for (String sentence : said) {
                        over += checked(sentence);
                    }
                }
            }
        }
        assertThat(over).as("sentences that say \"over the cap\"").isPositive();
    }

    /** A database that is far too slow for a moment, and then only too slow for so many connections. */
    @Test
    void noAlarmSaysThatTheDatabaseIsTooSlowWhereFewerConnectionsShouldHelp() {
        int raised = 0;
        int helps = 0;
        for (int seed = 3; seed <= 6; seed++) {
            for (double factor : new double[] {2, 3, 6}) {
                SimulatedServer server = new SimulatedServer(ServiceTime.linear(3, 0.5), 0.6, seed)
                        .slower(40, seconds(20), seconds(3))
                        .slower(factor, seconds(23), seconds(7));
                Run run = new Simulator(server, 100, seed)
                        .domain("bank", Load.perSecond(2_000), MIN_2_MAX_60, cap(15))
                        .runFor(seconds(30))
                        .run("bank");
                for (Run.Row row : run.rows()) {
                    raised += row.limits().alarms().size();
                    if (doesFewerHelp(row.limits().reason())) {
                        helps++;
                        assertThat(row.limits().alarms())
                                .as("beside: " + row.limits().reason())
                                .isEmpty();
                    }
                }
            }
        }
        assertThat(raised).as("alarms").isPositive();
        assertThat(helps).as("sentences that say that fewer connections help").isPositive();
    }

    private static final Pattern HELPS = Pattern.compile("the cap of ([\\d.]+) ms.* should bring it to ([\\d.]+) ms");

    private static boolean doesFewerHelp(String sentence) {
        Matcher helps = HELPS.matcher(sentence);
        return helps.find() && Double.parseDouble(helps.group(2)) <= Double.parseDouble(helps.group(1));
    }

    private static final Pattern FIGURES =
            Pattern.compile("([\\d.]+) ms(?: with [^,;]+)?, (over|under) the cap of ([\\d.]+) ms");

    /** @return 1 where the sentence says that a figure is over the cap */
    private static int checked(String sentence) {
        Matcher figures = FIGURES.matcher(sentence);
        if (!figures.find()) {
            return 0;
        }
        double figure = Double.parseDouble(figures.group(1));
        double cap = Double.parseDouble(figures.group(3));
        if (figures.group(2).equals("under")) {
            assertThat(figure).as(sentence).isLessThanOrEqualTo(cap);
            return 0;
        }
        assertThat(figure).as(sentence).isGreaterThan(cap);
        return 1;
    }

    @Test
    void doesNotCallASizeMoreThanEnoughForWhichSomebodyWaits() {
        Policy policy = policy(Map.of("startAt", 20));
        PoolView quiet = PoolViews.of(20, 1, 0);
        for (int i = 0; i < 40; i++) {
            policy.observe(window(i, 10, 5e6, 1));
            policy.limits(quiet);
        }
        assertThat(policy.limits(quiet).reason()).endsWith("more than enough so far.");
        assertThat(policy.limits(PoolViews.of(20, 20, 7)).reason()).doesNotContain("enough");
    }

    @Test
    void doesNotCallASizeMoreThanEnoughForWhichSomebodyWaitedAMomentAgo() {
        Policy policy = policy(Map.of("startAt", 20));
        for (int i = 0; i < 40; i++) {
            policy.observe(window(i, 10, 5e6, 1, i % 2 == 0 ? 7 : 0));
            assertThat(policy.limits(PoolViews.of(20, 1, 0)).reason()).doesNotContain("enough");
        }
    }

    /** The model expects far more of so many active connections than is measured of them. */
    @Test
    void callsNothingOverTheCapThatWasNotMeasuredOverIt() {
        for (String statistic : List.of("mean", "p95")) {
            Policy policy = policy(Map.of("startAt", 20, "maxLatencyMs", 10, "statistic", statistic));
            for (int i = 0; i < 60; i++) {
                policy.observe(i < 40 ? window(i, 60, 8e6, 5) : window(i, 60, 9.5e6, 60));
                assertThat(policy.limits(PoolViews.of(20, 5, 0)).reason()).doesNotContain("surely over the cap");
                assertThat(policy.judgedNanos().orElse(0)).isLessThanOrEqualTo(10e6);
            }
        }
    }

    private static Window window(int index, int requests, double nanos, int active) {
        return window(index, requests, nanos, active, 0);
    }

    private static Window window(int index, int requests, double nanos, int active, int waiting) {
        long[] durations = new long[requests];
        Arrays.fill(durations, (long) nanos);
        return new Window(
                index * 100_000_000L,
                100_000_000L,
                Durations.ofNanos(durations),
                Durations.none(),
                requests,
                requests,
                0,
                0,
                active,
                active,
                20,
                waiting,
                List.of());
    }

    @Test
    void decidesNothingOnAFewRequests() {
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(55, 5), 0.8, 1);
        Run run = run(2, server, seconds(300), cap(150));
        assertThat(run.changes()).isEmpty();
        assertThat(run.rows()).allMatch(row -> row.limits().alarms().isEmpty());
    }

    @Test
    void keepsTheCeilingWhereFewRequestsAreSlowByThemselvesAndSaysSo() {
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(55, 5), 0.8, 1);
        Run run = run(2, server, seconds(120), cap(20));
        assertThat(run.changes()).isEmpty();
        assertThat(run.rows(seconds(60), seconds(120)))
                .allSatisfy(row -> assertThat(row.limits().alarms())
                        .extracting(Alarm::code)
                        .containsExactly(LatencyCap.UNATTAINABLE));
    }

    @Test
    void keepsWhatItGrantedWhenTheLoadGoesAway() {
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1);
        Run run = new Simulator(server, 100, 1)
                .domain("bank", Load.perSecond(1_800).then(seconds(20), 50), MIN_2_MAX_60, cap(15))
                .runFor(seconds(120))
                .run("bank");
        assertThat(run.changes(seconds(21), seconds(120))).isEmpty();
        assertThat(run.rows().getLast().limits().ceiling()).isGreaterThanOrEqualTo(18);
    }

    @Test
    void saysNothingOfThePresentOnceItIsLongPast() {
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1).slower(50, seconds(10), seconds(60));
        Run run = new Simulator(server, 100, 1)
                .domain("bank", Load.perSecond(100).then(seconds(20), 0), MIN_2_MAX_60, cap(15))
                .runFor(seconds(40))
                .run("bank");
        assertThat(run.rows(seconds(19), seconds(20)).getLast().limits().alarms())
                .extracting(Alarm::code)
                .containsExactly(LatencyCap.UNATTAINABLE);
        assertThat(run.rows(seconds(35), seconds(40))).allSatisfy(row -> {
            assertThat(row.limits().reason()).startsWith("Too few requests lately to judge by; holds ");
            assertThat(row.limits().alarms()).isEmpty();
        });
    }

    /** A few fast requests teach the model little; it believes in the slow ones for long. */
    @Test
    void callsNothingOverTheCapThatHasBeenFastForLong() {
        for (int seed = 1; seed <= 6; seed++) {
            SimulatedServer server =
                    new SimulatedServer(ServiceTime.linear(2, 0.1), 0.3, seed).slower(20, seconds(4), seconds(6));
            Run run = new Simulator(server, 100, seed)
                    .domain("bank", Load.perSecond(100).then(seconds(9), 1.5), MIN_2_MAX_60, cap(20))
                    .runFor(seconds(60))
                    .run("bank");
            assertThat(run.rows(seconds(5), seconds(9)))
                    .anyMatch(row -> !row.limits().alarms().isEmpty());
            // ten seconds may lie between two measurements, and what was measured last is told for ten more
            assertThat(run.rows(seconds(30), seconds(60))).allSatisfy(row -> {
                assertThat(row.limits().alarms()).isEmpty();
                assertThat(row.limits().reason()).doesNotContainPattern("(is|stayed at) [0-9.]+ ms.* over the cap");
            });
        }
    }

    @Test
    void saysNothingOfThePresentWhereRequestsAreTooFewToJudgeBy() {
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1).slower(50, seconds(10), seconds(60));
        Policy p99 = policy(Map.of("maxLatencyMs", 15, "statistic", "p99"));
        Run run = new Simulator(server, 100, 1)
                .domain("bank", Load.perSecond(100).then(seconds(20), 3), MIN_2_MAX_60, p99)
                .runFor(seconds(500))
                .run("bank");
        assertThat(run.rows(seconds(19), seconds(20)).getLast().limits().alarms())
                .isNotEmpty();
        assertThat(run.rows(seconds(400), seconds(500)))
                .allSatisfy(row -> assertThat(row.limits().alarms()).isEmpty());
    }

    @Test
    void followsAMixThatShifts() {
        // heavier by 1.6: 9 connections take 15.2 ms; lighter by 0.7: 33 take 15 ms
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1);
        Load load = Load.perSecond(2_400)
                .then(seconds(30), Work.single().heavier(1.6))
                .then(seconds(60), Work.single().heavier(0.7));
        Run run = new Simulator(server, 100, 1)
                .domain("bank", load, MIN_2_MAX_60, cap(15))
                .runFor(seconds(90))
                .run("bank");
        assertThat(ceilings(run, 10, 30)).allMatch(ceiling -> ceiling >= 18 && ceiling <= 22);
        assertThat(ceilings(run, 40, 60)).allMatch(ceiling -> ceiling >= 7 && ceiling <= 10);
        assertThat(ceilings(run, 75, 90)).allMatch(ceiling -> ceiling >= 26 && ceiling <= 36);
    }

    @Test
    void takesABurstForNoLoad() {
        // three of four connections busy on average: requests wait now and then, and what ten would do is never seen
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1);
        Run run = new Simulator(server, 100, 1)
                .domain("bank", Load.perSecond(400), MIN_2_MAX_60, cap(15))
                .runFor(seconds(60))
                .run("bank");
        assertThat(ceilings(run, 0, 60)).allMatch(ceiling -> ceiling <= 6);
    }

    @Test
    void countsActiveConnectionsWhereTheApplicationPausesWithinALease() {
        // 4 statements of about 10 ms with 10 ms between them: a little more than half of the leases are active at once
        SimulatedServer server = new SimulatedServer(TWENTY_AT_15_MS, 0.4, 1);
        Load load = Load.perSecond(900, Work.transaction(4, Duration.ofMillis(15)));
        Run run = new Simulator(server, 100, 1)
                .domain("bank", load, MIN_2_MAX_60, cap(15))
                .runFor(seconds(60))
                .run("bank");
        assertThat(ceilings(run, 20, 60)).allMatch(ceiling -> ceiling >= 28 && ceiling <= 42);
        assertThat(run.shareWithin(seconds(10), seconds(60), seconds(1), Statistic.MEAN::nanos, 16.5e6))
                .isGreaterThanOrEqualTo(0.95);
    }

    @Test
    void holdsTheSumOfADatabasesDomainsWhateverTheirOwnPoliciesAllow() {
        Simulator simulator = new Simulator(new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1), 100, 1)
                .database(cap(15))
                .domain("auction", Load.perSecond(900), MIN_2_MAX_60)
                .domain("bank", Load.perSecond(900), MIN_2_MAX_60)
                .runFor(seconds(60));
        Run sum = simulator.databaseRun();
        assertThat(ceilings(sum, 10, 60)).allMatch(ceiling -> ceiling >= 17 && ceiling <= 23);
        assertThat(sum.shareWithin(seconds(10), seconds(60), seconds(1), Statistic.MEAN::nanos, 16.5e6))
                .isGreaterThanOrEqualTo(0.95);
        for (String domain : List.of("auction", "bank")) {
            assertThat(simulator.run(domain).rows(seconds(20), seconds(60)))
                    .as(domain + " has its half")
                    .allMatch(row -> row.target() >= 7 && row.target() <= 13);
        }
    }

    @Test
    void learnsFromTheWindowsOfBeforeASwap() {
        Simulator simulator = new Simulator(new SimulatedServer(TWENTY_AT_15_MS, 0.6, 1), 100, 1)
                .domain(
                        "bank",
                        Load.perSecond(3_000),
                        pool -> Limits.unbounded().withCeiling(40))
                .runFor(seconds(20))
                .swap("bank", MIN_2_MAX_60, cap(15))
                .runFor(seconds(15));
        Run run = simulator.run("bank");
        assertThat(ceilings(run, 30, 35)).allMatch(ceiling -> ceiling >= 16 && ceiling <= 22);
    }

    @Test
    void namesEveryFault() {
        assertThatThrownBy(() -> policy(Map.of("maxLatencyMs", 0, "statistic", "median", "atLeast", 0)))
                .isInstanceOfSatisfying(
                        InvalidParametersException.class,
                        e -> assertThat(e.faults())
                                .extracting(InvalidParametersException.Fault::parameter)
                                .containsExactly("maxLatencyMs", "statistic", "atLeast"));
    }

    private Policy cap(double ms) {
        return policy(Map.of("maxLatencyMs", ms));
    }

    private static Run run(double perSecond, SimulatedServer server, Duration length, Policy cap) {
        return new Simulator(server, 100, 1)
                .domain("bank", Load.perSecond(perSecond), MIN_2_MAX_60, cap)
                .runFor(length)
                .run("bank");
    }

    private static List<Integer> ceilings(Run run, int fromSecond, int toSecond) {
        return run.rows(seconds(fromSecond), seconds(toSecond)).stream()
                .map(row -> row.limits().ceiling())
                .toList();
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
