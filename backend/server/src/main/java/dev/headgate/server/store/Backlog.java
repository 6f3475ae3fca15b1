package dev.headgate.server.store;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of a log on their way to the control store. {@link #put} never blocks; {@link #write} saves all that is pending in one batch. A
 * store that is away costs nothing but memory, and that is bounded: beyond {@code most} rows those that were put first are given up and
 * counted. All methods may be called from any thread; one thread writes at a time.
 *
 * @param <K> what tells rows apart: a row replaces a pending one with the same key
 */
public final class Backlog<K, V> {

    /** The table of a log. Its methods block, and throw unchecked exceptions if the store cannot be written. */
    public interface Table<V> {

        /** Saves rows, oldest first. If it throws, all of them stay pending. */
        void save(List<V> batch);

        /** Deletes what is past its retention. */
        void prune(Instant now);
    }

    private static final Duration PRUNE_EVERY = Duration.ofMinutes(5);
    private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

    private final String name;
    private final int most;
    private final Function<V, K> key;
    private final Table<V> table;
    private final Clock clock;

    private final LinkedHashMap<K, V> pending = new LinkedHashMap<>();
    private final LongAdder lost = new LongAdder();
    private final ReentrantLock writing = new ReentrantLock();
    private Instant pruned = Instant.EPOCH;
    private boolean failing;

    /** @param name of the log, for messages: "decision log" */
    public Backlog(String name, int most, Function<V, K> key, Table<V> table, Clock clock) {
        this.name = name;
        this.most = most;
        this.key = key;
        this.table = table;
        this.clock = clock;
    }

    /** Adds a row, or replaces a pending one. */
    public void put(V row) {
        synchronized (pending) {
            add(row);
            bound();
        }
    }

    /**
     * Saves what is pending. Blocks on the control store.
     *
     * @throws RuntimeException what {@link Table#save} throws; nothing is lost then
     */
    public void write() {
        writing.lock();
        try {
            List<V> batch = take();
            try {
                if (!batch.isEmpty()) {
                    table.save(batch);
                }
            } catch (RuntimeException | Error e) {
                putBack(batch);
                throw e;
            }
        } finally {
            writing.unlock();
        }
    }

    /** Writes, and from time to time prunes. A failure is logged once; the next call tries again. Called by one thread. */
    public void writeAndPrune() {
        try {
            write();
            Instant now = clock.instant();
            if (pruned.plus(PRUNE_EVERY).isBefore(now)) {
                table.prune(now);
                pruned = now;
            }
            if (failing) {
                LOG.info("The {} is written again; {} rows have been lost since the start", name, lost());
                failing = false;
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("The {} cannot be written and is kept in memory: {}", name, e.getMessage());
                failing = true;
            }
        }
    }

    /** The rows given up since the start. */
    public long lost() {
        return lost.sum();
    }

    /** Counts a row as given up that the store refuses for what it holds. */
    public void giveUp() {
        lost.increment();
    }

    private List<V> take() {
        synchronized (pending) {
            List<V> batch = new ArrayList<>(pending.values());
            pending.clear();
            return batch;
        }
    }

    /** Puts rows back before those that came meanwhile. */
    private void putBack(Collection<V> batch) {
        synchronized (pending) {
            List<V> newer = new ArrayList<>(pending.values());
            pending.clear();
            batch.forEach(this::add);
            newer.forEach(this::add);
            bound();
        }
    }

    private void add(V row) {
        pending.putLast(key.apply(row), row);
    }

    private void bound() {
        while (pending.size() > most) {
            pending.pollFirstEntry();
            lost.increment();
        }
    }
}
