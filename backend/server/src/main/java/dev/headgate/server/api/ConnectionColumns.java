package dev.headgate.server.api;

import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.ConnectionStatus.LeaseStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All connections of a pool, by column: half the size of the same as objects. Entry {@code n} of every column belongs to
 * connection {@code n}. The {@code second...} columns tell of its last full second, {@code secondBusy} the share of it that
 * was spent on requests; {@code holder} and {@code leaseAgeMs} are null where it is free.
 */
@Schema(name = "ConnectionColumns")
public record ConnectionColumns(
        List<String> id,
        List<String> state,
        List<Long> ageMs,
        List<Long> requests,
        List<Long> errors,
        List<Double> meanMs,
        List<Double> p50Ms,
        List<Double> p95Ms,
        List<Double> p99Ms,
        List<Long> secondCount,
        List<Double> secondMeanMs,
        List<Double> secondP99Ms,
        List<Double> secondBusy,
        List<Long> bytesIn,
        List<Long> bytesOut,
        List<@Nullable String> holder,
        List<@Nullable Long> leaseAgeMs) {

    public static ConnectionColumns of(List<ConnectionStatus> connections) {
        return new ConnectionColumns(
                column(connections, ConnectionStatus::id),
                column(connections, connection -> connection.state().label()),
                column(connections, connection -> Millis.whole(connection.ageNanos())),
                column(connections, ConnectionStatus::requests),
                column(connections, ConnectionStatus::errors),
                column(
                        connections,
                        connection -> Millis.of(connection.sinceConnect().meanNanos())),
                column(
                        connections,
                        connection -> Millis.of(connection.sinceConnect().p50Nanos())),
                column(
                        connections,
                        connection -> Millis.of(connection.sinceConnect().p95Nanos())),
                column(
                        connections,
                        connection -> Millis.of(connection.sinceConnect().p99Nanos())),
                column(connections, connection -> connection.second().count()),
                column(connections, connection -> Millis.of(connection.second().meanNanos())),
                column(connections, connection -> Millis.of(connection.second().p99Nanos())),
                column(
                        connections,
                        connection -> Millis.rate(connection.second().busy())),
                column(connections, ConnectionStatus::bytesIn),
                column(connections, ConnectionStatus::bytesOut),
                whereLeased(connections, LeaseStatus::holder),
                whereLeased(connections, lease -> Millis.whole(lease.ageNanos())));
    }

    private static <T> List<T> column(List<ConnectionStatus> connections, Function<ConnectionStatus, T> figure) {
        return connections.stream().map(figure).toList();
    }

    private static <T> List<@Nullable T> whereLeased(
            List<ConnectionStatus> connections, Function<LeaseStatus, T> figure) {
        List<@Nullable T> column = new ArrayList<>(connections.size());
        for (ConnectionStatus connection : connections) {
            column.add(connection.lease().map(figure).orElse(null));
        }
        return column;
    }
}
