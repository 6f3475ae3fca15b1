package dev.headgate.server.api;

import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.connect.ServerFacts;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The live part of a database: what of {@link DatabaseJson} changes by itself. */
@Schema(name = "DatabaseSummary")
public record DatabaseSummaryJson(
        String name,
        int open,
        int budget,
        boolean reachable,
        @Nullable String unreachableReason,
        @Nullable Integer serverMaxConnections,
        @Nullable Integer othersUse) {

    public static DatabaseSummaryJson of(DatabaseStatus status) {
        return new DatabaseSummaryJson(
                status.name(),
                status.open(),
                status.budget(),
                status.unreachable().isEmpty(),
                status.unreachable().map(DatabaseStatus.Unreachable::reason).orElse(null),
                status.facts().map(ServerFacts::maxConnections).orElse(null),
                status.facts().map(ServerFacts::othersUse).orElse(null));
    }
}
