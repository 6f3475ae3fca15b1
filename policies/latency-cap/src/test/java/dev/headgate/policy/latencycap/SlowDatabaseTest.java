package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.simulator.Work;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A database that is slow by itself, five times for a minute, over many seeds: no fewer connections than the floor, no more
 * than one change every 2 s, and back within 10 s after. {@link #main} prints the figures.
 */
class SlowDatabaseTest {

    private static final int SEEDS = 24;
    private static final int FLOOR = 2;
    private static final Duration FROM = Duration.ofSeconds(30);
    private static final Duration LENGTH = Duration.ofSeconds(60);
    private static final Duration OVER = FROM.plus(LENGTH);
    private static final Duration END = OVER.plusSeconds(15);

    private static final Policy MIN_2_MAX_60 =
            pool -> Limits.unbounded().withFloor(FLOOR).withCeiling(60).because("At most 60.");

    /** @param closestMillis between two changes while it was slow; the length of the episode where there were none */
    private record Episode(long seed, int before, int lowest, int changes, long closestMillis, long backMillis) {

        static Episode of(long seed) {
            SimulatedServer server = new SimulatedServer(ServiceTime.linear(5, 0.5), 0.6, seed).slower(5, FROM, LENGTH);
            Run run = run(server, Load.perSecond(1_800), seed, END);
            int before =
                    run.rows(FROM.minusSeconds(1), FROM).getFirst().limits().ceiling();
            List<Run.Change> changes = run.changes(FROM, OVER);
            long closest = LENGTH.toMillis();
            for (int i = 1; i < changes.size(); i++) {
                closest = Math.min(
                        closest, (changes.get(i).atNanos() - changes.get(i - 1).atNanos()) / 1_000_000);
            }
            long back = run.rows(OVER, END).stream()
                    .filter(row -> row.limits().ceiling() >= 0.9 * before)
                    .mapToLong(row -> row.endNanos() / 1_000_000 - OVER.toMillis())
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
            int lowest = run.rows().stream()
                    .mapToInt(row -> row.limits().ceiling())
                    .min()
                    .orElse(0);
            return new Episode(seed, before, lowest, changes.size(), closest, back);
        }
    }

    @Test
    void holdsTheFloorDoesNotOscillateAndIsBackWithinTenSeconds() {
        assertThat(LongStream.range(0, SEEDS).parallel().mapToObj(Episode::of).toList())
                .allSatisfy(episode -> {
                    assertThat(episode.lowest).isGreaterThanOrEqualTo(FLOOR);
                    assertThat(episode.closestMillis).isGreaterThanOrEqualTo(2_000);
                    assertThat(episode.changes).isLessThanOrEqualTo(8);
                    assertThat(episode.backMillis).isLessThanOrEqualTo(10_000);
                });
    }

    /** The p95 of a heavy tail is known from few requests, the fewer the smaller the pool became: what it was before must count. */
    @Test
    void isBackWithinTenSecondsAfterEachOfThreeEpisodesUnderAPercentileOfAHeavyTail() {
        assertThat(LongStream.range(0, SEEDS).parallel().mapToObj(SlowDatabaseTest::sizesAfterThreeEpisodes))
                .allSatisfy(sizes -> assertThat(sizes).allMatch(size -> size >= 5));
    }

    /** Of eight processors: the sizes 10 s after each time in which the database was slow. */
    private static List<Integer> sizesAfterThreeEpisodes(long seed) {
        SimulatedServer server = new SimulatedServer(ServiceTime.cores(8, 39.5), 0.85, seed)
                .slower(3.5, Duration.ofSeconds(30), Duration.ofSeconds(10))
                .slower(3.5, Duration.ofSeconds(60), Duration.ofSeconds(10))
                .slower(3.5, Duration.ofSeconds(90), Duration.ofSeconds(10));
        Run run = new Simulator(server, 100, seed)
                .domain("bank", Load.perSecond(400), new LatencyCap(120e6, Statistic.P95, 4, 1, 1_000_000_000L))
                .runFor(Duration.ofSeconds(111))
                .run("bank");
        return Stream.of(50, 80, 110)
                .map(second -> ceilings(run, second, second + 1).getFirst())
                .toList();
    }

    @Test
    void followsAMixThatShiftsAndShiftsBack() {
        for (long seed = 0; seed < 6; seed++) {
            Load load = Load.perSecond(2_400)
                    .then(Duration.ofSeconds(30), Work.single().heavier(1.6))
                    .then(Duration.ofSeconds(60), Work.single());
            Run run =
                    run(new SimulatedServer(ServiceTime.linear(5, 0.5), 0.6, seed), load, seed, Duration.ofSeconds(90));
            assertThat(ceilings(run, 40, 60)).as("heavier, seed %d", seed).allMatch(c -> c >= 6 && c <= 11);
            assertThat(ceilings(run, 72, 90)).as("as before, seed %d", seed).allMatch(c -> c >= 17 && c <= 23);
        }
    }

    /** What stays is no episode: the pool must not try for ever to come back to a size that the work of before allowed. */
    @Test
    void restsWhereTheWorkStaysFiveTimesAsHeavy() {
        double changesPerMinute = LongStream.range(0, SEEDS)
                .parallel()
                .mapToObj(SlowDatabaseTest::ceilingsOfWorkThatStaysHeavy)
                .mapToDouble(ceilings -> IntStream.range(1, ceilings.size())
                                .filter(i -> !ceilings.get(i).equals(ceilings.get(i - 1)))
                                .count()
                        / 3.0)
                .average()
                .orElseThrow();
        assertThat(changesPerMinute).isLessThanOrEqualTo(2.5);
    }

    /** Three minutes, from two minutes after the work became heavy. */
    private static List<Integer> ceilingsOfWorkThatStaysHeavy(long seed) {
        boolean even = seed % 2 == 0;
        ServiceTime time = even ? ServiceTime.linear(2, 0.3) : ServiceTime.cores(8, 12);
        LatencyCap cap = new LatencyCap(even ? 55e6 : 171e6, Statistic.P95, 4, 1, 1_000_000_000L);
        Load load =
                Load.perSecond(2_400).then(Duration.ofSeconds(60), Work.single().heavier(5));
        Run run = new Simulator(new SimulatedServer(time, 0.7, seed), 100, seed)
                .domain("bank", load, cap)
                .runFor(Duration.ofSeconds(360))
                .run("bank");
        return ceilings(run, 180, 360);
    }

    @Test
    void aDatabasesCapHoldsOverWhatADomainsOwnPolicyKeepsOpen() {
        Policy twenty = pool -> Limits.unbounded().withFloor(20).withCeiling(40).because("20 to 40.");
        Simulator simulator = new Simulator(new SimulatedServer(ServiceTime.linear(5, 0.5), 0.6, 1), 100, 1)
                .database(new LatencyCap(15e6, Statistic.MEAN, 4, 1, 1_000_000_000L))
                .domain("auction", Load.perSecond(1_500), twenty)
                .domain("bank", Load.perSecond(1_500), twenty)
                .runFor(Duration.ofSeconds(60));
        assertThat(ceilings(simulator.databaseRun(), 10, 60)).allMatch(ceiling -> ceiling >= 16 && ceiling <= 23);
        for (int i = 100; i < 590; i++) {
            int sum = simulator.run("auction").rows().get(i).target()
                    + simulator.run("bank").rows().get(i).target();
            assertThat(sum).as("permits of both, window %d", i).isLessThanOrEqualTo(23);
        }
    }

    private static Run run(SimulatedServer server, Load load, long seed, Duration length) {
        return new Simulator(server, 100, seed)
                .domain("bank", load, MIN_2_MAX_60, new LatencyCap(15e6, Statistic.MEAN, 4, 1, 1_000_000_000L))
                .runFor(length)
                .run("bank");
    }

    private static List<Integer> ceilings(Run run, int fromSecond, int toSecond) {
        return run.rows(Duration.ofSeconds(fromSecond), Duration.ofSeconds(toSecond)).stream()
                .map(row -> row.limits().ceiling())
                .toList();
    }

    /** Prints what became of 200 episodes. */
    public static void main(String[] arguments) {
        List<Episode> all =
                LongStream.range(0, 200).parallel().mapToObj(Episode::of).toList();
        all.stream()
                .filter(e -> e.lowest < FLOOR || e.closestMillis < 2_000 || e.backMillis > 10_000)
                .forEach(System.out::println);
        System.out.printf(
                Locale.ROOT,
                "%d episodes: lowest %d, at most %d changes, never closer than %d ms, back after %.1f s on average and %.1f s at most%n",
                all.size(),
                all.stream().mapToInt(Episode::lowest).min().orElse(0),
                all.stream().mapToInt(Episode::changes).max().orElse(0),
                all.stream().mapToLong(Episode::closestMillis).min().orElse(0),
                all.stream().mapToLong(Episode::backMillis).average().orElse(0) / 1e3,
                all.stream().mapToLong(Episode::backMillis).max().orElse(0) / 1e3);
    }
}
