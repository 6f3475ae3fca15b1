package dev.headgate.server.problems;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of every error, RFC 9457.
 *
 * @param currentRevision of a stale revision: the one in force
 * @param actor of a stale revision: who made the one in force
 * @param diff of a stale diff: what the files would change now
 * @param sql of a statement's error: what the server says
 */
@Schema(name = "Problem")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProblemJson(
        URI type,
        String title,
        int status,
        @Nullable String detail,
        @Nullable String instance,
        @Nullable List<Fault> errors,
        @Nullable Long currentRevision,
        @Nullable String actor,

        @Schema(ref = "#/components/schemas/FilesAnswer") @Nullable
        Object diff,

        @Nullable SqlErrorJson sql) {

    static ProblemJson of(ProblemException e, String instance) {
        return new ProblemJson(
                e.type().uri(),
                e.type().title(),
                e.type().status(),
                e.getMessage(),
                instance,
                e.faults().isEmpty() ? null : e.faults(),
                e.currentRevision(),
                e.currentActor(),
                e.diff(),
                e.sql());
    }
}
