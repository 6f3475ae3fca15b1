package dev.headgate.server.annotations;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A new mark on the charts.
 *
 * @param time by default now
 * @param database to mark the charts of all its domains; omitted to mark one domain's, or all
 * @param domain to mark the charts of one domain
 */
@Schema(name = "AnnotationCreate")
record AnnotationRequest(
        @Nullable Instant time,

        @Schema(allowableValues = {"deploy", "failover", "note"})
        @NotNull(message = "is missing")
        @Pattern(regexp = "^(deploy|failover|note)$", message = "must be a kind")
        String kind,

        @NotNull(message = "is missing")
        @Size(min = 1, max = 500, message = "must have 1 to 500 characters")
        @Pattern(regexp = "(?s).*\\S.*", message = "must say something")
        String text,

        @Size(max = 10, message = "must be at most 10") @Nullable
        List<@NotNull(message = "is missing") @Size(min = 1, max = 50, message = "must have 1 to 50 characters") String>
                tags,

        @Nullable String database,
        @Nullable String domain) {

    List<String> tagsOrNone() {
        return Objects.requireNonNullElse(tags, List.of());
    }
}
