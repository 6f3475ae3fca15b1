package dev.headgate.server.wire;

import io.swagger.v3.oas.annotations.media.Schema;

/**
 * The address that a domain's clients connect to.
 *
 * @param listening false if the wire port is off
 * @param database the name to connect to: the domain
 * @param tls whether the port offers TLS
 */
@Schema(name = "WireEndpoint")
record EndpointJson(boolean listening, String host, int port, String database, boolean tls) {

    /** @param reachedBy the host name of the request, used if the port listens on every address */
    static EndpointJson of(WireServer.Endpoint endpoint, String domain, String reachedBy) {
        boolean everywhere =
                endpoint.address().equals("0.0.0.0") || endpoint.address().equals("::");
        return new EndpointJson(
                endpoint.listening(),
                everywhere ? reachedBy : endpoint.address(),
                endpoint.port(),
                domain,
                endpoint.tls());
    }

    /** A {@code psql} command line for this address; psql asks for the password. */
    String psql(String user) {
        return "psql -h %s -p %d -U %s -d %s".formatted(host, port, user, database);
    }
}
