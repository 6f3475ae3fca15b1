package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.HistoryJson;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Puts together what was measured and what was decided at one instant, so that "why did this wait?" takes one look. */
@Service
class Explanations {

    private static final Duration AROUND = Duration.ofSeconds(1);
    private static final int MOST = 20;
    private static final Set<String> LIMITING = Set.of("limits", "policy", "shrank", "grew");
    private static final List<String> REASONS =
            List.of("paused", "drained", "unreachable", "refused", "held", "reclaimed", "shrank", "limits");

    private final History history;
    private final DecisionLog decisions;
    private final Clock clock;

    Explanations(History history, DecisionLog decisions, Clock clock) {
        this.history = history;
        this.decisions = decisions;
        this.clock = clock;
    }

    /**
     * Blocks on the control store.
     *
     * @param when the instant; null for now
     */
    Explanation of(String domain, @Nullable Instant when) {
        Instant at = when == null ? clock.instant() : when;
        Explanation.@Nullable Moment moment =
                history.of(domain, History.LENGTH).map(each -> moment(each, at)).orElse(null);
        List<DecisionJson> around = decisions
                .page(new DecisionFilter(domain, null, null, at.minus(AROUND), at.plus(AROUND)), null, MOST)
                .items();
        @Nullable
        DecisionJson standing =
                decisions
                        .page(new DecisionFilter(domain, null, null, null, at.plusNanos(1_000)), null, 200)
                        .items()
                        .stream()
                        .filter(decision -> LIMITING.contains(decision.kind()))
                        .findFirst()
                        .orElse(null);
        return new Explanation(at, sentence(domain, moment, standing, around), moment, standing, around);
    }

    private static Explanation.@Nullable Moment moment(HistoryJson history, Instant at) {
        // a row's time is its second's end
        int row = history.time().indexOf(Instant.ofEpochSecond(at.getEpochSecond() + 1));
        if (row < 0) {
            return null;
        }
        HistoryJson.Columns columns = history.columns();
        return new Explanation.Moment(
                columns.inUse().get(row),
                columns.size().get(row),
                columns.waiting().get(row),
                columns.floor().get(row),
                columns.ceiling().get(row),
                columns.meanMs().get(row),
                columns.p99Ms().get(row),
                columns.waitP99Ms().get(row),
                columns.refusedPerSecond().get(row));
    }

    static String sentence(
            String domain,
            Explanation.@Nullable Moment moment,
            @Nullable DecisionJson standing,
            List<DecisionJson> around) {
        StringBuilder text = new StringBuilder();
        if (moment == null) {
            text.append("There are no figures of ").append(domain).append(" for that second. ");
        } else if (positive(moment.waiting())) {
            text.append("%s had %s of %s connections in use and up to %s waiting%s. "
                    .formatted(
                            domain,
                            few(moment.inUse()),
                            number(moment.size()),
                            number(moment.waiting()),
                            moment.waitP99Ms() == null
                                    ? ""
                                    : "; of those that got one, 99 % waited at most " + number(moment.waitP99Ms())
                                            + " ms"));
        } else {
            text.append("Nobody waited in %s: %s of %s connections were in use on average, the ceiling was %s. "
                    .formatted(domain, few(moment.inUse()), number(moment.size()), number(moment.ceiling())));
        }
        for (String kind : REASONS) {
            for (DecisionJson decision : around) {
                if (decision.kind().equals(kind)) {
                    return text.append(decision.message()).toString();
                }
            }
        }
        if (moment != null && positive(moment.waiting())) {
            text.append("It was below its ceiling of %s: connections were still opening, or were released too late. "
                    .formatted(number(moment.ceiling())));
        }
        if (standing != null) {
            text.append("Revision %d was in force: %s".formatted(standing.revision(), standing.message()));
        }
        return text.toString().strip();
    }

    private static boolean positive(@Nullable Double value) {
        return value != null && value > 0;
    }

    /** A mean of which the decimals would say nothing. */
    private static String few(@Nullable Double value) {
        return value != null && value > 0 && value < 0.05 ? "hardly any" : number(value);
    }

    private static String number(@Nullable Double value) {
        if (value == null) {
            return "?";
        }
        return value == Math.rint(value)
                ? Long.toString(Math.round(value))
                : String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }
}
