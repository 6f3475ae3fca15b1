package dev.headgate.server.live;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.headgate.server.api.HealthJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.spi.Tier;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Some of what is shown of every domain, by column. A snapshot has a row for every domain, a delta one for each whose row has changed;
 * a domain may be in one part and not in the other.
 *
 * @param states how the domains are
 * @param figures left out where only the states are wanted
 */
@Schema(name = "StreamSummary")
record SummaryJson(
        States states,

        @Schema(requiredMode = Schema.RequiredMode.NOT_REQUIRED) @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
        Figures figures) {

    /** What rarely changes. Entry {@code n} of every column belongs to domain {@code n}. */
    @Schema(name = "SummaryStates")
    record States(
            List<String> domain,
            List<String> database,
            List<String> tier,
            List<SortedMap<String, String>> labels,
            List<@Nullable String> managedBy,
            List<Long> revision,
            List<String> state,
            List<HealthJson> health,
            List<SummaryLimit> limit) {

        static States of(Collection<State> rows) {
            return new States(
                    column(rows, State::domain),
                    column(rows, State::database),
                    column(rows, State::tier),
                    column(rows, State::labels),
                    owners(rows),
                    column(rows, State::revision),
                    column(rows, State::state),
                    column(rows, State::health),
                    column(rows, State::limit));
        }
    }

    /**
     * What changes with the load. Latency is that of requests over the last 10 s, 0 if none ended.
     *
     * @param turnedAway requests that got no lease within the last ten minutes
     */
    @Schema(name = "SummaryFigures")
    record Figures(
            List<String> domain,
            List<Integer> size,
            List<Integer> inUse,
            List<Integer> waiting,
            List<Integer> floor,
            List<Integer> ceiling,
            List<Integer> lent,
            List<Integer> guaranteed,
            List<Integer> budget,
            List<Double> p50Ms,
            List<Double> p99Ms,
            List<Double> perSecond,
            List<Long> turnedAway) {

        static Figures of(Collection<Load> rows) {
            return new Figures(
                    column(rows, Load::domain),
                    column(rows, Load::size),
                    column(rows, Load::inUse),
                    column(rows, Load::waiting),
                    column(rows, Load::floor),
                    column(rows, Load::ceiling),
                    column(rows, Load::lent),
                    column(rows, Load::guaranteed),
                    column(rows, Load::budget),
                    column(rows, Load::p50Ms),
                    column(rows, Load::p99Ms),
                    column(rows, Load::perSecond),
                    column(rows, Load::turnedAway));
        }
    }

    /** A pool's limit without its reason, whose figures change all the time. */
    @Schema(name = "SummaryLimit")
    record SummaryLimit(
            @Schema(
                    allowableValues = {
                        "policy",
                        "database-policy",
                        "rate",
                        "budget",
                        "unreachable",
                        "paused",
                        "draining",
                        "nothing"
                    })
            String by,

            @Nullable String policy,
            boolean holdsBack) {}

    /** One domain's row of the states. */
    record State(
            String domain,
            String database,
            String tier,
            SortedMap<String, String> labels,
            @Nullable String managedBy,
            long revision,
            String state,
            HealthJson health,
            SummaryLimit limit) {

        static State of(Tier tier, Registry.Entry entry, PoolJson pool) {
            return new State(
                    pool.domain(),
                    pool.database(),
                    tier.name().toLowerCase(Locale.ROOT),
                    entry.labels(),
                    entry.managedBy(),
                    pool.revision(),
                    pool.state(),
                    pool.health(),
                    new SummaryLimit(
                            pool.limit().by(),
                            pool.limit().policy(),
                            pool.limit().holdsBack()));
        }
    }

    /** One domain's row of the figures. */
    record Load(
            String domain,
            int size,
            int inUse,
            int waiting,
            int floor,
            int ceiling,
            int lent,
            int guaranteed,
            int budget,
            double p50Ms,
            double p99Ms,
            double perSecond,
            long turnedAway) {

        /** @param turnedAway becomes less also where nothing is measured any more, so it is no part of what was shown last */
        static Load of(PoolJson pool, long turnedAway) {
            return new Load(
                    pool.domain(),
                    pool.size(),
                    pool.inUse(),
                    pool.waiting(),
                    pool.floor(),
                    pool.ceiling(),
                    pool.lent(),
                    pool.guaranteed(),
                    pool.budget(),
                    pool.latency().p50Ms(),
                    pool.latency().p99Ms(),
                    pool.latency().perSecond(),
                    turnedAway);
        }
    }

    private static List<@Nullable String> owners(Collection<State> rows) {
        List<@Nullable String> owners = new ArrayList<>(rows.size());
        rows.forEach(row -> owners.add(row.managedBy()));
        return owners;
    }

    private static <R, T> List<T> column(Collection<R> rows, Function<R, T> figure) {
        return rows.stream().map(figure).toList();
    }
}
