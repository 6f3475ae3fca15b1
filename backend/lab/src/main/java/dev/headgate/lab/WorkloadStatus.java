package dev.headgate.lab;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.HdrHistogram.Histogram;

/**
 * A workload at one instant. Rates and latency cover about the last ten seconds.
 *
 * @param ratePerSecond the rate asked for, around which it varies; of a planned load that of this moment, 0 without one
 * @param users who take part at this moment; empty for an open loop
 * @param offeredPerSecond arrivals
 * @param achievedPerSecond transactions committed
 * @param inFlight arrivals that are not done: waiting for a connection or at work
 * @param errors arrivals that ended in an error, a lease not got in time among them. This and the next three are since the workload
 *     was made; of a planned load since it was started last, without its warm-up
 * @param refused arrivals turned away: by the pool at once, or at the source because too
 *     many were in flight
 * @param dropped those of the refused that were dropped at the source
 * @param lateMs how late arrivals began, as the 99th percentile: the load generator's own delay, which is part of the latency
 * @param totalLateMs the same of all arrivals, as the errors are counted
 * @param lastError the message of the last of the errors, with its kind of transaction
 * @param latency of committed transactions, from the scheduled arrival
 * @param total latency of all that were committed
 * @param phase the index of the present phase, or of the last one; empty for a load without phases
 * @param phases each one's own results; empty for a load without phases
 */
public record WorkloadStatus(
        String name,
        String domain,
        String description,
        boolean running,
        double ratePerSecond,
        OptionalInt users,
        boolean varies,
        double offeredPerSecond,
        double achievedPerSecond,
        int inFlight,
        long errors,
        long refused,
        long dropped,
        double lateMs,
        double totalLateMs,
        Optional<String> lastError,
        Latency latency,
        Latency total,
        OptionalInt phase,
        List<Phase> phases) {

    /**
     * One phase and what became of the arrivals that were due in it.
     *
     * @param from arrivals a second, or users, at its begin
     * @param to the same at its end
     * @param latency over the part of it that has passed
     */
    public record Phase(
            double from,
            double to,
            double seconds,
            boolean warmUp,
            long offered,
            long errors,
            long refused,
            Latency latency) {}

    /** In milliseconds; all are 0 if {@code count} is 0. */
    public record Latency(
            double windowMs, long count, double meanMs, double p50Ms, double p95Ms, double p99Ms, double maxMs) {

        static Latency of(Histogram micros, double windowNanos) {
            return new Latency(
                    windowNanos / 1e6,
                    micros.getTotalCount(),
                    micros.getTotalCount() == 0 ? 0 : micros.getMean() / 1e3,
                    micros.getValueAtPercentile(50) / 1e3,
                    micros.getValueAtPercentile(95) / 1e3,
                    micros.getValueAtPercentile(99) / 1e3,
                    micros.getMaxValue() / 1e3);
        }
    }
}
