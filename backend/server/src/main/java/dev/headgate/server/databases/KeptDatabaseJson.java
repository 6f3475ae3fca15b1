package dev.headgate.server.databases;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.headgate.server.api.DatabaseJson;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One database, with what the store alone knows of it. The stream goes without: it asks the engine only.
 *
 * @param managedBy who owns its policy set ("files: headgate.yaml"); null where it is edited by hand
 */
@Schema(name = "Database")
record KeptDatabaseJson(
        @JsonUnwrapped DatabaseJson database, @Nullable String managedBy) {}
