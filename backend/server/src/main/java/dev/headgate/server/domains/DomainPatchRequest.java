package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change of a domain. Omitted fields keep their values.
 *
 * @param labels replaces all of its labels
 */
@Schema(name = "DomainPatch")
public record DomainPatchRequest(
        @Size(max = 500, message = "is too long") @Nullable String description,
        @Schema(ref = LabelSchema.REFERENCE) @Nullable Map<String, @Nullable String> labels,

        @Valid @Nullable DomainWireRequest wire,
        @Valid @Nullable DomainSqlRequest sql) {}
