package dev.headgate.server.api;

import dev.headgate.engine.meter.ConnectionStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All connections of a pool, by column: half the size of the same as objects. Entry {@code n} of every column belongs to
 * connection {@code n}; {@code holder} and {@code leaseAgeMs} are null where it is free.
 */
@Schema(name = "ConnectionColumns")
public record ConnectionColumns(
        List<String> id,
        List<String> state,
        long[] ageMs,
        long[] requests,
        long[] errors,
        double[] meanMs,
        double[] p50Ms,
        double[] p95Ms,
        double[] p99Ms,
        long[] secondCount,
        double[] secondMeanMs,
        double[] secondP99Ms,
        long[] bytesIn,
        long[] bytesOut,
        List<@Nullable String> holder,
        List<@Nullable Long> leaseAgeMs) {

    public static ConnectionColumns of(List<ConnectionStatus> connections) {
        int n = connections.size();
        ConnectionColumns columns = new ConnectionColumns(
                new ArrayList<>(n),
                new ArrayList<>(n),
                new long[n],
                new long[n],
                new long[n],
                new double[n],
                new double[n],
                new double[n],
                new double[n],
                new long[n],
                new double[n],
                new double[n],
                new long[n],
                new long[n],
                new ArrayList<>(n),
                new ArrayList<>(n));
        for (int row = 0; row < n; row++) {
            columns.put(row, connections.get(row));
        }
        return columns;
    }

    private void put(int row, ConnectionStatus status) {
        id.add(status.id());
        state.add(status.state().label());
        ageMs[row] = Millis.whole(status.ageNanos());
        requests[row] = status.requests();
        errors[row] = status.errors();
        meanMs[row] = Millis.of(status.sinceConnect().meanNanos());
        p50Ms[row] = Millis.of(status.sinceConnect().p50Nanos());
        p95Ms[row] = Millis.of(status.sinceConnect().p95Nanos());
        p99Ms[row] = Millis.of(status.sinceConnect().p99Nanos());
        secondCount[row] = status.second().count();
        secondMeanMs[row] = Millis.of(status.second().meanNanos());
        secondP99Ms[row] = Millis.of(status.second().p99Nanos());
        bytesIn[row] = status.bytesIn();
        bytesOut[row] = status.bytesOut();
        holder.add(status.lease().map(ConnectionStatus.LeaseStatus::holder).orElse(null));
        leaseAgeMs.add(
                status.lease().map(lease -> Millis.whole(lease.ageNanos())).orElse(null));
    }
}
