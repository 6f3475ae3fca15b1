package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/** What is to change of a domain; what is left out stays. */
@Schema(name = "DomainPatch")
public record DomainPatchRequest(
        @Size(max = 500, message = "is too long") @Nullable String description,
        @Valid @Nullable Wire wire) {

    static final int MOST_CLIENTS = 100_000;

    /** What is to change of how it is served on the wire port; what is left out stays. */
    @Schema(name = "DomainWirePatch")
    public record Wire(
            @Schema(allowableValues = {"transaction", "session", "statement"})
            @Pattern(regexp = "^(transaction|session|statement)$", message = "must be a mode")
            @Nullable
            String mode,

            @Range(min = 1, max = MOST_CLIENTS, message = "must be a number of clients") @Nullable
            Integer maxClients) {}
}
