package dev.headgate.server.api;

import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.connect.ServerFacts;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live part of a database: what of {@link DatabaseJson} changes by itself.
 *
 * @param health the state in one word, one sentence and one severity
 * @param alarms of the database itself that stand, oldest first
 */
@Schema(name = "DatabaseSummary")
public record DatabaseSummaryJson(
        String name,
        int open,
        int budget,
        HealthJson health,
        List<AlarmJson> alarms,
        boolean reachable,
        @Nullable String unreachableReason,
        @Nullable Integer serverMaxConnections,
        @Nullable Integer othersUse) {

    public static DatabaseSummaryJson of(DatabaseStatus status) {
        return new DatabaseSummaryJson(
                status.name(),
                status.open(),
                status.budget(),
                HealthJson.of(status.health()),
                status.alarms().stream().map(AlarmJson::of).toList(),
                status.unreachable().isEmpty(),
                status.unreachable().map(DatabaseStatus.Unreachable::reason).orElse(null),
                status.facts().map(ServerFacts::maxConnections).orElse(null),
                status.facts().map(ServerFacts::othersUse).orElse(null));
    }
}
