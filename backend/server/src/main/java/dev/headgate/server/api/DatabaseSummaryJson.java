package dev.headgate.server.api;

import dev.headgate.engine.DatabaseStatus;
import io.swagger.v3.oas.annotations.media.Schema;

/** The live part of a database. */
@Schema(name = "DatabaseSummary")
public record DatabaseSummaryJson(String name, int open, int budget, boolean reachable) {

    public static DatabaseSummaryJson of(DatabaseStatus status) {
        return new DatabaseSummaryJson(
                status.name(),
                status.open(),
                status.budget(),
                status.unreachable().isEmpty());
    }
}
