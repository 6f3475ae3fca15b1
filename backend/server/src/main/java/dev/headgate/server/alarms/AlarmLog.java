package dev.headgate.server.alarms;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.store.Backlog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Keeps every alarm in the control store, from its raise to its end.
 *
 * <p>The feed's thread looks at the databases and the pools once a second, and soon after a decision that raises or ends an alarm. What has changed goes
 * into a {@link Backlog}, where a later state of an alarm replaces an earlier one; a virtual thread writes it, twice a second. Whoever asks
 * for a page first writes what is pending.
 *
 * <p>Alarms that stand when Headgate ends stay open in the store. If the next run finds the condition within {@link #GRACE} of its
 * start, the alarm goes on, with its acknowledgement. If not, it ended when it was last seen. So the log looks at the pools only
 * while they are open: it starts after them and stops before them.
 */
@Component
class AlarmLog extends RepeatedTask implements Listener {

    static final int MOST_PENDING = 5_000;

    /** Time for the pools to connect and for the policies to answer after a start. */
    static final Duration GRACE = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(AlarmLog.class);

    private static final int TURNS_PER_LOOK = 20;
    private static final int TURNS_PER_NEWS = 5;

    /** What changes all the time, such as when an alarm was last seen, is written this often. */
    private static final int TURNS_PER_BEAT = 200;

    private static final Duration WRITE_EVERY = Duration.ofMillis(500);

    private final Supplier<Collection<Database>> fleet;
    private final Supplier<Collection<RaisedAlarm>> ofService;
    private final AlarmStore store;
    private final Clock clock;
    private final ApplicationEventPublisher events;

    private final Backlog<UUID, Observed> pending;

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
            ServiceAlarms service,
            AlarmStore store,
            HeadgateProperties properties,
            Clock clock,
            Supervisor supervisor,
            ApplicationEventPublisher events) {
        this(engine::databases, service::ofService, store, properties, clock, supervisor, events);
    }

    AlarmLog(
            Supplier<Collection<Database>> fleet,
            Supplier<Collection<RaisedAlarm>> ofService,
            AlarmStore store,
            HeadgateProperties properties,
            Clock clock,
            Supervisor supervisor,
            ApplicationEventPublisher events) {
        super(supervisor, "headgate-alarms", WRITE_EVERY);
        this.fleet = fleet;
        this.ofService = ofService;
        this.store = store;
        HeadgateProperties.Alarms retention = properties.alarms();
        Backlog.Table<Observed> table = new Backlog.Table<>() {
            @Override
            public void save(List<Observed> batch) {
                store.save(batch);
            }

            @Override
            public void prune(Instant now) {
                store.prune(now.minus(retention.keep()), retention.limit());
            }
        };
        this.pending = new Backlog<>("alarm log", MOST_PENDING, Observed::id, table, clock);
        this.clock = clock;
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
        Map<AlarmKey, Standing> standing = standing();
        standing.forEach((key, alarm) -> {
            Observed before = open.get(key);
            Observed after = before == null ? begun(key, alarm, now) : before.seen(alarm, now);
            open.put(key, after);
            boolean isNews = before == null || after.isNews(before);
            if (isNews || beat) {
                pending.put(after);
            }
            news |= isNews;
            if (isLogged(after) && (before == null || !isLogged(before))) {
                line(LOG.atWarn(), after).log("Alarm: {}", inWords(after));
            }
        });
        Iterator<Observed> known = open.values().iterator();
        while (known.hasNext()) {
            Observed one = known.next();
            if (!standing.containsKey(one.key())) {
                known.remove();
                Observed ended = one.ended(now);
                pending.put(ended);
                news = true;
                if (isLogged(one)) {
                    line(LOG.atInfo(), one)
                            .log(
                                    "The alarm is over: {}, for {} s",
                                    ended.message(),
                                    Duration.between(one.since(), one.lastSeen())
                                            .toSeconds());
                }
            }
        }
        if (!former.isEmpty() && !now.isBefore(started.plus(GRACE))) {
            former.values().forEach(one -> pending.put(one.endedUnseen()));
            former.clear();
            news = true;
        }
    }

    /** Whether the service's log tells of it. What raises an alarm of the whole service tells of that itself. */
    private static boolean isLogged(Observed alarm) {
        return alarm.worst() == Severity.CRITICAL && alarm.key().reach() != Reach.SERVICE;
    }

    private static LoggingEventBuilder line(LoggingEventBuilder line, Observed alarm) {
        String domain = alarm.key().domain();
        return domain == null ? line : line.addKeyValue("domain", domain);
    }

    /** In one line, whatever a server or a policy has said. */
    private static String inWords(Observed alarm) {
        String words = alarm.detail().isEmpty() ? alarm.message() : alarm.message() + ": " + alarm.detail();
        return words.replaceAll("\\s+", " ");
    }

    private Observed begun(AlarmKey key, Standing alarm, Instant now) {
        Observed earlier = former.remove(key);
        return earlier == null
                ? Observed.first(UUID.randomUUID(), key, alarm, now)
                : earlier.again().seen(alarm, now);
    }

    private Map<AlarmKey, Standing> standing() {
        Map<AlarmKey, Standing> standing = new LinkedHashMap<>();
        for (RaisedAlarm alarm : ofService.get()) {
            standing.put(AlarmKey.of("", "", alarm), Standing.ofService(alarm));
        }
        for (Database database : fleet.get()) {
            for (RaisedAlarm alarm : database.status().alarms()) {
                standing.put(AlarmKey.of(database.name(), "", alarm), Standing.ofDatabase(alarm));
            }
            for (Pool pool : database.pools()) {
                for (RaisedAlarm alarm : pool.status().alarms()) {
                    AlarmKey key = AlarmKey.of(database.name(), pool.domain(), alarm);
                    standing.merge(key, Standing.onDomain(pool.domain(), alarm), Standing::and);
                }
            }
        }
        return standing;
    }

    // ---- the store

    /** The number of alarms lost since the start, because the store was away for too long. */
    long lost() {
        return pending.lost();
    }

    /**
     * Writes what is pending. Blocks on the control store.
     *
     * @throws org.springframework.dao.DataAccessException if the store cannot be written; nothing is lost then
     */
    void write() {
        pending.write();
    }

    void writeAndPrune() {
        pending.writeAndPrune();
    }

    // ---- start and stop

    @Override
    public synchronized void start() {
        if (!isRunning()) {
            open.clear();
            former.clear();
            store.open().forEach(alarm -> former.put(alarm.key(), alarm));
            started = clock.instant();
            looking = true;
            super.start();
        }
    }

    @Override
    public synchronized void stop() {
        looking = false;
        super.stop();
    }

    @Override
    protected void turn() {
        writeAndPrune();
    }

    @Override
    protected void afterLastTurn() {
        writeAndPrune();
    }

    /** Starts after the pools are open, and stops before they are closed. */
    @Override
    public int getPhase() {
        return 1;
    }
}
