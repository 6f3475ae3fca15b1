package dev.headgate.server.rehearsals;

import dev.headgate.server.api.Millis;
import dev.headgate.simulator.Replay;
import dev.headgate.spi.Latency;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What would have happened under another policy set, beside what happened.
 *
 * @param from the start of the replayed period
 * @param seconds its length: up to 30 s more than requested, less if the record does not reach back so far
 * @param settlingSeconds the part at its start that the figures leave out: policies learn there
 * @param tookMs how long the replay took
 * @param load one sentence: the assumption on how the server's times depend on load
 * @param domains every domain of the database; the candidate's comes first
 */
@Schema(name = "ReplayResult")
record ReplayResult(
        Instant from, int seconds, int settlingSeconds, double tookMs, String load, List<DomainOutcome> domains) {

    /**
     * One domain's outcome.
     *
     * @param baseline what the model makes of the same load under the sets in force: it should come to {@code actual}
     * @param fit how far the baseline misses what happened
     * @param ceiling of the pool in the replay
     * @param second one entry per second
     */
    @Schema(name = "ReplayOutcome")
    record DomainOutcome(
            String domain,
            Figures actual,
            Figures baseline,
            Figures replayed,
            ModelFit fit,
            Ceiling ceiling,
            List<Second> second) {}

    /**
     * The ceiling that the replayed set allowed, over the seconds that count.
     *
     * @param last at the end, when it has learnt from all of them
     */
    @Schema(name = "ReplayCeiling")
    record Ceiling(int least, int most, int last) {

        static Ceiling of(List<Replay.Second> counted) {
            IntSummaryStatistics all =
                    counted.stream().mapToInt(Replay.Second::ceiling).summaryStatistics();
            return all.getCount() == 0
                    ? new Ceiling(0, 0, 0)
                    : new Ceiling(all.getMin(), all.getMax(), counted.getLast().ceiling());
        }
    }

    /**
     * @param meanMs of requests on the server, as the percentiles are; each lease counts with the mean of its requests
     * @param meanSize connections, averaged over time
     */
    @Schema(name = "ReplayFigures")
    record Figures(
            long arrivals,
            long refused,
            double waitP50Ms,
            double waitP99Ms,
            double waitMaxMs,
            double meanMs,
            double p95Ms,
            double p99Ms,
            double meanSize,
            int mostSize) {

        static Figures of(Replay.Figures figures) {
            Latency waits = figures.waits();
            Latency latency = figures.latency();
            return new Figures(
                    figures.arrivals(),
                    figures.refused(),
                    Millis.of(waits.percentileNanos(50)),
                    Millis.of(waits.percentileNanos(99)),
                    Millis.of(waits.maxNanos()),
                    Millis.of(latency.meanNanos()),
                    Millis.of(latency.percentileNanos(95)),
                    Millis.of(latency.percentileNanos(99)),
                    Millis.rate(figures.meanSize()),
                    figures.mostSize());
        }
    }

    /** One second of the replayed period: what happened, the baseline, and what would have happened. */
    @Schema(name = "ReplaySecond")
    record Second(
            long arrivals,
            long actualRefused,
            long baselineRefused,
            long refused,
            double actualWaitP99Ms,
            double baselineWaitP99Ms,
            double waitP99Ms,
            double actualMeanMs,
            double baselineMeanMs,
            double meanMs,
            double actualP95Ms,
            double baselineP95Ms,
            double p95Ms,
            double actualP99Ms,
            double baselineP99Ms,
            double p99Ms,
            int actualSize,
            int baselineSize,
            int size) {

        static Second of(Replay.Second second, Replay.Second baseline) {
            return new Second(
                    second.arrivals(),
                    second.actualRefused(),
                    baseline.refused(),
                    second.refused(),
                    Millis.of(second.actualWaitP99Nanos()),
                    Millis.of(baseline.waitP99Nanos()),
                    Millis.of(second.waitP99Nanos()),
                    Millis.of(second.actualMeanNanos()),
                    Millis.of(baseline.meanNanos()),
                    Millis.of(second.meanNanos()),
                    Millis.of(second.actualP95Nanos()),
                    Millis.of(baseline.p95Nanos()),
                    Millis.of(second.p95Nanos()),
                    Millis.of(second.actualP99Nanos()),
                    Millis.of(baseline.p99Nanos()),
                    Millis.of(second.p99Nanos()),
                    second.actualSize(),
                    baseline.size(),
                    second.size());
        }
    }

    /** @param baseline of the same recordings as {@code result}: its domains are the same, in the same order */
    static ReplayResult of(Replay.Result result, Replay.Result baseline, String first, long tookNanos) {
        List<DomainOutcome> domains = IntStream.range(0, result.domains().size())
                .mapToObj(i -> of(result.domains().get(i), baseline.domains().get(i), result.settlingSeconds()))
                .sorted(Comparator.comparing(outcome -> !outcome.domain().equals(first)))
                .toList();
        String load = result.load().isFlat()
                ? "The record does not show that load slows the server; requests take as long as they took."
                : "The record shows that each further busy lease slows a request by %.0f %% of an idle server's time; times are scaled by that."
                        .formatted(100 * result.load().slowdownPerLease());
        return new ReplayResult(
                result.from(),
                (int) result.length().toSeconds(),
                result.settlingSeconds(),
                Millis.of(tookNanos),
                load,
                domains);
    }

    private static DomainOutcome of(Replay.Outcome outcome, Replay.Outcome baseline, int settling) {
        List<Second> seconds = IntStream.range(0, outcome.seconds().size())
                .mapToObj(i ->
                        Second.of(outcome.seconds().get(i), baseline.seconds().get(i)))
                .toList();
        Figures actual = Figures.of(outcome.actual());
        Figures modelled = Figures.of(baseline.replayed());
        return new DomainOutcome(
                outcome.domain(),
                actual,
                modelled,
                Figures.of(outcome.replayed()),
                ModelFit.of(actual, modelled),
                Ceiling.of(outcome.seconds().stream().skip(settling).toList()),
                seconds);
    }
}
