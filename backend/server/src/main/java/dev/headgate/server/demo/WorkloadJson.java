package dev.headgate.server.demo;

import dev.headgate.lab.WorkloadStatus;
import dev.headgate.server.api.Millis;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A load and its results.
 *
 * @param kind {@code demo}, or {@code user} if it was sent by {@code PUT}
 * @param ratePerSecond the set rate, or the mean of a varying one
 * @param offeredPerSecond arrivals, over about ten seconds
 * @param achievedPerSecond transactions committed, over about ten seconds
 * @param inFlight arrivals that wait for a connection or are being served
 * @param errors arrivals that ended in an error, since start
 * @param refused arrivals turned away at once, since start
 * @param dropped those of the refused that were dropped at the source, because too many were in flight
 * @param lateMs how late arrivals began, as the 99th percentile: the load generator's own delay
 * @param lastError the message of the last error
 * @param latency the client's, timed from the scheduled arrival
 * @param total the same since start
 */
@Schema(name = "Workload")
record WorkloadJson(
        String name,
        String domain,
        @Schema(allowableValues = {"demo", "user"}) String kind,
        String description,
        boolean running,
        double ratePerSecond,
        boolean varies,
        double offeredPerSecond,
        double achievedPerSecond,
        int inFlight,
        long errors,
        long refused,
        long dropped,
        double lateMs,
        @Nullable String lastError,
        WorkloadLatencyJson latency,
        WorkloadLatencyJson total) {

    /** Every figure is 0 where no transaction was committed. */
    @Schema(name = "WorkloadLatency")
    record WorkloadLatencyJson(
            long windowMs, long count, double meanMs, double p50Ms, double p95Ms, double p99Ms, double maxMs) {}

    static WorkloadJson of(WorkloadStatus status, String kind) {
        return new WorkloadJson(
                status.name(),
                status.domain(),
                kind,
                status.description(),
                status.running(),
                status.ratePerSecond(),
                status.varies(),
                Millis.rate(status.offeredPerSecond()),
                Millis.rate(status.achievedPerSecond()),
                status.inFlight(),
                status.errors(),
                status.refused(),
                status.dropped(),
                Millis.of(status.lateMs() * 1e6),
                status.lastError().orElse(null),
                json(status.latency()),
                json(status.total()));
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
