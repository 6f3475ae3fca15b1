package dev.headgate.server.rehearsals;

import dev.headgate.server.rehearsals.ReplayResult.Figures;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How far the model can be trusted with this load: what the replay makes of the set in force, against what really happened.
 *
 * <p>Each figure is judged by itself: a model that meets the mean may miss the p99. A miss is relative to the real figure, but not
 * where that is too small to matter: a wait is compared with a whole response (wait and mean latency), refusals with all arrivals,
 * connections with at least one. A figure that the model misses by more than {@value #MOST_PERCENT} % cannot be used.
 *
 * @param usable whether all figures can be used; false if too little happened to tell
 * @param missPercent the largest miss
 * @param misses one for each figure; none if too little happened to tell
 * @param sentence says so
 */
@Schema(name = "ModelFit")
record ModelFit(boolean usable, double missPercent, List<Miss> misses, String sentence) {

    static final int MOST_PERCENT = 20;

    /** Fewer arrivals than this are chance. */
    static final int LEAST_ARRIVALS = 20;

    /**
     * One figure's miss.
     *
     * @param figure "latency" is its mean, "waits" their p99, "connections" their mean number
     * @param percent at most 1000
     */
    @Schema(name = "ModelMiss")
    record Miss(
            @Schema(
                    allowableValues = {
                        LATENCY,
                        LATENCY_P95,
                        LATENCY_P99,
                        WAITS,
                        LONGEST_WAIT,
                        CONNECTIONS,
                        MOST_CONNECTIONS,
                        REFUSED
                    })
            String figure,

            double actual,
            double modelled,
            double percent,
            boolean usable) {

        static final String LATENCY = "latency";
        static final String LATENCY_P95 = "latency-p95";
        static final String LATENCY_P99 = "latency-p99";
        static final String WAITS = "waits";
        static final String LONGEST_WAIT = "longest-wait";
        static final String CONNECTIONS = "connections";
        static final String MOST_CONNECTIONS = "most-connections";
        static final String REFUSED = "refused";

        private static final int LARGEST = 1_000;

        static Miss of(String figure, double actual, double modelled, double against) {
            double share = against <= 0 ? 0 : Math.abs(modelled - actual) / against;
            double percent = Math.min(LARGEST, Math.round(1_000 * share) / 10.0);
            return new Miss(figure, actual, modelled, percent, percent <= MOST_PERCENT);
        }

        private String text() {
            return "%s by %s %% (%s instead of %s)"
                    .formatted(name(), percent >= LARGEST ? "1000" : number(percent), number(modelled), number(actual));
        }

        private String name() {
            return switch (figure) {
                case LATENCY -> "the mean latency in ms";
                case LATENCY_P95 -> "the p95 of the latency in ms";
                case LATENCY_P99 -> "the p99 of the latency in ms";
                case WAITS -> "the p99 of the waits in ms";
                case LONGEST_WAIT -> "the longest wait in ms";
                case CONNECTIONS -> "the mean number of connections";
                case MOST_CONNECTIONS -> "the largest number of connections";
                default -> "the number of refused requests";
            };
        }

        private static String number(double value) {
            String digits = value >= 100 || value == Math.rint(value) ? "%.0f" : value >= 1 ? "%.1f" : "%.2f";
            return String.format(Locale.ROOT, digits, value);
        }
    }

    static ModelFit of(Figures actual, Figures modelled) {
        if (actual.arrivals() < LEAST_ARRIVALS) {
            String few = actual.arrivals() == 0 ? "No request" : "Only " + actual.arrivals() + " requests";
            return new ModelFit(
                    false, 0, List.of(), few + " came in this time: too few to tell how well the model fits.");
        }
        List<Miss> misses = List.of(
                latency(Miss.LATENCY, actual.meanMs(), modelled.meanMs()),
                latency(Miss.LATENCY_P95, actual.p95Ms(), modelled.p95Ms()),
                latency(Miss.LATENCY_P99, actual.p99Ms(), modelled.p99Ms()),
                wait(Miss.WAITS, actual.waitP99Ms(), modelled.waitP99Ms(), actual.meanMs()),
                wait(Miss.LONGEST_WAIT, actual.waitMaxMs(), modelled.waitMaxMs(), actual.meanMs()),
                connections(Miss.CONNECTIONS, actual.meanSize(), modelled.meanSize()),
                connections(Miss.MOST_CONNECTIONS, actual.mostSize(), modelled.mostSize()),
                Miss.of(Miss.REFUSED, (double) actual.refused(), (double) modelled.refused(), (double)
                        actual.arrivals()));
        double largest = misses.stream().mapToDouble(Miss::percent).max().orElse(0);
        String missed =
                misses.stream().filter(miss -> !miss.usable()).map(Miss::text).collect(Collectors.joining(", "));
        return new ModelFit(
                missed.isEmpty(),
                largest,
                misses,
                missed.isEmpty()
                        ? "The model fits: the set in force, replayed, comes to within %s %% of what happened."
                                .formatted(Miss.number(largest))
                        : "The model cannot be used for all figures here: for the set in force it misses %s."
                                .formatted(missed));
    }

    private static Miss latency(String figure, double actual, double modelled) {
        return Miss.of(figure, actual, modelled, actual);
    }

    private static Miss wait(String figure, double actual, double modelled, double latency) {
        return Miss.of(figure, actual, modelled, actual + latency);
    }

    private static Miss connections(String figure, double actual, double modelled) {
        return Miss.of(figure, actual, modelled, Math.max(1, actual));
    }
}
