package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;

/**
 * A domain's settings on the wire port. A change applies to clients that connect later.
 *
 * @param mode how long a client keeps a connection: for a transaction, a session or a statement
 * @param maxClients the most clients connected at once; more are refused
 * @param sessionState what becomes of a statement whose effect belongs to a connection, where connections are shared: it
 *     pins the client to its connection, or is refused
 * @param unnamedStatements whether statements without a name are kept prepared on the connection (auto) or sent as they
 *     come (off)
 */
@Schema(name = "DomainWire")
public record DomainWireJson(
        @Schema(allowableValues = {"transaction", "session", "statement"})
        String mode,

        int maxClients,

        @Schema(allowableValues = {"pin", "refuse"}) String sessionState,

        @Schema(allowableValues = {"auto", "off"}) String unnamedStatements) {

    /** The settings of a domain that was created without any. */
    public static final DomainWireJson DEFAULT = new DomainWireJson("transaction", 1_000, "pin", "auto");

    /** These settings with the changes of a request. */
    public DomainWireJson with(DomainWireRequest patch) {
        return new DomainWireJson(
                patch.mode() == null ? mode : patch.mode(),
                patch.maxClients() == null ? maxClients : patch.maxClients(),
                patch.sessionState() == null ? sessionState : patch.sessionState(),
                patch.unnamedStatements() == null ? unnamedStatements : patch.unnamedStatements());
    }
}
