package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.Paging;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Combines the measurements and the decisions of one instant, to answer "why did this wait?". */
@Service
class Explanations {

    private static final Duration AROUND = Duration.ofSeconds(1);
    private static final int MOST = 20;
    /** Of now, the last whole second is told: the figures of this one are not known yet. */
    private static final Duration LAST_SECOND = Duration.ofSeconds(1);

    /** Shorter waits are only the hand-over, and are shown as no wait. */
    private static final double SHORTEST_WAIT_MS = 0.05;

    private static final Set<String> LIMITING = Set.of("limits", "policy", "shrank", "grew");
    private static final List<String> REASONS =
            List.of("paused", "drained", "unreachable", "refused", "held", "reclaimed", "shrank", "limits");

    private final Moments moments;
    private final DecisionLog decisions;
    private final LimitFacts limits;
    private final Clock clock;

    Explanations(Moments moments, DecisionLog decisions, LimitFacts limits, Clock clock) {
        this.limits = limits;
        this.moments = moments;
        this.decisions = decisions;
        this.clock = clock;
    }

    /**
     * Blocks on the control store.
     *
     * @param when the instant; null for now
     */
    Explanation of(String domain, @Nullable Instant when) {
        Instant at = when == null ? clock.instant().minus(LAST_SECOND) : when;
        Explanation.@Nullable Moment moment = moments.of(domain, at).orElse(null);
        List<DecisionJson> around = decisions
                .page(
                        new DecisionFilter(domain, null, null, null, null, at.minus(AROUND), at.plus(AROUND)),
                        newest(MOST))
                .items();
        @Nullable
        DecisionJson standing =
                decisions.latestOfDomain(domain, LIMITING, after(at)).orElse(null);
        return new Explanation(
                at,
                sentence(domain, moment, standing, moment == null ? around : within(around, at)),
                moment,
                standing,
                (when == null ? limits.now(domain) : limits.at(at, domain, moment, standing))
                        .map(LimitTable::of)
                        .orElse(List.of()),
                around);
    }

    /** The end of a search that includes an instant: the log keeps microseconds. */
    static Instant after(Instant at) {
        return at.plusNanos(1_000);
    }

    /** The decisions of the second whose figures are shown. Others would contradict these figures. */
    private static List<DecisionJson> within(List<DecisionJson> decisions, Instant at) {
        Instant from = Instant.ofEpochSecond(at.getEpochSecond());
        return decisions.stream()
                .filter(decision ->
                        !decision.lastTime().isBefore(from) && decision.time().isBefore(from.plusSeconds(1)))
                .toList();
    }

    /** @param decisions of the moment's second; without a moment, those around it */
    static String sentence(
            String domain,
            Explanation.@Nullable Moment moment,
            @Nullable DecisionJson standing,
            List<DecisionJson> decisions) {
        StringBuilder text = new StringBuilder();
        double waiting = moment == null ? 0 : mostWaiting(moment, decisions);
        if (moment == null) {
            text.append("There are no figures of ").append(domain).append(" for that second. ");
        } else {
            text.append(figures(domain, moment, waiting));
        }
        for (String kind : REASONS) {
            for (DecisionJson decision : decisions) {
                if (decision.kind().equals(kind)) {
                    return text.append(decision.message()).toString();
                }
            }
        }
        if (moment != null && waiting > 0) {
            text.append(whyWaiting(moment));
        }
        if (standing != null) {
            text.append("Revision %d was in force: %s".formatted(standing.revision(), standing.message()));
        }
        return text.toString().strip();
    }

    /** The most waiting requests that are known. They are counted at the ends of windows and in decisions. */
    private static double mostWaiting(Explanation.Moment moment, List<DecisionJson> decisions) {
        int seen = decisions.stream()
                .mapToInt(decision -> decision.inputs().waiting())
                .max()
                .orElse(0);
        return Math.max(seen, moment.waiting() == null ? 0 : moment.waiting());
    }

    private static String figures(String domain, Explanation.Moment moment, double waiting) {
        String held = "%s of %s connections".formatted(few(moment.inUse()), number(moment.size()));
        String longest = atLeast(moment.waitP99Ms(), SHORTEST_WAIT_MS) ? number(moment.waitP99Ms()) + " ms" : "";
        if (waiting > 0) {
            return "%s had %s in use and up to %s waiting%s. "
                    .formatted(
                            domain,
                            held,
                            number(waiting),
                            longest.isEmpty() ? "" : "; of those that got one, 99 % waited at most " + longest);
        }
        if (!longest.isEmpty()) {
            return "%s had %s in use on average; of those that got one, 99 %% waited at most %s. "
                    .formatted(domain, held, longest);
        }
        if (moment.waiting() == null || atLeast(moment.refusedPerSecond(), Double.MIN_VALUE)) {
            return "%s had %s in use on average. ".formatted(domain, held);
        }
        return "Nobody waited in %s: %s were in use on average, the ceiling was %s. "
                .formatted(domain, held, number(moment.ceiling()));
    }

    private static String whyWaiting(Explanation.Moment moment) {
        if (moment.size() == null || moment.ceiling() == null) {
            return "";
        }
        return moment.size() < moment.ceiling()
                ? "It was below its ceiling of %s: connections were still opening, or were released too late. "
                        .formatted(number(moment.ceiling()))
                : "It held as many as its ceiling of %s allows. ".formatted(number(moment.ceiling()));
    }

    private static boolean atLeast(@Nullable Double value, double least) {
        return value != null && value >= least;
    }

    /** A mean without meaningless decimals. */
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

    private static Paging<DecisionKey> newest(int count) {
        return DecisionKey.CURSORS.paging(count, null);
    }
}
