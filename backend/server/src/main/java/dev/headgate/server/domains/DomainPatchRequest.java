package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/** What is to change of a domain; what is left out stays. */
@Schema(name = "DomainPatch")
public record DomainPatchRequest(
        @Size(max = 500, message = "is too long") @Nullable String description,
        @Valid @Nullable DomainWireRequest wire) {}
