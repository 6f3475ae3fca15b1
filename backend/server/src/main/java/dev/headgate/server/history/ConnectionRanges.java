package dev.headgate.server.history;

import dev.headgate.server.history.ConnectionChunkStore.Extent;
import dev.headgate.server.history.ConnectionChunkStore.Head;
import dev.headgate.server.problems.ProblemException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Answers what any kept range of a domain's connections was, from the control store and from memory. Every method blocks on the store. */
@Service
class ConnectionRanges {

    /** Columns of an answer whose step the service chooses. */
    private static final int MOST_COLUMNS = 300;

    /** Columns that a caller may ask for. */
    static final int MOST_ASKED = 1_200;

    /** What a byte of a chunk is in memory while it is read, about. */
    private static final long UNPACKED = 16;

    /** Coarse first. Ten minutes are not kept. */
    private static final List<Resolution> COARSEST_FIRST =
            List.of(Resolution.MINUTES, Resolution.TENS, Resolution.SECONDS);

    private final ConnectionHistory history;
    private final ConnectionChunkStore store;
    private final ChunkStore series;
    private final Retention retention;
    private final Clock clock;

    ConnectionRanges(
            ConnectionHistory history,
            ConnectionChunkStore store,
            ChunkStore series,
            Retention retention,
            Clock clock) {
        this.history = history;
        this.store = store;
        this.series = series;
        this.retention = retention;
        this.clock = clock;
    }

    /**
     * What is read for an answer.
     *
     * @param heads of the chunks; no measured second is in two of them
     * @param inMemory the seconds that are in none of them
     */
    record Reading(Span span, List<Head> heads, List<ConnectionPeriod> inMemory) {

        /** The bytes that it takes to answer, about. */
        long bytes() {
            return UNPACKED * heads.stream().mapToLong(Head::bytes).sum()
                    + 100L
                            * inMemory.stream()
                                    .mapToLong(each -> each.cells().size())
                                    .sum();
        }
    }

    /**
     * Looks what there is of a range.
     *
     * @param from in seconds since the epoch
     * @param to not included
     * @param step in seconds; null to choose one
     * @throws ProblemException not-found
     */
    Reading reading(String domain, long from, long to, @Nullable Integer step) {
        Instant created = series.created(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
        Instant now = clock.instant();
        long end = Math.min(to, now.getEpochSecond() + 1);
        Map<Resolution, Long> since = since(
                store.extents(domain, created),
                now.minus(retention.ofConnections(Resolution.MINUTES)).getEpochSecond());
        Span span = Span.of(Math.min(from, end), end, step, MOST_COLUMNS, since);
        // The memory first, so that nothing is missed that is stored meanwhile.
        ConnectionHistory.InMemory inMemory = history.of(domain, span.from(), span.to());
        List<Head> heads = cover(store.heads(domain, created, span.from(), span.to()), span.resolution());
        List<ConnectionPeriod> rest = inMemory.seconds().stream()
                .filter(second -> heads.stream()
                        .noneMatch(head -> head.series() == inMemory.series()
                                && head.start() <= second.start()
                                && second.start() < head.finish()))
                .toList();
        return new Reading(span, heads, rest);
    }

    /** @param connection the only one that is wanted; null for all */
    ConnectionHistoryJson of(Reading reading, @Nullable String connection) {
        Span span = reading.span();
        ConnectionGrid grid = new ConnectionGrid(span.step(), connection);
        for (ConnectionChunkStore.Stored stored : store.chunks(reading.heads())) {
            for (ConnectionPeriod period : ConnectionArchive.periods(stored.chunk())) {
                if (period.start() >= span.from() && period.start() < span.to()) {
                    grid.add(period);
                }
            }
        }
        reading.inMemory().forEach(grid::add);
        return grid.toJson();
    }

    /**
     * From when on each resolution is kept of a domain: since its oldest chunk if a coarser one has a whole period before it, and
     * otherwise from the beginning. A coarser one of the same first second begins up to a period earlier.
     */
    static Map<Resolution, Long> since(Map<Resolution, Extent> extents, long beginning) {
        Map<Resolution, Long> since = new EnumMap<>(Resolution.class);
        long oldest = Long.MAX_VALUE;
        int period = 0;
        long newest = beginning;
        for (Resolution resolution : COARSEST_FIRST) {
            Extent extent = extents.get(resolution);
            long start = extent == null ? newest : extent.start();
            since.put(resolution, oldest <= start - period ? Math.max(beginning, start) : beginning);
            if (extent != null) {
                if (extent.start() < oldest) {
                    oldest = extent.start();
                    period = resolution.seconds();
                }
                newest = Math.max(newest, extent.finish());
            }
        }
        return since;
    }

    /** The chunks from which a range is read: of a resolution, and finer ones where they are not rolled up into it. */
    static List<Head> cover(List<Head> all, Resolution resolution) {
        List<Head> chosen = new ArrayList<>();
        all.stream()
                .filter(head -> head.resolution().compareTo(resolution) <= 0)
                .sorted(Comparator.comparing(Head::resolution).reversed().thenComparingLong(Head::start))
                .filter(head -> chosen.stream()
                        .noneMatch(other -> other.series() == head.series()
                                && other.resolution() != head.resolution()
                                && other.start() < head.finish()
                                && head.start() < other.finish()))
                .forEach(chosen::add);
        return chosen;
    }
}
