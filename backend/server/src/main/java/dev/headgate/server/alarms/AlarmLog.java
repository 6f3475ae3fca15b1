package dev.headgate.server.alarms;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.feed.Listener;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Keeps every alarm in the control store, from its raise to its end.
 *
 * <p>The feed's thread looks at the pools once a second, and soon after a decision that raises or ends an alarm. What has changed goes
 * into {@code pending}, where a later state of an alarm replaces an earlier one; a virtual thread writes it, twice a second. A
 * store that is away costs nothing but memory, and that is bounded: of more than {@link #MOST_PENDING} the oldest are given up and
 * counted. Whoever asks for a page first writes what is pending.
 *
 * <p>Alarms that stand when Headgate ends stay open in the store. If the next run finds the condition within {@link #GRACE} of its
 * start, the alarm goes on, with its acknowledgement. If not, it ended when it was last seen. So the log looks at the pools only
 * while they are open: it starts after them and stops before them.
 */
@Component
class AlarmLog implements Listener, SmartLifecycle {

    static final int MOST_PENDING = 5_000;

    /** Time for the pools to connect and for the policies to answer after a start. */
    static final Duration GRACE = Duration.ofMinutes(1);

    private static final int TURNS_PER_LOOK = 20;
    private static final int TURNS_PER_NEWS = 5;

    /** What changes all the time, such as when an alarm was last seen, is written this often. */
    private static final int TURNS_PER_BEAT = 200;

    private static final Duration WRITE_EVERY = Duration.ofMillis(500);
    private static final Duration PRUNE_EVERY = Duration.ofMinutes(5);
    private static final Logger LOG = LoggerFactory.getLogger(AlarmLog.class);

    private final Supplier<Collection<Database>> fleet;
    private final AlarmStore store;
    private final HeadgateProperties.Alarms retention;
    private final Clock clock;
    private final Supervisor supervisor;
    private final ApplicationEventPublisher events;

    private final LinkedHashMap<UUID, Observed> pending = new LinkedHashMap<>();
    private final LongAdder lost = new LongAdder();
    private final ReentrantLock writing = new ReentrantLock();
    private Supervisor.@Nullable Repeated writer;
    private Instant pruned = Instant.EPOCH;
    private boolean failing;

    /** Whether the feed's thread looks; what it alone uses stands below, and is set up before. */
    private volatile boolean looking;

    private final Map<AlarmKey, Observed> open = new LinkedHashMap<>();
    private final Map<AlarmKey, Observed> former = new HashMap<>();
    private Instant started = Instant.EPOCH;
    private boolean due;
    private boolean news;

    @Autowired
    AlarmLog(
            Engine engine,
            AlarmStore store,
            HeadgateProperties properties,
            Clock clock,
            Supervisor supervisor,
            ApplicationEventPublisher events) {
        this(engine::databases, store, properties, clock, supervisor, events);
    }

    AlarmLog(
            Supplier<Collection<Database>> fleet,
            AlarmStore store,
            HeadgateProperties properties,
            Clock clock,
            Supervisor supervisor,
            ApplicationEventPublisher events) {
        this.fleet = fleet;
        this.store = store;
        this.retention = properties.alarms();
        this.clock = clock;
        this.supervisor = supervisor;
        this.events = events;
    }

    // ---- the feed's thread

    @Override
    public void decided(Decision decision) {
        due |= decision.kind() == Decision.Kind.ALARM || decision.kind() == Decision.Kind.CLEARED;
    }

    @Override
    public void turn(long number, Instant now) {
        if (!looking || number % TURNS_PER_NEWS != 0) {
            return;
        }
        if (due || number % TURNS_PER_LOOK == 0) {
            due = false;
            look(now, number % TURNS_PER_BEAT == 0);
        }
        if (news) {
            news = false;
            events.publishEvent(new AlarmsChanged(now));
        }
    }

    private void look(Instant now, boolean beat) {
        Map<AlarmKey, RaisedAlarm> standing = standing();
        standing.forEach((key, alarm) -> {
            Observed before = open.get(key);
            Observed after = before == null ? begun(key, alarm, now) : before.seen(alarm, now);
            open.put(key, after);
            boolean isNews = before == null || after.isNews(before);
            if (isNews || beat) {
                keep(after);
            }
            news |= isNews;
        });
        Iterator<Observed> known = open.values().iterator();
        while (known.hasNext()) {
            Observed one = known.next();
            if (!standing.containsKey(one.key())) {
                known.remove();
                keep(one.ended(now));
                news = true;
            }
        }
        if (!former.isEmpty() && !now.isBefore(started.plus(GRACE))) {
            former.values().forEach(one -> keep(one.endedUnseen()));
            former.clear();
            news = true;
        }
    }

    private Observed begun(AlarmKey key, RaisedAlarm alarm, Instant now) {
        Observed earlier = former.remove(key);
        return earlier == null
                ? Observed.first(UUID.randomUUID(), key, alarm, now)
                : earlier.again().seen(alarm, now);
    }

    private Map<AlarmKey, RaisedAlarm> standing() {
        Map<AlarmKey, RaisedAlarm> standing = new LinkedHashMap<>();
        for (Database database : fleet.get()) {
            for (Pool pool : database.pools()) {
                for (RaisedAlarm alarm : pool.status().alarms()) {
                    standing.merge(AlarmKey.of(database.name(), pool.domain(), alarm), alarm, AlarmLog::both);
                }
            }
        }
        return standing;
    }

    /** One alarm as two pools show it. */
    private static RaisedAlarm both(RaisedAlarm one, RaisedAlarm other) {
        boolean goneFromBoth = one.clearing().isPresent() && other.clearing().isPresent();
        Optional<Instant> clearing = !goneFromBoth
                ? Optional.empty()
                : one.clearing().get().isAfter(other.clearing().get()) ? one.clearing() : other.clearing();
        return new RaisedAlarm(
                one.code(),
                one.clearing().isPresent() && other.clearing().isEmpty() ? other.message() : one.message(),
                one.since().isBefore(other.since()) ? one.since() : other.since(),
                one.severity() == Severity.CRITICAL ? one.severity() : other.severity(),
                one.reach(),
                Math.max(one.times(), other.times()),
                clearing);
    }

    private void keep(Observed alarm) {
        synchronized (pending) {
            pending.remove(alarm.id());
            pending.put(alarm.id(), alarm);
            bound();
        }
    }

    // ---- the store

    /** The number of alarms lost since the start, because the store was away for too long. */
    long lost() {
        return lost.sum();
    }

    /**
     * Writes what is pending. Blocks on the control store.
     *
     * @throws org.springframework.dao.DataAccessException if the store cannot be written; nothing is lost then
     */
    void write() {
        writing.lock();
        try {
            List<Observed> batch = take();
            try {
                if (!batch.isEmpty()) {
                    store.save(batch);
                }
            } catch (RuntimeException | Error e) {
                putBack(batch);
                throw e;
            }
        } finally {
            writing.unlock();
        }
    }

    /** Writes, and from time to time deletes alarms past their retention. A failure is logged once and tried again. */
    void writeAndPrune() {
        try {
            write();
            Instant now = clock.instant();
            if (pruned.plus(PRUNE_EVERY).isBefore(now)) {
                store.prune(now.minus(retention.keep()), retention.limit());
                pruned = now;
            }
            if (failing) {
                LOG.info("The alarm log is written again; {} alarms have been lost since the start", lost());
                failing = false;
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("The alarm log cannot be written and is kept in memory: {}", e.getMessage());
                failing = true;
            }
        }
    }

    private List<Observed> take() {
        synchronized (pending) {
            List<Observed> batch = new ArrayList<>(pending.values());
            pending.clear();
            return batch;
        }
    }

    private void putBack(List<Observed> batch) {
        synchronized (pending) {
            Map<UUID, Observed> newer = new LinkedHashMap<>(pending);
            pending.clear();
            batch.forEach(alarm -> pending.put(alarm.id(), alarm));
            pending.putAll(newer);
            bound();
        }
    }

    private void bound() {
        while (pending.size() > MOST_PENDING) {
            pending.pollFirstEntry();
            lost.increment();
        }
    }

    // ---- start and stop

    @Override
    public synchronized void start() {
        if (writer == null) {
            open.clear();
            former.clear();
            store.open().forEach(alarm -> former.put(alarm.key(), alarm));
            started = clock.instant();
            looking = true;
            writer = supervisor.every("headgate-alarms", Thread.ofVirtual(), WRITE_EVERY, this::writeAndPrune);
        }
    }

    @Override
    public synchronized void stop() {
        if (writer != null) {
            looking = false;
            writer.close();
            writer = null;
            writeAndPrune();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return writer != null;
    }

    /** Starts after the pools are open, and stops before they are closed. */
    @Override
    public int getPhase() {
        return 1;
    }
}
