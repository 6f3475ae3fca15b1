package dev.headgate.server.rehearsals;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A replay that runs in the background.
 *
 * @param leases the size of the record: requests for leases of all domains of the database, counted when the replay was asked for
 * @param progress the replayed share of the record, from 0 to 1
 * @param result if the replay is done
 * @param problem the reason, in a sentence, if it failed
 */
@Schema(name = "ReplayRun")
record ReplayRun(
        String id,
        @Schema(allowableValues = {RUNNING, DONE, FAILED}) String state,

        long leases,
        double progress,
        @Nullable ReplayResult result,
        @Nullable String problem) {

    static final String RUNNING = "running";
    static final String DONE = "done";
    static final String FAILED = "failed";
}
