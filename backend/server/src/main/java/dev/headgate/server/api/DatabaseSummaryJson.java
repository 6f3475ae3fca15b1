package dev.headgate.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
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
 * @param answers of the policies of its own set; absent where only a summary of all domains is wanted
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
        @Nullable Integer othersUse,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<AnswerJson> answers) {

    /** With the answers of its policies. */
    public static DatabaseSummaryJson of(DatabaseStatus status) {
        return of(status, AnswerJson.all(status.answers()));
    }

    public static DatabaseSummaryJson withoutAnswers(DatabaseStatus status) {
        return of(status, null);
    }

    private static DatabaseSummaryJson of(DatabaseStatus status, @Nullable List<AnswerJson> answers) {
        return new DatabaseSummaryJson(
                status.name(),
                status.open(),
                status.budget(),
                HealthJson.of(status.health()),
                status.alarms().stream().map(AlarmJson::of).toList(),
                status.unreachable().isEmpty(),
                status.unreachable().map(DatabaseStatus.Unreachable::reason).orElse(null),
                status.facts().map(ServerFacts::maxConnections).orElse(null),
                status.facts().map(ServerFacts::othersUse).orElse(null),
                answers);
    }
}
