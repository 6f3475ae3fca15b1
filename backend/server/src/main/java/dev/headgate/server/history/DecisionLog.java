package dev.headgate.server.history;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.store.Backlog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;

/**
 * Every decision of every governor, kept in the control store.
 *
 * <p>The feed puts a decision into a {@link Backlog}, where a repetition replaces what it repeats; a virtual thread writes it, twice a
 * second. Whoever asks for a page first writes what is pending, so the log never lacks a decision that was already told.
 *
 * <p>A decision that PostgreSQL refuses for what it holds (a policy's reason may hold anything) would be refused for ever.
 * It is kept without its details; where that is refused too, it is given up and counted. The others of its batch are kept.
 */
@Service
public class DecisionLog extends RepeatedTask implements Listener {

    static final int MOST_PENDING = 10_000;

    /** For how many refused decisions the log remembers that it has reported them. */
    private static final int MOST_TOLD = 1_000;

    private static final Duration WRITE_EVERY = Duration.ofMillis(500);
    private static final Logger LOG = LoggerFactory.getLogger(DecisionLog.class);

    private final DecisionStore store;
    private final Backlog<String, DecisionJson> pending;
    private final Set<String> told = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST_TOLD;
        }
    });

    DecisionLog(DecisionStore store, HeadgateProperties properties, Clock clock, Supervisor supervisor) {
        super(supervisor, "headgate-decisions", WRITE_EVERY);
        this.store = store;
        HeadgateProperties.History retention = properties.history();
        Backlog.Table<DecisionJson> table = new Backlog.Table<>() {
            @Override
            public void save(List<DecisionJson> batch) {
                DecisionLog.this.save(batch);
            }

            @Override
            public void prune(Instant now) {
                store.prune(now.minus(retention.decisionRetention()), retention.decisionLimit());
            }
        };
        this.pending = new Backlog<>("decision log", MOST_PENDING, DecisionJson::id, table, clock);
    }

    @Override
    public void decided(Decision decision) {
        pending.put(DecisionJson.of(decision));
    }

    /**
     * A page of the log, newest first. Blocks on the control store.
     *
     * @throws dev.headgate.server.problems.ProblemException unavailable if it is not found in time
     */
    DecisionPage page(DecisionFilter filter, Paging<DecisionKey> paging) {
        write();
        Page<DecisionJson> page = paging.page(store.find(filter, paging.after(), paging.fetch()), DecisionKey::of);
        return new DecisionPage(page.items(), page.nextCursor(), lost());
    }

    /** The newest decision of these kinds on a domain before an instant. Blocks on the control store. */
    Optional<DecisionJson> latestOfDomain(String domain, Collection<String> kinds, Instant to) {
        write();
        return store.latestOfDomain(domain, kinds, to);
    }

    /** The same on a database itself, not on one of its domains. */
    Optional<DecisionJson> latestOfDatabase(String database, Collection<String> kinds, Instant to) {
        write();
        return store.latestOfDatabase(database, kinds, to);
    }

    /** The number of decisions lost since the start: the store was unreachable for too long, or refused them. */
    public long lost() {
        return pending.lost();
    }

    /** Writes the pending decisions. Those that the store did not take are pending again.
     *
     * @throws DataAccessException if the store cannot be written
     */
    void write() {
        pending.write();
    }

    /** Saves a batch. If a row is refused, it halves the batch until the refused one is alone, and saves the others. */
    private void save(List<DecisionJson> batch) {
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
            pending.giveUp();
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

    void writeAndPrune() {
        pending.writeAndPrune();
    }

    @Override
    protected void turn() {
        writeAndPrune();
    }

    /** Writes the pending decisions if the store can be reached. */
    @Override
    protected void afterLastTurn() {
        writeAndPrune();
    }

    /** Stops after the feed, which stops after the engine, so that the last decisions are written. */
    @Override
    public int getPhase() {
        return -2;
    }
}
