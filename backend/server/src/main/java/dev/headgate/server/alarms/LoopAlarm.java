package dev.headgate.server.alarms;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.wire.WireClients;
import dev.headgate.wire.LoopStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Raises an alarm on every domain while a loop of the wire port does not turn, because each domain has clients on each loop.
 * Checks once a second.
 */
@Component
class LoopAlarm implements Listener {

    static final String CODE = "wire-stalled";

    private static final int TURNS_PER_LOOK = 20;

    private final Supplier<Collection<Database>> fleet;
    private final Supplier<List<LoopStatus>> loops;

    /** Whether the alarm is raised. */
    private boolean raised;

    @Autowired
    LoopAlarm(Engine engine, WireClients wire) {
        this(engine::databases, wire::loops);
    }

    LoopAlarm(Supplier<Collection<Database>> fleet, Supplier<List<LoopStatus>> loops) {
        this.fleet = fleet;
        this.loops = loops;
    }

    @Override
    public void turn(long number, Instant now) {
        if (number % TURNS_PER_LOOK != 0) {
            return;
        }
        List<LoopStatus> all = loops.get();
        List<LoopStatus> stalled = all.stream().filter(LoopStatus::isStalled).toList();
        if (!stalled.isEmpty()) {
            String message = "clients of the wire port get no answer: %d of its %d loops %s not turned for %d s"
                    .formatted(
                            stalled.size(),
                            all.size(),
                            stalled.size() == 1 ? "has" : "have",
                            stalled.getFirst().stalled().toSeconds());
            each(pool -> pool.raise(CODE, message)); // also on pools that were added meanwhile
        } else if (raised) {
            each(pool -> pool.clear(CODE));
        }
        raised = !stalled.isEmpty();
    }

    private void each(Consumer<Pool> action) {
        fleet.get().forEach(database -> database.pools().forEach(action));
    }
}
