package dev.headgate.server.history;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One life of a domain on its way to the store: the chunk under way of each resolution, and the closed ones that are not stored
 * yet. Periods go into the chunk of seconds. When a chunk's time is over it is closed, and its periods are rolled up into the
 * chunk of the next resolution. So every period is either in a closed chunk of a resolution or in exactly one open chunk of that
 * or a finer one; {@link Archive} relies on that when it reads.
 *
 * <p>Until {@link #begin}, periods only wait, because the store may have chunks that an earlier process left open. Not safe for
 * several threads: {@link Archive} guards it.
 */
final class Series {

    /** Seconds that wait for {@link #begin}. */
    static final int MOST_WAITING = 600;

    /** A chunk of which more periods will come. */
    private static final class Open {
        private final Resolution resolution;
        private final long start;
        private @Nullable Chunk packed;
        private List<Period> loose = new ArrayList<>();
        private long last;

        Open(Resolution resolution, long start) {
            this.resolution = resolution;
            this.start = start;
            this.last = start - 1;
        }

        static Open of(Chunk chunk, List<Period> its) {
            Open open = new Open(chunk.resolution(), chunk.start());
            open.packed = chunk;
            open.last = its.getLast().start();
            return open;
        }

        void add(Period period) {
            if (period.start() > last) {
                loose.add(period);
                last = period.start();
            }
        }

        List<Period> periods() {
            Chunk known = packed;
            if (known == null) {
                return loose;
            }
            List<Period> all = new ArrayList<>(known.periods());
            all.addAll(loose);
            return all;
        }

        Chunk pack() {
            Chunk known = packed;
            if (known == null || !loose.isEmpty()) {
                known = Chunk.of(resolution, start, periods());
                packed = known;
                loose = new ArrayList<>();
            }
            return known;
        }
    }

    private final String domain;
    private final Map<Resolution, Open> open = new EnumMap<>(Resolution.class);
    private final Set<Resolution> changed = EnumSet.noneOf(Resolution.class);
    private final Deque<Chunk> closed = new ArrayDeque<>();
    private final Deque<Period> waiting = new ArrayDeque<>();
    private @Nullable Life life;
    private boolean ended;
    private Instant written = Instant.EPOCH;

    Series(String domain) {
        this.domain = domain;
    }

    /**
     * What the store calls this series.
     *
     * @param created when the domain was created, which tells it from others of the same name
     */
    record Life(int id, Instant created) {}

    /**
     * What is to be written, all in one transaction.
     *
     * @param open of each resolution that has changed; null where there is none any more
     */
    record Changes(int series, List<Chunk> closed, Map<Resolution, @Nullable Chunk> open) {}

    String domain() {
        return domain;
    }

    @Nullable
    Life life() {
        return life;
    }

    /** Whether the domain is gone. Nothing more is taken then. */
    boolean isEnded() {
        return ended;
    }

    /** Whether the domain is gone and all is stored. */
    boolean isDone() {
        return ended && !isChanged();
    }

    Instant written() {
        return written;
    }

    /**
     * Takes the next second.
     *
     * @return how many seconds were lost because too many wait
     */
    int add(Period second) {
        if (ended) {
            return 0;
        }
        if (life != null) {
            take(Resolution.SECONDS, List.of(second));
            return 0;
        }
        waiting.add(second);
        if (waiting.size() <= MOST_WAITING) {
            return 0;
        }
        waiting.removeFirst();
        return 1;
    }

    /**
     * Goes on where the store's open chunks end.
     *
     * @param left the chunks that were open when the former process ended
     */
    void begin(Life known, Collection<Chunk> left) {
        life = known;
        for (Chunk chunk : left) {
            List<Period> its = Archive.periods(chunk);
            if (!its.isEmpty()) {
                open.put(chunk.resolution(), Open.of(chunk, its));
            }
        }
        take(Resolution.SECONDS, List.copyOf(waiting));
        waiting.clear();
    }

    /** Closes the chunks whose time is over at an instant, in seconds since the epoch. */
    void closeUntil(long second) {
        for (Resolution resolution : Resolution.values()) {
            Open under = open.get(resolution);
            if (life != null && under != null && under.start + resolution.chunkSeconds() <= second) {
                close(under);
            }
        }
    }

    /** The domain is gone: closes every chunk. */
    void end() {
        closeUntil(Long.MAX_VALUE);
        waiting.clear();
        ended = true;
    }

    private void take(Resolution resolution, List<Period> periods) {
        for (Period period : periods) {
            long start = resolution.chunkStart(period.start());
            Open under = open.get(resolution);
            if (under != null && under.start < start) {
                close(under);
                under = null;
            }
            if (under == null) {
                under = new Open(resolution, start);
                open.put(resolution, under);
            }
            if (under.start == start) {
                under.add(period);
                changed.add(resolution);
            }
        }
        Open under = open.get(resolution);
        if (resolution != Resolution.SECONDS && under != null) {
            under.pack();
        }
    }

    private void close(Open over) {
        open.remove(over.resolution);
        changed.add(over.resolution);
        closed.add(over.pack());
        over.resolution.coarser().ifPresent(coarser -> take(coarser, Sum.roll(over.periods(), coarser)));
    }

    boolean isChanged() {
        return life != null && !(closed.isEmpty() && changed.isEmpty());
    }

    boolean hasClosed() {
        return life != null && !closed.isEmpty();
    }

    /** Bytes of closed chunks that are not stored yet. */
    long closedBytes() {
        return closed.stream().mapToLong(chunk -> chunk.body().length).sum();
    }

    /** The start of the oldest closed chunk of a resolution; {@link Long#MAX_VALUE} if there is none. */
    long oldestClosed(Resolution resolution) {
        return closed.stream()
                .filter(chunk -> chunk.resolution() == resolution)
                .mapToLong(Chunk::start)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /**
     * Gives up the closed chunk of a resolution that begins at an instant.
     *
     * @return its bytes; 0 if there is none
     */
    long dropClosed(Resolution resolution, long start) {
        long before = closedBytes();
        closed.removeIf(chunk -> chunk.resolution() == resolution && chunk.start() == start);
        return before - closedBytes();
    }

    Changes changes() {
        Map<Resolution, @Nullable Chunk> opened = new EnumMap<>(Resolution.class);
        for (Resolution resolution : changed) {
            Open under = open.get(resolution);
            opened.put(resolution, under == null ? null : under.pack());
        }
        Life known = life;
        if (known == null) {
            throw new IllegalStateException(domain + " has not begun");
        }
        return new Changes(known.id(), List.copyOf(closed), opened);
    }

    /** The changes are stored. What was taken since {@link #changes} is still to be written. */
    void stored(Changes changes, Instant now) {
        closed.removeAll(changes.closed());
        changes.open().forEach((resolution, chunk) -> {
            Open under = open.get(resolution);
            boolean same = under == null ? chunk == null : under.packed == chunk && under.loose.isEmpty();
            if (same) {
                changed.remove(resolution);
            }
        });
        written = now;
    }

    /** The closed chunks of a resolution that are not stored yet, oldest first. */
    List<Chunk> closed(Resolution resolution) {
        return closed.stream().filter(chunk -> chunk.resolution() == resolution).toList();
    }

    /** A period of an open chunk, of that resolution. */
    record Loose(Resolution resolution, Period period) {
        /** In seconds since the epoch; not included. */
        long end() {
            return period.start() + resolution.seconds();
        }
    }

    /** The periods of the open chunks of a resolution and of the finer ones, oldest first. */
    List<Loose> open(Resolution resolution) {
        List<Loose> periods = new ArrayList<>();
        for (Resolution each :
                List.copyOf(EnumSet.range(Resolution.SECONDS, resolution)).reversed()) {
            Open under = open.get(each);
            if (under != null) {
                under.periods().forEach(period -> periods.add(new Loose(each, period)));
            }
        }
        waiting.forEach(period -> periods.add(new Loose(Resolution.SECONDS, period)));
        return periods;
    }
}
