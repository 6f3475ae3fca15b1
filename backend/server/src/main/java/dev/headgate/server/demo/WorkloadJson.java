package dev.headgate.server.demo;

import dev.headgate.lab.WorkloadStatus;
import dev.headgate.server.api.Millis;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A load and its results.
 *
 * @param kind whether it belongs to the demo, or was sent by {@code PUT}
 * @param ratePerSecond the set rate, or the mean of a varying one; in phases that of this moment; 0 for users
 * @param users who take part now; null for an open loop
 * @param offeredPerSecond arrivals, over about ten seconds
 * @param achievedPerSecond transactions committed, over about ten seconds
 * @param inFlight arrivals that wait for a connection or are being served
 * @param errors arrivals that ended in an error, since the load was made; in phases since it was started last, without its warm-ups
 * @param refused arrivals turned away at once, likewise
 * @param dropped those of the refused that were dropped at the source, because too many were in flight
 * @param lateMs how late arrivals began, as the 99th percentile: the load generator's own delay
 * @param totalLateMs the same of all arrivals that {@code total} counts, not of the last ten seconds
 * @param lastError the message of the last error
 * @param latency the client's, timed from the scheduled arrival
 * @param total the same over all of the time that {@code errors} covers
 * @param phase the index of the present phase, or of the last one; null without phases
 * @param phases the results of each; empty without phases
 */
@Schema(name = "Workload")
record WorkloadJson(
        String name,
        String domain,
        @Schema(allowableValues = {"demo", "user"}) String kind,
        String description,
        boolean running,
        double ratePerSecond,
        @Nullable Integer users,
        boolean varies,
        double offeredPerSecond,
        double achievedPerSecond,
        int inFlight,
        long errors,
        long refused,
        long dropped,
        double lateMs,
        double totalLateMs,
        @Nullable String lastError,
        WorkloadLatencyJson latency,
        WorkloadLatencyJson total,
        @Nullable Integer phase,
        List<WorkloadPhaseResultJson> phases) {

    /** Every figure is 0 where no transaction was committed. */
    @Schema(name = "WorkloadLatency")
    record WorkloadLatencyJson(
            long windowMs, long count, double meanMs, double p50Ms, double p95Ms, double p99Ms, double maxMs) {}

    /**
     * A phase, and what became of the arrivals that were due in it.
     *
     * @param from arrivals a second, or users, at its begin
     * @param to the same at its end
     * @param latency its {@code windowMs} is how much of the phase has passed
     */
    @Schema(name = "WorkloadPhaseResult")
    record WorkloadPhaseResultJson(
            double from,
            double to,
            double seconds,
            boolean warmUp,
            long offered,
            long errors,
            long refused,
            WorkloadLatencyJson latency) {

        static WorkloadPhaseResultJson of(WorkloadStatus.Phase phase) {
            return new WorkloadPhaseResultJson(
                    phase.from(),
                    phase.to(),
                    phase.seconds(),
                    phase.warmUp(),
                    phase.offered(),
                    phase.errors(),
                    phase.refused(),
                    json(phase.latency()));
        }
    }

    private static @Nullable Integer orNull(OptionalInt value) {
        return value.isPresent() ? value.getAsInt() : null;
    }

    static WorkloadJson of(WorkloadStatus status, String kind) {
        return new WorkloadJson(
                status.name(),
                status.domain(),
                kind,
                status.description(),
                status.running(),
                Millis.rate(status.ratePerSecond()),
                orNull(status.users()),
                status.varies(),
                Millis.rate(status.offeredPerSecond()),
                Millis.rate(status.achievedPerSecond()),
                status.inFlight(),
                status.errors(),
                status.refused(),
                status.dropped(),
                Millis.of(status.lateMs() * 1e6),
                Millis.of(status.totalLateMs() * 1e6),
                status.lastError().orElse(null),
                json(status.latency()),
                json(status.total()),
                orNull(status.phase()),
                status.phases().stream().map(WorkloadPhaseResultJson::of).toList());
    }

    private static WorkloadLatencyJson json(WorkloadStatus.Latency latency) {
        return new WorkloadLatencyJson(
                Math.round(latency.windowMs()),
                latency.count(),
                Millis.of(latency.meanMs() * 1e6),
                Millis.of(latency.p50Ms() * 1e6),
                Millis.of(latency.p95Ms() * 1e6),
                Millis.of(latency.p99Ms() * 1e6),
                Millis.of(latency.maxMs() * 1e6));
    }
}
