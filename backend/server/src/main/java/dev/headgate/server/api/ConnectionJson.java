package dev.headgate.server.api;

import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection now. The flat figures are since connect.
 *
 * @param backendPid the server process that serves it; null while opening
 * @param second the last full second
 * @param lease null when free
 */
@Schema(name = "Connection")
public record ConnectionJson(
        String id,

        @Schema(allowableValues = {"opening", "idle", "active", "idle in transaction", "closing"})
        String state,

        long ageMs,
        long requests,
        long errors,
        double meanMs,
        double minMs,
        double maxMs,
        double p50Ms,
        double p95Ms,
        double p99Ms,
        long bytesIn,
        long bytesOut,
        @Nullable Integer backendPid,
        Second second,
        @Nullable Lease lease) {

    /** Requests that ended in the last full second. All figures are 0 if there were none. */
    @Schema(name = "ConnectionSecond")
    public record Second(
            long count, double meanMs, double minMs, double maxMs, double p50Ms, double p95Ms, double p99Ms) {

        static Second of(LatencySummary summary) {
            return new Second(
                    summary.count(),
                    Millis.of(summary.meanNanos()),
                    Millis.of(summary.minNanos()),
                    Millis.of(summary.maxNanos()),
                    Millis.of(summary.p50Nanos()),
                    Millis.of(summary.p95Nanos()),
                    Millis.of(summary.p99Nanos()));
        }
    }

    /** The holder of the connection, and how long it has held it. */
    @Schema(name = "ConnectionLease")
    public record Lease(String holder, long ageMs) {

        static Lease of(ConnectionStatus.LeaseStatus lease) {
            return new Lease(lease.holder(), Millis.whole(lease.ageNanos()));
        }
    }

    public static ConnectionJson of(ConnectionStatus status) {
        LatencySummary life = status.sinceConnect();
        return new ConnectionJson(
                status.id(),
                status.state().label(),
                Millis.whole(status.ageNanos()),
                status.requests(),
                status.errors(),
                Millis.of(life.meanNanos()),
                Millis.of(life.minNanos()),
                Millis.of(life.maxNanos()),
                Millis.of(life.p50Nanos()),
                Millis.of(life.p95Nanos()),
                Millis.of(life.p99Nanos()),
                status.bytesIn(),
                status.bytesOut(),
                status.backendPid() == 0 ? null : (Integer) status.backendPid(),
                Second.of(status.second()),
                status.lease().map(Lease::of).orElse(null));
    }
}
