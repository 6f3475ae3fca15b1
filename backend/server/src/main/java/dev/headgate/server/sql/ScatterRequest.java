package dev.headgate.server.sql;

import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * Statements for several domains at once.
 *
 * @param deadlineMs the most time for all of them
 * @param onError whether the others go on if one fails ({@code partial}, the default), or all end ({@code fail})
 * @param orderBy merges rows by this column, which every branch must have and be sorted by; without it rows come as they arrive
 * @param descending whether the branches are sorted from the largest down
 */
@Schema(name = "SqlScatter")
record ScatterRequest(
        @ArraySchema(minItems = 1, maxItems = MOST_BRANCHES) List<BranchRequest> branches,

        @Range(min = 1, max = SqlRequest.MOST_TIME_MS) @Nullable
        Integer deadlineMs,

        @Nullable OnError onError,
        @Nullable String orderBy,
        @Nullable Boolean descending) {

    static final int MOST_BRANCHES = 64;

    enum OnError {
        partial,
        fail
    }

    /** One branch; the fields are those of a single statement. */
    @Schema(name = "SqlBranch")
    record BranchRequest(
            String domain,
            String sql,

            @ArraySchema(maxItems = 65535, schema = @Schema(implementation = Object.class)) @Nullable
            List<Parameter> params,

            @ArraySchema(maxItems = 65535) @Nullable List<@Nullable String> types) {}
}
