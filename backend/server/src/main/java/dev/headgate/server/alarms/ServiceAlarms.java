package dev.headgate.server.alarms;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.Words;
import dev.headgate.server.feed.Listener;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Raises an alarm on every domain that a {@link Condition} concerns, while it holds. Checks once a second. Belongs to the feed's
 * thread.
 */
@Component
class ServiceAlarms implements Listener {

    private static final int TURNS_PER_LOOK = 20;

    private final Supplier<Collection<Database>> fleet;
    private final List<Condition> conditions;

    /** The codes of the alarms that are raised. */
    private final Set<String> raised = new HashSet<>();

    /** By their codes. */
    private final Map<String, RaisedAlarm> ofService = new LinkedHashMap<>();

    @Autowired
    ServiceAlarms(Engine engine, List<Condition> conditions) {
        this(engine::databases, conditions);
    }

    ServiceAlarms(Supplier<Collection<Database>> fleet, List<Condition> conditions) {
        this.fleet = fleet;
        this.conditions = List.copyOf(conditions);
    }

    @Override
    public void turn(long number, Instant now) {
        if (number % TURNS_PER_LOOK == 0) {
            conditions.forEach(condition -> look(condition, now));
        }
    }

    private void look(Condition condition, Instant now) {
        String code = condition.code();
        Condition.Finding found = condition.look(now);
        found.ofService()
                .map(words -> alarm(condition, words, now))
                .ifPresentOrElse(
                        alarm -> ofService.merge(code, alarm, ServiceAlarms::again), () -> ofService.remove(code));
        boolean stood = raised.remove(code);
        each(
                pool -> { // also those that were added meanwhile
                    Optional<Words> words = found.ofPool().apply(pool);
                    if (words.isPresent()) {
                        raised.add(code);
                        pool.raise(code, condition.severity(), words.get());
                    } else if (stood) {
                        pool.clear(code);
                    }
                });
    }

    private static RaisedAlarm alarm(Condition condition, Words words, Instant now) {
        return new RaisedAlarm(condition.code(), words, now, condition.severity(), Reach.SERVICE, 1, Optional.empty());
    }

    private static RaisedAlarm again(RaisedAlarm before, RaisedAlarm now) {
        return new RaisedAlarm(
                now.code(), now.words(), before.since(), now.severity(), now.reach(), now.times(), now.clearing());
    }

    /** The alarms of the whole service, which stand also where there is no domain. */
    Collection<RaisedAlarm> ofService() {
        return ofService.values();
    }

    private void each(Consumer<Pool> action) {
        fleet.get().forEach(database -> database.pools().forEach(action));
    }
}
