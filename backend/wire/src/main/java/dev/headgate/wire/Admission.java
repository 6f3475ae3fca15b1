package dev.headgate.wire;

import dev.headgate.wire.auth.ScramVerifier;

/**
 * A client that has proved who it is.
 *
 * @param process the process id it was given, unique on this port
 * @param secret shown with it to cancel a request
 * @param verifier what it proved its password by
 * @param address where it connects from
 */
record Admission(
        int process,
        int secret,
        String domain,
        String user,
        ScramVerifier verifier,
        String application,
        String address) {

    /** How its leases are labelled, under the name that its application goes by now. */
    String holder(String application) {
        return application.isEmpty() ? user + " " + address : application + " " + address;
    }
}
