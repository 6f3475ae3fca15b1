package dev.headgate.server.domains;

import dev.headgate.server.api.PoolJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * One domain and the current state of its pool.
 *
 * @param labels names and values that group it with others
 * @param tier null if no policy gives one
 * @param revision of its policy set
 * @param managedBy the owner of that set ("files: headgate.yaml"); null if it is edited by hand
 * @param wire its settings on the wire port
 * @param sql its settings for SQL over HTTP
 */
@Schema(name = "Domain")
public record DomainJson(
        String name,
        String database,
        String description,

        @Schema(ref = LabelSchema.REFERENCE) SortedMap<String, String> labels,

        @Schema(allowableValues = {"gold", "silver", "bronze"}) @Nullable
        String tier,

        long revision,
        @Nullable String managedBy,
        Instant createdAt,
        DomainWireJson wire,
        DomainSqlJson sql,
        PoolJson pool) {}
