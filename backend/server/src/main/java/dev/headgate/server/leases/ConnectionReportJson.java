package dev.headgate.server.leases;

import dev.headgate.engine.Occupancy.ConnectionReport;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.PastLease;
import dev.headgate.engine.meter.Prepared;
import dev.headgate.server.api.ConnectionJson;
import dev.headgate.server.api.Millis;
import dev.headgate.spi.Latency;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection, open or closed within the last hour.
 *
 * @param connection its figures; its last ones if it is closed
 * @param openedAt when its socket was opened
 * @param lease the current one; null when free or closed
 * @param distribution its latencies since connect, shortest first, without empty buckets. A second old, and empty when asked for
 *     the first time
 * @param leases its last leases that made requests, newest first; empty once it is closed
 * @param prepared the statements that the wire port and SQL over HTTP keep prepared on it; null if neither has used it
 * @param closed how it ended; null while it is open
 */
@Schema(name = "ConnectionReport")
public record ConnectionReportJson(
        ConnectionJson connection,
        Instant openedAt,
        @Nullable LeaseJson lease,
        List<Bucket> distribution,
        List<Past> leases,
        @Nullable PreparedJson prepared,
        @Nullable ClosedConnectionJson closed) {

    private static final long[] BOUNDS = bounds();

    /**
     * Requests of about one duration.
     *
     * @param upToMs that they took at most
     */
    @Schema(name = "LatencyBucket")
    public record Bucket(double upToMs, long count) {}

    /**
     * A lease that has ended.
     *
     * @param began its first request
     * @param heldMs from then to the end of its last request
     * @param statement the last one, without its values; null if it is not known
     */
    @Schema(name = "PastLease")
    public record Past(
            String holder,
            Instant began,
            double heldMs,
            long requests,
            @Nullable String statement) {

        static Past of(PastLease past, Instant now) {
            return new Past(
                    past.holder(),
                    now.minusNanos(past.agoNanos()),
                    Millis.of(past.heldNanos()),
                    past.requests(),
                    Statements.shown(past.statement()));
        }
    }

    /**
     * What is kept prepared.
     *
     * @param bytes of the texts, about
     * @param hits how often a client's statement was prepared already
     * @param misses how often one had to be prepared
     */
    @Schema(name = "PreparedStatements")
    public record PreparedJson(int count, long bytes, long hits, long misses, List<Named> statements) {

        static @Nullable PreparedJson of(@Nullable Prepared prepared) {
            return prepared == null
                    ? null
                    : new PreparedJson(
                            prepared.count(),
                            prepared.bytes(),
                            prepared.hits(),
                            prepared.misses(),
                            prepared.statements().stream()
                                    .sorted(Comparator.comparingInt((Prepared.Named each) ->
                                                    each.name().length())
                                            .thenComparing(Prepared.Named::name))
                                    .map(each -> new Named(each.name(), Statements.shown(each.text()), each.bytes()))
                                    .toList());
        }
    }

    /**
     * One prepared statement.
     *
     * @param name on the server
     * @param statement without its values; null if its text is too long to be kept
     */
    @Schema(name = "PreparedStatement")
    public record Named(String name, @Nullable String statement, int bytes) {}

    static ConnectionReportJson of(ConnectionReport report, Instant now) {
        return new ConnectionReportJson(
                ConnectionJson.of(report.status()),
                now.minusNanos(report.status().ageNanos()),
                report.lease().map(LeaseJson::of).orElse(null),
                buckets(report.life()),
                report.leases().stream().map(past -> Past.of(past, now)).toList(),
                PreparedJson.of(report.prepared()),
                null);
    }

    static ConnectionReportJson of(ClosedConnection closed) {
        return new ConnectionReportJson(
                ConnectionJson.of(closed.last()),
                closed.closed().minusNanos(closed.last().ageNanos()),
                null,
                List.of(),
                List.of(),
                null,
                ClosedConnectionJson.of(closed));
    }

    /** 1, 2 and 5 of every power of ten, from 10 µs to an hour and more. */
    private static long[] bounds() {
        List<Long> bounds = new ArrayList<>();
        for (long power = 10_000; power < 2 * HdrLatency.HIGHEST_NANOS; power *= 10) {
            bounds.addAll(List.of(power, 2 * power, 5 * power));
        }
        return bounds.stream().mapToLong(Long::longValue).toArray();
    }

    private static List<Bucket> buckets(Latency latency) {
        long[] counts = new long[BOUNDS.length];
        HdrLatency.eachBucket(latency, (nanos, count) -> {
            int at = 0;
            while (at < BOUNDS.length - 1 && BOUNDS[at] < nanos) {
                at++;
            }
            counts[at] += count;
        });
        List<Bucket> buckets = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                buckets.add(new Bucket(Millis.of(BOUNDS[i]), counts[i]));
            }
        }
        return buckets;
    }
}
