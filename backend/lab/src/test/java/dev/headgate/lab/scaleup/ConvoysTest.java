package dev.headgate.lab.scaleup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConvoysTest {

    private static final int WINDOWS = 120;

    @Test
    void aThousandQuietRunsHaveNone() {
        for (int seed = 0; seed < 1_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int databases = 2 + random.nextInt(7);
            double mean = 0.5 + 40 * random.nextDouble() * random.nextDouble();
            assertThat(Convoys.in(quiet(databases, mean, random)))
                    .as("seed %d: %d databases, %.1f in a window", seed, databases, mean)
                    .isEmpty();
        }
    }

    /** Half of the databases stand still for three windows, at random times. */
    @Test
    void everyInjectedConvoyIsFoundAndNothingElse() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<int[]> series = quiet(8, 4 + 20 * random.nextDouble(), random);
            List<Integer> still = IntStream.range(0, 8)
                    .boxed()
                    .sorted(java.util.Comparator.comparingDouble(each -> random.nextDouble()))
                    .limit(4)
                    .sorted()
                    .toList();
            int first = 10 + random.nextInt(40);
            int second = 70 + random.nextInt(40);
            for (int from : new int[] {first, second}) {
                still.forEach(each -> Arrays.fill(series.get(each), from, from + 3, 0));
            }

            List<Convoys.Convoy> found = Convoys.in(series);

            assertThat(found).as("seed %d", seed).hasSize(2);
            assertThat(found.get(0).overlaps(first, first + 3)).isTrue();
            assertThat(found.get(1).overlaps(second, second + 3)).isTrue();
            assertThat(found).allSatisfy(each -> {
                assertThat(each.databases()).containsAll(still);
                assertThat(each.to() - each.from()).isBetween(2, 5);
                assertThat(each.chance()).isLessThan(Convoys.CHANCE);
            });
        }
    }

    @Test
    void aLongOneIsOneConvoy() {
        List<int[]> series = quiet(4, 10, new SplittableRandom(5));
        series.forEach(each -> Arrays.fill(each, 40, 60, 1));
        assertThat(Convoys.in(series)).singleElement().satisfies(each -> {
            assertThat(each.from()).isBetween(38, 41);
            assertThat(each.to()).isBetween(59, 62);
            assertThat(each.databases()).containsExactly(0, 1, 2, 3);
        });
    }

    @Test
    void oneDatabaseThatStandsStillAloneIsNone() {
        List<int[]> series = quiet(8, 20, new SplittableRandom(1));
        Arrays.fill(series.get(3), 40, 60, 0);
        assertThat(Convoys.in(series)).isEmpty();
    }

    @Test
    void dipsOneAfterTheOtherAreNone() {
        List<int[]> series = quiet(8, 20, new SplittableRandom(2));
        for (int database = 0; database < 8; database++) {
            Arrays.fill(series.get(database), 10 * database, 10 * database + 4, 0);
        }
        assertThat(Convoys.in(series)).isEmpty();
    }

    /** With many completions, less than half would be more than chance, but not what anybody calls a standstill. */
    @Test
    void aDipByAThirdIsNoneAndOneByTwoThirdsIs() {
        List<int[]> series = quiet(8, 1_000, new SplittableRandom(3));
        series.forEach(each -> Arrays.fill(each, 40, 43, 667));
        assertThat(Convoys.in(series)).isEmpty();
        series.forEach(each -> Arrays.fill(each, 40, 43, 333));
        assertThat(Convoys.in(series)).singleElement().satisfies(each -> {
            assertThat(each.from()).isEqualTo(40);
            assertThat(each.to()).isEqualTo(43);
        });
    }

    @Test
    void aDatabaseWithoutCompletionsIsNoPartOfIt() {
        List<int[]> series = quiet(4, 20, new SplittableRandom(4));
        series.set(2, new int[WINDOWS]);
        assertThat(Convoys.in(series)).isEmpty();
        series.forEach(each -> Arrays.fill(each, 40, 43, 0));
        assertThat(Convoys.in(series))
                .singleElement()
                .satisfies(each -> assertThat(each.databases()).containsExactly(0, 1, 3));
    }

    @Test
    void seriesOfDifferentLengthAreRefusedAndOneAloneHasNone() {
        assertThatThrownBy(() -> Convoys.in(List.of(new int[3], new int[4])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Convoys.in(List.of(new int[] {9, 0, 9}))).isEmpty();
        assertThat(Convoys.in(List.of())).isEmpty();
    }

    private static List<int[]> quiet(int databases, double mean, SplittableRandom random) {
        List<int[]> series = new ArrayList<>();
        for (int i = 0; i < databases; i++) {
            int[] completions = new int[WINDOWS];
            for (int window = 0; window < WINDOWS; window++) {
                completions[window] = poisson(mean, random);
            }
            series.add(completions);
        }
        return series;
    }

    /** Counts the arrivals of a window. */
    private static int poisson(double mean, SplittableRandom random) {
        int arrivals = 0;
        for (double at = random.nextExponential(); at < mean; at += random.nextExponential()) {
            arrivals++;
        }
        return arrivals;
    }
}
