package dev.headgate.server.annotations;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mark on the charts.
 *
 * @param database whose domains' charts show it; null if it is of one domain or of all
 * @param domain whose charts show it; null if it is of a database or of all
 * @param author who made it
 */
@Schema(name = "Annotation")
public record Annotation(
        String id,
        Instant time,

        @Schema(allowableValues = {"deploy", "failover", "note"})
        String kind,

        String text,
        List<String> tags,
        @Nullable String database,
        @Nullable String domain,
        String author,
        Instant createdAt) {}
