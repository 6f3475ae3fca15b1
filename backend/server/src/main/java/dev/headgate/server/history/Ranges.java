package dev.headgate.server.history;

import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.api.Second;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.problems.ProblemException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Answers what any kept range of a domain was, from the control store. Every method blocks on it. */
@Service
class Ranges {

    private static final int MOST_MARKERS = 200;

    private final Archive archive;
    private final ChunkStore store;
    private final Retention retention;
    private final Policies policies;
    private final Clock clock;

    Ranges(Archive archive, ChunkStore store, Retention retention, Policies policies, Clock clock) {
        this.archive = archive;
        this.store = store;
        this.retention = retention;
        this.policies = policies;
        this.clock = clock;
    }

    /**
     * How a range is answered: as far back as it is kept, and up to now.
     *
     * @param from in seconds since the epoch
     * @param to not included
     * @param step in seconds; null to choose one
     */
    Span span(long from, long to, @Nullable Integer step) {
        Instant now = clock.instant();
        long end = Math.min(to, now.getEpochSecond() + 1);
        return Span.of(Math.min(from, end), end, step, retention.since(now));
    }

    /**
     * The rows and the total of a range. Of a deleted domain, those of the last one of that name.
     *
     * @throws ProblemException not-found
     */
    HistoryJson of(String domain, Span span) {
        Instant created = store.created(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
        Rolled rolled = new Rolled(span);
        archive.read(domain, created, span.resolution(), span.from(), span.to(), rolled::add);
        List<HistoryJson.Marker> markers = policies.markers(
                Scope.domain(domain),
                Instant.ofEpochSecond(span.from()),
                Instant.ofEpochSecond(span.to()),
                MOST_MARKERS);
        return rolled.toJson(markers);
    }

    /** The figures of an instant: of the shortest row that is kept of it. Empty if none is. */
    Optional<Second> at(String domain, Instant at) {
        return store.created(domain).flatMap(created -> at(domain, created, at));
    }

    /** The same of the domain that had this name then, if it is another one. */
    Optional<Second> then(String domain, Instant at) {
        return store.created(domain, at).flatMap(created -> at(domain, created, at));
    }

    private Optional<Second> at(String domain, Instant created, Instant at) {
        long second = at.getEpochSecond();
        Span span = span(second, second + 1, null);
        long from = span.row(second);
        Sum row = new Sum();
        archive.read(domain, created, span.resolution(), from, from + span.step(), row::add);
        return row.isEmpty() ? Optional.empty() : Optional.of(row.toSecond(Instant.ofEpochSecond(from + span.step())));
    }

    /** Makes rows and a total of periods that come oldest first. */
    private static final class Rolled {
        private final Span span;
        private final Sum row = new Sum();
        private final Sum total = new Sum();
        private final List<Instant> time = new ArrayList<>();
        private final List<@Nullable Second> rows = new ArrayList<>();
        private long start;

        Rolled(Span span) {
            this.span = span;
        }

        void add(Period period) {
            long its = span.row(period.start());
            if (!row.isEmpty() && its > start) {
                finish();
                for (long gap = start + span.step(); gap < its; gap += span.step()) {
                    put(gap, null);
                }
            }
            start = row.isEmpty() ? its : start;
            row.add(period);
            total.add(period);
        }

        private void finish() {
            put(start, row.toSecond(end(start)));
            row.clear();
        }

        private void put(long from, @Nullable Second figures) {
            time.add(end(from));
            rows.add(figures);
        }

        private Instant end(long from) {
            return Instant.ofEpochSecond(from + span.step());
        }

        HistoryJson toJson(List<HistoryJson.Marker> markers) {
            if (!row.isEmpty()) {
                finish();
            }
            Instant end = Instant.ofEpochSecond(span.to());
            return new HistoryJson(
                    span.step() * 1_000L,
                    time,
                    new HistoryJson.Columns(
                            column(Second::inUse),
                            column(Second::size),
                            column(Second::waiting),
                            column(Second::floor),
                            column(Second::ceiling),
                            column(Second::p50Ms),
                            column(Second::p95Ms),
                            column(Second::p99Ms),
                            column(Second::meanMs),
                            column(Second::waitP99Ms),
                            column(Second::perSecond),
                            column(Second::errorsPerSecond),
                            column(Second::refusedPerSecond),
                            column(Second::leasesPerSecond)),
                    markers,
                    HistoryJson.Total.of(Instant.ofEpochSecond(span.from()), end, total.toMeasured()));
        }

        private List<@Nullable Double> column(Function<Second, @Nullable Double> figure) {
            List<@Nullable Double> values = new ArrayList<>(rows.size());
            for (Second each : rows) {
                values.add(each == null ? null : figure.apply(each));
            }
            return values;
        }
    }
}
