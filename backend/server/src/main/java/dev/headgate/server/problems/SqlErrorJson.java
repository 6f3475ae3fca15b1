package dev.headgate.server.problems;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A statement's error, as the server states it (PostgreSQL documentation, "Error and Notice Message Fields").
 *
 * @param code the SQLSTATE
 * @param position where in the statement, in characters from 1 on
 */
@Schema(name = "SqlError")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SqlErrorJson(
        String code,
        String message,
        @Nullable String detail,
        @Nullable String hint,
        @Nullable Integer position,
        @Nullable String where,
        @Nullable String schema,
        @Nullable String table,
        @Nullable String column,
        @Nullable String dataType,
        @Nullable String constraint) {}
