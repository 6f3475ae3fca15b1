package dev.headgate.wire;

import dev.headgate.wire.auth.ScramVerifier;

/**
 * An authenticated client.
 *
 * @param process the process id that the port gave it, unique on this port
 * @param secret required, with the process id, to cancel a request
 * @param verifier the verifier that its password matched
 * @param address the address it connects from
 */
record Admission(
        int process,
        int secret,
        String domain,
        String user,
        ScramVerifier verifier,
        String application,
        String address) {

    /** The label of its leases for its current application_name. */
    String holder(String application) {
        return application.isEmpty() ? user + " " + address : application + " " + address;
    }
}
