package dev.headgate.server.wire;

import dev.headgate.server.api.Millis;
import dev.headgate.wire.ClientStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A connected client of the wire port. The figures are since it connected.
 *
 * @param id unique while the service runs
 * @param application its application_name; may be empty
 * @param connection the physical connection that it holds; null for none
 * @param pinnedBy what keeps it on its connection ("LISTEN"); null for nothing
 * @param waits how often it had to wait for a connection
 * @param waitedMs how long, together
 * @param errors requests that were answered with an error
 * @param statements prepared ones that it keeps
 * @param bytesIn from the client, above TLS
 * @param bytesOut to it
 * @param tls whether its connection is encrypted
 */
@Schema(name = "ConnectedClient")
record ConnectedClientJson(
        int id,
        String user,
        String application,
        String address,
        Instant since,

        @Schema(allowableValues = {"idle", "waiting", "active"})
        String state,

        @Nullable String connection,
        @Nullable String pinnedBy,
        long transactions,
        long waits,
        double waitedMs,
        long errors,
        int statements,
        long bytesIn,
        long bytesOut,
        boolean tls) {

    static ConnectedClientJson of(ClientStatus client) {
        return new ConnectedClientJson(
                client.id(),
                client.user(),
                client.application(),
                client.address(),
                client.since(),
                client.state(),
                client.connection().isEmpty() ? null : client.connection(),
                client.pinnedBy().isEmpty() ? null : client.pinnedBy(),
                client.transactions(),
                client.waits(),
                Millis.of(client.waitedNanos()),
                client.errors(),
                client.statements(),
                client.bytesIn(),
                client.bytesOut(),
                client.tls());
    }
}
