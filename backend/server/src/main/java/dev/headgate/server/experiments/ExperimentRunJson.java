package dev.headgate.server.experiments;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of an experiment.
 *
 * @param values of every parameter
 * @param seed of everything random in it
 * @param progress 0..1
 * @param doing what is measured now; null unless it runs
 * @param endedAt null while it runs
 * @param report null unless it is done; lists leave it out
 * @param problem why it failed
 */
@Schema(name = "ExperimentRun")
record ExperimentRunJson(
        String id,
        String experiment,

        @Schema(allowableValues = {"quick", "full"}) String form,

        Map<String, Double> values,
        long seed,

        @Schema(allowableValues = {"running", "done", "failed", "cancelled"})
        String state,

        double progress,
        @Nullable String doing,
        Instant startedAt,
        @Nullable Instant endedAt,
        String startedBy,
        ExperimentRun.SetUp setUp,
        @Nullable ReportJson report,
        @Nullable String problem) {

    /** A run that has ended, or of which no more is known. */
    static ExperimentRunJson of(ExperimentRun run) {
        return of(run, run.state().equals(ExperimentRun.RUNNING) ? 0 : 1, null);
    }

    static ExperimentRunJson of(ExperimentRun run, double progress, @Nullable String doing) {
        return new ExperimentRunJson(
                Long.toString(run.id()),
                run.experiment(),
                run.form(),
                run.values(),
                run.seed(),
                run.state(),
                progress,
                doing,
                run.startedAt(),
                run.endedAt(),
                run.startedBy(),
                run.setUp(),
                run.report() == null ? null : ReportJson.of(run.report()),
                run.problem());
    }
}
