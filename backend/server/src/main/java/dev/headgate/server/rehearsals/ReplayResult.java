package dev.headgate.server.rehearsals;

import dev.headgate.server.api.Millis;
import dev.headgate.simulator.Replay;
import dev.headgate.spi.Latency;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;

/**
 * What would have happened under another policy set, beside what happened.
 *
 * @param from the start of the replayed period
 * @param seconds its length; shorter than requested if the record does not reach back so far
 * @param settlingSeconds the part at its start that the figures leave out
 * @param tookMs how long the replay took
 * @param load one sentence: the assumption on how the server's times depend on load
 * @param domains every domain of the database; the candidate's comes first
 */
@Schema(name = "ReplayResult")
record ReplayResult(
        Instant from, int seconds, int settlingSeconds, double tookMs, String load, List<DomainOutcome> domains) {

    /** One domain's outcome: {@code second} has one entry per second. */
    @Schema(name = "ReplayOutcome")
    record DomainOutcome(String domain, Figures actual, Figures replayed, List<Second> second) {}

    /**
     * @param meanMs of requests on the server, as {@code p99Ms}; each lease counts with the mean of its requests
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
                    Millis.of(latency.percentileNanos(99)),
                    Millis.rate(figures.meanSize()),
                    figures.mostSize());
        }
    }

    /** One second of the replayed period. */
    @Schema(name = "ReplaySecond")
    record Second(
            long arrivals,
            long actualRefused,
            long refused,
            double actualWaitP99Ms,
            double waitP99Ms,
            double actualMeanMs,
            double meanMs,
            int actualSize,
            int size) {

        static Second of(Replay.Second second) {
            return new Second(
                    second.arrivals(),
                    second.actualRefused(),
                    second.refused(),
                    Millis.of(second.actualWaitP99Nanos()),
                    Millis.of(second.waitP99Nanos()),
                    Millis.of(second.actualMeanNanos()),
                    Millis.of(second.meanNanos()),
                    second.actualSize(),
                    second.size());
        }
    }

    static ReplayResult of(Replay.Result result, String first, long tookNanos) {
        List<DomainOutcome> domains = result.domains().stream()
                .sorted((a, b) ->
                        Boolean.compare(b.domain().equals(first), a.domain().equals(first)))
                .map(outcome -> new DomainOutcome(
                        outcome.domain(),
                        Figures.of(outcome.actual()),
                        Figures.of(outcome.replayed()),
                        outcome.seconds().stream().map(Second::of).toList()))
                .toList();
        String load = result.load().isFlat()
                ? "The record does not show that load slows the server; requests take as long as they took."
                : "The record shows that each further busy lease slows a request by %.0f %% of an idle server's time; times are scaled by that."
                        .formatted(100 * result.load().slowdownPerLease());
        return new ReplayResult(
                result.from(),
                (int) result.length().toSeconds(),
                Replay.SETTLING_SECONDS,
                Millis.of(tookNanos),
                load,
                domains);
    }
}
