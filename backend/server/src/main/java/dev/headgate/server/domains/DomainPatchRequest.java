package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;

/** What is to change of a domain. */
@Schema(name = "DomainPatch")
public record DomainPatchRequest(
        @NotNull(message = "is missing") @Size(max = 500, message = "is too long")
        String description) {}
