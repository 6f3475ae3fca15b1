package dev.headgate.server.domains;

import dev.headgate.server.api.PoolJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One domain and its pool now.
 *
 * @param tier its standing on the database; null where no policy gives one
 * @param revision of its policy set
 * @param managedBy who owns that set ("files: headgate.yaml"); null where it is edited by hand
 * @param wire how it is served on the wire port
 */
@Schema(name = "Domain")
public record DomainJson(
        String name,
        String database,
        String description,

        @Schema(allowableValues = {"gold", "silver", "bronze"}) @Nullable
        String tier,

        long revision,
        @Nullable String managedBy,
        Instant createdAt,
        DomainWireJson wire,
        PoolJson pool) {}
