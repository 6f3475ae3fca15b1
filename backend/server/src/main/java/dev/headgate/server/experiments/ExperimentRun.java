package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Report;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of an experiment, as it is stored.
 *
 * @param form "quick" or "full"; of its values, those that were given replace the form's
 * @param state "running", "done", "failed" or "cancelled"
 * @param endedAt null while it runs
 * @param report null unless it is done
 * @param problem why it failed; null otherwise
 */
record ExperimentRun(
        long id,
        String experiment,
        String form,
        Map<String, Double> values,
        long seed,
        String state,
        Instant startedAt,
        @Nullable Instant endedAt,
        String startedBy,
        SetUp setUp,
        @Nullable Report report,
        @Nullable String problem) {

    static final String RUNNING = "running";
    static final String DONE = "done";
    static final String FAILED = "failed";
    static final String CANCELLED = "cancelled";

    /**
     * What a run was measured on.
     *
     * @param headgate its version
     * @param jdk the JVM's version
     * @param postgres the version of the run's server; empty before it has started
     * @param processors that the JVM may use
     * @param memoryBytes the heap's limit
     * @param system operating system and architecture
     */
    @Schema(name = "ExperimentSetUp")
    record SetUp(String headgate, String jdk, String postgres, int processors, long memoryBytes, String system) {}
}
