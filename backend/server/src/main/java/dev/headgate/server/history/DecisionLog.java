package dev.headgate.server.history;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.feed.Listener;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;

/**
 * Every decision of every governor, kept in the control store.
 *
 * <p>The feed puts a decision into {@code pending}, where a repetition replaces what it repeats; a virtual thread writes
 * what is pending in one batch, twice a second. A store that cannot be reached costs nothing but memory, and that is
 * bounded: of more than {@link #MOST_PENDING} decisions the oldest are given up and counted. Whoever asks for a page
 * first writes what is pending, so the log never lacks a decision that was already told.
 *
 * <p>A decision that PostgreSQL refuses for what it holds (a policy's reason may hold anything) would be refused for ever.
 * It is kept without its details; where that is refused too, it is given up and counted. The others of its batch are kept.
 */
@Service
public class DecisionLog implements Listener, SmartLifecycle {

    static final int MOST_PENDING = 10_000;

    /** For how many refused decisions the log remembers that it has reported them. */
    private static final int MOST_TOLD = 1_000;

    private static final Duration WRITE_EVERY = Duration.ofMillis(500);
    private static final Duration PRUNE_EVERY = Duration.ofMinutes(5);
    private static final Logger LOG = LoggerFactory.getLogger(DecisionLog.class);

    private final DecisionStore store;
    private final HeadgateProperties.History retention;
    private final Clock clock;
    private final LinkedHashMap<String, DecisionJson> pending = new LinkedHashMap<>();
    private final LongAdder lost = new LongAdder();
    private final ReentrantLock writing = new ReentrantLock();
    private final Supervisor supervisor;
    private Supervisor.@Nullable Repeated writer;
    private Instant pruned = Instant.EPOCH;
    private boolean failing;
    private final Set<String> told = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST_TOLD;
        }
    });

    DecisionLog(DecisionStore store, HeadgateProperties properties, Clock clock, Supervisor supervisor) {
        this.supervisor = supervisor;
        this.store = store;
        this.retention = properties.history();
        this.clock = clock;
    }

    @Override
    public void decided(Decision decision) {
        DecisionJson shown = DecisionJson.of(decision);
        synchronized (pending) {
            pending.put(shown.id(), shown);
            bound();
        }
    }

    /** A page of the log, newest first. Blocks on the control store. */
    DecisionPage page(DecisionFilter filter, Paging<DecisionKey> paging) {
        write();
        Page<DecisionJson> page = paging.page(store.find(filter, paging.after(), paging.fetch()), DecisionKey::of);
        return new DecisionPage(page.items(), page.nextCursor(), lost());
    }

    /** The number of decisions lost since the start: the store was unreachable for too long, or refused them. */
    public long lost() {
        return lost.sum();
    }

    /** Writes the pending decisions. Those that the store did not take are pending again.
     *
     * @throws DataAccessException if the store cannot be written
     */
    void write() {
        writing.lock();
        try {
            List<DecisionJson> batch = take();
            try {
                save(batch);
            } catch (RuntimeException | Error e) {
                putBack(batch);
                throw e;
            }
        } finally {
            writing.unlock();
        }
    }

    /** Saves a batch. If a row is refused, it halves the batch until the refused one is alone, and saves the others. */
    private void save(List<DecisionJson> batch) {
        if (batch.isEmpty()) {
            return;
        }
        try {
            store.save(batch);
        } catch (RuntimeException e) {
            if (!DecisionStore.blamesRow(e)) {
                throw e;
            }
            if (batch.size() == 1) {
                saveWithoutDetails(batch.getFirst(), e);
            } else {
                int half = batch.size() / 2;
                save(batch.subList(0, half));
                save(batch.subList(half, batch.size()));
            }
        }
    }

    private void saveWithoutDetails(DecisionJson decision, RuntimeException refused) {
        boolean kept = true;
        try {
            store.save(List.of(decision.withoutDetails()));
        } catch (RuntimeException e) {
            if (!DecisionStore.blamesRow(e)) {
                throw e;
            }
            kept = false;
            lost.increment();
        }
        if (told.add(decision.id())) {
            LOG.warn(
                    "The store refuses decision {} ({} of {}); it is {}: {}",
                    decision.id(),
                    decision.kind(),
                    decision.domain() == null ? decision.database() : decision.domain(),
                    kept ? "stored without its details" : "lost",
                    reason(refused));
        }
    }

    /** The first line of the message. PostgreSQL quotes the value in further lines. */
    private static String reason(RuntimeException refused) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(refused);
        return String.valueOf(cause.getMessage()).lines().findFirst().orElseGet(cause::toString);
    }

    /** Writes, and from time to time deletes decisions past their retention. A failure is logged once and tried again. */
    void writeAndPrune() {
        try {
            write();
            Instant now = clock.instant();
            if (pruned.plus(PRUNE_EVERY).isBefore(now)) {
                store.prune(now.minus(retention.decisionRetention()), retention.decisionLimit());
                pruned = now;
            }
            if (failing) {
                LOG.info("The decision log is written again; {} decisions have been lost since the start", lost());
                failing = false;
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("The decision log cannot be written and is kept in memory: {}", e.getMessage());
                failing = true;
            }
        }
    }

    private List<DecisionJson> take() {
        synchronized (pending) {
            List<DecisionJson> batch = new ArrayList<>(pending.values());
            pending.clear();
            return batch;
        }
    }

    private void putBack(Collection<DecisionJson> batch) {
        synchronized (pending) {
            List<DecisionJson> newer = new ArrayList<>(pending.values());
            pending.clear();
            batch.forEach(decision -> pending.put(decision.id(), decision));
            newer.forEach(decision -> pending.put(decision.id(), decision));
            bound();
        }
    }

    private void bound() {
        while (pending.size() > MOST_PENDING) {
            pending.pollFirstEntry();
            lost.increment();
        }
    }

    @Override
    public synchronized void start() {
        if (writer == null) {
            writer = supervisor.every("headgate-decisions", Thread.ofVirtual(), WRITE_EVERY, this::writeAndPrune);
        }
    }

    /** Lets the writer finish, and then writes the pending decisions if the store can be reached. */
    @Override
    public synchronized void stop() {
        if (writer != null) {
            writer.close();
            writer = null;
            writeAndPrune();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return writer != null;
    }

    /** Stops after the feed, which stops after the engine, so that the last decisions are written. */
    @Override
    public int getPhase() {
        return -2;
    }
}
