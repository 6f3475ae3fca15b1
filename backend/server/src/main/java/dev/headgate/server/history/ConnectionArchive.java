package dev.headgate.server.history;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The connections' history in the control store. A virtual thread writes each minute that is over, of every domain, from the seconds
 * that {@link ConnectionHistory} has in memory, and rolls up what is stored: ten minutes of seconds become periods of ten seconds, an
 * hour of these becomes minutes. What is to be rolled up is found in the store, so it does not matter which process wrote it.
 *
 * <p>While the store is away the seconds stay in that memory. Those that leave it unwritten are a gap, and counted there. A process
 * that is killed loses up to a minute.
 */
@Component
class ConnectionArchive extends RepeatedTask {

    /** Of one transaction. */
    private static final int MOST_CHUNKS = 100;

    /** How long a minute waits for its last second after its end. */
    private static final int GRACE_SECONDS = 2;

    private static final Duration TURN_EVERY = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionArchive.class);

    private final ConnectionHistory history;
    private final ConnectionChunkStore store;
    private final String node;
    private final boolean wanted;
    private final Clock clock;

    /** One writer at a time. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Until when each resolution has been rolled up, in seconds since the epoch. */
    private final Map<Resolution, Long> rolledUp = new EnumMap<>(Resolution.class);

    private boolean failing;

    ConnectionArchive(
            ConnectionHistory history,
            ConnectionChunkStore store,
            HeadgateProperties properties,
            Clock clock,
            Supervisor supervisor) {
        super(supervisor, "headgate-connection-history", TURN_EVERY);
        this.history = history;
        this.store = store;
        this.node = properties.node();
        this.wanted = properties.history().connections().isPositive();
        this.clock = clock;
    }

    /** Writes the minutes that are over and rolls up. A failure is logged once and tried again. */
    @Override
    protected void turn() {
        long over = clock.instant().getEpochSecond() - GRACE_SECONDS;
        write(Resolution.SECONDS.chunkStart(over), over);
    }

    private void write(long until, long over) {
        writing.lock();
        try {
            save(until);
            rollUp(Resolution.SECONDS, Resolution.TENS, over);
            rollUp(Resolution.TENS, Resolution.MINUTES, over);
            if (failing) {
                LOG.info("The history of connections is stored again");
                failing = false;
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("The history of connections cannot be stored and is kept in memory: {}", e.getMessage());
                failing = true;
            }
        } finally {
            writing.unlock();
        }
    }

    private void save(long until) {
        List<ConnectionHistory.Unwritten> taken = new ArrayList<>();
        List<ConnectionChunkStore.Stored> chunks = new ArrayList<>();
        for (ConnectionHistory.Unwritten each : history.unwritten(until)) {
            Optional<Integer> series = each.series().or(() -> store.series(node, each.domain()));
            if (series.isPresent()) {
                taken.add(each);
                byMinute(each.seconds())
                        .forEach(minute ->
                                chunks.add(new ConnectionChunkStore.Stored(series.get(), chunkOfSeconds(minute))));
                each.belongsTo(series.get());
            }
            if (chunks.size() >= MOST_CHUNKS) {
                flush(taken, chunks);
            }
        }
        flush(taken, chunks);
    }

    private void flush(List<ConnectionHistory.Unwritten> taken, List<ConnectionChunkStore.Stored> chunks) {
        if (!chunks.isEmpty()) {
            store.save(chunks);
            taken.forEach(ConnectionHistory.Unwritten::written);
        }
        taken.clear();
        chunks.clear();
    }

    private static Iterable<List<ConnectionPeriod>> byMinute(List<ConnectionPeriod> seconds) {
        Map<Long, List<ConnectionPeriod>> minutes = new TreeMap<>();
        seconds.forEach(
                each -> minutes.computeIfAbsent(Resolution.SECONDS.chunkStart(each.start()), start -> new ArrayList<>())
                        .add(each));
        return minutes.values();
    }

    /** It begins with its first second and not with the minute, because a process that ended may have written what was before. */
    private static ConnectionChunk chunkOfSeconds(List<ConnectionPeriod> seconds) {
        return ConnectionChunk.of(
                Resolution.SECONDS,
                seconds.getFirst().start(),
                seconds.getLast().start() + 1,
                seconds);
    }

    private void rollUp(Resolution resolution, Resolution coarser, long over) {
        long until = coarser.chunkStart(over);
        if (until <= rolledUp.getOrDefault(resolution, 0L)) {
            return;
        }
        for (int series : store.notRolledUp(resolution, coarser, until)) {
            Map<Long, List<ConnectionChunk>> parts = new TreeMap<>();
            for (ConnectionChunkStore.Stored stored : store.notRolledUp(series, resolution, coarser, until)) {
                long finish = coarser.chunkStart(stored.chunk().start()) + coarser.chunkSeconds();
                parts.computeIfAbsent(finish, end -> new ArrayList<>()).add(stored.chunk());
            }
            List<ConnectionChunkStore.Stored> rolled = new ArrayList<>();
            parts.forEach((finish, finer) ->
                    rolled.add(new ConnectionChunkStore.Stored(series, rolledUp(finer, coarser, finish))));
            store.save(rolled);
        }
        rolledUp.put(resolution, until);
    }

    /** It begins with the period of the first part, so that it does not seem to reach further back than what it was made of. */
    private static ConnectionChunk rolledUp(List<ConnectionChunk> finer, Resolution coarser, long finish) {
        List<ConnectionPeriod> periods =
                finer.stream().flatMap(each -> periods(each).stream()).toList();
        return ConnectionChunk.of(
                coarser,
                coarser.periodStart(finer.getFirst().start()),
                finish,
                ConnectionPeriod.roll(periods, coarser));
    }

    /** The periods of a chunk; none if it cannot be read, which is logged. */
    static List<ConnectionPeriod> periods(ConnectionChunk chunk) {
        try {
            return chunk.periods();
        } catch (IllegalArgumentException e) {
            LOG.warn("The history has a chunk that cannot be read ({}): {}", chunk, e.getMessage());
            return List.of();
        }
    }

    @Override
    public synchronized void start() {
        if (wanted) {
            super.start();
        }
    }

    /** Writes every second if the store can be reached. */
    @Override
    protected void afterLastTurn() {
        long over = clock.instant().getEpochSecond() - GRACE_SECONDS;
        write(Long.MAX_VALUE, over);
    }

    /** As {@link Archive}: stops after the feed. */
    @Override
    public int getPhase() {
        return -2;
    }
}
