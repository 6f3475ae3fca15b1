package dev.headgate.server.leases;

import dev.headgate.engine.LeaseStatus;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.server.api.Millis;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A lease now.
 *
 * @param id of this lease alone; the connection's next lease has another
 * @param heldMs since its first request; accurate to 100 ms until then
 * @param state what its connection does
 * @param waitedMs how long its request waited
 * @param statement what it executes or has executed last, without its values, from the first 512 bytes; null if there is none
 * @param backendPid the server process
 */
@Schema(name = "Lease")
public record LeaseJson(
        String id,
        String connection,
        CallerJson caller,
        long heldMs,

        @Schema(allowableValues = {"opening", "idle", "active", "idle in transaction", "closing"})
        String state,

        double waitedMs,
        @Nullable String statement,
        int backendPid) {

    static LeaseJson of(LeaseStatus lease) {
        ConnectionStatus connection = lease.connection();
        return new LeaseJson(
                lease.id(),
                connection.id(),
                CallerJson.of(lease.who(), lease.thread()),
                connection.lease().map(held -> Millis.whole(held.ageNanos())).orElse(0L),
                connection.state().label(),
                Millis.of(lease.waitedNanos()),
                Statements.shown(lease.statement()),
                connection.backendPid());
    }
}
