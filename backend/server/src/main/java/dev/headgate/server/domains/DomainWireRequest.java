package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/** Changes of a domain's settings on the wire port. Omitted fields keep their values, or get the default in a new domain. */
@Schema(name = "DomainWirePatch")
public record DomainWireRequest(
        @Schema(allowableValues = {"transaction", "session", "statement"})
        @Pattern(regexp = "^(transaction|session|statement)$", message = "must be a mode")
        @Nullable
        String mode,

        @Range(min = 1, max = MOST_CLIENTS, message = "must be a number of clients") @Nullable
        Integer maxClients,

        @Schema(allowableValues = {"pin", "refuse"})
        @Pattern(regexp = "^(pin|refuse)$", message = "must be what becomes of session state")
        @Nullable
        String sessionState,

        @Schema(allowableValues = {"auto", "off"})
        @Pattern(regexp = "^(auto|off)$", message = "must be what becomes of statements without a name")
        @Nullable
        String unnamedStatements) {

    static final int MOST_CLIENTS = 100_000;

    /** A request that sets all of these settings. */
    public static DomainWireRequest of(DomainWireJson wire) {
        return new DomainWireRequest(wire.mode(), wire.maxClients(), wire.sessionState(), wire.unnamedStatements());
    }
}
