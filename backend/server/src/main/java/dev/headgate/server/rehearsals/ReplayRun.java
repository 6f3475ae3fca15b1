package dev.headgate.server.rehearsals;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A replay that runs by itself.
 *
 * @param progress which share of the record has been replayed, from 0 to 1
 * @param result of a replay that is done
 * @param problem of one that failed: why, in a sentence
 */
@Schema(name = "ReplayRun")
record ReplayRun(
        String id,
        @Schema(allowableValues = {RUNNING, DONE, FAILED}) String state,

        double progress,
        @Nullable ReplayResult result,
        @Nullable String problem) {

    static final String RUNNING = "running";
    static final String DONE = "done";
    static final String FAILED = "failed";
}
