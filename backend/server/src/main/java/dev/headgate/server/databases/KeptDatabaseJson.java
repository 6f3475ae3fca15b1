package dev.headgate.server.databases;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.headgate.server.api.DatabaseJson;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One database with the fields that only the store knows. The stream leaves these out, because it asks only the engine.
 *
 * @param managedBy the owner of its policy set ("files: headgate.yaml"); null if it is edited by hand
 */
@Schema(name = "Database")
record KeptDatabaseJson(
        @JsonUnwrapped DatabaseJson database, @Nullable String managedBy) {}
