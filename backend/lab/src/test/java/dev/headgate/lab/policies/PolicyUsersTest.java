package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.load.LoadResult;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PolicyUsersTest {

    private static final double CAP = 20;

    /** On a real server, each step for a second: too short to judge by, long enough to see what becomes of whoever finds no connection. */
    @Test
    void whoFindsNoConnectionWaitsOrIsTurnedAwayAsEachWaySays() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(
                    new PolicyUsers((seconds, way, step, steps) -> 1),
                    Form.QUICK,
                    Map.of("users", 16.0, "seconds", 1.0, "connections", 4.0, "thinkMs", 1.0));

            assertThat(report.findings()).hasSize(5);
            assertThat(report.charts())
                    .extracting(chart -> chart.lines().size())
                    .containsExactly(9, 8, 8, 8);
            assertThat(report.measures()).hasSize(8).allMatch(measure -> measure.median() > 0);
            Map<String, List<List<String>>> steps =
                    report.tables().getFirst().rows().stream().collect(Collectors.groupingBy(List::getFirst));
            for (PolicyUsers.Way way : PolicyUsers.Way.values()) {
                List<List<String>> up = Objects.requireNonNull(steps.get(title(way)));
                assertThat(up).extracting(row -> row.get(1)).containsExactly("1", "4", "16");
                assertThat(Objects.requireNonNull(steps.get(way.leaving())))
                        .extracting(row -> row.get(1))
                        .containsExactly("4", "1");
                assertThat(up).allMatch(row -> Double.parseDouble(row.get(6)) > 0, "serves pages");
                boolean refuses = way == PolicyUsers.Way.THROW || way == PolicyUsers.Way.DOOR;
                assertThat(!up.getLast().get(7).equals("0 %"))
                        .as(
                                "%s turned away with 16 users on 4 connections, by %s",
                                up.getLast().get(7), title(way))
                        .isEqualTo(refuses);
            }
            assertThat(steps.get("fixed, queue")).hasSize(4);
        }
    }

    private static String title(PolicyUsers.Way way) {
        return way.leaving().replace(", leaving", "");
    }

    private static PolicyUsers.Step step(int users, double jdbcMs, int pageMs) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(pageMs * 1_000_000L, 100);
        return new PolicyUsers.Step(
                users,
                new Seconds(List.of(new Seconds.Second(jdbcMs, 100, 100, 5))),
                new LoadResult(latency, new Histogram(3), new Histogram(3), 0, 0, 0, 1, null));
    }

    @Test
    void whereTheCapIsReachedIsComparedWithTheHighestLoad() {
        List<PolicyUsers.Step> steps = List.of(step(8, 5, 10), step(16, 15, 40), step(64, 20, 44));
        assertThat(PolicyUsers.atTheDoor(steps, CAP).verdict()).isEqualTo(Finding.Verdict.HOLDS);
        List<PolicyUsers.Step> growing = List.of(step(8, 5, 10), step(16, 15, 40), step(64, 20, 80));
        assertThat(PolicyUsers.atTheDoor(growing, CAP).verdict()).isEqualTo(Finding.Verdict.DIFFERS);
    }

    /** Those who were served as fast as ever are not all, and the latency of nothing is 0. */
    @Test
    void aHighestLoadAtWhichPagesFailedIsNotFlat() {
        PolicyUsers.Step reached = step(16, 15, 40);
        PolicyUsers.Step failing = new PolicyUsers.Step(
                64,
                seconds(1),
                new LoadResult(reached.pages().latency(), new Histogram(3), new Histogram(3), 2, 0, 0, 1, "broken"));
        Finding found = PolicyUsers.atTheDoor(List.of(step(8, 5, 10), reached, failing), CAP);
        assertThat(found.verdict()).isEqualTo(Finding.Verdict.DIFFERS);
        assertThat(found.here()).endsWith("; 0 % turned away at the highest load, 2 failed.");
        PolicyUsers.Step none = new PolicyUsers.Step(
                64,
                seconds(1),
                new LoadResult(new Histogram(3), new Histogram(3), new Histogram(3), 9, 0, 0, 1, "broken"));
        assertThat(PolicyUsers.atTheDoor(List.of(reached, none), CAP).verdict()).isEqualTo(Finding.Verdict.DIFFERS);
    }

    /** A second that is missed of fourteen is 7 %: so few do not tell of 95 %. */
    @Test
    void fewSecondsDoNotTellWhetherTheCapIsKept() {
        PolicyUsers.Step last = step(64, 10, 40);
        Finding few = PolicyUsers.queued(seconds(14), last, CAP);
        assertThat(few.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(few.here()).endsWith(" These are 14 seconds; fewer than 20 do not tell.");
        assertThat(PolicyUsers.queued(seconds(20), last, CAP).verdict()).isEqualTo(Finding.Verdict.HOLDS);
    }

    @Test
    void aQueueInWhichRequestsFailedHasNotServedEveryone() {
        LoadResult pages = step(64, 10, 40).pages();
        PolicyUsers.Step last = new PolicyUsers.Step(
                64,
                seconds(1),
                new LoadResult(pages.latency(), new Histogram(3), new Histogram(3), 3, 0, 0, 1, "timed out"));
        Finding found = PolicyUsers.queued(seconds(20), last, CAP);
        assertThat(found.verdict()).isEqualTo(Finding.Verdict.DIFFERS);
        assertThat(found.here()).endsWith(" Of their pages 0 were turned away and 3 failed.");
    }

    @Test
    void theQuickFormMeasuresLongEnoughToJudgeAndToCompare() {
        assertThat(lengths(2, PolicyUsers.Way.DOOR)).containsExactly(2, 2, 2, 6, 1, 1, 1);
        assertThat(lengths(2, PolicyUsers.Way.QUEUE)).containsExactly(3, 3, 3, 6, 3, 3, 3);
        assertThat(lengths(10, PolicyUsers.Way.DOOR)).containsExactly(10, 10, 10, 10, 5, 5, 5);
        assertThat(lengths(10, PolicyUsers.Way.QUEUE)).containsOnly(10);
    }

    private static IntStream lengths(int seconds, PolicyUsers.Way way) {
        return IntStream.range(0, 7).map(step -> PolicyUsers.measured(seconds, way, step, 7));
    }

    /** The best of several measurements is better than its size, so that one does not count. */
    @Test
    void thePolicyIsComparedWithFurtherMeasurementsOfTheBestSize() {
        Finding found = PolicyUsers.besideFixed(pages(96), 3, List.of(pages(90), pages(110)));
        assertThat(found.verdict()).isEqualTo(Finding.Verdict.HOLDS);
        assertThat(found.here()).contains("100 with 3 fixed ones", "(0.96 times)");
        assertThat(PolicyUsers.besideFixed(pages(94), 3, List.of(pages(90), pages(110)))
                        .verdict())
                .isEqualTo(Finding.Verdict.DIFFERS);
        Finding close = PolicyUsers.besideFixed(pages(948), 3, List.of(pages(900), pages(1_100)));
        assertThat(close.verdict()).isEqualTo(Finding.Verdict.DIFFERS);
        assertThat(close.here()).as("the bar is 0.95").contains("(0.948 times)");
        assertThat(PolicyUsers.besideFixed(pages(94), 0, List.of()).verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
    }

    private static PolicyUsers.Step pages(int perSecond) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(1_000_000, perSecond);
        return new PolicyUsers.Step(
                64, seconds(4), new LoadResult(latency, new Histogram(3), new Histogram(3), 0, 0, 0, 1, null));
    }

    private static Seconds seconds(int count) {
        return new Seconds(Collections.nCopies(count, new Seconds.Second(15, 100, 100, 5)));
    }

    /** 7 s of thinking, as published, make sessions of minutes: the site would be nearly empty while it is measured. */
    @Test
    void anOpenLoopWarmsUpUntilTheSiteIsFullOrIsRefused() {
        assertThat(PolicyUsers.warmUp(Duration.ofSeconds(7), false)).isEqualTo(Duration.ofMillis(500));
        assertThat(PolicyUsers.warmUp(Duration.ofMillis(5), true)).isEqualTo(Duration.ofMillis(500));
        assertThat(PolicyUsers.warmUp(Duration.ofMillis(100), true))
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
        assertThatThrownBy(() -> PolicyUsers.warmUp(Duration.ofSeconds(7), true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("With 7000 ms of thinking a session lasts some 224 s")
                .hasMessageContaining("thinkMs of at most 62");
    }

    @Test
    void aLoadIsNotComparedWithItself() {
        List<PolicyUsers.Step> never = List.of(step(1, 2, 5), step(8, 5, 10));
        Finding found = PolicyUsers.atTheDoor(never, CAP);
        assertThat(found.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(found.here()).isEqualTo("The cap of 20.0 ms was not reached below the highest load of 8 users.");
        List<PolicyUsers.Step> atLast = List.of(step(1, 2, 5), step(8, 19, 10));
        assertThat(PolicyUsers.atTheDoor(atLast, CAP).verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
    }
}
