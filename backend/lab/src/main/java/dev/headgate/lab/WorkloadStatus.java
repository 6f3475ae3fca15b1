package dev.headgate.lab;

import java.util.Optional;

/**
 * A workload at one instant. Rates and latency cover about the last ten seconds.
 *
 * @param ratePerSecond the rate asked for, around which it varies
 * @param offeredPerSecond arrivals
 * @param achievedPerSecond transactions committed
 * @param inFlight arrivals that are not done: waiting for a connection or at work
 * @param errors arrivals that ended in an error since the workload was made, a lease not got in time among them
 * @param refused arrivals turned away since the workload was made: by the pool at once, or at the source because too
 *     many were in flight
 * @param dropped those of the refused that were dropped at the source
 * @param lateMs how late arrivals began, as the 99th percentile: the load generator's own delay, which is part of the latency
 * @param lastError the message of the last error, with its kind of transaction
 * @param latency of committed transactions, from the scheduled arrival
 * @param total the same since the workload was made
 */
public record WorkloadStatus(
        String name,
        String domain,
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
        Optional<String> lastError,
        Latency latency,
        Latency total) {

    /** In milliseconds; all are 0 if {@code count} is 0. */
    public record Latency(
            double windowMs, long count, double meanMs, double p50Ms, double p95Ms, double p99Ms, double maxMs) {}
}
