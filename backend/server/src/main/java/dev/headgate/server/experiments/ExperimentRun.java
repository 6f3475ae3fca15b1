package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Report;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.Collectors;
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

    /** What its report says of how it was measured, by name, in the order in which people read it. */
    SequencedMap<String, String> facts() {
        SequencedMap<String, String> facts = new LinkedHashMap<>();
        facts.put("run", Long.toString(id));
        facts.put("form", form);
        facts.put(
                "values",
                values.entrySet().stream()
                        .map(each -> each.getKey() + "=" + plain(each.getValue()))
                        .collect(Collectors.joining(" ")));
        facts.put("seed", Long.toString(seed));
        facts.put("started", startedAt.toString());
        if (endedAt != null) {
            facts.put(
                    "took",
                    String.format(
                            Locale.ROOT,
                            "%.1f s",
                            Duration.between(startedAt, endedAt).toMillis() / 1e3));
        }
        facts.putAll(setUp.facts());
        return facts;
    }

    /** What tells its samples from those of other runs, by the name of a column. */
    SequencedMap<String, String> origin() {
        SequencedMap<String, String> origin = new LinkedHashMap<>();
        origin.put("run", Long.toString(id));
        origin.put("startedAt", startedAt.toString());
        origin.put("headgate", setUp.headgate());
        origin.put("seed", Long.toString(seed));
        return origin;
    }

    /** Without an exponent or a trailing ".0", as {@code --set} takes it. */
    private static String plain(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    /**
     * What a run was measured on.
     *
     * @param headgate its version and build
     * @param jdk the JVM's version
     * @param postgres the version of the run's server; empty before it has started
     * @param versions of the driver and the pools, by name
     * @param processor its model; empty for a run that an earlier version measured
     * @param processors that the JVM may use
     * @param load the average of the machine's last minute when the run began; null where the system does not tell
     * @param memoryBytes the heap's limit
     * @param system operating system and architecture
     */
    @Schema(name = "ExperimentSetUp")
    record SetUp(
            String headgate,
            String jdk,
            String postgres,
            Map<String, String> versions,
            String processor,
            int processors,
            @Nullable Double load,
            long memoryBytes,
            String system) {

        /** A stored one may lack what an earlier version did not know. */
        SetUp {
            versions = Objects.requireNonNullElse(versions, Map.of());
            processor = Objects.requireNonNullElse(processor, "");
        }

        private SequencedMap<String, String> facts() {
            SequencedMap<String, String> facts = new LinkedHashMap<>();
            facts.put("Headgate", headgate);
            facts.put("PostgreSQL", postgres);
            facts.put("Java", jdk);
            facts.putAll(versions);
            facts.put("processors", processor.isEmpty() ? "" + processors : processors + " x " + processor);
            facts.put("load average before", load == null ? "unknown" : String.format(Locale.ROOT, "%.2f", load));
            facts.put("heap", (memoryBytes >> 20) + " MiB");
            facts.put("system", system);
            return facts;
        }

        /** Whether machine and versions are the same, whatever else ran on the machine. */
        boolean sameAs(SetUp other) {
            return withLoad(null).equals(other.withLoad(null));
        }

        private SetUp withLoad(@Nullable Double other) {
            return new SetUp(headgate, jdk, postgres, versions, processor, processors, other, memoryBytes, system);
        }

        SetUp withPostgres(String version) {
            return new SetUp(headgate, jdk, version, versions, processor, processors, load, memoryBytes, system);
        }
    }
}
