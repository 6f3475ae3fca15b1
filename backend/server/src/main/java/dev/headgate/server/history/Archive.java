package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import dev.headgate.server.domains.DomainsChanged;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The history in the control store. The feed puts each second into a queue. A virtual thread puts the seconds into their series
 * every second, and writes what has changed: a closed chunk at once, an open one every {@link #WRITE_OPEN_EVERY}. So a process that
 * is killed loses about so much.
 *
 * <p>While the store cannot be reached, seconds and closed chunks wait in memory, which is bounded: of more than
 * {@link #MOST_CLOSED_BYTES} the oldest chunks of the finest resolution are given up and counted, and are a gap.
 */
@Component
class Archive extends RepeatedTask implements PeriodListener {

    /** Of the seconds that the writer has not taken yet. It takes them every second, unless it waits for the store. */
    static final long MOST_ARRIVED_BYTES = 4L << 20;

    /** Of the chunks that are not stored yet: hours of 20 busy domains. */
    static final long MOST_CLOSED_BYTES = 12L << 20;

    static final Duration WRITE_OPEN_EVERY = Duration.ofSeconds(10);

    /** Of one transaction, so that it is short with thousands of domains. */
    private static final int MOST_SERIES = 100;

    /** How long a chunk waits for its last second after its end. */
    private static final int GRACE_SECONDS = 2;

    private static final Duration TURN_EVERY = Duration.ofSeconds(1);
    private static final Duration PRUNE_EVERY = Duration.ofMinutes(5);

    /** How long the series of a deleted domain turns away what its pool still tells. */
    private static final Duration FORGET_AFTER = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(Archive.class);

    private record Arrived(Pool pool, Period second) {}

    private final ChunkStore store;
    private final Retention retention;
    private final String node;
    private final Clock clock;
    private final ConcurrentLinkedQueue<Arrived> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicLong arrivedBytes = new AtomicLong();
    private final LongAdder lost = new LongAdder();

    /** Guards the series. Held for no I/O. */
    private final ReentrantLock lock = new ReentrantLock();

    private final IdentityHashMap<Pool, Series> series = new IdentityHashMap<>();
    private final List<Series> orphans = new ArrayList<>();

    /** One writer at a time. */
    private final ReentrantLock writing = new ReentrantLock();

    private volatile boolean domainsChanged;
    private boolean orphansRead;
    private boolean failing;
    private Instant pruned = Instant.EPOCH;

    Archive(ChunkStore store, Retention retention, HeadgateProperties properties, Clock clock, Supervisor supervisor) {
        super(supervisor, "headgate-history", TURN_EVERY);
        this.store = store;
        this.retention = retention;
        this.node = properties.node();
        this.clock = clock;
    }

    @Override
    public void second(Pool pool, Period second) {
        int bytes = second.bytes();
        if (arrivedBytes.addAndGet(bytes) > MOST_ARRIVED_BYTES) {
            arrivedBytes.addAndGet(-bytes);
            lost.increment();
            return;
        }
        arrived.add(new Arrived(pool, second));
    }

    @EventListener
    void on(DomainsChanged change) {
        domainsChanged = true;
    }

    /** Seconds that could not be stored since the start. They are gaps in the history. */
    long lost() {
        return lost.sum();
    }

    /** Bytes of closed chunks that wait for the store. */
    long waitingBytes() {
        lock.lock();
        try {
            return series.values().stream().mapToLong(Series::closedBytes).sum();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Shows the periods of a domain's life that lie wholly in a range, oldest first, each measured second in exactly one of them:
     * those of a resolution, and finer ones where they are not rolled up yet. Blocks on the store.
     *
     * @param created when the domain was
     * @param from in seconds since the epoch
     * @param to not included
     */
    void read(String domain, Instant created, Resolution resolution, long from, long to, Consumer<Period> each) {
        List<Chunk> closed = new ArrayList<>();
        List<Series.Loose> open = new ArrayList<>();
        int own = inMemory(domain, created, resolution, closed, open);
        // Read afterwards, so that nothing is missed that is stored meanwhile. It may be seen twice.
        Set<Long> seen = new HashSet<>();
        Map<Long, List<Chunk>> chunks = new TreeMap<>();
        for (ChunkStore.Stored stored : store.chunks(domain, created, resolution, from, to)) {
            chunks.computeIfAbsent(stored.chunk().start(), start -> new ArrayList<>())
                    .add(stored.chunk());
            if (stored.series() == own) {
                seen.add(stored.chunk().start());
            }
        }
        closed.stream()
                .filter(chunk -> seen.add(chunk.start()))
                .forEach(chunk -> chunks.computeIfAbsent(chunk.start(), start -> new ArrayList<>())
                        .add(chunk));
        chunks.values()
                .forEach(same -> same.stream()
                        .flatMap(chunk -> periods(chunk).stream())
                        .sorted(Comparator.comparingLong(Period::start))
                        .filter(period -> period.start() >= from && period.start() + resolution.seconds() <= to)
                        .forEach(each));
        open.stream()
                .filter(loose ->
                        !seen.contains(resolution.chunkStart(loose.period().start())))
                .filter(loose -> loose.period().start() >= from && loose.end() <= to)
                .forEach(loose -> each.accept(loose.period()));
    }

    /** Copies what is not stored yet. Returns the number of the series; -1 if there is none. */
    private int inMemory(
            String domain, Instant created, Resolution resolution, List<Chunk> closed, List<Series.Loose> open) {
        lock.lock();
        try {
            takeArrived();
            for (Series each : series.values()) {
                Series.Life life = each.life();
                if (each.domain().equals(domain)
                        && life != null
                        && life.created().equals(created)) {
                    closed.addAll(each.closed(resolution));
                    open.addAll(each.open(resolution));
                    return life.id();
                }
            }
            return -1;
        } finally {
            lock.unlock();
        }
    }

    /** The periods of a chunk; none if it cannot be read, which is logged. */
    static List<Period> periods(Chunk chunk) {
        try {
            return chunk.periods();
        } catch (IllegalArgumentException e) {
            LOG.warn("The history has a chunk that cannot be read ({}): {}", chunk, e.getMessage());
            return List.of();
        }
    }

    /** Takes the seconds that have come, writes, and from time to time prunes. A failure is logged once and tried again. */
    @Override
    protected void turn() {
        write(WRITE_OPEN_EVERY, MOST_SERIES);
    }

    private void write(Duration openAfter, int most) {
        writing.lock();
        try {
            takeAndClose();
            readOrphans();
            begin();
            endTheGone();
            save(openAfter, most);
            prune();
            if (failing) {
                LOG.info("The history is stored again; {} seconds have been lost since the start", lost());
                failing = false;
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("The history cannot be stored and is kept in memory: {}", e.getMessage());
                failing = true;
            }
        } finally {
            boundClosed();
            writing.unlock();
        }
    }

    private void takeAndClose() {
        long over = clock.instant().getEpochSecond() - GRACE_SECONDS;
        lock.lock();
        try {
            takeArrived();
            series.values().forEach(each -> each.closeUntil(over));
        } finally {
            lock.unlock();
        }
    }

    private void takeArrived() {
        for (Arrived one = arrived.poll(); one != null; one = arrived.poll()) {
            arrivedBytes.addAndGet(-one.second().bytes());
            String domain = one.pool().domain();
            lost.add(series.computeIfAbsent(one.pool(), pool -> new Series(domain))
                    .add(one.second()));
        }
    }

    /** The chunks that were open when a former process ended whose domains are gone: they are closed. */
    private void readOrphans() {
        if (orphansRead) {
            return;
        }
        for (ChunkStore.Begun begun : store.orphans()) {
            Series orphan = new Series(begun.domain());
            orphan.begin(begun.life(), begun.open());
            orphan.end();
            orphans.add(orphan);
        }
        orphansRead = true;
    }

    /**
     * Asks the store for what new series are to go on with. A pool that has closed meanwhile has no life in the store, or its domain's
     * name is already that of another: its series is forgotten.
     */
    private void begin() {
        IdentityHashMap<Pool, Series> unbegun = new IdentityHashMap<>();
        lock.lock();
        try {
            series.forEach((pool, each) -> {
                if (each.life() == null) {
                    unbegun.put(pool, each);
                }
            });
        } finally {
            lock.unlock();
        }
        unbegun.forEach((pool, each) -> {
            Optional<ChunkStore.Begun> begun = store.begin(node, each.domain());
            boolean open = pool.database()
                    .pools()
                    .contains(pool); // asked afterwards: what the store has told is of this pool then
            lock.lock();
            try {
                if (!open) {
                    series.remove(pool);
                } else if (begun.isPresent()) {
                    each.begin(begun.get().life(), begun.get().open());
                    each.closeUntil(clock.instant().getEpochSecond() - GRACE_SECONDS);
                }
            } finally {
                lock.unlock();
            }
        });
    }

    private void endTheGone() {
        if (!domainsChanged) {
            return;
        }
        domainsChanged = false;
        try {
            Map<Integer, Series> begun = new HashMap<>();
            for (Series each : all()) {
                Series.Life life = each.life();
                if (life != null && !each.isEnded()) {
                    begun.put(life.id(), each);
                }
            }
            begun.keySet().removeAll(store.living(begun.keySet()));
            lock.lock();
            try {
                begun.values().forEach(Series::end);
            } finally {
                lock.unlock();
            }
        } catch (RuntimeException e) {
            domainsChanged = true;
            throw e;
        }
    }

    private void save(Duration openAfter, int most) {
        Instant now = clock.instant();
        List<Series> due = new ArrayList<>(orphans);
        List<Series.Changes> changes = new ArrayList<>();
        lock.lock();
        try {
            series.values().stream()
                    .filter(each -> each.hasClosed()
                            || (each.isChanged()
                                    && !each.written().plus(openAfter).isAfter(now)))
                    .sorted(Comparator.comparing(Series::written))
                    .limit(most)
                    .forEach(due::add);
            due.forEach(each -> changes.add(each.changes()));
        } finally {
            lock.unlock();
        }
        if (changes.isEmpty()) {
            return;
        }
        store.save(changes);
        lock.lock();
        try {
            for (int place = 0; place < due.size(); place++) {
                due.get(place).stored(changes.get(place), now);
            }
            series.values()
                    .removeIf(each ->
                            each.isDone() && each.written().plus(FORGET_AFTER).isBefore(now));
        } finally {
            lock.unlock();
        }
        orphans.clear();
    }

    private void prune() {
        Instant now = clock.instant();
        if (pruned.plus(PRUNE_EVERY).isBefore(now)) {
            retention.prune(now);
            pruned = now;
        }
    }

    /** Gives up the oldest closed chunks of the finest resolution until the others fit. */
    private void boundClosed() {
        lock.lock();
        try {
            long bytes = waitingBytes();
            while (bytes > MOST_CLOSED_BYTES) {
                bytes -= dropOldest();
            }
        } finally {
            lock.unlock();
        }
    }

    private long dropOldest() {
        for (Resolution resolution : Resolution.values()) {
            long oldest = series.values().stream()
                    .mapToLong(each -> each.oldestClosed(resolution))
                    .min()
                    .orElse(Long.MAX_VALUE);
            if (oldest != Long.MAX_VALUE) {
                long bytes = 0;
                for (Series each : series.values()) {
                    long its = each.dropClosed(resolution, oldest);
                    lost.add(its > 0 && resolution == Resolution.SECONDS ? Chunk.ROWS : 0);
                    bytes += its;
                }
                return bytes;
            }
        }
        throw new IllegalStateException("closed chunks have bytes, and there are none");
    }

    private List<Series> all() {
        lock.lock();
        try {
            return List.copyOf(series.values());
        } finally {
            lock.unlock();
        }
    }

    /** Writes everything if the store can be reached. */
    @Override
    protected void afterLastTurn() {
        write(Duration.ZERO, Integer.MAX_VALUE);
    }

    /** Stops after the feed, which stops after the engine, so that the last seconds are stored. */
    @Override
    public int getPhase() {
        return -2;
    }
}
