package dev.headgate.server.domains;

import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A new domain.
 *
 * @param database the database that its pool connects to
 * @param labels names and values that group it with others; none by default
 * @param wire its settings on the wire port; omitted ones have their defaults
 * @param sql its settings for SQL over HTTP; omitted ones have their defaults
 * @param policySet becomes revision 1; without one, only the budget bounds the pool
 */
@Schema(name = "DomainCreate")
public record DomainCreateRequest(
        @NotNull(message = "is missing") @Pattern(regexp = "^[a-z][a-z0-9-]{0,62}$", message = "must be a name")
        String name,

        @NotNull(message = "is missing") @Schema(pattern = "^[a-z][a-z0-9-]{0,62}$")
        String database,

        @Size(max = 500, message = "is too long") @Nullable String description,
        @Schema(ref = LabelSchema.REFERENCE) @Nullable Map<String, @Nullable String> labels,

        @Valid @Nullable DomainWireRequest wire,
        @Valid @Nullable DomainSqlRequest sql,
        @Nullable PolicySetRequest policySet) {}
