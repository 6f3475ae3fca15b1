package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;

/**
 * How a domain is served on the wire port. A change is for the clients that connect from then on.
 *
 * @param mode how long a client keeps a connection: for a transaction, a session or a statement
 * @param maxClients connected at once; more are refused
 */
@Schema(name = "DomainWire")
public record DomainWireJson(
        @Schema(allowableValues = {"transaction", "session", "statement"})
        String mode,

        int maxClients) {

    /** The same, with what a request changes. */
    DomainWireJson with(DomainPatchRequest.Wire patch) {
        return new DomainWireJson(
                patch.mode() == null ? mode : patch.mode(),
                patch.maxClients() == null ? maxClients : patch.maxClients());
    }
}
