package dev.headgate.wire;

import java.time.Instant;

/**
 * A client of the wire port at one instant.
 *
 * @param address the address it connects from ("127.0.0.1:50432")
 * @param application its application_name, may be empty
 * @param state "idle", "waiting" for a connection, or "active"
 * @param connection id of the connection it holds, empty if none
 * @param pinnedBy what pins it to its connection ("LISTEN", "a temporary table"); empty if nothing
 * @param waitingNanos how long it has waited for a connection now; 0 if it does not wait
 * @param waits how often it had to wait for a connection
 * @param errors requests that were answered with an error
 * @param statements prepared ones that it keeps under names of its own
 * @param bytesIn from the client, above TLS
 * @param bytesOut to it
 */
public record ClientStatus(
        int id,
        String domain,
        String user,
        String address,
        String application,
        String state,
        String connection,
        Instant since,
        long transactions,
        String pinnedBy,
        long waitingNanos,
        long waits,
        long waitedNanos,
        long errors,
        int statements,
        long bytesIn,
        long bytesOut,
        boolean tls) {}
