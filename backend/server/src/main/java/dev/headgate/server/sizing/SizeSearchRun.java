package dev.headgate.server.sizing;

import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A search for a pool's size.
 *
 * @param doing what is measured now; null unless it runs
 * @param endedAt null while it runs
 * @param mostSeconds it ends within this time
 * @param trialSeconds how long a size is held, of which the first second is not measured
 * @param least the smallest size that may be tried
 * @param most the largest
 * @param before the size in force when it began
 * @param trials in order
 * @param answer null unless it is done
 * @param problem why there is no answer, in a sentence; null if there is one, or may be
 */
@Schema(name = "SizeSearch")
record SizeSearchRun(
        String id,
        String domain,

        @Schema(allowableValues = {RUNNING, DONE, FAILED, CANCELLED})
        String state,

        @Nullable String doing,
        Instant startedAt,
        @Nullable Instant endedAt,
        String startedBy,
        int mostSeconds,
        double trialSeconds,
        int least,
        int most,
        int before,
        List<Trial> trials,
        @Nullable SizeAnswer answer,
        @Nullable String problem) {

    static final String RUNNING = "running";
    static final String DONE = "done";
    static final String FAILED = "failed";
    static final String CANCELLED = "cancelled";

    /**
     * The size that was found.
     *
     * @param revision of the policy set in force, which the answer is to replace
     * @param sentence says why
     * @param policySet gives the pool that size; ready to be put
     */
    @Schema(name = "SizeAnswer")
    record SizeAnswer(int size, long revision, String sentence, PolicySetRequest policySet) {}

    boolean isRunning() {
        return state.equals(RUNNING);
    }
}
